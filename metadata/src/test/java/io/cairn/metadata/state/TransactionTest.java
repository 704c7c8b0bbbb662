package io.cairn.metadata.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.cluster.Inode;
import io.cairn.fs.FileType;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.master.Push;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TransactionTest {
    private final MemoryStore store = new MemoryStore();
    private final InodeCache cache = new InodeCache();
    private final Transaction transaction = new Transaction(store, cache, Counters.load(store));

    private final RecordWriter records = transaction.records();

    private static Inode inode(long ino, int uid) {
        InodeDraft draft = new InodeDraft(ino, FileType.FIFO, 1);
        draft.uid = uid;
        return draft.seal();
    }

    private void commit(long index) {
        store.commit(transaction.changes(), 1, index);
        transaction.publish();
        transaction.begin(index + 1);
    }

    private static byte[] key(int... bytes) {
        byte[] key = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            key[i] = (byte) bytes[i];
        }
        return key;
    }

    @Test
    void readsSeeWhatTheEntryHasWritten() {
        transaction.begin(1);
        records.put(Family.GC, key(1), key(9));
        assertArrayEquals(key(9), transaction.get(Family.GC, key(1)));
        records.delete(Family.GC, key(1));
        assertNull(transaction.get(Family.GC, key(1)));
        records.put(null, inode(5, 7));
        assertNotNull(transaction.inode(5));
        records.remove(inode(5, 7));
        assertNull(transaction.inode(5));
        assertNull(store.get(Family.GC, key(1)));
    }

    @Test
    void changesOfOneKeyAreOneChange() {
        transaction.begin(1);
        for (int i = 0; i < 64; i++) {
            records.put(inode(5, i), inode(5, i));
            records.put(Family.GC, key(1), key(i));
        }
        assertEquals(128, transaction.writes());
        List<Change> changes = transaction.changes();
        assertEquals(2, changes.size());
        commit(1);
        Inode stored = transaction.inode(5);
        assertNotNull(stored);
        assertEquals(63, stored.attributes().uid());
        assertEquals(List.of(), transaction.changes());
    }

    @Test
    void theCacheFollowsTheCommitNotTheEntry() {
        transaction.begin(1);
        records.put(null, inode(5, 1));
        assertNull(cache.get(5));
        commit(1);
        assertNotNull(cache.get(5));
        records.remove(inode(5, 7));
        assertNotNull(cache.get(5));
        commit(2);
        assertNull(cache.get(5));
        assertNull(store.get(Family.INODE, Keys.of(5)));
    }

    @Test
    void inodesComeFromTheStoreWhenTheyLeftTheCache() {
        transaction.begin(1);
        records.put(null, inode(5, 1));
        commit(1);
        cache.remove(5);
        Inode read = transaction.inode(5);
        assertNotNull(read);
        assertEquals(inode(5, 1).attributes(), read.attributes());
        assertNotNull(cache.get(5));
    }

    @Test
    void keysMergeStoreAndEntry() {
        transaction.begin(1);
        for (byte[] key : List.of(key(1), key(1, 1), key(1, 3), key(2))) {
            records.put(Family.GC, key, key(0));
        }
        commit(1);
        records.put(Family.GC, key(1, 2), key(0));
        records.put(Family.GC, key(0), key(0));
        records.delete(Family.GC, key(1, 1));
        records.delete(Family.GC, key(1, 9));
        assertEquals(
                List.of("01", "0102", "0103"),
                transaction.keys(Family.GC, key(1)).stream()
                        .map(HexFormat.of()::formatHex)
                        .toList());
    }

    @Test
    void versionsTellEntryAndPlace() {
        transaction.begin(3);
        transaction.beginMutation(5, 99);
        assertEquals((3L << 16) + 5, transaction.version());
        assertEquals(99, transaction.nowNs());
    }

    @Test
    void recordsOfTheTreeTellTheVersionThatWroteThem() {
        transaction.begin(3);
        transaction.beginMutation(5, 99);
        byte[] begun = records.begin(1).u8(7).toBytes();
        records.put(Family.DENTRY, key(1), begun);
        records.put(null, inode(5, 7));
        commit(3);
        transaction.beginMutation(0, 100);
        assertThrows(
                IllegalArgumentException.class, () -> records.put(Family.DENTRY, key(1), begun));
        assertEquals((3L << 16) + 5, Keys.versionOf(store.get(Family.DENTRY, key(1))));
        assertEquals((3L << 16) + 5, Keys.versionOf(store.get(Family.INODE, Keys.of(5))));
        records.put(transaction.inode(5), inode(5, 8));
        commit(4);
        assertEquals(4L << 16, Keys.versionOf(store.get(Family.INODE, Keys.of(5))));
        assertEquals(0, transaction.inode(5).attributes().version(), "caches stay true");
    }

    @Test
    void inodesAreCounted() {
        transaction.begin(1);
        records.put(null, inode(5, 1));
        records.put(inode(5, 1), inode(5, 2));
        records.put(null, inode(6, 2));
        records.remove(inode(5, 2));
        assertEquals(1, transaction.counters().inodeCount());
    }

    @Test
    void noticesAreOfOneEntry() {
        transaction.begin(1);
        transaction.notify(4, new Push.Invalidate(1));
        List<Notice> notices = transaction.notices();
        transaction.begin(2);
        assertEquals(List.of(new Notice(4, new Push.Invalidate(1))), notices);
        assertEquals(List.of(), transaction.notices());
    }

    /** The first keys with a prefix, computed in the simplest way. */
    private static List<String> firstKeys(SortedSet<Integer> all, int from, int max) {
        return all.tailSet(from).stream()
                .limit(max)
                .map(number -> HexFormat.of().formatHex(key(3, number)))
                .toList();
    }

    @Test
    void aPageIsWhatIsThereNowAndNoMoreThanAskedFor() {
        Random random = new Random(4);
        SortedSet<Integer> model = new TreeSet<>();
        transaction.begin(1);
        for (int round = 1; round < 200; round++) {
            for (int i = 0; i < 6; i++) {
                int number = random.nextInt(60);
                if (random.nextBoolean()) {
                    records.put(Family.GC, key(3, number), key(1));
                    model.add(number);
                } else {
                    records.delete(Family.GC, key(3, number));
                    model.remove(number);
                }
            }
            int from = random.nextInt(60);
            int max = 1 + random.nextInt(8);
            assertEquals(
                    firstKeys(model, from, max),
                    transaction.page(Family.GC, key(3), key(3, from), max).stream()
                            .map(entry -> HexFormat.of().formatHex(entry.key()))
                            .toList());
            if (random.nextInt(3) == 0) {
                commit(round);
            }
        }
        assertEquals(List.of(), transaction.page(Family.GC, key(4), key(4), 5));
    }
}
