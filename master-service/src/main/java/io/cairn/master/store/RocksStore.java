package io.cairn.master.store;

import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.StoredState;
import io.cairn.runtime.file.Durable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.TickerType;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The store in RocksDB. Threads as the seam says: one commits, any reads; besides, one thread at a
 * time may make checkpoints while the others go on.
 *
 * <p>A failure of the disk or a damaged block is an {@link UncheckedIOException} that names the
 * file, never a business error: whoever applies entries must then stop.
 *
 * <p>RocksDB crashes the process when it is used after it was closed. Every operation therefore
 * holds a {@link UseLatch}, and closing waits for them.
 */
public final class RocksStore implements Store {
    private static final String REMEDY =
            "a master that has others moves its whole data directory away and gets everything from"
                    + " them when it is started with 'cairn master --join'; one that is alone moves"
                    + " only the directory of the store away, which is made anew of its newest"
                    + " checkpoint and its log";

    private static final byte[] POSITION = {'p'};
    private static final long CLOSE_TIMEOUT_MS = TimeUnit.SECONDS.toMillis(30);

    /** Larger stores are not read as a whole when they are opened. */
    private static final long VERIFY_LIMIT_BYTES = 1L << 30;

    private final Path directory;
    private final RocksFamilies families;
    private final RocksDB database;
    private final List<ColumnFamilyHandle> handles;
    private final Map<Family, ColumnFamilyHandle> byFamily = new EnumMap<>(Family.class);
    private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
    private final WriteBatch batch = new WriteBatch();
    private final UseLatch gate = new UseLatch();

    /** Those that are not closed: RocksDB must not be closed before them. */
    private final Set<RocksSnapshot> snapshots = ConcurrentHashMap.newKeySet();

    private volatile long appliedTerm;
    private volatile long appliedIndex = -1;

    private RocksStore(Path directory, StoreSettings settings, boolean readOnly)
            throws IOException {
        this.directory = directory;
        families = new RocksFamilies(settings);
        List<ColumnFamilyHandle> opened = new ArrayList<>();
        try {
            database =
                    readOnly
                            ? RocksDB.openReadOnly(
                                    families.database(),
                                    directory.toString(),
                                    families.descriptors(),
                                    opened)
                            : RocksDB.open(
                                    families.database(),
                                    directory.toString(),
                                    families.descriptors(),
                                    opened);
        } catch (RocksDBException e) {
            families.close();
            throw refused(directory, e);
        }
        handles = List.copyOf(opened);
        Family[] all = Family.values();
        for (int i = 0; i < all.length; i++) {
            byFamily.put(all[i], handles.get(i + 1));
        }
        try {
            loadPosition();
            if (!readOnly) {
                verify();
            }
        } catch (RocksDBException e) {
            release();
            throw refused(directory, e);
        }
    }

    /**
     * Opens the store in a directory, which is made when it is absent. Up to 1 GiB everything is
     * read and verified; of larger ones each block when it is used.
     *
     * @throws IOException damaged or not readable; the message names the file
     */
    public static RocksStore open(Path directory, StoreSettings settings) throws IOException {
        RocksLibrary.require();
        Files.createDirectories(directory);
        return new RocksStore(directory, settings, false);
    }

    /** The position of a store that nobody has open, such as a checkpoint. */
    public static Position position(Path directory) throws IOException {
        RocksLibrary.require();
        StoreSettings small = new StoreSettings(1 << 20, 1 << 20);
        try (RocksStore store = new RocksStore(directory, small, true)) {
            return new Position(store.appliedTerm(), store.appliedIndex());
        }
    }

    private void loadPosition() throws RocksDBException {
        try (ReadOptions now = new ReadOptions()) {
            Position position = position(now);
            appliedTerm = position.term();
            appliedIndex = position.index();
        }
    }

    private Position position(ReadOptions options) throws RocksDBException {
        byte[] position = database.get(handles.getFirst(), options, POSITION);
        if (position == null) {
            return new Position(0, -1);
        }
        ByteBuffer in = ByteBuffer.wrap(position);
        return new Position(in.getLong(), in.getLong());
    }

