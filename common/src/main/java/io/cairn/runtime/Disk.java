package io.cairn.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * The file operations that the chunk store does, so that a simulated disk can lose what was not
 * synced, be full, or fail. Blocking; thread-safe. Buffers' positions move past what was read or
 * written. A disk without room throws {@link DiskFullException}.
 */
public interface Disk {
    /** An open file. Reads and writes are positional; thread-safe. */
    interface DiskFile extends AutoCloseable {
        /** Reads up to the remaining bytes; -1 at or after the end. */
        int read(ByteBuffer target, long offsetBytes) throws IOException;

        /** Reads until nothing remains in the buffer or the file ends. */
        default void readAll(ByteBuffer target, long offsetBytes) throws IOException {
            long from = offsetBytes - target.position();
            while (target.hasRemaining() && read(target, from + target.position()) >= 0) {}
        }

        /** Writes all remaining bytes. */
        void write(ByteBuffer source, long offsetBytes) throws IOException;

        /**
         * Makes the contents (and with {@code metadata} the size and times) durable: fsync or
         * fdatasync.
         */
        void force(boolean metadata) throws IOException;

        /** The length in bytes. */
        long size() throws IOException;

        /** Cuts or extends. */
        void truncate(long sizeBytes) throws IOException;

        /** Makes a range a hole that reads as zeros; falls back to writing zeros. */
        void punchHole(long offsetBytes, long lengthBytes) throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Opens an existing file for reading and writing; {@code NoSuchFileException} when absent. */
    DiskFile open(Path path) throws IOException;

    /**
     * Opens an existing file to read what lies on the medium, without what memory holds of it,
     * where the system can do that. Reads go into direct buffers; address, room and offset are
     * multiples of 4096.
     */
    default DiskFile openUncached(Path path) throws IOException {
        return open(path);
    }

    /** Opens a file, making it when absent. The directory must exist. */
    DiskFile openOrCreate(Path path) throws IOException;

    /**
     * Locks a file, making it when absent, against everybody else until the lock is closed or the
     * process ends. {@code FileSystemException} when somebody has it. A disk that only one process
     * can see may keep this one, which locks nothing.
     */
    default AutoCloseable lock(Path path) throws IOException {
        return openOrCreate(path);
    }

    /** Makes a directory and its parents when absent. */
    void makeDirectories(Path path) throws IOException;

    /** The names in a directory in no particular order; empty when it does not exist. */
    List<String> list(Path directory) throws IOException;

    /** Whether a file or directory exists. */
    boolean exists(Path path) throws IOException;

    /**
     * When the contents of a file were changed last, in milliseconds of the wall clock; -1 when
     * that cannot be told. {@code NoSuchFileException} when absent.
     */
    default long modifiedMs(Path path) throws IOException {
        return -1;
    }

    /** Makes a file that takes so many bytes of the disk; none when there is no room for it. */
    default void allocate(Path path, long lengthBytes) throws IOException {
        try (DiskFile file = openOrCreate(path)) {
            ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(lengthBytes, 1 << 20));
            for (long at = 0; at < lengthBytes; at += zeros.capacity()) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), lengthBytes - at));
                file.write(zeros, at);
            }
        } catch (IOException e) {
            delete(path);
            throw e;
        }
    }

    /** Removes a file or an empty directory; whether it existed. */
    boolean delete(Path path) throws IOException;

    /** Renames atomically, replacing the target. */
    void rename(Path from, Path to) throws IOException;

    /** Makes a directory's entries durable. */
    void forceDirectory(Path directory) throws IOException;

    /**
     * Makes the entries of all directories below one durable, whoever changed them. May take as
     * long as it takes to store all that the filesystem has in memory.
     */
    void forceNames(Path directory) throws IOException;

    /**
     * Copies the first bytes of a file over the beginning of another: by reflink where the disk
     * can, else in the kernel, else through memory. Copies up to the end of the source if that
     * comes earlier; the target is made when absent and never becomes shorter.
     */
    void copyPrefix(Path from, Path to, long lengthBytes) throws IOException;

    /** The capacity of the disk that holds a path, in bytes: used and usable. */
    long totalBytes(Path path) throws IOException;

    /** Bytes that may still be written to the disk that holds a path. */
    long usableBytes(Path path) throws IOException;

    /**
     * Which filesystem holds a path: equal for all processes that see the same one at the same
     * time, whatever the path; 0 when that cannot be told.
     */
    default long filesystem(Path path) throws IOException {
        return 0;
    }
}
