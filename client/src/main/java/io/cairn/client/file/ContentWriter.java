package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.WriteBack;
import io.cairn.client.session.Allowance;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.quota.Growth;
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
        requireRoomFor(offset, source.remaining());
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
     * Asks for what a write adds: the length beyond the end, with the hole before it, and the bytes
     * that are stored anew. In a file with holes these are all of them, as nobody here knows where
     * the holes are.
     *
     * @param offset {@link Long#MAX_VALUE} behind all others
     * @throws FsException EDQUOT
     */
    private static void allow(OpenInode inode, long offset, long length) {
        if (length > 0 && inode.allowance().isNeeded()) {
            inode.allowance().take(() -> need(inode, offset, length, true, 0));
        }
    }

    /**
     * Asks for a hole behind the end of the file.
     *
     * @param end of the file then
     * @throws FsException EDQUOT
     */
    public static void allowHole(OpenInode inode, long end) {
        if (inode.allowance().isNeeded()) {
            inode.allowance().take(() -> need(inode, end, 0, false, 0));
        }
    }

    private static Allowance.Need need(
            OpenInode inode, long offset, long length, boolean stores, long roomBytes) {
        Attributes known = inode.attributes();
        long committed = inode.inode().attributes().size();
        long held = Math.max(0, known.size() - committed);
        boolean isBehindAll = offset == Long.MAX_VALUE;
        long grows = isBehindAll ? length : Math.max(0, offset + length - known.size());
        boolean hasHoles = known.usedBytes() < known.size();
        long stored = isBehindAll || hasHoles ? length : Math.min(length, grows);
        return new Allowance.Need(held, new Growth(grows, stores ? stored : 0), roomBytes);
    }

    /**
     * Asks for a range that is allocated, and not written yet. Quotas of length count what lies
     * beyond the end, with the hole before it. All that is not stored has to fit into quotas of
     * space and on disks; it is not kept.
     *
     * @param zeroes whether it is zeroed, and counts as written
     * @throws FsException EDQUOT, ENOSPC
     */
    public static void allowAllocation(OpenInode inode, long offset, long length, boolean zeroes) {
        boolean isCounted = inode.allowance().isNeeded();
        if (isCounted && offset < inode.size() && missing(inode, offset, length) > 0) {
            // What is written and not committed must not count as a hole, too.
            inode.commitAndWait();
        }
        inode.allowance()
                .take(
                        () -> {
                            long room = missing(inode, offset, length);
                            return isCounted
                                    ? need(inode, offset, length, zeroes, room)
                                    : new Allowance.Need(0, Growth.NONE, room);
                        });
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