    private void verify() throws RocksDBException {
        long bytes = 0;
        for (LiveFileMetaData file : database.getLiveFilesMetaData()) {
            bytes += file.size();
        }
        if (bytes <= VERIFY_LIMIT_BYTES) {
            database.verifyChecksum();
        }
    }

    private static IOException refused(Path directory, RocksDBException e) {
        String why = String.valueOf(e.getMessage());
        if (!why.contains(directory.toString())) {
            why += " (in " + directory + ")";
        }
        Path table = StoreTables.damagedIn(directory);
        if (table != null && !why.contains(table.toString())) {
            // RocksDB blames the list of tables for what it finds in one of them.
            why = table + " is damaged: " + why;
        }
        return new IOException("the store cannot be opened: " + why + "; " + REMEDY, e);
    }

    @Override
    public byte @Nullable [] get(Family family, byte[] key) {
        gate.enter();
        try {
            return database.get(handle(family), key);
        } catch (RocksDBException e) {
            throw failed("read", e);
        } finally {
            gate.leave();
        }
    }

    @Override
    public void scan(Family family, byte[] prefix, byte[] from, Visitor visitor) {
        scan(null, family, prefix, from, visitor);
    }

    @Override
    public StoredState snapshot() {
        gate.enter();
        try {
            Snapshot taken = database.getSnapshot();
            try (ReadOptions options = new ReadOptions().setSnapshot(taken)) {
                RocksSnapshot snapshot = new RocksSnapshot(this, taken, position(options));
                snapshots.add(snapshot);
                return snapshot;
            }
        } catch (RocksDBException e) {
            throw failed("read", e);
        } finally {
            gate.leave();
        }
    }

    /** Gives a snapshot up, once; nothing is to do when the store was closed before. */
    void release(RocksSnapshot snapshot) {
        if (!gate.tryEnter()) {
            return;
        }
        try {
            if (snapshots.remove(snapshot)) {
                database.releaseSnapshot(snapshot.taken());
            }
        } finally {
            gate.leave();
        }
    }

    /** The value of a key as a snapshot has it. */
    byte @Nullable [] get(RocksSnapshot snapshot, Family family, byte[] key) {
        gate.enter();
        try (ReadOptions options = options(snapshot)) {
            return database.get(handle(family), options, key);
        } catch (RocksDBException e) {
            throw failed("read", e);
        } finally {
            gate.leave();
        }
    }

    /** Visits entries as they are now, or as a snapshot has them. */
    void scan(
            @Nullable RocksSnapshot snapshot,
            Family family,
            byte[] prefix,
            byte[] from,
            Visitor visitor) {
        byte[] end = successor(prefix);
        gate.enter();
        try (ReadOptions options = options(snapshot);
                Slice bound = end == null ? null : new Slice(end)) {
            if (bound != null) {
                options.setIterateUpperBound(bound);
            }
            try (RocksIterator entries = database.newIterator(handle(family), options)) {
                byte[] start = Arrays.compareUnsigned(from, prefix) < 0 ? prefix : from;
                for (entries.seek(start); entries.isValid(); entries.next()) {
                    if (!visitor.visit(entries.key(), entries.value())) {
                        return;
                    }
                }
                entries.status();
            }
        } catch (RocksDBException e) {
            throw failed("read", e);
        } finally {
            gate.leave();
        }
    }

    private ReadOptions options(@Nullable RocksSnapshot snapshot) {
        if (snapshot == null) {
            return new ReadOptions();
        }
        if (!snapshots.contains(snapshot)) {
            throw new IllegalStateException("the snapshot is closed");
        }
        // Whoever reads everything once shall not drive out what others need.
        return new ReadOptions().setSnapshot(snapshot.taken()).setFillCache(false);
    }

