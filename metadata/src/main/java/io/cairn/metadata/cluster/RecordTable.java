package io.cairn.metadata.cluster;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.RecordChange;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Small records that the administration keeps: tokens, settings, the audit log, jobs. Their
 * contents are its affair; here they have names, versions and bounds. Belongs to the apply thread;
 * readers look into the store.
 */
public final class RecordTable {
    /** How many records there may be. */
    static final int MAX_RECORDS = 1 << 16;

    private final Transaction transaction;
    private int count;
    private long changes;

    /** Counts the records of the store. */
    public RecordTable(Store store, Transaction transaction) {
        this.transaction = transaction;
        byte[] all = Keys.record("");
        store.scan(
                Family.META,
                all,
                all,
                (_, _) -> {
                    count++;
                    return true;
                });
    }

    /**
     * Makes all changes.
     *
     * @throws FsException ESTALE, E2BIG, EINVAL or ENOSPC; then none was made
     */
    public void change(List<RecordChange> changes) {
        int added = 0;
        Set<String> seen = new HashSet<>();
        for (RecordChange change : changes) {
            requireBounds(change);
            if (!seen.add(change.key())) {
                throw new FsException(Errno.EINVAL, "two changes of record " + change.key());
            }
            boolean exists = transaction.get(Family.META, Keys.record(change.key())) != null;
            requireVersion(change);
            added += (change.value() == null ? 0 : 1) - (exists ? 1 : 0);
        }
        if (added > 0 && count + added > MAX_RECORDS) {
            throw new FsException(
                    Errno.ENOSPC, MAX_RECORDS + " records are kept: forget finished jobs");
        }
        count += added;
        this.changes++;
        changes.forEach(this::write);
    }

    /** How many changes were made since the store was opened. */
    public long changes() {
        return changes;
    }

    private static void requireBounds(RecordChange change) {
        int keyBytes = change.key().getBytes(StandardCharsets.UTF_8).length;
        byte[] value = change.value();
        if (keyBytes == 0 || keyBytes > RecordChange.MAX_KEY_BYTES) {
            throw new FsException(Errno.EINVAL, "a record has a key of " + keyBytes + " bytes");
        }
        if (value != null && value.length > RecordChange.MAX_VALUE_BYTES) {
            throw new FsException(
                    Errno.E2BIG,
                    "record %s would have %d bytes; at most %d are kept"
                            .formatted(change.key(), value.length, RecordChange.MAX_VALUE_BYTES));
        }
    }

    private void requireVersion(RecordChange change) {
        byte[] key = Keys.record(change.key());
        byte[] value = transaction.get(Family.META, key);
        long version = value == null ? 0 : AdminRecord.decode(key, value).version();
        if (change.expectedVersion() != RecordChange.ANY && change.expectedVersion() != version) {
            throw new FsException(Errno.ESTALE, change.key() + " was changed by somebody else");
        }
    }

    private void write(RecordChange change) {
        byte[] key = Keys.record(change.key());
        byte[] value = change.value();
        if (value == null) {
            transaction.records().delete(Family.META, key);
            return;
        }
        byte[] stored =
                Keys.value(16 + value.length)
                        .i64(transaction.version())
                        .raw(value, 0, value.length)
                        .toBytes();
        transaction.records().put(Family.META, key, stored);
    }
}
