package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Stripe;
import io.cairn.wire.Limits;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps new chunks of one file out of groups that do not serve or are nearly full. The master is
 * asked to put everything behind the end of the file elsewhere, before the first byte of such a
 * chunk is written, and when bytes wait for a server that was lost.
 *
 * <p>Bytes behind the end may have been stored and not been committed. So all clients that hold the
 * file open commit and keep their writers waiting meanwhile, this one commits as well, and the
 * master does it for the version of the inode that was seen then. Bytes that this client cannot
 * commit, because they wait for the lost server, go again to the new place. If more than that was
 * stored behind the end, everything stays where it is. Thread-safe.
 */
public final class Detour {
    private static final Logger LOG = LoggerFactory.getLogger(Detour.class);

    /** How long writers of other clients may be kept waiting. */
    private static final int STILL_MS = 3000;

    private static final int MAX_TRIES = 4;

    /** After a try that did not help the next one waits. */
    private static final long QUIET_MS = 500;

    private final OpenInode inode;
    private final Mount mount;

    // Guarded by this.
    private @Nullable CompletableFuture<Boolean> running;
    private long quietSinceMs;
    private boolean quiet;

    Detour(OpenInode inode, Mount mount) {
        this.inode = inode;
        this.mount = mount;
    }

    /** Before bytes are written, or zeros begin to count, up to an offset; blocks. */
    public void before(long end) {
        ClusterMap map = mount.chunks().map();
        if (map.isAvailable() && map.isRoomy()) {
            return;
        }
        for (int tries = 0; tries < MAX_TRIES && isNeeded(end); tries++) {
            if (!Await.get(take(), mount.timeoutMs())) {
                return;
            }
        }
    }

    /** If anything waits for a lost server, and may go elsewhere. Never blocks. */
    void takeIfStuck() {
        if (mount.chunks().map().isAvailable()) {
            return;
        }
        boolean isStuck = inode.with(s -> !isTooLate(s) && s.chunks().isBlocked());
        if (isStuck && !isQuiet()) {
            Promises.whenDone(take(), (_, _) -> {});
        }
    }

    private boolean isNeeded(long end) {
        return end > 0 && !isQuiet() && inode.with(s -> isBlocked(s, end));
    }

    private boolean isBlocked(FileState s, long end) {
        Layout layout = s.inode().layout();
        boolean isInline = s.contents().inline() != null;
        if (layout == null || (isInline && end <= mount.master().session().inlineLimitBytes())) {
            return false;
        }
        long first = isInline ? 0 : layout.chunkBehind(s.size());
        long last = layout.chunkOf(end - 1);
        ClusterMap map = mount.chunks().map();
        return Stripe.isBlocked(map, layout, first, last)
                || Stripe.isCrowded(map, layout, first, last);
    }

    private synchronized boolean isQuiet() {
        return quiet && mount.nowMs() - quietSinceMs < QUIET_MS;
    }

    /** Whether bytes are stored that would stay behind. */
    private static boolean isTooLate(FileState s) {
        return s.uncommitted().storedEnd() > keptEnd(s);
    }

    /** Up to here stays what is stored, or is remembered. */
    private static long keptEnd(FileState s) {
        Inode inode = s.inode();
        Layout layout = s.layout();
        return inode.inline() != null
                ? Limits.MAX_INLINE_BYTES
                : layout.chunkBehind(inode.attributes().size()) << layout.chunkSizeLog2();
    }

    /** Whether the layout is another one afterwards. Never blocks. */
    private CompletableFuture<Boolean> take() {
        CompletableFuture<Boolean> mine;
        synchronized (this) {
            CompletableFuture<Boolean> present = running;
            if (present != null) {
                return present;
            }
            mine = new CompletableFuture<>();
            running = mine;
        }
        // Not by who waits for it: a signal must not end it half-way.
        mount.runtime().threads().execute(() -> run(mine));
        return mine;
    }

    private void run(CompletableFuture<Boolean> promise) {
        boolean taken = false;
        try {
            taken = amongOthers();
        } catch (FsException e) {
            LOG.debug("inode {} stays where it is: {}", inode.ino(), e.getMessage());
        } finally {
            synchronized (this) {
                running = null;
                quiet = !taken;
                quietSinceMs = mount.nowMs();
            }
            promise.complete(taken);
        }
    }

    private boolean amongOthers() {
        long ino = inode.ino();
        Reply held = mount.master().ask(new Query.HoldStill(ino, STILL_MS));
        try {
            return held instanceof Reply.Done && alone();
        } finally {
            Promises.whenDone(mount.master().query(new Query.HoldStill(ino, 0)), (_, _) -> {});
        }
    }

    private boolean alone() {
        if (!inode.<Boolean>with(s -> s.chunks().isBlocked())) {
            Await.get(inode.commit(), inode.drainTimeoutMs());
        }
        long version =
                inode.with(
                        s -> {
                            if (isTooLate(s)) {
                                return -1L;
                            }
                            s.chunks().pause(s.inode().inline() == null ? keptEnd(s) : 0);
                            return s.inode().attributes().version();
                        });
        if (version < 0) {
            return false;
        }
        try {
            return ask(version);
        } finally {
            inode.tell(s -> s.chunks().resume());
        }
    }

    private boolean ask(long version) {
        Layout before = inode.layout();
        Reply reply = mount.master().change(new ContentMutation.TakeDetour(inode.ino(), version));
        if (reply instanceof Reply.EntryReply entry) {
            inode.adopt(entry.inode());
        } else if (reply instanceof Reply.Failure failure && failure.errno() == Errno.ESTALE) {
            inode.doubts().look();
        }
        return !before.equals(inode.layout());
    }
}
