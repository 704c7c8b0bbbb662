package io.cairn.client.file;

import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileWatch;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply.EntryReply;
import org.jspecify.annotations.Nullable;

/**
 * Whether an inode is changed by this client's commits only. Each commit of which the master says
 * that it began with the inode as it is known here continues an unbroken chain; everything else
 * breaks it. Thread-safe by the lock of the inode.
 */
public final class OwnChanges {
    private final InodeState state;
    private int watches;
    private long breaks;
    private long commits;
    private long ownVersion;
    private long foreignVersion;

    OwnChanges(InodeState state, Attributes first) {
        this.state = state;
        this.foreignVersion = first.version();
    }

    /** The last version that others made, or that may hold changes of theirs. */
    public long foreignVersion() {
        synchronized (state) {
            return foreignVersion;
        }
    }

    /** Whether anybody wants to know. */
    boolean isWatched() {
        synchronized (state) {
            return watches > 0;
        }
    }

    /**
     * Another state of the inode is known; to be called with the lock held. What was fetched ahead
     * before others changed it is not read any more.
     */
    void adopted(Attributes before, Attributes after) {
        if (after.version() != before.version() && after.version() != ownVersion) {
            breaks++;
            foreignVersion = after.version();
            state.readers().forget(0, Long.MAX_VALUE);
        }
    }

    /** A commit has made this, out of exactly what was known; to be called with the lock held. */
    void committed(Attributes after) {
        ownVersion = after.version();
        commits++;
    }

    /** Whether a commit began at the master with the inode exactly as it is known here. */
    boolean isUnbroken(Mutation mutation, EntryReply reply) {
        Attributes known = state.inode().attributes();
        if (mutation instanceof ContentMutation.Spill spill) {
            return known.version() == spill.baseVersion();
        }
        return !reply.before().isEmpty()
                && reply.before().getFirst().equals(AttributeStamp.of(known));
    }

    /** As {@link io.cairn.fs.OpenFile#watch}. */
    public FileWatch watch() {
        synchronized (state) {
            watches++;
            return new Watch(AttributeStamp.of(state.attributes()), breaks, commits);
        }
    }

    private final class Watch implements FileWatch {
        private final AttributeStamp before;
        private final long breaksBefore;
        private final long commitsBefore;
        private boolean closed;

        Watch(AttributeStamp before, long breaksBefore, long commitsBefore) {
            this.before = before;
            this.breaksBefore = breaksBefore;
            this.commitsBefore = commitsBefore;
        }

        @Override
        public AttributeStamp before() {
            return before;
        }

        @Override
        public @Nullable Attributes after() {
            synchronized (state) {
                boolean known =
                        breaks == breaksBefore && commits > commitsBefore && !state.isDirty();
                return known ? state.attributes() : null;
            }
        }

        @Override
        public void close() {
            synchronized (state) {
                if (!closed) {
                    closed = true;
                    watches--;
                }
            }
        }
    }
}
