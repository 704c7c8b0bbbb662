package io.cairn.master.store;

import org.jspecify.annotations.Nullable;
import org.rocksdb.TickerType;

/**
 * A number about the store that operators look at: a property, summed over the column families, or
 * a count since the store was opened.
 */
public enum StoreGauge {
    /** Bytes of sorted files on the disk. */
    FILES_BYTES("files.bytes", "rocksdb.live-sst-files-size", null),
    /** Bytes that wait in memory to be flushed. */
    MEMTABLES_BYTES("memtables.bytes", "rocksdb.cur-size-all-mem-tables", null),
    /** Bytes that compactions have still to rewrite. */
    COMPACTION_PENDING_BYTES(
            "compaction.pending.bytes", "rocksdb.estimate-pending-compaction-bytes", null),
    /** Keys, roughly. */
    KEYS("keys", "rocksdb.estimate-num-keys", null),
    /** Above 0 while writes are stopped because compactions are behind. */
    WRITES_STOPPED("writes.stopped", "rocksdb.is-write-stopped", null),
    /** Flushes and compactions that failed. */
    BACKGROUND_ERRORS("background.failures", "rocksdb.background-errors", null),
    /** Blocks found in the cache. */
    CACHE_HITS("cache.hits", null, TickerType.BLOCK_CACHE_HIT),
    /** Blocks read from the disk. */
    CACHE_MISSES("cache.misses", null, TickerType.BLOCK_CACHE_MISS),
    /** Bytes of keys and values written. */
    WRITTEN_BYTES("written.bytes", null, TickerType.BYTES_WRITTEN),
    /** Bytes written by flushes. */
    FLUSHED_BYTES("flushed.bytes", null, TickerType.FLUSH_WRITE_BYTES),
    /** Bytes written by compactions. */
    COMPACTED_BYTES("compacted.bytes", null, TickerType.COMPACT_WRITE_BYTES);

    private final String title;
    private final @Nullable String property;
    private final @Nullable TickerType ticker;

    StoreGauge(String title, @Nullable String property, @Nullable TickerType ticker) {
        this.title = title;
        this.property = property;
        this.ticker = ticker;
    }

    /** Words with dots between them. */
    public String title() {
        return title;
    }

    /** Whether it only grows while the store is open. */
    public boolean isCount() {
        return ticker != null;
    }

    @Nullable String property() {
        return property;
    }

    @Nullable TickerType ticker() {
        return ticker;
    }
}
