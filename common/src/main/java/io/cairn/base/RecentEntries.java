package io.cairn.base;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A map of the entries that were used last: one more than it may have drops the one that was not
 * used for longest. For what must be remembered as long as newer entries leave room; a cache that
 * may forget any entry is Caffeine's. Not thread-safe: even {@link #get} changes the order.
 */
public final class RecentEntries<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;
    private final int max;

    /**
     * An empty one.
     *
     * @param max entries at most, 1 or more
     */
    public RecentEntries(int max) {
        super(16, 0.75f, true);
        this.max = max;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > max;
    }
}
