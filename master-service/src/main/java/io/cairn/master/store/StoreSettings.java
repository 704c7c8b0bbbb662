package io.cairn.master.store;

/**
 * How much memory the store uses.
 *
 * @param cacheBytes block cache, shared by all families; also holds index and filter blocks
 * @param writeBufferBytes changes kept in memory before they are flushed, over all families
 */
public record StoreSettings(long cacheBytes, long writeBufferBytes) {
    /** Suits a few million files in a small process. */
    public static StoreSettings standard() {
        return new StoreSettings(64 << 20, 48 << 20);
    }
}
