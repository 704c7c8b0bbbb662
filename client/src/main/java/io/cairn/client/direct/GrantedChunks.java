package io.cairn.client.direct;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The chunks granted to a mount, those used last up to limits of open files and of memory.
 * Thread-safe.
 */
public final class GrantedChunks implements AutoCloseable {
    private static final long IDLE_NS = 30_000_000_000L;

    private final int maxChunks;
    private final long maxBlocks;
    private final Map<ChunkKey, GrantedChunk> chunks = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private long blocks;

    @GuardedBy("this")
    private boolean closed;

    /** None yet; a block costs 4 bytes of memory. */
    public GrantedChunks(int maxChunks, long maxBlocks) {
        this.maxChunks = maxChunks;
        this.maxBlocks = maxBlocks;
    }

    /** The grant of a chunk, if there is one. */
    public @Nullable GrantedChunk get(ChunkKey key) {
        return chunks.get(key);
    }

    /** Takes over a grant; those not used for longest have to go for it. */
    public synchronized void put(ChunkKey key, GrantedChunk chunk) {
        if (closed) {
            chunk.close();
            return;
        }
        forget(key, chunks.get(key));
        chunks.put(key, chunk);
        blocks += chunk.blocks();
        while (chunks.size() > 1 && (chunks.size() > maxChunks || blocks > maxBlocks)) {
            forgetEldest(chunk);
        }
    }

    private void forgetEldest(GrantedChunk fresh) {
        Map.Entry<ChunkKey, GrantedChunk> eldest = null;
        for (Map.Entry<ChunkKey, GrantedChunk> each : chunks.entrySet()) {
            boolean older =
                    eldest == null || each.getValue().usedNs() - eldest.getValue().usedNs() < 0;
            if (each.getValue() != fresh && older) {
                eldest = each;
            }
        }
        if (eldest != null) {
            forget(eldest.getKey(), eldest.getValue());
        }
    }

    /** Closes a grant, if it is still this one. */
    public synchronized void forget(ChunkKey key, @Nullable GrantedChunk chunk) {
        if (chunk != null && chunks.remove(key, chunk)) {
            blocks -= chunk.blocks();
            chunk.close();
        }
    }

    /**
     * Closes those that have ended, so that files deleted meanwhile take no room, and those not
     * used for half a minute. Whether any are left.
     */
    public boolean sweep(long nowNs) {
        chunks.forEach(
                (key, chunk) -> {
                    if (chunk.isLost() || nowNs - chunk.usedNs() > IDLE_NS) {
                        forget(key, chunk);
                    }
                });
        return !chunks.isEmpty();
    }

    /** How many. */
    public int size() {
        return chunks.size();
    }

    /** Closes all, for good. */
    @Override
    public synchronized void close() {
        closed = true;
        chunks.forEach(this::forget);
    }
}
