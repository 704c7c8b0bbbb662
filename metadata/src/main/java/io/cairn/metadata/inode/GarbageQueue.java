package io.cairn.metadata.inode;

import io.cairn.cluster.Layout;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.ClusterRequest.GarbageTask;

/**
 * Data that nobody refers to any more, until every replica has deleted it. Belongs to the apply
 * thread.
 */
public final class GarbageQueue {
    /** End of a range that covers all chunks of an object from its start on. */
    public static final long TO_END = Long.MAX_VALUE;

    private final Transaction transaction;

    public GarbageQueue(Transaction transaction) {
        this.transaction = transaction;
    }

    /** Queues the chunks [fromChunk, endChunk) of an object. Without a pool there are none. */
    private void add(int poolId, long oid, long fromChunk, long endChunk) {
        if (poolId == 0) {
            return;
        }
        byte[] value = Keys.value(29).i32(poolId).i64(oid).i64(fromChunk).i64(endChunk).toBytes();
        transaction.put(Family.GC, Keys.of(transaction.counters().takeGarbage()), value);
        transaction.counters().poolUsed(poolId, 1);
    }

    /** Queues the object of a run from a chunk on. */
    public void add(Layout.Run run, long fromChunk) {
        add(run.poolId(), run.oid(), fromChunk, TO_END);
    }

    /** Queues everything a run refers to, the source of a clone never made included. */
    public void add(Layout.Run run) {
        add(run, run.firstChunk());
        addSource(run);
    }

    /** Queues the chunk that a run was to clone from, if any. */
    public void addSource(Layout.Run run) {
        if (run.sourceOid() != 0) {
            add(run.poolId(), run.sourceOid(), run.firstChunk(), run.firstChunk() + 1);
        }
    }

    /** Queues everything a layout refers to. */
    public void addAll(Layout layout) {
        layout.runs().forEach(this::add);
    }

    /** Forgets an entry; nothing happens when it is unknown. */
    public void remove(long entryId) {
        byte[] key = Keys.of(entryId);
        byte[] value = transaction.get(Family.GC, key);
        if (value != null) {
            transaction.counters().poolUsed(decode(key, value).poolId(), -1);
            transaction.delete(Family.GC, key);
        }
    }

    public static GarbageTask decode(byte[] key, byte[] value) {
        Decoder in = Keys.open(Family.GC, value);
        return new GarbageTask(Keys.numberAt(key, 0), in.i32(), in.i64(), in.i64(), in.i64());
    }
}
