package io.cairn.client.file;

import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply.EntryReply;

/**
 * Whether an inode is changed by this client's commits only. Each commit of which the master says
 * that it began with the inode as it is known here continues an unbroken chain; everything else
 * breaks it. Guarded by the lock of the inode.
 */
final class OwnChanges {
    private int watches;
    private long breaks;
    private long commits;
    private long ownVersion;
    private long foreignVersion;

    OwnChanges(Attributes first) {
        this.foreignVersion = first.version();
    }

    /** The last version that others made, or that may hold changes of theirs. */
    long foreignVersion() {
        return foreignVersion;
    }

    /** Whether anybody wants to know. */
    boolean isWatched() {
        return watches > 0;
    }

    /** Another state of the inode is known; whether others made it. */
    boolean isForeign(Attributes before, Attributes after) {
        if (after.version() == before.version() || after.version() == ownVersion) {
            return false;
        }
        breaks++;
        foreignVersion = after.version();
        return true;
    }

    /** A commit has made this, out of exactly what was known. */
    void committed(Attributes after) {
        ownVersion = after.version();
        commits++;
    }

    /** Whether a commit began at the master with the inode exactly as it is known here. */
    static boolean isUnbroken(Mutation mutation, EntryReply reply, Attributes known) {
        if (mutation instanceof ContentMutation.Spill spill) {
            return known.version() == spill.baseVersion();
        }
        return !reply.before().isEmpty()
                && reply.before().getFirst().equals(AttributeStamp.of(known));
    }

    /** A moment in the chain. */
    record Mark(AttributeStamp stamp, long breaks, long commits) {}

    /** Somebody wants to know what happens from now on. */
    Mark watch(Attributes now) {
        watches++;
        return new Mark(AttributeStamp.of(now), breaks, commits);
    }

    /** Somebody wants to know no more. */
    void unwatch() {
        watches--;
    }

    /** Whether there were commits since a moment, and nothing else. */
    boolean isUnbrokenSince(Mark mark) {
        return breaks == mark.breaks && commits > mark.commits;
    }
}
