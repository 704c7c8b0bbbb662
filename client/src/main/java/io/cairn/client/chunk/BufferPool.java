package io.cairn.client.chunk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.client.session.Await;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.WaitCause;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The one limit of memory for written and read-ahead data of a mount. Thread-safe.
 *
 * <p>Buffers are counted by their capacity from allocation to release. Read-ahead may hold at most
 * half, so that a writer always finds room once earlier writes are through; a writer that finds
 * none asks for everything buffered to be sent ({@code pressure}) and waits. Until there is the
 * room it waits for nobody gets any: small pieces would take what there is again and again.
 */
public final class BufferPool {
    private final long limitBytes;
    private final Runnable pressure;
    private long usedBytes;

    @GuardedBy("this")
    private long readAheadBytes;

    private int waiting;
    private long awaitedBytes;

    /**
     * An empty pool.
     *
     * @param pressure called by a waiting writer, without locks: sends all that is buffered
     */
    public BufferPool(long limitBytes, Runnable pressure) {
        this.limitBytes = limitBytes;
        this.pressure = pressure;
    }

    /** A direct buffer, counted already. */
    ByteBuf allocate(int capacityBytes) {
        return ByteBufAllocator.DEFAULT.directBuffer(capacityBytes, capacityBytes);
    }

    /** Counts bytes if there is room for them, and for who waits for more. */
    synchronized boolean tryReserve(long bytes) {
        if (isAwaited() || usedBytes + bytes > limitBytes) {
            return false;
        }
        usedBytes += bytes;
        return true;
    }

    /**
     * Counts bytes even beyond the limit: only for contents that move out of an inode, 16 KiB at
     * most, which cannot wait because a lock is held.
     */
    synchronized void reserve(long bytes) {
        usedBytes += bytes;
    }

    /** Counts bytes for read-ahead if half of the pool has room for them, and nobody waits. */
    public synchronized boolean tryReserveReadAhead(long bytes) {
        if (isAwaited()
                || readAheadBytes + bytes > limitBytes / 2
                || usedBytes + bytes > limitBytes) {
            return false;
        }
        usedBytes += bytes;
        readAheadBytes += bytes;
        return true;
    }

    /** Gives counted bytes back. */
    synchronized void free(long bytes) {
        usedBytes -= bytes;
        notifyAll();
    }

    /** Gives bytes counted for read-ahead back. */
    public synchronized void freeReadAhead(long bytes) {
        readAheadBytes -= bytes;
        free(bytes);
    }

    /** Whether a caller waits for room that is not there yet. */
    private boolean isAwaited() {
        return waiting > 0 && usedBytes + awaitedBytes > limitBytes;
    }

    /**
     * Waits until there is room; blocks.
     *
     * @param timeoutMs longest wait
     * @return false when there was none in time
     */
    public boolean awaitRoom(long bytes, long timeoutMs) {
        synchronized (this) {
            waiting++;
            awaitedBytes = Math.max(awaitedBytes, bytes);
        }
        long sinceNs = PendingRequest.waitClockNs();
        try {
            pressure.run();
            synchronized (this) {
                return Await.until(this, () -> usedBytes + bytes <= limitBytes, timeoutMs);
            }
        } finally {
            PendingRequest.waitedFor(WaitCause.BUFFERS, sinceNs);
            synchronized (this) {
                waiting--;
                awaitedBytes = waiting == 0 ? 0 : awaitedBytes;
            }
        }
    }

    /** Bytes counted now. */
    public synchronized long usedBytes() {
        return usedBytes;
    }

    /** The limit. */
    public long limitBytes() {
        return limitBytes;
    }
}
