package io.cairn.chunk.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.RecentEntries;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.OperationId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last operations applied to the chunks written last, so that a client's resend is applied
 * once. Lives in memory only: after a restart a resend is applied again as the next write, with the
 * same bytes at the same place. Thread-safe.
 */
public final class OperationMemory {
    /** Of one chunk at most: one mount alone may have 512 on their way, in 16 requests. */
    private static final int OPERATIONS = 1024;

    /** Of each chunk at least. */
    private static final int SURE_OPERATIONS = 64;

    /** Operations beyond that for each chunk that there is room for; a few chunks take them all. */
    private static final int SURPLUS_OPERATIONS = 16;

    private static final int CHUNKS = 4096;
    private static final int LEAST_CHUNKS = 512;

    /** Those used last at the end. */
    @GuardedBy("this")
    private final Map<ChunkKey, Map<OperationId, WriteReply>> chunks =
            new LinkedHashMap<>(16, 0.75f, true);

    /** Chunks with more than {@link #SURE_OPERATIONS}, those written last at the end. */
    @GuardedBy("this")
    private final Map<ChunkKey, Map<OperationId, WriteReply>> large = new LinkedHashMap<>();

    private final int maxChunks;

    /** What the large ones have beyond {@link #SURE_OPERATIONS} each. */
    @GuardedBy("this")
    private int surplus;

    /**
     * An empty one. A full one of one disk takes about 40 MiB.
     *
     * @param disks so many of a server, each with a memory of its own, share the room for chunks; 1
     *     or more
     */
    public OperationMemory(int disks) {
        maxChunks = Math.max(LEAST_CHUNKS, CHUNKS / disks);
    }

    /** The reply to an operation, or null when it is not remembered. */
    public synchronized @Nullable WriteReply find(ChunkKey key, OperationId operation) {
        Map<OperationId, WriteReply> operations = chunks.get(key);
        return operations == null ? null : operations.get(operation);
    }

    /** An operation was applied. */
    public synchronized void remember(ChunkKey key, OperationId operation, WriteReply reply) {
        Map<OperationId, WriteReply> operations =
                chunks.computeIfAbsent(key, _ -> new RecentEntries<>(OPERATIONS));
        int before = surplusOf(operations);
        operations.put(operation, reply);
        if (surplusOf(operations) > 0) {
            surplus += surplusOf(operations) - before;
            large.remove(key);
            large.put(key, operations);
            makeRoom();
        }
        if (chunks.size() > maxChunks) {
            forget(chunks.keySet().iterator().next());
        }
    }

    private static int surplusOf(Map<OperationId, WriteReply> operations) {
        return Math.max(0, operations.size() - SURE_OPERATIONS);
    }

    /** The chunk that was not written for longest keeps what each one has. */
    @GuardedBy("this")
    private void makeRoom() {
        Iterator<Map<OperationId, WriteReply>> oldest = large.values().iterator();
        while (surplus > maxChunks * SURPLUS_OPERATIONS) {
            Map<OperationId, WriteReply> operations = oldest.next();
            oldest.remove();
            Iterator<OperationId> first = operations.keySet().iterator();
            for (; surplusOf(operations) > 0; surplus--) {
                first.next();
                first.remove();
            }
        }
    }

    /** The chunk's contents were replaced: what was applied before says nothing about them. */
    public synchronized void forget(ChunkKey key) {
        Map<OperationId, WriteReply> operations = chunks.remove(key);
        if (operations != null) {
            surplus -= surplusOf(operations);
            large.remove(key);
        }
    }
}
