package io.cairn.metadata.content;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.metadata.content.SharedObjects.Part;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Releases data objects: what nobody refers to any more waits in a queue until every replica has
 * deleted it. Objects leave files through here only. What a snapshot may show is held until no
 * snapshot does. Belongs to the apply thread.
 */
public final class ObjectLedger {
    /** End of a range that covers all chunks of an object from its start on. */
    public static final long TO_END = Long.MAX_VALUE;

    /** The number of no inode. */
    private static final long NOBODY = 0;

    private final Transaction transaction;
    private final SharedObjects shared;
    private final RevivedObjects revived;

    public ObjectLedger(Transaction transaction, SharedObjects shared) {
        this.transaction = transaction;
        this.shared = shared;
        revived = new RevivedObjects(transaction);
    }

    /** Releases everything that the layout of an inode refers to. */
    void release(long ino, Layout layout) {
        release(ino, layout, 0);
    }

    /**
     * Releases what the layout of an inode refers to from a chunk on, sources of clones never made
     * included. Each object to its end, wherever the next run begins: late writes may be there. So
     * one entry is enough for all runs of an object. What other inodes share stays.
     */
    void release(long ino, Layout layout, long fromChunk) {
        List<Run> runs = layout.runs();
        Set<Run> released = new HashSet<>();
        for (int i = 0; i < runs.size(); i++) {
            Run run = runs.get(i);
            long end = i + 1 < runs.size() ? runs.get(i + 1).firstChunk() : TO_END;
            if (end > fromChunk && released.add(run.beside(0, run.oid()))) {
                Part part = new Part(Math.max(fromChunk, run.firstChunk()), TO_END);
                release(ino, run, run.oid(), part);
            }
            if (run.firstChunk() >= fromChunk) {
                releaseSource(ino, run);
            }
        }
    }

    /**
     * Releases what the layout of an inode refers to from a chunk on up to another one, and nothing
     * behind that: there may be chunks of the same object that stay. What other inodes share stays.
     */
    void release(long ino, Layout layout, long fromChunk, long endChunk) {
        List<Run> runs = layout.runs();
        for (int i = 0; i < runs.size(); i++) {
            Run run = runs.get(i);
            long runEnd = i + 1 < runs.size() ? runs.get(i + 1).firstChunk() : TO_END;
            long from = Math.max(fromChunk, run.firstChunk());
            long end = Math.min(endChunk, runEnd);
            if (from < end) {
                release(ino, run, run.oid(), new Part(from, end));
            }
        }
    }

    /** Two files are about to exchange their contents. */
    void swap(Inode one, Inode other) {
        shared.swap(one, other);
    }

    /** Releases the chunk that a run of an inode is cloned from, if any. */
    void releaseSource(long ino, Run run) {
        if (run.sourceOid() != 0) {
            Part chunk = new Part(run.firstChunk(), run.firstChunk() + 1);
            release(ino, run, run.sourceOid(), chunk);
        }
    }

    private void release(long ino, Run run, long oid, Part part) {
        for (Part unused : shared.unused(oid, ino, part.fromChunk(), part.endChunk())) {
            add(run.poolId(), oid, unused.fromChunk(), unused.endChunk());
        }
    }

    /** Without a pool there are no chunks. */
    private void add(int poolId, long oid, long fromChunk, long endChunk) {
        if (poolId == 0) {
            return;
        }
        Encoder value = Keys.value(37).i32(poolId).i64(oid).i64(fromChunk).i64(endChunk);
        byte[] key = Keys.of(transaction.counters().takeGarbage());
        if (transaction.history().holds(oid, transaction.version())) {
            value.i64(transaction.version());
            transaction.records().put(Family.HELD, key, value.toBytes());
            revived.released(oid);
        } else {
            transaction.records().put(Family.GC, key, value.toBytes());
        }
        transaction.counters().poolUsed(poolId, 1);
    }

    /**
     * Releases what was held for snapshots, as far as none that is left needs it. What files have
     * back from a snapshot is theirs, and they release it. Each entry becomes the last of the
     * queue, as if it was released now: whoever works at the queue has passed its old number.
     */
    public void letGo(List<Transaction.Entry> held) {
        for (Transaction.Entry entry : held) {
            GarbageTask task = decodeHeld(entry.key(), entry.value());
            long version = revived.lastRelease(task.oid(), releasedAt(entry.value()));
            if (!transaction.history().holds(task.oid(), version)) {
                transaction.records().delete(Family.HELD, entry.key());
                List<Part> unused =
                        shared.unused(task.oid(), NOBODY, task.fromChunk(), task.endChunk());
                unused.forEach(part -> letGo(task, part));
                transaction.counters().poolUsed(task.poolId(), unused.size() - 1);
            }
        }
    }

    /** Forgets those of these objects from snapshots that are like any others by now. */
    public void forgetRevived(List<Transaction.Entry> found) {
        for (Transaction.Entry entry : found) {
            long oid = Keys.revivedOf(entry.key());
            revived.forget(oid, shared.hasUsers(oid));
        }
    }

    private void letGo(GarbageTask task, Part part) {
        byte[] value =
                Keys.value(29)
                        .i32(task.poolId())
                        .i64(task.oid())
                        .i64(part.fromChunk())
                        .i64(part.endChunk())
                        .toBytes();
        byte[] last = Keys.of(transaction.counters().takeGarbage());
        transaction.records().put(Family.GC, last, value);
    }

    /** What is held for snapshots. */
    public static GarbageTask decodeHeld(byte[] key, byte[] value) {
        Decoder in = Keys.open(Family.HELD, value);
        return new GarbageTask(Keys.numberAt(key, 0), in.i32(), in.i64(), in.i64(), in.i64());
    }

    /** The version of the mutation that gave up what is held. */
    static long releasedAt(byte[] value) {
        return Keys.numberAt(value, value.length - Long.BYTES);
    }

    /**
     * Releases chunks that a check found without a file. An object that this state has given is in
     * the layout of a file from its begin on, so that nothing will ever refer to it again.
     */
    public void releaseFound(List<GarbageTask> found) {
        for (GarbageTask task : found) {
            if (task.oid() < transaction.counters().nextOid()) {
                add(task.poolId(), task.oid(), task.fromChunk(), task.endChunk());
            }
        }
    }

    /** Every replica has deleted what these entries name; nothing happens for unknown ones. */
    public void collected(long[] entryIds) {
        for (long entryId : entryIds) {
            byte[] key = Keys.of(entryId);
            byte[] value = transaction.get(Family.GC, key);
            if (value != null) {
                transaction.counters().poolUsed(decode(key, value).poolId(), -1);
                transaction.records().delete(Family.GC, key);
            }
        }
    }

    public static GarbageTask decode(byte[] key, byte[] value) {
        Decoder in = Keys.open(Family.GC, value);
        return new GarbageTask(Keys.numberAt(key, 0), in.i32(), in.i64(), in.i64(), in.i64());
    }
}
