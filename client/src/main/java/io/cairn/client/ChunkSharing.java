package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInode;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.FileSystem;
import io.cairn.runtime.PendingRequest;
import io.cairn.wire.master.ContentMutation.SharingMutation.RaiseFence;
import io.cairn.wire.master.ContentMutation.SharingMutation.ShareChunks;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a file go on with the chunks of another one, where a program asked to copy them: as a clone
 * does. Other clients keep their writers out of the file meanwhile. Whatever prevents it, the bytes
 * can be copied. Blocking; for one thread.
 */
final class ChunkSharing {
    /** Fewer bytes are copied: for a clone all chunk servers are asked. */
    static final long MIN_BYTES = 64L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(ChunkSharing.class);

    /** How long writers of the target may be kept waiting. */
    private static final int STILL_MS = 12_000;

    /** How long chunk servers are waited for. */
    private static final long PATIENCE_MS = 10_000;

    private static final long RAISE_AGAIN_MS = 1500;
    private static final long PAUSE_MS = 30;

    private final CairnFileSystem fs;
    private final Mount mount;
    private final ClientFile source;
    private final ClientFile target;

    ChunkSharing(CairnFileSystem fs, ClientFile source, ClientFile target) {
        this.fs = fs;
        this.mount = fs.mount();
        this.source = source;
        this.target = target;
    }

    /** Bytes that the file has from an offset on as if they had been copied; 0 when none. */
    long share(long offsetBytes, long lengthBytes) {
        long leftBytes = source.state().size() - offsetBytes;
        boolean isSynchronous = (target.flags() & FileSystem.O_DSYNC) != 0;
        if (Math.min(lengthBytes, leftBytes) < MIN_BYTES
                || isSynchronous
                || source.ino() == target.ino()) {
            return 0;
        }
        try {
            return isPossible(offsetBytes) ? shareStill(offsetBytes, lengthBytes) : 0;
        } catch (FsException e) {
            if (PendingRequest.isCurrentCancelled()) {
                throw e;
            }
            LOG.debug("bytes of inode {} are copied: {}", source.ino(), e.getMessage());
            return 0;
        }
    }

    /** Decides from what is known here, so that small pieces of a large copy cost no calls. */
    private boolean isPossible(long offset) {
        OpenInode to = target.state();
        OpenInode from = source.state();
        if (to.size() != offset || from.isInline() || !to.isInline() && offset == 0) {
            return false;
        }
        Layout own = to.layout();
        Layout model = from.layout();
        return (offset & (model.chunkSizeBytes() - 1)) == 0
                && own.chunkSizeLog2() == model.chunkSizeLog2()
                && (to.isInline() || own.seed() == model.seed());
    }

    private long shareStill(long offset, long length) {
        OpenInode to = target.state();
        source.state().commitAndWait();
        target.beforeChange(true);
        to.closeGate();
        try {
            Query still = new Query.HoldStill(to.ino(), STILL_MS);
            if (!(mount.master().ask(still) instanceof Reply.Done)) {
                return 0;
            }
            to.commitAndWait();
            return ask(offset, length);
        } finally {
            to.openGate();
            Query over = new Query.HoldStill(to.ino(), 0);
            Promises.whenDone(mount.master().query(over), (_, _) -> {});
        }
    }

    private long ask(long offset, long length) {
        OpenInode to = target.state();
        long beganMs = mount.nowMs();
        long raisedMs = beganMs - RAISE_AGAIN_MS;
        while (mount.nowMs() - beganMs < PATIENCE_MS) {
            Inode inode = fs.tree().inode(to.ino());
            long version = inode.attributes().version();
            ShareChunks wanted = new ShareChunks(to.ino(), version, source.ino(), offset, length);
            Reply reply = mount.master().change(wanted, to.lockingSession());
            if (reply instanceof Reply.EntryReply entry) {
                mount.unsynced().share(source.ino(), to.ino());
                fs.tree().absorb(entry);
                return entry.inode().attributes().size() - offset;
            }
            if (!(reply instanceof Reply.Failure failure) || failure.errno() != Errno.EAGAIN) {
                LOG.debug("inode {} shares no chunks: {}", to.ino(), reply);
                return 0;
            }
            if (mount.nowMs() - raisedMs >= RAISE_AGAIN_MS) {
                Reply raised = mount.master().change(new RaiseFence(to.ino(), source.ino()), 0);
                raisedMs = raised instanceof Reply.Done ? mount.nowMs() : raisedMs;
            }
            fs.contents().pause(PAUSE_MS);
        }
        return 0;
    }
}
