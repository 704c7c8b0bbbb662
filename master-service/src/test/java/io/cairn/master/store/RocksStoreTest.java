package io.cairn.master.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksStoreTest {
    /** So small that memory is flushed every few hundred batches. */
    private static final StoreSettings SMALL = new StoreSettings(1 << 20, 256 << 10);

    private static final byte[] ALL = new byte[0];

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    @Test
    void aNewStoreIsBeforeTheFirstEntry() throws IOException {
        try (RocksStore store = open()) {
            assertEquals(-1, store.appliedIndex());
            assertEquals(0, store.appliedTerm());
            assertNull(store.get(Family.INODE, bytes("a")));
        }
    }

    @Test
    void itTellsNumbersUntilItIsClosed() throws IOException {
        RocksStore store = open();
        try (store) {
            store.commit(List.of(new Change(Family.INODE, bytes("a"), bytes("1"))), 1, 1);
            assertTrue(store.read(StoreGauge.MEMTABLES_BYTES) > 0);
            assertTrue(store.read(StoreGauge.WRITTEN_BYTES) > 0);
            assertEquals(0, store.read(StoreGauge.BACKGROUND_ERRORS));
            for (StoreGauge each : StoreGauge.values()) {
                assertTrue(store.read(each) >= 0, each.title());
            }
        }
        assertThrows(IllegalStateException.class, () -> store.read(StoreGauge.KEYS));
    }

    @Test
    void aSnapshotStaysAsItWas() throws IOException {
        RocksStore store = open();
        StoredState before;
        try (store) {
            List<Change> batch = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                batch.add(new Change(Family.INODE, number(i), bytes("old")));
            }
            store.commit(batch, 1, 1);
            before = store.snapshot();
            try (StoredState after = store.snapshot()) {
                store.commit(List.of(new Change(Family.INODE, number(4), null)), 2, 2);
                batch.replaceAll(each -> new Change(Family.INODE, each.key(), bytes("new")));
                store.commit(batch, 2, 3);
                assertEquals(1, after.appliedIndex());
                assertEquals(1, after.appliedTerm());
                assertArrayEquals(bytes("old"), after.get(Family.INODE, number(4)));
                AtomicLong next = new AtomicLong();
                after.scan(
                        Family.INODE,
                        ALL,
                        ALL,
                        (key, value) -> {
                            assertArrayEquals(number(next.getAndIncrement()), key);
                            assertArrayEquals(bytes("old"), value);
                            return true;
                        });
                assertEquals(5_000, next.get());
            }
            StoredState now = store.snapshot();
            try (now) {
                assertEquals(3, now.appliedIndex());
                assertArrayEquals(bytes("new"), now.get(Family.INODE, number(4)));
            }
            assertThrows(IllegalStateException.class, () -> now.get(Family.INODE, number(4)));
        }
        assertThrows(IllegalStateException.class, () -> before.get(Family.INODE, number(4)));
        before.close();
    }

    /** The filter of a large table is not read for each key. */
    @Test
    void aKeyInUseOfALargeStoreComesFromMemory() throws IOException {
        StoreSettings settings = new StoreSettings(4 << 20, 8 << 20);
        int keys = 500_000;
        try (RocksStore store = RocksStore.open(directory.resolve("db"), settings)) {
            List<Change> batch = new ArrayList<>();
            for (int i = 0; i < keys; i++) {
                batch.add(new Change(Family.INODE, number(i), bytes("value")));
                if (batch.size() == 10_000) {
                    store.commit(batch, 1, i);
                    batch.clear();
                }
            }
        }
        try (RocksStore store = RocksStore.open(directory.resolve("db"), settings)) {
            assertArrayEquals(bytes("value"), store.get(Family.INODE, number(keys / 2)));
            long before = store.read(StoreGauge.CACHE_MISSES);
            for (int i = 0; i < 100; i++) {
                store.get(Family.INODE, number(keys / 2));
            }
            assertEquals(0, store.read(StoreGauge.CACHE_MISSES) - before);
        }
    }

    private static byte[] number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    @Test
    void theCacheIsAShareOfTheMemory() {
        assertEquals(64L << 20, StoreSettings.forMemory(512L << 20).cacheBytes());
        assertEquals(1L << 30, StoreSettings.forMemory(16L << 30).cacheBytes());
        assertEquals(16L << 30, StoreSettings.forMemory(1L << 40).cacheBytes());
    }

    @Test
    void whatIsCommittedIsReadAndSurvivesClosing() throws IOException {
        try (RocksStore store = open()) {
            store.commit(
                    List.of(
                            new Change(Family.INODE, bytes("a"), bytes("1")),
                            new Change(Family.DENTRY, bytes("a"), bytes("2"))),
                    3,
                    7);
            store.commit(List.of(new Change(Family.INODE, bytes("a"), null)), 4, 8);
        }
        try (RocksStore store = open()) {
            assertNull(store.get(Family.INODE, bytes("a")));
            assertArrayEquals(bytes("2"), store.get(Family.DENTRY, bytes("a")));
            assertEquals(4, store.appliedTerm());
            assertEquals(8, store.appliedIndex());
        }
    }

    @Test
    void batchesDoNotGoBackwards() throws IOException {
        try (RocksStore store = open()) {
            store.commit(List.of(), 1, 5);
            assertThrows(IllegalArgumentException.class, () -> store.commit(List.of(), 1, 5));
        }
    }

    @Test
    void scansAPrefixFromAKeyInUnsignedOrder() throws IOException {
        try (RocksStore store = open()) {
            List<Change> changes = new ArrayList<>();
            for (int i = 0; i < 256; i++) {
                changes.add(new Change(Family.DENTRY, new byte[] {1, (byte) i}, ALL));
            }
            changes.add(new Change(Family.DENTRY, new byte[] {0, 9}, ALL));
            changes.add(new Change(Family.DENTRY, new byte[] {2}, ALL));
            changes.add(new Change(Family.XATTR, new byte[] {1, 1}, ALL));
            store.commit(changes, 1, 0);
            assertEquals(256, scan(store, new byte[] {1}, new byte[] {1}).size());
            assertEquals(256, scan(store, new byte[] {1}, new byte[] {0}).size());
            assertEquals(258, scan(store, ALL, ALL).size());
            List<byte[]> upper = scan(store, new byte[] {1}, new byte[] {1, (byte) 0x80});
            assertEquals(128, upper.size());
            assertArrayEquals(new byte[] {1, (byte) 0x80}, upper.getFirst());
            assertArrayEquals(new byte[] {1, (byte) 0xff}, upper.getLast());
        }
    }

    @Test
    void successorsEndPrefixes() {
        assertArrayEquals(new byte[] {1, 3}, RocksStore.successor(new byte[] {1, 2}));
        assertArrayEquals(new byte[] {2}, RocksStore.successor(new byte[] {1, (byte) 0xff}));
        assertNull(RocksStore.successor(new byte[] {(byte) 0xff, (byte) 0xff}));
        assertNull(RocksStore.successor(ALL));
    }

    @Test
    void aCheckpointIsWholeWhileOthersCommit() throws Exception {
        Path target = directory.resolve("checkpoint");
        AtomicLong index = new AtomicLong();
        AtomicBoolean enough = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(500);
        try (RocksStore store = open()) {
            Thread writer =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (!enough.get()) {
                                            step(store, index.getAndIncrement());
                                            begun.countDown();
                                        }
                                    });
            assertTrue(begun.await(30, TimeUnit.SECONDS));
            store.checkpoint(target);
            enough.set(true);
            writer.join();
        }
        Position position = RocksStore.position(target);
        assertTrue(position.index() >= 499, "checkpoint at " + position);
        assertTrue(position.index() < index.get(), "checkpoint at " + position);
        try (RocksStore copy = RocksStore.open(target, SMALL)) {
            assertSteps(copy);
        }
    }

    /**
     * What the kernel holds after kill -9: all files as they are. With room enough that nothing is
     * flushed or compacted while they are copied.
     */
    @Test
    void withoutClosingItIsAtAnEarlierPosition() throws IOException {
        Path copy = directory.resolve("copy");
        try (RocksStore store =
                RocksStore.open(directory.resolve("db"), StoreSettings.standard())) {
            for (int i = 0; i < 5000; i++) {
                step(store, i);
            }
            store.checkpoint(directory.resolve("checkpoint"));
            step(store, 5000);
            copyFiles(directory.resolve("db"), copy);
        }
        try (RocksStore store = RocksStore.open(copy, SMALL)) {
            assertEquals(4999, store.appliedIndex());
            assertSteps(store);
        }
    }

    @Test
    void aDamagedTableIsRefusedByName() throws IOException {
        fill();
        Path table = newest(".sst");
        flip(table, Files.size(table) / 3);
        assertRefused(table.getFileName().toString());
    }

    @Test
    void aMissingTableIsRefusedByName() throws IOException {
        fill();
        Path table = newest(".sst");
        Files.delete(table);
        assertRefused(table.getFileName().toString());
    }

    @Test
    void aDamagedManifestIsRefusedByName() throws IOException {
        fill();
        Path manifest = newest("MANIFEST");
        // Within the first record: a damaged length would look like a torn write, which leaves an
        // older store; that is found out by its position.
        flip(manifest, 24);
        assertRefused("MANIFEST");
    }

    @Test
    void aDamagedPointerIsRefusedByName() throws IOException {
        fill();
        Files.writeString(directory.resolve("db").resolve("CURRENT"), "nonsense");
        assertRefused("CURRENT");
    }

    @Test
    void aClosedStoreRefusesInsteadOfCrashing() throws Exception {
        RocksStore store = open();
        step(store, 0);
        CountDownLatch reading = new CountDownLatch(1);
        Thread reader =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        while (true) {
                                            scan(store, ALL, ALL);
                                            reading.countDown();
                                        }
                                    } catch (IllegalStateException e) {
                                        return; // closed
                                    }
                                });
        assertTrue(reading.await(30, TimeUnit.SECONDS));
        store.close();
        store.close();
        assertTrue(reader.join(java.time.Duration.ofSeconds(30)));
        assertThrows(IllegalStateException.class, () -> store.get(Family.META, bytes("a")));
        assertThrows(IllegalStateException.class, () -> step(store, 1));
    }

    private RocksStore open() throws IOException {
        return RocksStore.open(directory.resolve("db"), SMALL);
    }

    private void fill() throws IOException {
        try (RocksStore store = open()) {
            for (int i = 0; i < 500; i++) {
                step(store, i);
            }
        }
    }

    private void assertRefused(String name) {
        IOException error = assertThrows(IOException.class, this::open);
        assertTrue(String.valueOf(error.getMessage()).contains(name), error.getMessage());
    }

    /** Batch {@code i} leaves exactly the keys up to i in one family, and only i in another. */
    private static void step(RocksStore store, long i) {
        byte[] key = ByteBuffer.allocate(8).putLong(i).array();
        byte[] before = ByteBuffer.allocate(8).putLong(i - 1).array();
        store.commit(
                List.of(
                        new Change(Family.INODE, key, new byte[100]),
                        new Change(Family.DENTRY, key, key),
                        new Change(Family.DENTRY, before, null)),
                1,
                i);
    }

    private static void assertSteps(RocksStore store) {
        List<byte[]> inodes = new ArrayList<>();
        store.scan(Family.INODE, ALL, ALL, (key, value) -> inodes.add(key));
        assertEquals(store.appliedIndex() + 1, inodes.size());
        List<byte[]> entries = scan(store, ALL, ALL);
        assertEquals(1, entries.size());
        assertEquals(store.appliedIndex(), ByteBuffer.wrap(entries.getFirst()).getLong());
    }

    private static List<byte[]> scan(RocksStore store, byte[] prefix, byte[] from) {
        List<byte[]> keys = new ArrayList<>();
        store.scan(Family.DENTRY, prefix, from, (key, value) -> keys.add(key));
        return keys;
    }

    private Path newest(String part) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("db"))) {
            return files.filter(file -> file.getFileName().toString().contains(part))
                    .max(Comparator.comparing(file -> file.getFileName().toString()))
                    .orElseThrow();
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.seek(at);
            int old = access.read();
            access.seek(at);
            access.write(old ^ 0x55);
        }
    }

    private static void copyFiles(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
