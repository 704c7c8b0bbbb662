package io.cairn.runtime.local;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.cairn.os.SharedMemoryCalls;
import io.cairn.os.SystemCalls;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Numbers of 64 bits that one process changes and others on the same machine see at once, 0 at
 * first. Reads and writes are ordered as those of volatile fields. Thread-safe.
 */
public final class SharedWords {
    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private final MemorySegment memory;

    private SharedWords(MemorySegment memory) {
        this.memory = memory;
    }

    /** Words and the open file that they lie in, which others are given. */
    public record Shared(SharedWords words, OpenDescriptor file) {}

    /** New words. */
    public static Shared create(int count) throws IOException {
        SystemCalls calls = new SystemCalls();
        long bytes = (long) count * Long.BYTES;
        int fd = (int) checked("memfd_create", SharedMemoryCalls.create("cairn"));
        boolean done = false;
        try {
            checked("ftruncate", calls.ftruncate(fd, bytes));
            SharedWords words = new SharedWords(map(fd, bytes, true));
            done = true;
            return new Shared(words, new OpenDescriptor(fd));
        } finally {
            if (!done) {
                calls.close(fd);
            }
        }
    }

    /** The words that another process made, to be read only. The descriptor stays open. */
    public static SharedWords of(OpenDescriptor file) throws IOException {
        SystemCalls calls = new SystemCalls();
        long bytes = checked("lseek", calls.lseek(file.number(), 0, SystemCalls.SEEK_END));
        if (bytes < Long.BYTES) {
            throw new IOException("shared memory of " + bytes + " bytes");
        }
        return new SharedWords(map(file.number(), bytes, false));
    }

    /** Unmapped when nobody can reach it any more. */
    @SuppressWarnings("restricted")
    private static MemorySegment map(int fd, long bytes, boolean writable) throws IOException {
        long address = checked("mmap", SharedMemoryCalls.map(fd, bytes, writable));
        return MemorySegment.ofAddress(address)
                .reinterpret(
                        bytes,
                        Arena.ofAuto(),
                        mapped -> {
                            int _ = SharedMemoryCalls.unmap(mapped.address(), bytes);
                        });
    }

    private static long checked(String call, long result) throws IOException {
        if (result < 0) {
            throw new IOException(call + " failed with error " + -result);
        }
        return result;
    }

    /** How many. */
    public int count() {
        return (int) (memory.byteSize() / Long.BYTES);
    }

    /** Reads one: all that this thread did before it has taken place. */
    public long get(int index) {
        VarHandle.fullFence();
        return (long) WORD.getVolatile(memory, (long) index * Long.BYTES);
    }

    /** Changes one: everybody sees it before anything that this thread does afterwards. */
    public void set(int index, long value) {
        WORD.setVolatile(memory, (long) index * Long.BYTES, value);
        VarHandle.fullFence();
    }
}
