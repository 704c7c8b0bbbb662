package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Layout;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What chunks of one file hold beyond its end: nothing, or what a client wrote there that never
 * committed it, because it is no more or its commit failed. A client that extends the file over a
 * gap would bring that to light. So it first asks the master whether any client was lost since the
 * last object of the file was made. If so, the file gets a new one for its tail.
 *
 * <p>Writes without a gap ask nothing. The answer is believed for as long as attributes are, and
 * for that long nobody is asked about a file made here. Thread-safe.
 */
public final class FileTail {
    private static final Logger LOG = LoggerFactory.getLogger(FileTail.class);
    private final InodeState state;
    private final Mount mount;
    private final Detour detour;
    private volatile boolean sure;
    private volatile long sureSinceMs;
    private volatile boolean left;

    FileTail(InodeState state, Mount mount, Uncommitted uncommitted) {
        this.state = state;
        this.mount = mount;
        this.detour = new Detour(state, mount, uncommitted);
    }

    /** The way around servers that are lost. */
    public Detour detour() {
        return detour;
    }

    /** There is nothing beyond the end but what living clients are about to commit. */
    void makeSure() {
        sureSinceMs = mount.nowMs();
        sure = true;
    }

    /**
     * The session ended, so that the master doubts all that there is: it is to be asked before the
     * next gap.
     */
    public void doubt() {
        sure = false;
        left = false;
    }

    /** Bytes of this client may be beyond the end that it will never commit. */
    void leave() {
        left = true;
    }

    private boolean isSure() {
        return sure && !left && mount.nowMs() - sureSinceMs < mount.settings().attributeTtlMs();
    }

    /** Before bytes are written, or zeros up to {@code end} begin to count; blocks. */
    public void beforeWrite(long offset, long end) {
        detour.before(end);
        if (!state.leavesGap(offset, end) || isSure() || isConfirmed()) {
            return;
        }
        state.gate().close();
        try {
            Await.get(state.commitNow(), state.drainTimeoutMs());
            renew();
        } finally {
            state.gate().open();
        }
    }

    /**
     * Before the first append under a new token: what a holder who was lost has still on its way to
     * the chunk servers must not land among our records, so it goes to an object that is no more.
     * Blocks; not for commits, as it makes one.
     */
    void beforeAppends() {
        if (isConfirmed()) {
            return;
        }
        try {
            Await.get(state.commitNow(), state.drainTimeoutMs());
            renew();
        } catch (FsException e) {
            if (e.errno() != Errno.EFBIG) {
                throw e;
            }
            LOG.warn("inode {}: {}", state.ino(), e.getMessage());
        }
    }

    private boolean isConfirmed() {
        if (left) {
            return false;
        }
        Reply reply = mount.master().ask(new Query.CheckTail(state.ino()));
        if (reply instanceof Reply.Failure failure && failure.errno() == Errno.ESTALE) {
            return false;
        }
        state.adopt(Await.expect(reply, Reply.EntryReply.class).inode());
        makeSure();
        return true;
    }

    /** Before the master makes the file longer, everything being committed; blocks. */
    public void beforeExtension() {
        if (left) {
            renew();
        }
    }

    private void renew() {
        Layout layout = state.layout();
        Reply reply =
                mount.master().change(new ContentMutation.RenewTail(state.ino(), layout.lastOid()));
        state.adopt(Await.expect(reply, Reply.EntryReply.class).inode());
        left = false;
        makeSure();
    }

    /**
     * The file is not used any more here: gives up what could not be committed. Never blocks; fails
     * when the master does not know then.
     */
    public CompletableFuture<Void> abandon() {
        if (!left && !state.isDirty()) {
            return Promises.DONE;
        }
        long oid = state.layout().lastOid();
        return mount.master()
                .mutate(new ContentMutation.RenewTail(state.ino(), oid))
                .thenAccept(_ -> {});
    }
}
