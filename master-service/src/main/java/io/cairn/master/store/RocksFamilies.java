package io.cairn.master.store;

import io.cairn.metadata.state.Store.Family;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.HistogramType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.Statistics;

/**
 * How RocksDB is set up: its options, and one column family per {@code Store.Family} after the
 * default one, which holds nothing but the position. Owns native memory.
 */
final class RocksFamilies implements AutoCloseable {
    private static final int BLOCK_BYTES = 8 << 10;
    private static final int BLOOM_BITS_PER_KEY = 10;
    private static final int BACKGROUND_JOBS = 2;
    private static final long DIAGNOSTIC_FILE_BYTES = 4 << 20;

    /** The share of the write buffer that filters names: 12 bits for each that fits, or more. */
    private static final double MEMTABLE_BLOOM_RATIO = 0.005;

    private final LRUCache cache;
    private final BloomFilter bloom = new BloomFilter(BLOOM_BITS_PER_KEY);

    /** Counts only: what takes time is measured where requests arrive. */
    private final Statistics statistics = new Statistics(EnumSet.allOf(HistogramType.class));

    private final ColumnFamilyOptions families;
    private final ColumnFamilyOptions dentries;
    private final DBOptions database;

    RocksFamilies(StoreSettings settings) {
        cache = new LRUCache(settings.cacheBytes());
        BlockBasedTableConfig table =
                new BlockBasedTableConfig()
                        .setBlockCache(cache)
                        .setBlockSize(BLOCK_BYTES)
                        .setFilterPolicy(bloom)
                        // A filter grows with its table, to more than a part of the cache takes,
                        // and would then be read from the disk for each key.
                        .setCacheIndexAndFilterBlocks(false);
        families =
                new ColumnFamilyOptions()
                        .setTableFormatConfig(table)
                        // The budget is the whole database's; one family may use all of it.
                        .setWriteBufferSize(settings.writeBufferBytes())
                        .setMaxWriteBufferNumber(4)
                        .setCompressionType(CompressionType.LZ4_COMPRESSION)
                        .setLevelCompactionDynamicLevelBytes(true);
        // Each new name is looked for first, and is not there.
        dentries =
                new ColumnFamilyOptions(families)
                        .setMemtableWholeKeyFiltering(true)
                        .setMemtablePrefixBloomSizeRatio(MEMTABLE_BLOOM_RATIO);
        database =
                new DBOptions()
                        .setCreateIfMissing(true)
                        .setStatistics(statistics)
                        .setCreateMissingColumnFamilies(true)
                        // Without a write-ahead log families that flush alone would make the
                        // position lie.
                        .setAtomicFlush(true)
                        .setDbWriteBufferSize(settings.writeBufferBytes())
                        .setMaxBackgroundJobs(BACKGROUND_JOBS)
                        // One thread writes.
                        .setAllowConcurrentMemtableWrite(false)
                        .setBytesPerSync(1 << 20)
                        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                        .setMaxLogFileSize(DIAGNOSTIC_FILE_BYTES)
                        .setKeepLogFileNum(2)
                        .setStatsDumpPeriodSec(0)
                        .setStatsPersistPeriodSec(0);
    }

    Statistics statistics() {
        return statistics;
    }

    DBOptions database() {
        return database;
    }

    /** The families in the order of their handles: default, then as in {@link Family}. */
    List<ColumnFamilyDescriptor> descriptors() {
        List<ColumnFamilyDescriptor> all = new ArrayList<>();
        all.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, families));
        for (Family family : Family.values()) {
            String name = family.name().toLowerCase(Locale.ROOT);
            all.add(
                    new ColumnFamilyDescriptor(
                            name.getBytes(StandardCharsets.US_ASCII),
                            family == Family.DENTRY ? dentries : families));
        }
        return all;
    }

    @Override
    public void close() {
        database.close();
        families.close();
        dentries.close();
        bloom.close();
        statistics.close();
        cache.close();
    }
}
