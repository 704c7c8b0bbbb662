package io.cairn.chunk.peer;

import io.cairn.base.RecentEntries;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.OperationId;
import org.jspecify.annotations.Nullable;

/**
 * The last operations applied to the chunks written last, so that a client's resend is applied
 * once. Lives in memory only: after a restart a resend is applied again as the next write, with the
 * same bytes at the same place. Thread-safe.
 */
public final class OperationMemory {
    private static final int OPERATIONS = 64;
    private static final int CHUNKS = 4096;
    private static final int LEAST_CHUNKS = 512;

    private final RecentEntries<ChunkKey, RecentEntries<OperationId, WriteReply>> chunks;

    /**
     * An empty one. A full one of one disk takes about 30 MiB.
     *
     * @param disks so many of a server, each with a memory of its own, share the room for chunks; 1
     *     or more
     */
    public OperationMemory(int disks) {
        chunks = new RecentEntries<>(Math.max(LEAST_CHUNKS, CHUNKS / disks));
    }

    /** The reply to an operation, or null when it is not remembered. */
    public synchronized @Nullable WriteReply find(ChunkKey key, OperationId operation) {
        RecentEntries<OperationId, WriteReply> operations = chunks.get(key);
        return operations == null ? null : operations.get(operation);
    }

    /** An operation was applied. */
    public synchronized void remember(ChunkKey key, OperationId operation, WriteReply reply) {
        chunks.computeIfAbsent(key, k -> new RecentEntries<>(OPERATIONS)).put(operation, reply);
    }

    /** The chunk's contents were replaced: what was applied before says nothing about them. */
    public synchronized void forget(ChunkKey key) {
        chunks.remove(key);
    }
}
