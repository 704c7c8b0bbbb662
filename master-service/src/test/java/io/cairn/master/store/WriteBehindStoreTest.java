package io.cairn.master.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.metadata.ForwardingStore;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WriteBehindStoreTest {
    private final Recorder base = new Recorder();
    private final WriteBehindStore store = new WriteBehindStore(base);

    @Test
    void whatIsGatheredIsReadAndCommittedOnce() {
        store.commit(List.of(put(Family.INODE, "a", "1"), put(Family.INODE, "b", "1")), 1, 1);
        store.commit(List.of(put(Family.INODE, "a", "2"), delete(Family.INODE, "b")), 2, 2);
        assertEquals("2", text(store.get(Family.INODE, key("a"))));
        assertNull(store.get(Family.INODE, key("b")));
        assertEquals(2, store.appliedIndex());
        assertEquals(2, store.appliedTerm());
        assertEquals(List.of(), base.commits);

        store.flush();
        assertEquals(List.of("2/2: INODE a=2, INODE b-"), base.commits);
        store.flush();
        assertEquals(1, base.commits.size());
    }

    @Test
    void aReplyThatIsAcknowledgedSoonIsNotWritten() {
        store.commit(List.of(put(Family.REPLY, "1", "x"), put(Family.REPLY, "2", "y")), 1, 1);
        store.commit(List.of(delete(Family.REPLY, "1")), 1, 2);
        assertNull(store.get(Family.REPLY, key("1")));
        store.flush();
        store.commit(List.of(delete(Family.REPLY, "2")), 1, 3);
        store.flush();
        assertEquals(List.of("1/2: REPLY 2=y", "1/3: REPLY 2-"), base.commits);
    }

    @Test
    void aScanCommitsWhatItWouldMeetAndNothingElse() {
        store.commit(List.of(put(Family.DENTRY, "d1/a", "1"), put(Family.INODE, "i", "1")), 1, 1);
        assertEquals(List.of(), names(store, Family.DENTRY, "d0/"));
        assertEquals(List.of(), names(store, Family.LOCK, ""));
        assertEquals(List.of(), base.commits);
        assertEquals(List.of("d1/a"), names(store, Family.DENTRY, "d1/"));
        assertEquals(List.of("1/1: INODE i=1, DENTRY d1/a=1"), base.commits);
    }

    @Test
    void itGathersSoMuchAndNoMore() {
        long index = 0;
        while (base.commits.isEmpty()) {
            assertTrue(index < WriteBehindStore.MAX_KEYS, "keys without end");
            store.commit(List.of(put(Family.INODE, "k" + index, "1")), 1, ++index);
        }
        assertEquals(WriteBehindStore.MAX_KEYS, index);
        String large = "x".repeat(1 << 16);
        while (base.commits.size() == 1) {
            assertTrue(index < 2 * WriteBehindStore.MAX_KEYS, "bytes without end");
            store.commit(List.of(put(Family.INODE, "same", large)), 1, ++index);
        }
        assertEquals(
                WriteBehindStore.MAX_KEYS + WriteBehindStore.MAX_BYTES / large.length(), index);
    }

    @Test
    void aPositionWithoutChangesIsCommittedToo() {
        store.commit(List.of(), 3, 4);
        store.flush();
        assertEquals(List.of("3/4: "), base.commits);
        assertThrows(IllegalArgumentException.class, () -> store.commit(List.of(), 3, 4));
    }

    @Test
    void whatCouldNotBeWrittenIsKept() {
        store.commit(List.of(put(Family.INODE, "a", "1")), 1, 1);
        base.broken.set(true);
        assertThrows(UncheckedIOException.class, store::flush);
        assertThrows(UncheckedIOException.class, () -> names(store, Family.INODE, ""));
        assertEquals("1", text(store.get(Family.INODE, key("a"))));
        base.broken.set(false);
        store.close();
        assertEquals(List.of("1/1: INODE a=1"), base.commits);
        assertTrue(base.closed);
        assertThrows(IllegalStateException.class, () -> store.commit(List.of(), 1, 2));
        store.close();
        assertEquals(1, base.commits.size());
    }

    @Test
    void itReadsLikeAStoreThatWritesAtOnce() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            MemoryStore plain = new MemoryStore();
            MemoryStore beneath = new MemoryStore();
            WriteBehindStore behind = new WriteBehindStore(beneath);
            long reply = 0;
            for (int index = 1; index <= 200; index++) {
                List<Change> changes = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    Family family = random.nextBoolean() ? Family.INODE : Family.DENTRY;
                    String key = "k" + random.nextInt(20);
                    changes.add(
                            random.nextInt(3) == 0
                                    ? delete(family, key)
                                    : put(family, key, "v" + index));
                }
                if (reply > 0) {
                    changes.add(delete(Family.REPLY, "r" + reply));
                }
                changes.add(put(Family.REPLY, "r" + ++reply, "v" + index));
                plain.commit(changes, 1, index);
                behind.commit(changes, 1, index);
                if (random.nextInt(20) == 0) {
                    behind.flush();
                }
                Family family = random.nextBoolean() ? Family.INODE : Family.DENTRY;
                String key = "k" + random.nextInt(20);
                String what = "seed " + seed + " index " + index + " " + family + " " + key;
                assertArrayEquals(plain.get(family, key(key)), behind.get(family, key(key)), what);
                if (random.nextInt(10) == 0) {
                    assertEquals(names(plain, family, key), names(behind, family, key), what);
                }
            }
            behind.flush();
            for (Family family : Family.values()) {
                assertEquals(names(plain, family, ""), names(beneath, family, ""), "seed " + seed);
            }
            assertEquals(plain.appliedIndex(), beneath.appliedIndex());
        }
    }

    private static List<String> names(Store store, Family family, String prefix) {
        List<String> names = new ArrayList<>();
        store.scan(family, key(prefix), key(prefix), (key, value) -> names.add(text(key)));
        return names;
    }

    private static Change put(Family family, String key, String value) {
        return new Change(family, key(key), key(value));
    }

    private static Change delete(Family family, String key) {
        return new Change(family, key(key), null);
    }

    private static byte[] key(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.US_ASCII);
    }

    /** A store that remembers what was committed to it, and fails when it is told to. */
    private static final class Recorder extends ForwardingStore {
        private final List<String> commits = new ArrayList<>();
        private final AtomicBoolean broken = new AtomicBoolean();
        private boolean closed;

        @Override
        public void commit(List<Change> changes, long term, long index) {
            if (broken.get()) {
                throw new UncheckedIOException(new IOException("no space"));
            }
            Stream<String> said =
                    changes.stream()
                            .map(
                                    each ->
                                            each.family()
                                                    + " "
                                                    + text(each.key())
                                                    + (each.value() == null
                                                            ? "-"
                                                            : "=" + text(each.value())));
            commits.add(term + "/" + index + ": " + String.join(", ", said.toList()));
            super.commit(changes, term, index);
        }

        @Override
        public void close() {
            closed = true;
            super.close();
        }
    }
}
