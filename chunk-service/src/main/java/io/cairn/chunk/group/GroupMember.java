package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This server's part in one placement group: the term it is in, the turns of its chunks, and what
 * it knows about writes that are not settled. Thread-safe; terms begin on one thread at a time.
 */
public final class GroupMember {
    private static final Logger LOG = LoggerFactory.getLogger(GroupMember.class);

    private final PeerContext station;
    private final EpochFence fence;
    private final ChunkTurns turns;
    private final Unsettled unsettled;
    private final Origins origins = new Origins();
    private volatile Term term;
    private volatile @Nullable Headship headship;
    private volatile CompletableFuture<Void> quietBefore = Futures.DONE;

    /**
     * @param complete whether nothing was written to the group before that is not settled
     */
    GroupMember(PeerContext station, EpochFence fence, Term first, boolean complete) {
        this.station = station;
        this.fence = fence;
        this.turns = new ChunkTurns(station.disk());
        this.unsettled = new Unsettled(complete);
        this.term = first;
    }

    Term term() {
        return term;
    }

    /** The directory here that holds the group's chunks now. */
    public StorageTarget target() {
        return term.target();
    }

    public ChunkTurns turns() {
        return turns;
    }

    Unsettled unsettled() {
        return unsettled;
    }

    Origins origins() {
        return origins;
    }

    /**
     * The current term, for a request of this epoch. WRONG_EPOCH for every other one (a younger one
     * makes this server ask the master at once), NOT_READY without a lease.
     */
    Term enter(long epoch) {
        Term now = term;
        if (epoch > now.epoch()) {
            fence.note(now.groupId(), epoch);
            endGrants(now);
            var _ = station.heartbeat().refresh();
        }
        if (epoch != now.epoch()) {
            throw new FsException(
                    Errno.WRONG_EPOCH, now + " here, the request is of epoch " + epoch);
        }
        check(now);
        return now;
    }

    /** Like {@link #enter}, for what only the head does. */
    Term enterAsHead(long epoch) {
        Term now = enter(epoch);
        if (!now.isHead()) {
            throw new FsException(Errno.WRONG_EPOCH, "not the head of " + now + ": ask the head");
        }
        return now;
    }

    /** Like {@link #enter}, for what the head tells other members. */
    Term enterAsMember(long epoch) {
        Term now = enter(epoch);
        if (now.isHead() || !now.isCurrent()) {
            throw new FsException(Errno.WRONG_EPOCH, "does not follow the head of " + now);
        }
        return now;
    }

    /** Whether this server may act in a term now: before doing something and before telling it. */
    void check(Term asked) {
        if (asked != term || asked.hasEnded() || fence.isAbove(asked.groupId(), asked.epoch())) {
            throw new FsException(Errno.WRONG_EPOCH, asked + " has ended");
        }
        station.lease().check();
    }

    /** The work of this server as the head; WRONG_EPOCH when it is not the head in this term. */
    Headship headship(Term asked) {
        Headship now = headship;
        if (now == null || asked != term) {
            throw new FsException(Errno.WRONG_EPOCH, "not the head of " + asked);
        }
        return now;
    }

    /**
     * Compares the copies of all chunks by write and length, if this server is the head; done when
     * those that differed agree. Fails when a member does not answer.
     */
    public CompletableFuture<Void> compareCopies() {
        Headship now = headship;
        return now == null ? Futures.DONE : now.agreement().compareAgain();
    }

    /** Done when no work of an earlier term runs. */
    CompletableFuture<Void> quietBefore() {
        return quietBefore;
    }

    /** The chunk here. On a disk thread. */
    ChunkState state(Term asked, ChunkKey key) {
        return asked.target().stat(asked.groupId(), key.oid(), key.index());
    }

    /**
     * Whether the replica here cannot be used: in doubt, fenced or damaged. It looks absent then.
     * On a disk thread.
     */
    boolean isUnusable(Term asked, ChunkKey key) {
        BlobKey blob = new BlobKey(asked.groupId(), key.oid(), key.index());
        return state(asked, key).sequence() == 0 && asked.target().isDoubtful(blob);
    }

    /**
     * An error of the replica here, as a client of the head is to hear it. As long as a member is
     * away that may hold what is damaged here the client waits for it, as it does for a group that
     * nobody serves. What is encrypted with a dropped key nobody holds. On a disk thread.
     */
    FsException told(Term asked, ChunkKey key, FsException error) {
        boolean damage = error.errno() == Errno.EIO || error.errno() == Errno.EBADMSG;
        if (!damage || isLost(asked) || asked.away().isEmpty() || isOfThisEpoch(asked, key)) {
            return error;
        }
        return new FsException(
                Errno.NOT_READY,
                "%s; %s is away and may have it".formatted(error.getMessage(), asked.away()),
                error);
    }

    /** Whether the key of the group was dropped: no member can read what it has. */
    static boolean isLost(Term asked) {
        return asked.target().verification().keys().isLost(asked.groupId());
    }

    /** Its absent members never had the writes of an epoch. */
    private static boolean isOfThisEpoch(Term asked, ChunkKey key) {
        BlobKey blob = new BlobKey(asked.groupId(), key.oid(), key.index());
        WriteMark last;
        try {
            last = asked.target().expected(blob);
        } catch (FsException unreadable) {
            return false;
        }
        return last != null && last.epoch() == asked.epoch();
    }

    ChunkAddress address(Term asked, ChunkKey key, int chunkSizeLog2) {
        return new ChunkAddress(
                asked.groupId(), asked.epoch(), key.oid(), key.index(), chunkSizeLog2);
    }

    /** Begins the first term. */
    void begin() {
        lead(term);
    }

    /** Goes over to a younger term, unless it says nothing new. */
    void accept(Term next) {
        Term old = term;
        if (next.isSameAs(old)) {
            return;
        }
        headship = null;
        term = next;
        old.end();
        endGrants(old);
        quietBefore = turns.quiet();
        LOG.debug("{}: {}", next, next.group().members());
        lead(next);
    }

    /** The group has no member here any more; done when no work for it runs. */
    public CompletableFuture<Void> leave() {
        term.end();
        endGrants(term);
        return turns.quiet();
    }

    /** A grant that is made meanwhile is not told: the term has ended before. */
    private static void endGrants(Term ended) {
        ended.target().grants().endGroup(ended.groupId());
    }

    private void lead(Term now) {
        if (now.isHead()) {
            Headship fresh = new Headship(station, this, now);
            headship = fresh;
            fresh.begin();
        }
    }
}
