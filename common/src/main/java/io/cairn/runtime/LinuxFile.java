package io.cairn.runtime;

import io.cairn.os.SystemCalls;
import io.cairn.runtime.Disk.DiskFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open file descriptor. Every operation holds a use of it: the descriptor is closed when the
 * last use ends after {@link #close}, so that its number can never mean another file under a thread
 * that is still at work.
 */
final class LinuxFile implements DiskFile {
    /** Heap buffers pass through native memory in pieces of this size. */
    private static final int PIECE_BYTES = 1 << 20;

    private static final int PAGE_BYTES = 4096;

    /** Kernels before 5.18 refuse very long copies: ask for less. */
    private static final long MAX_COPY_BYTES = 1L << 30;

    private final SystemCalls calls;
    private final Path path;
    private final int fd;
    private final AtomicInteger uses = new AtomicInteger(1);
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Opens. */
    LinuxFile(SystemCalls calls, Path path, int flags) throws IOException {
        this.calls = calls;
        this.path = path;
        this.fd = (int) check(calls.open(path.toString(), flags));
    }

    /** Whether the filesystem of a file lets it be read past the cache, in pages of 4096 bytes. */
    static boolean readsMedium(SystemCalls calls, Path path) throws IOException {
        int fd = calls.open(path.toString(), SystemCalls.O_RDONLY | SystemCalls.O_DIRECT);
        if (fd == -SystemCalls.EINVAL) {
            return false;
        }
        check(fd, path);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment page = arena.allocate(PAGE_BYTES, PAGE_BYTES);
            return calls.pread(fd, page, 0) != -SystemCalls.EINVAL;
        } finally {
            calls.close(fd);
        }
    }

    @Override
    public int read(ByteBuffer target, long offsetBytes) throws IOException {
        if (!target.hasRemaining()) {
            return 0;
        }
        begin();
        try {
            int count =
                    target.isDirect()
                            ? (int) check(calls.pread(fd, segment(target), offsetBytes))
                            : readHeap(target, offsetBytes);
            if (count == 0) {
                return -1;
            }
            if (target.isDirect()) {
                target.position(target.position() + count);
            }
            return count;
        } finally {
            end();
        }
    }

    private int readHeap(ByteBuffer target, long offsetBytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(Math.min(PIECE_BYTES, target.remaining()));
            int count = (int) check(calls.pread(fd, piece, offsetBytes));
            target.put(piece.asSlice(0, count).asByteBuffer());
            return count;
        }
    }

    @Override
    public void write(ByteBuffer source, long offsetBytes) throws IOException {
        begin();
        try {
            if (source.isDirect()) {
                writeAll(segment(source), offsetBytes);
                source.position(source.limit());
            } else if (source.hasRemaining()) {
                writeHeap(source, offsetBytes);
            }
        } finally {
            end();
        }
    }

    private void writeHeap(ByteBuffer source, long offsetBytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(Math.min(PIECE_BYTES, source.remaining()));
            long at = offsetBytes;
            while (source.hasRemaining()) {
                int count = (int) Math.min(room.byteSize(), source.remaining());
                MemorySegment piece = room.asSlice(0, count);
                piece.asByteBuffer().put(source.slice(source.position(), count));
                writeAll(piece, at);
                source.position(source.position() + count);
                at += count;
            }
        }
    }

    private void writeAll(MemorySegment bytes, long offsetBytes) throws IOException {
        long done = 0;
        while (done < bytes.byteSize()) {
            done += check(calls.pwrite(fd, bytes.asSlice(done), offsetBytes + done));
        }
    }

    private static MemorySegment segment(ByteBuffer remaining) {
        return MemorySegment.ofBuffer(remaining);
    }

    @Override
    public void force(boolean metadata) throws IOException {
        begin();
        try {
            check(metadata ? calls.fsync(fd) : calls.fdatasync(fd));
        } finally {
            end();
        }
    }

    /** Makes all of its filesystem durable. */
    void forceFilesystem() throws IOException {
        begin();
        try {
            check(calls.syncfs(fd));
        } finally {
            end();
        }
    }

    @Override
    public long size() throws IOException {
        begin();
        try {
            return check(calls.lseek(fd, 0, SystemCalls.SEEK_END));
        } finally {
            end();
        }
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
        begin();
        try {
            check(calls.ftruncate(fd, sizeBytes));
        } finally {
            end();
        }
    }

    @Override
    public void punchHole(long offsetBytes, long lengthBytes) throws IOException {
        if (lengthBytes <= 0) {
            return;
        }
        begin();
        try {
            int result = calls.punchHole(fd, offsetBytes, lengthBytes);
            if (isUnsupported(result)) {
                writeZeros(offsetBytes, lengthBytes);
            } else {
                check(result);
            }
        } finally {
            end();
        }
    }

    /** Takes room on the disk for the first bytes; false when this disk cannot do that. */
    boolean allocate(long lengthBytes) throws IOException {
        begin();
        try {
            int result = calls.allocate(fd, lengthBytes);
            return !isUnsupported(result) && check(result) == 0;
        } finally {
            end();
        }
    }

    /** Overwrites the part of a range that lies before the end of the file. */
    private void writeZeros(long offsetBytes, long lengthBytes) throws IOException {
        long end = Math.min(offsetBytes + lengthBytes, size());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment zeros = arena.allocate(PIECE_BYTES);
            for (long at = offsetBytes; at < end; at += PIECE_BYTES) {
                writeAll(zeros.asSlice(0, Math.min(PIECE_BYTES, end - at)), at);
            }
        }
    }

    /** Makes the first bytes those of another file, up to the end of that one. */
    void copyFrom(LinuxFile source, long lengthBytes) throws IOException {
        long length = Math.min(lengthBytes, source.size());
        if (length <= 0 || calls.cloneRange(source.fd, fd, length) >= 0) {
            return;
        }
        if (size() < length) {
            truncate(length);
        }
        long at = 0;
        while (at < length) {
            long data = source.seek(at, SystemCalls.SEEK_DATA, length);
            punchHole(at, data - at);
            long hole = data < length ? source.seek(data, SystemCalls.SEEK_HOLE, length) : length;
            copyRange(source, data, hole);
            at = hole;
        }
    }

    private long seek(long offsetBytes, int whence, long endBytes) throws IOException {
        long found = calls.lseek(fd, offsetBytes, whence);
        return found == -SystemCalls.ENXIO ? endBytes : Math.min(check(found), endBytes);
    }

    private void copyRange(LinuxFile source, long fromBytes, long endBytes) throws IOException {
        long at = fromBytes;
        while (at < endBytes) {
            long wanted = Math.min(endBytes - at, MAX_COPY_BYTES);
            long count = calls.copyFileRange(source.fd, fd, at, wanted);
            if (isUnsupported(count)) {
                copyThroughMemory(source, at, endBytes);
                return;
            }
            if (check(count) == 0) {
                return;
            }
            at += count;
        }
    }

    private void copyThroughMemory(LinuxFile source, long fromBytes, long endBytes)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(PIECE_BYTES);
            long at = fromBytes;
            while (at < endBytes) {
                MemorySegment wanted = room.asSlice(0, Math.min(PIECE_BYTES, endBytes - at));
                long count = check(calls.pread(source.fd, wanted, at));
                if (count == 0) {
                    return;
                }
                writeAll(wanted.asSlice(0, count), at);
                at += count;
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            end();
        }
    }

    private void begin() throws IOException {
        int count;
        do {
            count = uses.get();
            if (closed.get()) {
                throw new ClosedChannelException();
            }
        } while (count == 0 || !uses.compareAndSet(count, count + 1));
    }

    private void end() throws IOException {
        if (uses.decrementAndGet() == 0) {
            check(calls.close(fd));
        }
    }

    private static boolean isUnsupported(long result) {
        return result == -SystemCalls.EOPNOTSUPP
                || result == -SystemCalls.ENOSYS
                || result == -SystemCalls.EXDEV
                || result == -SystemCalls.EINVAL;
    }

    private long check(long result) throws IOException {
        return check(result, path);
    }

    /** Turns a negated error number into an exception. */
    static long check(long result, Path path) throws IOException {
        if (result >= 0) {
            return result;
        }
        throw switch ((int) -result) {
            case SystemCalls.ENOENT -> new NoSuchFileException(path.toString());
            case SystemCalls.EACCES -> new AccessDeniedException(path.toString());
            case SystemCalls.ENOSPC, SystemCalls.EDQUOT -> new DiskFullException(path);
            case SystemCalls.EIO -> failure(path, "Input/output error");
            case SystemCalls.EMFILE, SystemCalls.ENFILE ->
                    failure(path, "Too many open files; raise the limit (ulimit -n)");
            case SystemCalls.EFBIG -> failure(path, "File too large for this disk");
            case SystemCalls.EROFS -> new ReadOnlyDiskException(path);
            case SystemCalls.EISDIR -> failure(path, "Is a directory");
            default -> failure(path, "error number " + -result);
        };
    }

    private static FileSystemException failure(Path path, String reason) {
        return new FileSystemException(path.toString(), null, reason);
    }
}
