package io.cairn.master.store;

import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Store.Visitor;
import io.cairn.metadata.state.StoredState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Snapshot;

/**
 * The state of a {@link RocksStore} at a moment. A scan reads some entries, lets the store go, and
 * hands them out: so a slow visitor does not keep the store from being closed.
 */
final class RocksSnapshot implements StoredState {
    private static final int BATCH_ENTRIES = 1024;
    private static final int BATCH_BYTES = 256 << 10;

    private final RocksStore store;
    private final Snapshot taken;
    private final Position position;

    private record Entry(byte[] key, byte[] value) {}

    RocksSnapshot(RocksStore store, Snapshot taken, Position position) {
        this.store = store;
        this.taken = taken;
        this.position = position;
    }

    Snapshot taken() {
        return taken;
    }

    @Override
    public byte @Nullable [] get(Family family, byte[] key) {
        return store.get(this, family, key);
    }

    @Override
    public void scan(Family family, byte[] prefix, byte[] from, Visitor visitor) {
        Batch batch = new Batch();
        byte[] next = from;
        while (next != null) {
            batch.entries.clear();
            batch.bytes = 0;
            store.scan(this, family, prefix, next, batch);
            for (Entry entry : batch.entries) {
                if (!visitor.visit(entry.key, entry.value)) {
                    return;
                }
            }
            // The key that follows is the last one and a zero.
            next = batch.isFull() ? after(batch.entries.getLast().key) : null;
        }
    }

    /** Entries that are read at once. */
    private static final class Batch implements Visitor {
        private final List<Entry> entries = new ArrayList<>();
        private int bytes;

        @Override
        public boolean visit(byte[] key, byte[] value) {
            entries.add(new Entry(key, value));
            bytes += key.length + value.length;
            return !isFull();
        }

        boolean isFull() {
            return entries.size() >= BATCH_ENTRIES || bytes >= BATCH_BYTES;
        }
    }

    private static byte[] after(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    @Override
    public long appliedTerm() {
        return position.term();
    }

    @Override
    public long appliedIndex() {
        return position.index();
    }

    @Override
    public void close() {
        store.release(this);
    }
}
