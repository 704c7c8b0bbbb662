package io.cairn.client;

import io.cairn.base.FsException;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInode;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Layout;
import io.cairn.fs.FileSystem;
import io.cairn.runtime.PendingRequest;
import io.cairn.wire.master.ContentMutation.SharingMutation.ShareChunks;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a file go on with the chunks of another one, where a program asked to copy them: as a clone
 * does. That is possible where chunk servers refuse changes of them already, because of a snapshot
 * or a clone. The masters are asked for that first; only then other clients keep their writers out
 * of the file for a moment. Whatever prevents it, the bytes can be copied. Blocking; for one
 * thread.
 */
final class ChunkSharing {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkSharing.class);

    /** How long writers of the target may be kept waiting. */
    private static final int STILL_MS = 12_000;

    /** So long after the writers were told, nothing is sent any more that needs them waiting. */
    private static final long SURELY_STILL_MS = 6_000;

    /** The version of no file: only asks. */
    private static final long NO_VERSION = 0;

    private final CairnFileSystem fs;
    private final Mount mount;
    private final ClientFile source;
    private final ClientFile target;
    private boolean isRefused;

    ChunkSharing(CairnFileSystem fs, ClientFile source, ClientFile target) {
        this.fs = fs;
        this.mount = fs.mount();
        this.source = source;
        this.target = target;
    }

    /** Whether it was worth a question, and did not succeed. */
    boolean isRefused() {
        return isRefused;
    }

    /** Bytes that the file has from an offset on as if they had been copied; 0 when none. */
    long share(long offsetBytes, long lengthBytes) {
        if (!isWorthAsking(offsetBytes, lengthBytes)) {
            return 0;
        }
        isRefused = true;
        try {
            long sharedBytes =
                    isPossible(offsetBytes, lengthBytes) ? shareStill(offsetBytes, lengthBytes) : 0;
            isRefused = sharedBytes == 0;
            return sharedBytes;
        } catch (FsException e) {
            if (PendingRequest.isCurrentCancelled()) {
                throw e;
            }
            LOG.debug("bytes of inode {} are copied: {}", source.ino(), e.getMessage());
            return 0;
        }
    }

    /** Decides from what is known here, so that small pieces of a large copy cost no calls. */
    private boolean isWorthAsking(long offset, long length) {
        OpenInode to = target.state();
        OpenInode from = source.state();
        boolean isSynchronous = (target.flags() & FileSystem.O_DSYNC) != 0;
        if (Math.min(length, from.size() - offset) < mount.settings().shareFromBytes()
                || isSynchronous
                || source.ino() == target.ino()
                || to.size() != offset
                || from.isInline()
                || to.isInline() != (offset == 0)) {
            return false;
        }
        Layout own = to.layout();
        Layout model = from.layout();
        return (offset & (model.chunkSizeBytes() - 1)) == 0
                && own.chunkSizeLog2() == model.chunkSizeLog2()
                && (offset == 0 || own.seed() == model.seed());
    }

    /** Nobody waits meanwhile, and nothing changes. */
    private boolean isPossible(long offset, long length) {
        Reply reply = ask(NO_VERSION, offset, length);
        LOG.debug("may inode {} share chunks: {}", target.ino(), reply);
        return reply instanceof Reply.Done;
    }

    private Reply ask(long version, long offset, long length) {
        ShareChunks wanted = new ShareChunks(target.ino(), version, source.ino(), offset, length);
        return mount.master().change(wanted, target.state().lockingSession());
    }

    private long shareStill(long offset, long length) {
        OpenInode to = target.state();
        source.state().commitAndWait();
        target.beforeChange(true);
        long beganMs = mount.nowMs();
        to.closeGate();
        try {
            Query still = new Query.HoldStill(to.ino(), STILL_MS);
            if (!(mount.master().ask(still) instanceof Reply.Done)) {
                return 0;
            }
            to.commitAndWait();
            long version = fs.tree().inode(to.ino()).attributes().version();
            if (mount.nowMs() - beganMs > SURELY_STILL_MS) {
                return 0;
            }
            return ask(version, offset, length) instanceof Reply.EntryReply entry
                    ? shared(entry, offset)
                    : 0;
        } finally {
            to.openGate();
            Query over = new Query.HoldStill(to.ino(), 0);
            Promises.whenDone(mount.master().query(over), (_, _) -> {});
        }
    }

    private long shared(Reply.EntryReply entry, long offset) {
        long endBytes = entry.inode().attributes().size();
        Layout layout = Objects.requireNonNull(entry.inode().layout());
        long firstChunk = layout.chunkOf(offset);
        long endChunk = layout.chunkBehind(endBytes);
        mount.unsynced().share(source.ino(), target.ino(), layout, firstChunk, endChunk);
        fs.tree().absorb(entry);
        return endBytes - offset;
    }
}
