package io.cairn.metadata.state;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Encoder;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes records: the only way in which a mutation changes the state. Records of the tree (inodes,
 * names, attributes, links) carry the version of the mutation that wrote them last, and the writer
 * sees what a new one replaces: what follows from that is done here, for whatever mutation it is.
 * Belongs to the apply thread.
 */
public final class RecordWriter {
    private final Transaction transaction;

    RecordWriter(Transaction transaction) {
        this.transaction = transaction;
    }

    /** Begins the value of a record of the tree. */
    public Encoder begin(int expectedBytes) {
        return Keys.value(Keys.HEAD_BYTES + expectedBytes).i64(transaction.version());
    }

    /**
     * Writes a record that is no inode.
     *
     * @throws IllegalArgumentException for one of the tree that was not begun in this mutation
     */
    public void put(Family family, byte[] key, byte[] value) {
        if (family.isOfTree() && Keys.versionOf(value) != transaction.version()) {
            throw new IllegalArgumentException(
                    "a record of %s with version %d in mutation %d"
                            .formatted(family, Keys.versionOf(value), transaction.version()));
        }
        keep(family, key);
        transaction.put(family, key, value);
    }

    /** Removes a record that is no inode. */
    public void delete(Family family, byte[] key) {
        keep(family, key);
        transaction.put(family, key, null);
    }

    /**
     * Writes an inode.
     *
     * @param before what it replaces; null for a new one
     */
    public void put(@Nullable Inode before, Inode after) {
        transaction.watch().changing(before, after);
        if (before == null) {
            transaction.counters().countInodes(1);
        }
        countPools(before == null ? null : before.layout(), after.layout());
        keep(after.ino());
        transaction.putInode(after.ino(), after);
    }

    /** Removes an inode. */
    public void remove(Inode before) {
        transaction.watch().changing(before, null);
        transaction.counters().countInodes(-1);
        countPools(before.layout(), null);
        keep(before.ino());
        transaction.putInode(before.ino(), null);
    }

    /** Keeps what a snapshot shows of a record that is replaced now. */
    private void keep(Family family, byte[] key) {
        if (transaction.history().isEmpty() || !family.hasHistory()) {
            return;
        }
        keep(family, key, transaction.get(family, key));
    }

    private void keep(long ino) {
        if (!transaction.history().isEmpty()) {
            keep(Family.INODE, Keys.of(ino), transaction.storedInode(ino));
        }
    }

    private void keep(Family family, byte[] key, byte @Nullable [] old) {
        if (old != null && Keys.versionOf(old) <= transaction.history().newest()) {
            byte[] kept = HistoryKeys.of(family, key, transaction.version());
            transaction.put(Family.HISTORY, kept, old);
        }
    }

    @SuppressWarnings("ReferenceEquality") // most changes leave the layout as it is
    private void countPools(@Nullable Layout before, @Nullable Layout after) {
        if (before == after) {
            return;
        }
        Set<Integer> from = before == null ? Set.of() : before.pools();
        Set<Integer> to = after == null ? Set.of() : after.pools();
        if (!from.equals(to)) {
            from.forEach(id -> transaction.counters().poolUsed(id, -1));
            to.forEach(id -> transaction.counters().poolUsed(id, 1));
        }
    }
}