    /** The first key after all that start with the prefix; null when there is none. */
    static byte @Nullable [] successor(byte[] prefix) {
        int last = prefix.length - 1;
        while (last >= 0 && prefix[last] == (byte) 0xff) {
            last--;
        }
        if (last < 0) {
            return null;
        }
        byte[] next = Arrays.copyOf(prefix, last + 1);
        next[last]++;
        return next;
    }

    @Override
    public void commit(List<Change> changes, long term, long index) {
        if (index <= appliedIndex) {
            throw new IllegalArgumentException(
                    "batch %d after batch %d".formatted(index, appliedIndex));
        }
        byte[] position = new byte[16];
        ByteBuffer.wrap(position).putLong(term).putLong(index);
        write(changes, position);
        appliedTerm = term;
        appliedIndex = index;
    }

    /**
     * Fills a store that has no position yet, which it gets with the batch that is committed last:
     * until then it holds nothing that counts.
     */
    public void load(List<Change> changes) {
        if (appliedIndex >= 0) {
            throw new IllegalStateException(directory + " is in use, not to be filled");
        }
        write(changes, null);
    }

    private void write(List<Change> changes, byte @Nullable [] position) {
        gate.enter();
        try {
            batch.clear();
            for (Change change : changes) {
                byte[] value = change.value();
                if (value == null) {
                    batch.delete(handle(change.family()), change.key());
                } else {
                    batch.put(handle(change.family()), change.key(), value);
                }
            }
            if (position != null) {
                batch.put(handles.getFirst(), POSITION, position);
            }
            database.write(unlogged, batch);
        } catch (RocksDBException e) {
            throw failed("write", e);
        } finally {
            gate.leave();
        }
    }

    /**
     * A number about the store.
     *
     * @throws IllegalStateException when it is closed
     */
    public long read(StoreGauge gauge) {
        gate.enter();
        try {
            TickerType ticker = gauge.ticker();
            if (ticker != null) {
                return families.statistics().getTickerCount(ticker);
            }
            String property = gauge.property();
            return property == null ? 0 : database.getAggregatedLongProperty(property);
        } catch (RocksDBException e) {
            throw failed("tell " + gauge.title(), e);
        } finally {
            gate.leave();
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

    /**
     * Makes a durable copy of the state at some position between now and the return: flushes, links
     * the files and syncs them. Others may read and commit meanwhile.
     *
     * @param target must not exist; its parent must, on the same file system
     */
    public void checkpoint(Path target) throws IOException {
        gate.enter();
        try {
            flushAll();
            try (Checkpoint checkpoint = Checkpoint.create(database)) {
                checkpoint.createCheckpoint(target.toString());
            }
        } catch (RocksDBException e) {
            throw new IOException("no checkpoint to " + target + ": " + e.getMessage(), e);
        } finally {
            gate.leave();
        }
        Durable.forceTree(target);
        Durable.forceEntry(target);
    }

    private void flushAll() throws RocksDBException {
        try (FlushOptions options = new FlushOptions().setWaitForFlush(true)) {
            database.flush(options, handles);
        }
    }

    /** Flushes and closes; idempotent. Operations that come later fail. */
    @Override
    public void close() {
        if (!gate.close(CLOSE_TIMEOUT_MS)) {
            return;
        }
        try {
            flushAll();
        } catch (RocksDBException e) {
            throw failed("flush", e);
        } finally {
            release();
        }
    }

    private void release() {
        snapshots.forEach(snapshot -> database.releaseSnapshot(snapshot.taken()));
        for (ColumnFamilyHandle handle : handles) {
            handle.close();
        }
        batch.close();
        unlogged.close();
        database.close();
        families.close();
    }

    private ColumnFamilyHandle handle(Family family) {
        return Objects.requireNonNull(byFamily.get(family));
    }

    private UncheckedIOException failed(String what, RocksDBException e) {
        return new UncheckedIOException(
                new IOException(
                        "the store in %s failed to %s: %s"
                                .formatted(directory, what, e.getMessage()),
                        e));
    }
}
