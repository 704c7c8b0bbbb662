package io.cairn.fs;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An open file description. Safe for use by several threads. Every call has a deadline and fails
 * with EIO or ETIMEDOUT when the cluster stays away longer.
 */
public interface OpenFile extends AutoCloseable {
    /** The inode. */
    long ino();

    /** The flags it was opened with (O_ACCMODE, O_APPEND, O_SYNC ..., Linux values). */
    int flags();

    /**
     * The attributes as this client knows them now, with the size that includes buffered writes.
     */
    Attributes attributes();

    /**
     * The last version of the file that others may have made, or that holds changes of theirs: what
     * a door has kept of the contents since then is different only where this client wrote.
     */
    default long changedByOthers() {
        return attributes().version();
    }

    /**
     * Reads into {@code target} up to its remaining bytes.
     *
     * @return bytes read; less than asked only at the end of the file; 0 at or after the end
     * @throws FsException EBADF not open for reading; EIO when every replica of a block is bad
     */
    int read(long offsetBytes, ByteBuffer target);

    /**
     * Writes all remaining bytes of {@code source}; at the end of the file when opened with
     * O_APPEND (the offset is then ignored). The bytes may stay buffered until {@link #flush} or
     * {@link #sync}, unless opened with O_SYNC or O_DSYNC. The buffer is free for reuse on return.
     *
     * @return bytes written
     * @throws FsException EBADF not open for writing; EFBIG; ENOSPC; EDQUOT; EIO
     */
    int write(long offsetBytes, ByteBuffer source);

    /**
     * As {@link #write(long, ByteBuffer)}, at the end or at the offset as this write wants it:
     * fcntl(F_SETFL) sets and clears O_APPEND after the open.
     */
    int write(long offsetBytes, ByteBuffer source, boolean append);

    /**
     * Drains buffered writes and commits the size, as close(2) promises; reports write errors once.
     */
    void flush();

    /**
     * Begins {@link #flush} as {@link AsyncChanges} are begun.
     *
     * @return null when it must be called as such
     */
    default @Nullable CompletableFuture<Void> beginFlush() {
        return null;
    }

    /**
     * As fsync(2): data on stable media on all current replicas, metadata on a majority.
     *
     * @param dataOnly as fdatasync(2): times need not be stored
     */
    void sync(boolean dataOnly);

    /**
     * Begins to look whether anybody else changes the file. Data that {@link #flush} or {@link
     * #sync} has not committed before it ends cannot be told.
     */
    default FileWatch watch() {
        return FileWatch.BLIND;
    }

    /**
     * As fallocate(2) with FALLOC_FL_KEEP_SIZE 1, PUNCH_HOLE 2, ZERO_RANGE 16.
     *
     * @throws FsException EOPNOTSUPP other modes; EINVAL; ENOSPC, EDQUOT; EFBIG
     */
    void allocate(int mode, long offsetBytes, long lengthBytes);

    /**
     * Copies a range of an open file into this one, as copy_file_range(2): holes may stay holes,
     * and contents may be shared until one of both is written to.
     *
     * @param source of the same filesystem; perhaps this file, if the ranges do not overlap
     * @return bytes copied, perhaps fewer than asked; 0 only at or after the end of the source, and
     *     for a length of 0
     * @throws FsException EBADF when the source is not open for reading, or this file not for
     *     writing, or for appending; EINVAL for negative numbers and ranges that overlap; EFBIG;
     *     ENOSPC; EDQUOT; EIO; each only when nothing was copied
     */
    default long copyFrom(OpenFile source, long fromBytes, long toBytes, long lengthBytes) {
        requireCopy(source, fromBytes, toBytes, lengthBytes);
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(lengthBytes, 1 << 16));
        int count = source.read(fromBytes, piece);
        return count <= 0 ? 0 : write(toBytes, piece.flip());
    }

    /** EBADF, EINVAL when a range cannot be copied as {@link #copyFrom} says. */
    default void requireCopy(OpenFile source, long fromBytes, long toBytes, long lengthBytes) {
        boolean reads = (source.flags() & FileSystem.O_ACCMODE) != FileSystem.O_WRONLY;
        boolean writes = (flags() & FileSystem.O_ACCMODE) != FileSystem.O_RDONLY;
        if (!reads || !writes || (flags() & FileSystem.O_APPEND) != 0) {
            throw new FsException(Errno.EBADF, "not open for such a copy");
        }
        if (fromBytes < 0 || toBytes < 0 || lengthBytes < 0) {
            throw new FsException(
                    Errno.EINVAL,
                    "%d bytes from %d to %d".formatted(lengthBytes, fromBytes, toBytes));
        }
        if (source.ino() == ino() && Math.abs(fromBytes - toBytes) < lengthBytes) {
            throw new FsException(Errno.EINVAL, "the ranges overlap");
        }
    }

    /**
     * As lseek(2) with SEEK_DATA or SEEK_HOLE.
     *
     * @throws FsException ENXIO when the offset is at or after the end, or no data follows
     */
    long seek(long offsetBytes, boolean data);

    /**
     * Flushes, then releases the inode; errors of the flush are thrown after the release.
     * Idempotent.
     */
    @Override
    void close();
}
