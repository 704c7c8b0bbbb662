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
 * Keeps new chunks of one file out of groups that do not serve. The master is asked to put
 * everything behind the end of the file elsewhere, before the first byte of such a chunk is
 * written, and when bytes wait for a server that was lost.
 *
 * <p>What is behind the end may have been stored and not been committed. So all clients that hold
 * the file open commit and keep their writers waiting meanwhile, this one commits as well, and the
 * master does it for the version of the inode that was seen then. What this client cannot commit,
 * because it waits for the lost server, goes again to the new place; if more than that was stored
 * behind the end, everything stays where it is. Thread-safe.
 */
public final class Detour {
    private static final Logger LOG = LoggerFactory.getLogger(Detour.class);

    /** How long writers of other clients may be kept waiting. */
    private static final int STILL_MS = 3000;

    private static final int MAX_TRIES = 4;

    /** After a try that did not help the next one waits. */
    private static final long QUIET_MS = 500;

    private final InodeState state;
    private final Mount mount;
    private final Uncommitted uncommitted;
    private @Nullable CompletableFuture<Boolean> running;
    private long quietSinceMs;
    private boolean quiet;

    Detour(InodeState state, Mount mount, Uncommitted uncommitted) {
        this.state = state;
        this.mount = mount;
        this.uncommitted = uncommitted;
    }

    /** Before bytes are written, or zeros begin to count, up to an offset; blocks. */
    public void before(long end) {
        if (mount.chunks().map().isAvailable()) {
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
        synchronized (state) {
            if (isQuiet() || isTooLate() || !state.contents().chunks().isBlocked()) {
                return;
            }
        }
        Promises.whenDone(take(), (_, _) -> {});
    }

    private boolean isNeeded(long end) {
        synchronized (state) {
            boolean isInline = state.contents().inline() != null;
            Layout layout = state.inode().layout();
            if (layout == null || end <= 0 || isQuiet()) {
                return false;
            }
            if (isInline && end <= mount.master().session().inlineLimitBytes()) {
                return false;
            }
            ClusterMap map = mount.chunks().map();
            long first = isInline ? 0 : layout.chunkBehind(state.size());
            return Stripe.isBlocked(map, layout, first, layout.chunkOf(end - 1));
        }
    }

    private boolean isQuiet() {
        return quiet && mount.nowMs() - quietSinceMs < QUIET_MS;
    }

    /** Whether bytes are stored that would stay behind. */
    private boolean isTooLate() {
        return uncommitted.storedEnd() > keptEnd();
    }

    /** Up to here stays what is stored, or is remembered. */
    private long keptEnd() {
        Inode inode = state.inode();
        Layout layout = state.layout();
        return inode.inline() != null
                ? Limits.MAX_INLINE_BYTES
                : layout.chunkBehind(inode.attributes().size()) << layout.chunkSizeLog2();
    }

    /** Whether the layout is another one afterwards. Never blocks. */
    private CompletableFuture<Boolean> take() {
        CompletableFuture<Boolean> mine;
        synchronized (state) {
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
            LOG.debug("inode {} stays where it is: {}", state.ino(), e.getMessage());
        } finally {
            synchronized (state) {
                running = null;
                quiet = !taken;
                quietSinceMs = mount.nowMs();
            }
            promise.complete(taken);
        }
    }

    private boolean amongOthers() {
        long ino = state.ino();
        Reply held = mount.master().ask(new Query.HoldStill(ino, STILL_MS));
        try {
            return held instanceof Reply.Done && alone();
        } finally {
            Promises.whenDone(mount.master().query(new Query.HoldStill(ino, 0)), (_, _) -> {});
        }
    }

    private boolean alone() {
        if (!isStuck()) {
            Await.get(state.commit(), state.drainTimeoutMs());
        }
        long version;
        synchronized (state) {
            if (isTooLate()) {
                return false;
            }
            Inode inode = state.inode();
            version = inode.attributes().version();
            state.contents().chunks().pause(inode.inline() == null ? keptEnd() : 0);
        }
        try {
            return ask(version);
        } finally {
            synchronized (state) {
                state.contents().chunks().resume();
            }
        }
    }

    private boolean isStuck() {
        synchronized (state) {
            return state.contents().chunks().isBlocked();
        }
    }

    private boolean ask(long version) {
        Layout before = state.layout();
        Reply reply = mount.master().change(new ContentMutation.TakeDetour(state.ino(), version));
        if (reply instanceof Reply.EntryReply entry) {
            state.adopt(entry.inode());
        } else if (reply instanceof Reply.Failure failure && failure.errno() == Errno.ESTALE) {
            state.doubts().look();
        }
        return !before.equals(state.layout());
    }
}
