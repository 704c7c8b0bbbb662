package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the writers of this mount out of a file while another client moves its contents: they wait
 * a moment and then write where it is. Everything is committed and durable before, so nothing is
 * left behind. Bytes that a full disk refused, or that wait for a lost server, cannot be: they are
 * kept here and go to where the file is then.
 *
 * <p>If nobody ends it in time, the inode is changed before the first writer goes on: then the
 * other client can move it no more, as it names the version that it has copied. While no master can
 * be asked for that, writers wait as long as they wait for a master. Thread-safe.
 */
public final class Standstill {
    /** Less than writers wait for it; who orders it again and again has to end some time. */
    private static final long LONGEST_MS = 25_000;

    /** Who orders it does not wait longer. */
    private static final long FLUSH_MS = 3000;

    private static final long RENEW_PAUSE_MS = 100;
    private static final long RENEW_LIMIT_MS = 60_000;

    private final OpenInode inode;
    private final Mount mount;

    // Guarded by this.
    private @Nullable CompletableFuture<Void> begun;
    private CompletableFuture<Boolean> end = CompletableFuture.completedFuture(true);
    private int orders;
    private long sinceMs;
    private long untilMs;

    Standstill(OpenInode inode, Mount mount) {
        this.inode = inode;
        this.mount = mount;
    }

    /**
     * Begins it or, for 0 milliseconds, ends it. The same order once more makes it last so long
     * from then on, 25 seconds in all at most. Never blocks.
     *
     * @return completes when nothing is left to be stored and writers wait
     */
    CompletableFuture<Void> order(int ms) {
        CompletableFuture<Void> mine;
        CompletableFuture<Boolean> ending;
        int order;
        synchronized (this) {
            if (ms == 0) {
                // Not here: writers may go on with this thread.
                var _ = end.completeAsync(() -> true, mount.runtime().threads());
                // Whoever asks from now on gets a standstill of its own, after this one.
                begun = null;
                return Promises.DONE;
            }
            CompletableFuture<Void> present = begun;
            if (present != null) {
                lastFor(ms);
                return present;
            }
            mine = new CompletableFuture<>();
            ending = new CompletableFuture<>();
            begun = mine;
            end = ending;
            order = ++orders;
        }
        mount.runtime().threads().execute(() -> hold(order, mine, ending, ms));
        return mine;
    }

    private void hold(
            int order, CompletableFuture<Void> promise, CompletableFuture<Boolean> ending, int ms) {
        try {
            inode.closeGate();
        } catch (FsException e) {
            over(order);
            promise.completeExceptionally(e);
            return;
        }
        boolean kept = false;
        try {
            kept = keepUnlessCommitted();
            flushStored();
            begin(ms);
            endInTime(order, ending, ms);
            promise.complete(null);
            if (!Await.get(ending, ms + LONGEST_MS)) {
                renewAtLast(inode, mount);
            }
        } catch (FsException e) {
            inode.doubts().begin();
            promise.completeExceptionally(e);
        } finally {
            over(order);
            if (kept) {
                inode.tell(s -> s.chunks().resume());
            }
            inode.openGate();
        }
    }

    private synchronized void begin(int ms) {
        sinceMs = mount.nowMs();
        untilMs = sinceMs;
        lastFor(ms);
    }

    private synchronized void lastFor(int ms) {
        untilMs = Math.max(untilMs, Math.min(mount.nowMs() + ms, sinceMs + LONGEST_MS));
    }

    /**
     * For how long it goes on, in milliseconds. When its time is over, whoever asks gets a
     * standstill of its own after it: writers go on as soon as the inode has another version.
     */
    private synchronized long leftMs(int order) {
        long leftMs = untilMs - mount.nowMs();
        if (leftMs <= 0) {
            over(order);
        }
        return leftMs;
    }

    /** Ends it when its time is over; that is later when it was ordered again. */
    private void endInTime(int order, CompletableFuture<Boolean> ending, long delayMs) {
        mount.runtime()
                .scheduler()
                .schedule(
                        () -> {
                            long leftMs = leftMs(order);
                            if (leftMs > 0) {
                                endInTime(order, ending, leftMs);
                            } else {
                                ending.complete(false);
                            }
                        },
                        delayMs);
    }

    /**
     * Commits; whether bytes that wait for room, or for a lost server, are kept here instead. The
     * other client may wait for the same server: nobody waits for the bytes of the other one.
     */
    private boolean keepUnlessCommitted() {
        boolean isBlocked = inode.<Boolean>with(s -> s.chunks().isBlocked(_ -> true));
        if (!isBlocked && inode.detour().commitUnlessStuck()) {
            return false;
        }
        if (!inode.<Boolean>with(FileState::keepHere)) {
            throw new FsException(Errno.EBUSY, "bytes wait for room or a server before others");
        }
        return true;
    }

    /**
     * The other client copies what the power spares, and an fsync asks no more whether the old
     * chunks have lost writes. What waits for a lost server cannot be copied, and is left.
     */
    private void flushStored() {
        ClusterMap map = mount.chunks().map();
        CompletableFuture<Void> flushed =
                inode.flushChunks(
                        place -> isServed(map, place), error -> inode.tell(s -> s.note(error)));
        Await.get(
                Promises.within(flushed, mount.runtime().scheduler(), FLUSH_MS), mount.timeoutMs());
    }

    private static boolean isServed(ClusterMap map, ChunkPlace place) {
        PlacementGroup group = map.groupOf(place.layout(), place.index());
        return group != null && group.head() != null;
    }

    /** Unless another one has begun. */
    private synchronized void over(int order) {
        if (orders == order) {
            begun = null;
        }
    }

    /**
     * Gives an inode another version, and learns how it is: what names the version before was done
     * until then, or never will be. Blocks until a master has heard of it, or the mount ends.
     */
    static void renewAtLast(OpenInode inode, Mount mount) {
        while (true) {
            try {
                renew(inode, mount);
                return;
            } catch (FsException e) {
                if (!e.errno().isTransient() && e.errno() != Errno.EAGAIN) {
                    throw e;
                }
            }
            CompletableFuture<Void> over = new CompletableFuture<>();
            mount.runtime().scheduler().schedule(() -> over.complete(null), RENEW_PAUSE_MS);
            Await.get(over, RENEW_LIMIT_MS);
        }
    }

    /** Gives the inode another version, unless it is immutable: then nobody writes it. */
    private static void renew(OpenInode inode, Mount mount) {
        Attributes known = inode.inode().attributes();
        if (known.hasFlag(Attributes.IMMUTABLE)) {
            inode.doubts().look();
            return;
        }
        // Each writer may set this time to now: of an append-only file, and of a file that does
        // not belong to the users to whom a mount rule maps all others. No other one.
        AttributeChange least =
                AttributeChange.NONE.withBits(AttributeChange.ATIME | AttributeChange.ATIME_NOW);
        Reply reply = mount.master().change(new TreeMutation.SetAttributes(inode.ino(), least));
        inode.adopt(reply);
    }
}
