package io.cairn.metadata.trash;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import org.jspecify.annotations.Nullable;

/** The records of what is in the trash, in order of their end, with sums. Of the apply thread. */
final class TrashTable {
    private static final byte[] PRESENT = {Keys.FORMAT};

    private final Transaction transaction;

    TrashTable(Transaction transaction) {
        this.transaction = transaction;
    }

    /** The record of an inode, or null. */
    @Nullable TrashRecord find(long ino) {
        byte[] key = TrashKeys.record(ino);
        byte[] value = transaction.get(Family.TRASH, key);
        return value == null ? null : TrashRecord.decode(key, value);
    }

    /** Writes a record, in place of an older one of the same inode. */
    void put(TrashRecord record) {
        remove(record.ino());
        transaction.records().put(Family.TRASH, TrashKeys.record(record.ino()), record.encode());
        if (record.expiresNs() != 0) {
            byte[] key = TrashKeys.end(record.expiresNs(), record.ino());
            transaction.records().put(Family.TRASH, key, PRESENT);
        }
        count(record, 1);
    }

    /** Removes the record of an inode, if there is one. */
    void remove(long ino) {
        TrashRecord record = find(ino);
        if (record == null) {
            return;
        }
        transaction.records().delete(Family.TRASH, TrashKeys.record(ino));
        if (record.expiresNs() != 0) {
            transaction.records().delete(Family.TRASH, TrashKeys.end(record.expiresNs(), ino));
        }
        count(record, -1);
    }

    private void count(TrashRecord record, int sign) {
        if (!record.isDirectory()) {
            byte[] key = TrashKeys.sums();
            TrashSums sums = TrashSums.decode(transaction.get(Family.TRASH, key));
            transaction.records().put(Family.TRASH, key, sums.plus(record, sign).encode());
        }
    }
}
