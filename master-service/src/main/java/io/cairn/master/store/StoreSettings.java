package io.cairn.master.store;

/**
 * How much memory the store uses.
 *
 * @param cacheBytes block cache, shared by all families. Indexes and filters of the tables are in
 *     memory besides, some 4 bytes for each file and name
 * @param writeBufferBytes changes kept in memory before they are flushed, over all families
 */
public record StoreSettings(long cacheBytes, long writeBufferBytes) {
    private static final long LEAST_CACHE_BYTES = 64L << 20;
    private static final long MOST_CACHE_BYTES = 16L << 30;

    /** The share of a machine's memory that the cache may fill: one part of so many. */
    private static final int MEMORY_PARTS = 16;

    /** Suits some hundred thousand files in a small process. */
    public static StoreSettings standard() {
        return new StoreSettings(LEAST_CACHE_BYTES, 48 << 20);
    }

    /**
     * The memory that a master takes on a machine, or in a container, of so much memory: a cache of
     * a sixteenth, 64 MiB at least and 16 GiB at most. A file takes some 150 bytes of it when
     * everything is in use.
     */
    public static StoreSettings forMemory(long memoryBytes) {
        long cacheBytes =
                Math.clamp(memoryBytes / MEMORY_PARTS, LEAST_CACHE_BYTES, MOST_CACHE_BYTES);
        return new StoreSettings(cacheBytes, standard().writeBufferBytes());
    }
}
