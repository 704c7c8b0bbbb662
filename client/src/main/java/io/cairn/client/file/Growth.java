package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Promises;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does for one file what its {@link FileTail} says before it grows. Thread-safe. */
public final class Growth {
    private static final Logger LOG = LoggerFactory.getLogger(Growth.class);
    private final OpenInode inode;
    private final Mount mount;

    Growth(OpenInode inode, Mount mount) {
        this.inode = inode;
        this.mount = mount;
    }

    /** Whether the contents are in the inode and have to leave it for bytes up to an end. */
    public boolean outgrowsInode(long end) {
        return inode.with(s -> s.contents().inline() != null && !s.fitsInline(end));
    }

    /** Before bytes are written, or zeros up to {@code end} begin to count; blocks. */
    public void beforeWrite(long offset, long end) {
        inode.detour().before(end);
        FileTail.Step step =
                inode.with(
                        s ->
                                s.leavesGap(offset, end)
                                        ? s.tail().beforeGap(mount.nowMs())
                                        : FileTail.Step.NOTHING);
        if (mustRenew(step)) {
            inode.closeGate();
            try {
                commitAndRenew();
            } finally {
                inode.openGate();
            }
        }
    }

    /**
     * Before the first append under a new token: what a holder who was lost has still on its way to
     * the chunk servers must not land among our records, so it goes to an object that is no more.
     * Blocks; not for commits, as it makes one.
     */
    void beforeAppends() {
        if (!mustRenew(inode.with(s -> s.tail().beforeAppends()))) {
            return;
        }
        try {
            commitAndRenew();
        } catch (FsException e) {
            if (e.errno() != Errno.EFBIG) {
                throw e;
            }
            LOG.warn("inode {}: {}", inode.ino(), e.getMessage());
        }
    }

    /** Before the master makes the file longer, everything being committed; blocks. */
    public void beforeExtension() {
        if (mustRenew(inode.with(s -> s.tail().beforeExtension()))) {
            renew();
        }
    }

    /** Whether the tail is to be renewed; the master may have to be asked. */
    private boolean mustRenew(FileTail.Step step) {
        return switch (step) {
            case NOTHING -> false;
            case RENEW -> true;
            case ASK -> !isConfirmed();
        };
    }

    private boolean isConfirmed() {
        Reply reply = mount.master().ask(new Query.CheckTail(inode.ino()));
        if (reply instanceof Reply.Failure failure && failure.errno() == Errno.ESTALE) {
            return false;
        }
        inode.adopt(reply);
        inode.tell(s -> s.tail().makeSure(mount.nowMs()));
        return true;
    }

    private void commitAndRenew() {
        inode.commitAndWait();
        renew();
    }

    private void renew() {
        Reply reply =
                mount.master()
                        .change(
                                new ContentMutation.RenewTail(
                                        inode.ino(), inode.layout().lastOid()));
        inode.adopt(reply);
        inode.tell(s -> s.tail().renewed(mount.nowMs()));
    }

    /**
     * The file is not used any more here: gives up what could not be committed. Never blocks; fails
     * when the master does not know then.
     */
    public CompletableFuture<Void> abandon() {
        if (!inode.with(s -> s.tail().isLeft() || s.isDirty())) {
            return Promises.DONE;
        }
        long oid = inode.layout().lastOid();
        return mount.master()
                .mutate(new ContentMutation.RenewTail(inode.ino(), oid))
                .thenAccept(_ -> {});
    }
}
