package io.cairn.chunk.store.format;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** How many blobs a target has of each group. Thread-safe. */
public final class BlobCount {
    private final Map<Integer, Long> groups = new ConcurrentHashMap<>();

    /** There are so many more of a group, or fewer. */
    public void add(int group, long more) {
        groups.merge(group, more, (had, change) -> had + change == 0 ? null : had + change);
    }

    /** There is none of a group: its listing is empty, and nobody writes to it. */
    public void none(int group) {
        groups.remove(group);
    }

    /** All of them. */
    public long total() {
        return groups.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Those of each group that has any, by group. */
    public Map<Integer, Long> byGroup() {
        return new TreeMap<>(groups);
    }

    /** Forgets all. */
    public void clear() {
        groups.clear();
    }

    @Override
    public String toString() {
        return String.valueOf(total());
    }
}
