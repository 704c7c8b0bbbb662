package io.cairn.metadata.state;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory, for tests and for the simulation. Nothing survives the process; {@link #copy}
 * plays the checkpoint that a crash falls back to.
 *
 * <p>Thread-safe. A read-write lock, not a concurrent map, keeps the promise that readers see whole
 * batches only. Arrays are handed in and out without copying: neither side may change them.
 */
public final class MemoryStore implements Store {
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<Family, NavigableMap<byte[], byte[]>> families = new EnumMap<>(Family.class);
    private long appliedTerm;
    private long appliedIndex = -1;

    /** An empty store. */
    public MemoryStore() {
        for (Family family : Family.values()) {
            families.put(family, new TreeMap<>(Arrays::compareUnsigned));
        }
    }

    /** An independent store with the same contents and position. */
    public MemoryStore copy() {
        MemoryStore copy = new MemoryStore();
        lock.readLock().lock();
        try {
            for (Family family : Family.values()) {
                copy.family(family).putAll(family(family));
            }
            copy.appliedTerm = appliedTerm;
            copy.appliedIndex = appliedIndex;
            return copy;
        } finally {
            lock.readLock().unlock();
        }
    }

    /** The number of keys in a family. */
    public int size(Family family) {
        lock.readLock().lock();
        try {
            return family(family).size();
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public byte @Nullable [] get(Family family, byte[] key) {
        lock.readLock().lock();
        try {
            return family(family).get(key);
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public void scan(Family family, byte[] prefix, byte[] from, Visitor visitor) {
        byte[] start = Arrays.compareUnsigned(prefix, from) > 0 ? prefix : from;
        lock.readLock().lock();
        try {
            for (Map.Entry<byte[], byte[]> entry : family(family).tailMap(start, true).entrySet()) {
                byte[] key = entry.getKey();
                if (!startsWith(key, prefix) || !visitor.visit(key, entry.getValue())) {
                    return;
                }
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public void commit(List<Change> changes, long term, long index) {
        lock.writeLock().lock();
        try {
            for (Change change : changes) {
                byte[] value = change.value();
                if (value == null) {
                    family(change.family()).remove(change.key());
                } else {
                    family(change.family()).put(change.key(), value);
                }
            }
            appliedTerm = term;
            appliedIndex = index;
        } finally {
            lock.writeLock().unlock();
        }
    }

    @Override
    public StoredState snapshot() {
        return copy();
    }

    @Override
    public long appliedTerm() {
        lock.readLock().lock();
        try {
            return appliedTerm;
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public long appliedIndex() {
        lock.readLock().lock();
        try {
            return appliedIndex;
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public void close() {}

    private NavigableMap<byte[], byte[]> family(Family family) {
        NavigableMap<byte[], byte[]> map = families.get(family);
        if (map == null) {
            throw new IllegalStateException("no family " + family);
        }
        return map;
    }

    private static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }
}
