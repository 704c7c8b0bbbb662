package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.WriteBack;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import java.nio.ByteBuffer;

/**
 * Writes into the buffers of one inode. Thread-safe; blocks while there is no room, or while the
 * layout changes.
 */
public final class ContentWriter {
    private final OpenInode inode;
    private final Mount mount;

    public ContentWriter(OpenInode inode) {
        this.inode = inode;
        this.mount = inode.mount();
    }

    /**
     * Buffers all remaining bytes of a source.
     *
     * @throws FsException EFBIG; EDQUOT; ENOSPC when nothing can be stored; ETIMEDOUT when no room
     *     came free
     */
    public void write(long offset, ByteBuffer source) {
        allow(inode, offset, source.remaining());
        long at = offset;
        while (source.hasRemaining()) {
            int taken = inode.take(at, source);
            at += taken;
            if (taken == 0) {
                awaitRoom();
            }
        }
    }

    /**
     * As {@link #write}, under the APPEND token, at the end of the file: where that is when the
     * first bytes are taken, as a truncation may have kept them out for a while.
     *
     * @throws FsException besides EIO when the token was lost on the way
     */
    public void append(ByteBuffer source) {
        allow(inode, Long.MAX_VALUE, source.remaining());
        long next = Long.MAX_VALUE;
        while (source.hasRemaining()) {
            long end = inode.append(next, source);
            if (end < 0) {
                awaitRoom();
            } else {
                next = end;
            }
        }
    }

    /**
     * Asks for the bytes that quotas count: those beyond the end; in a file with holes all of them,
     * as nobody here knows where the holes are.
     *
     * @param offset {@link Long#MAX_VALUE} behind all others
     * @throws FsException EDQUOT
     */
    public static void allow(OpenInode inode, long offset, long length) {
        if (!inode.allowance().isNeeded()) {
            return;
        }
        Attributes known = inode.inode().attributes();
        boolean hasHoles = known.usedBytes() < known.size();
        if (hasHoles || offset == Long.MAX_VALUE) {
            inode.allowance().take(length);
        } else {
            allowBeyondEnd(inode, offset, length);
        }
    }

    /**
     * Asks for the bytes of a range that lie beyond the end: what is below it was asked for before,
     * or is the hole that somebody wanted.
     *
     * @throws FsException EDQUOT
     */
    public static void allowBeyondEnd(OpenInode inode, long offset, long length) {
        if (inode.allowance().isNeeded()) {
            inode.allowance().take(Math.clamp(offset + length - inode.size(), 0L, length));
        }
    }

    /** EFBIG when a file cannot have bytes there. */
    static void requireRoomFor(long offset, int length) {
        if (offset < 0 || offset > FileSystem.MAX_FILE_BYTES - length) {
            throw new FsException(Errno.EFBIG);
        }
    }

    private void awaitRoom() {
        if (!mount.pool().awaitRoom(WriteBack.WINDOW_BYTES, mount.timeoutMs())) {
            throw new FsException(
                    Errno.ETIMEDOUT,
                    "no room in the write buffer for " + mount.timeoutMs() + " ms");
        }
    }
}
