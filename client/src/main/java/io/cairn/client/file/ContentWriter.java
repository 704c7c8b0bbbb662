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
        if (inode.allowance().isNeeded()) {
            inode.allowance().take(counted(inode, offset, length));
        }
    }

    private static long counted(OpenInode inode, long offset, long length) {
        Attributes known = inode.inode().attributes();
        boolean hasHoles = known.usedBytes() < known.size();
        boolean isWhole = hasHoles || offset == Long.MAX_VALUE;
        return isWhole ? length : beyondEnd(inode.size(), offset, length);
    }

    /**
     * Asks for a range that is allocated, and not written yet. Quotas count what lies beyond the
     * end. All that is not stored has to fit into quotas of space and on disks; it is not kept.
     *
     * @param zeroes whether it is zeroed, and counts as in {@link #allow}
     * @throws FsException EDQUOT, ENOSPC
     */
    public static void allowAllocation(OpenInode inode, long offset, long length, boolean zeroes) {
        boolean isCounted = inode.allowance().isNeeded();
        if (isCounted && offset < inode.size() && missing(inode, offset, length) > 0) {
            // What is written and not committed must not count as a hole, too.
            inode.commitAndWait();
        }
        long beyondEnd = beyondEnd(inode.size(), offset, length);
        long counted = zeroes ? counted(inode, offset, length) : beyondEnd;
        inode.allowance().take(isCounted ? counted : 0, missing(inode, offset, length));
    }

    private static long missing(OpenInode inode, long offset, long length) {
        Attributes known = inode.attributes();
        return missing(known.size(), known.usedBytes(), offset, length);
    }

    private static long beyondEnd(long sizeBytes, long offset, long length) {
        return Math.clamp(offset + length - sizeBytes, 0L, length);
    }

    /** Bytes of a range that are not stored, at most: nobody here knows where the holes are. */
    static long missing(long sizeBytes, long usedBytes, long offset, long length) {
        long beyondEnd = beyondEnd(sizeBytes, offset, length);
        long holes = Math.max(0, sizeBytes - usedBytes);
        return beyondEnd + Math.min(length - beyondEnd, holes);
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
