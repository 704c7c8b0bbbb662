package io.cairn.cli.bench;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.cairn.cli.bench.WorkPlace.Pace;
import io.cairn.os.NativeCalls;
import io.cairn.os.SystemCalls;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** A file that is written and read in records of one size. For one thread. */
final class DataFile implements AutoCloseable {
    private static final int DONTNEED = 4;
    private static final MethodHandle FADVISE =
            NativeCalls.bind(
                    "posix_fadvise", -1, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);

    private final FileChannel channel;
    private final ByteBuffer record;

    private DataFile(FileChannel channel, ByteBuffer record) {
        this.channel = channel;
        this.record = record;
    }

    /** Opens a file, which is made when it is not there. */
    static DataFile open(Path path, int recordBytes) throws IOException {
        byte[] bytes = new byte[recordBytes];
        // Bytes that no disk and no network can make smaller.
        new Random(recordBytes).nextBytes(bytes);
        ByteBuffer record = ByteBuffer.allocateDirect(recordBytes).put(bytes);
        return new DataFile(
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE),
                record);
    }

    /** Takes the pages of a file out of the kernel's cache; what is not written yet stays. */
    static void forget(Path path) {
        SystemCalls calls = new SystemCalls();
        int fd = calls.open(path.toString(), SystemCalls.O_RDONLY | SystemCalls.O_CLOEXEC);
        if (fd >= 0) {
            NativeCalls.invoke(s -> (int) FADVISE.invokeExact(s, fd, 0L, 0L, DONTNEED));
            calls.close(fd);
        }
    }

    /** Writes records one after the other from an offset on, and syncs; bytes written. */
    long write(long fromBytes, long lengthBytes, Pace pace) throws IOException {
        long done = 0;
        while (done < lengthBytes && pace.goesOn()) {
            writeAt(fromBytes + done);
            done += record.capacity();
        }
        channel.force(false);
        return done;
    }

    /** Reads records one after the other; bytes read, less at the end of the file. */
    long read(long fromBytes, long lengthBytes, Pace pace) throws IOException {
        long done = 0;
        while (done < lengthBytes && pace.goesOn()) {
            int count = channel.read(record.clear(), fromBytes + done);
            if (count < 0) {
                break;
            }
            done += count;
        }
        return done;
    }

    /** Writes records at places of chance, and syncs; bytes written. */
    long writeAnywhere(long seed, long lengthBytes, long records, Pace pace) throws IOException {
        Random random = new Random(seed);
        long places = Math.max(1, lengthBytes / record.capacity());
        long done = 0;
        for (long i = 0; i < records && pace.goesOn(); i++) {
            writeAt(random.nextLong(places) * record.capacity());
            done += record.capacity();
        }
        channel.force(false);
        return done;
    }

    /** Reads records at places of chance; bytes read. */
    long readAnywhere(long seed, long lengthBytes, long records, Pace pace) throws IOException {
        Random random = new Random(seed);
        long places = Math.max(1, lengthBytes / record.capacity());
        long done = 0;
        for (long i = 0; i < records && pace.goesOn(); i++) {
            long at = random.nextLong(places) * record.capacity();
            done += Math.max(0, channel.read(record.clear(), at));
        }
        return done;
    }

    /** Writes or reads the record at an offset; its bytes. */
    long piece(long offsetBytes, boolean writes) throws IOException {
        if (!writes) {
            return Math.max(0, channel.read(record.clear(), offsetBytes));
        }
        writeAt(offsetBytes);
        return record.capacity();
    }

    /** Makes what was written durable. */
    void sync() throws IOException {
        channel.force(false);
    }

    private void writeAt(long offsetBytes) throws IOException {
        record.clear();
        long at = offsetBytes;
        while (record.hasRemaining()) {
            at += channel.write(record, at);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
