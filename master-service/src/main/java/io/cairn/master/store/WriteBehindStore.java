package io.cairn.master.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.StoredState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Gathers batches in memory and commits many of them to the store beneath as one. A key that is
 * changed again meanwhile is written once: a directory in which files are made, a file that gets
 * its contents. A reply that is acknowledged is not written at all. Nothing is lost by it that the
 * Raft log would not replay: batches are durable only with the next checkpoint in any case.
 *
 * <p>Gathered changes are read from memory; a scan that would meet some commits them first. Threads
 * as the seam says.
 */
public final class WriteBehindStore implements Store {
    /** So few that committing them holds up the next entry by less than a millisecond. */
    static final int MAX_KEYS = 512;

    static final long MAX_BYTES = 1 << 20;

    private final Store base;

    /** Replaced when it is committed, so that whoever reads it goes on seeing what it held. */
    private volatile Gathered gathered = new Gathered();

    private volatile long appliedTerm;
    private volatile long appliedIndex;

    @GuardedBy("this")
    private boolean closed;

    /** Over a store, which is closed with this one. */
    public WriteBehindStore(Store base) {
        this.base = base;
        appliedTerm = base.appliedTerm();
        appliedIndex = base.appliedIndex();
    }

    @Override
    public byte @Nullable [] get(Family family, byte[] key) {
        Slot slot = gathered.get(family, key);
        return slot != null ? slot.value : base.get(family, key);
    }

    @Override
    public void scan(Family family, byte[] prefix, byte[] from, Visitor visitor) {
        if (gathered.holds(family, prefix)) {
            flush();
        }
        base.scan(family, prefix, from, visitor);
    }

    @Override
    public synchronized void commit(List<Change> changes, long term, long index) {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
        if (index <= appliedIndex) {
            throw new IllegalArgumentException(
                    "batch %d after batch %d".formatted(index, appliedIndex));
        }
        Gathered into = gathered;
        changes.forEach(into::add);
        appliedTerm = term;
        appliedIndex = index;
        if (into.keys >= MAX_KEYS || into.bytes >= MAX_BYTES) {
            flush();
        }
    }

    @Override
    public synchronized StoredState snapshot() {
        flush();
        return base.snapshot();
    }

    /** Commits what was gathered to the store beneath, with the position. */
    public synchronized void flush() {
        if (base.appliedIndex() < appliedIndex) {
            base.commit(gathered.changes(), appliedTerm, appliedIndex);
            gathered = new Gathered();
        }
    }

    @Override
    public long appliedTerm() {
        return appliedTerm;
    }

    @Override
    public long appliedIndex() {
        return appliedIndex;
    }

    /** Flushes and closes both; idempotent. */
    @Override
    public void close() {
        try {
            synchronized (this) {
                closed = true;
                flush();
            }
        } finally {
            // Waits for readers, who may wait to flush.
            base.close();
        }
    }

    /**
     * The new value of a key.
     *
     * @param value null: it is deleted
     * @param isNew the store beneath does not have the key
     */
    private record Slot(byte @Nullable [] value, boolean isNew) {}

    /** Changes, the last one of each key. One thread adds, any may read. */
    private static final class Gathered {
        private final Map<Family, ConcurrentNavigableMap<byte[], Slot>> families =
                new EnumMap<>(Family.class);
        private int keys;
        private long bytes;

        private Gathered() {
            for (Family family : Family.values()) {
                families.put(family, new ConcurrentSkipListMap<>(Arrays::compareUnsigned));
            }
        }

        private ConcurrentNavigableMap<byte[], Slot> of(Family family) {
            ConcurrentNavigableMap<byte[], Slot> slots = families.get(family);
            if (slots == null) {
                throw new IllegalStateException("no family " + family);
            }
            return slots;
        }

        private @Nullable Slot get(Family family, byte[] key) {
            return of(family).get(key);
        }

        private boolean holds(Family family, byte[] prefix) {
            byte[] key = of(family).ceilingKey(prefix);
            return key != null
                    && key.length >= prefix.length
                    && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
        }

        private void add(Change change) {
            ConcurrentNavigableMap<byte[], Slot> slots = of(change.family());
            byte[] key = change.key();
            byte[] value = change.value();
            Slot before = slots.get(key);
            // No reply is ever put again under its number: what is not here is not beneath.
            boolean isNew = before == null ? change.family() == Family.REPLY : before.isNew;
            if (value == null && isNew && before != null) {
                slots.remove(key);
                keys--;
            } else {
                slots.put(key, new Slot(value, isNew && value != null));
                keys += before == null ? 1 : 0;
            }
            bytes += key.length + (value == null ? 0 : value.length);
        }

        private List<Change> changes() {
            List<Change> changes = new ArrayList<>();
            families.forEach(
                    (family, slots) ->
                            slots.forEach(
                                    (key, slot) ->
                                            changes.add(new Change(family, key, slot.value))));
            return changes;
        }
    }
}
