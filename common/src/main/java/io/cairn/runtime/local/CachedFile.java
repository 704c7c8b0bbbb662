package io.cairn.runtime.local;

import io.cairn.os.SharedMemoryCalls;
import io.cairn.os.SystemCalls;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * An open file of which only those bytes are read that the kernel has in memory, so that no read
 * waits for a disk. Thread-safe.
 */
public final class CachedFile implements AutoCloseable {
    private static final SystemCalls CALLS = new SystemCalls();

    private final Descriptor descriptor;
    private final boolean inMemory;

    /** Takes over an open file. */
    public CachedFile(OpenDescriptor file) {
        int fd = file.release();
        this.descriptor = new Descriptor(fd);
        this.inMemory = SharedMemoryCalls.isInMemory(fd);
    }

    /**
     * Fills a direct buffer; its position is not moved.
     *
     * @return false when not all bytes are in memory, or they cannot be read
     */
    public boolean read(ByteBuffer target, long offsetBytes) {
        MemorySegment room = MemorySegment.ofBuffer(target);
        long count =
                descriptor.use(
                        fd ->
                                inMemory
                                        ? CALLS.pread(fd, room, offsetBytes)
                                        : SharedMemoryCalls.readCached(fd, room, offsetBytes));
        return count == target.remaining();
    }

    /** Closes it when no read is under way. Idempotent. */
    @Override
    public void close() {
        descriptor.close();
    }
}
