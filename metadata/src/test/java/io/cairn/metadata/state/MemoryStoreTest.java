package io.cairn.metadata.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MemoryStoreTest {
    private final MemoryStore store = new MemoryStore();

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }

    private static Change put(String key, String value) {
        return new Change(Family.DENTRY, hex(key), hex(value));
    }

    private List<String> scan(String prefix, String from, int max) {
        List<String> keys = new ArrayList<>();
        store.scan(
                Family.DENTRY,
                hex(prefix),
                hex(from),
                (key, value) -> {
                    keys.add(HexFormat.of().formatHex(key));
                    return keys.size() < max;
                });
        return keys;
    }

    @Test
    void aNewStoreIsEmpty() {
        assertEquals(-1, store.appliedIndex());
        assertEquals(0, store.appliedTerm());
        assertNull(store.get(Family.META, hex("00")));
        assertEquals(List.of(), scan("", "", 9));
    }

    @Test
    void batchesPutAndDelete() {
        store.commit(List.of(put("01", "aa"), put("02", "bb")), 3, 7);
        store.commit(List.of(new Change(Family.DENTRY, hex("01"), null), put("02", "cc")), 4, 9);
        assertNull(store.get(Family.DENTRY, hex("01")));
        assertArrayEquals(hex("cc"), store.get(Family.DENTRY, hex("02")));
        assertNull(store.get(Family.INODE, hex("02")));
        assertEquals(4, store.appliedTerm());
        assertEquals(9, store.appliedIndex());
        assertEquals(1, store.size(Family.DENTRY));
    }

    @Test
    void scansAreUnsignedBoundedAndStoppable() {
        store.commit(
                List.of(
                        put("01", ""),
                        put("0100", ""),
                        put("01ff", ""),
                        put("02", ""),
                        put("7f", ""),
                        put("80", ""),
                        put("ff", "")),
                1,
                1);
        assertEquals(List.of("01", "0100", "01ff", "02", "7f", "80", "ff"), scan("", "", 9));
        assertEquals(List.of("01", "0100", "01ff"), scan("01", "01", 9));
        assertEquals(List.of("01ff"), scan("01", "0101", 9));
        assertEquals(List.of("01", "0100"), scan("01", "", 2));
        assertEquals(List.of(), scan("01", "02", 9));
        assertEquals(List.of("ff"), scan("ff", "ff", 9));
    }

    @Test
    void aCopyIsIndependent() {
        store.commit(List.of(put("01", "aa")), 1, 1);
        MemoryStore copy = store.copy();
        store.commit(List.of(put("01", "bb"), put("02", "bb")), 2, 2);
        assertArrayEquals(hex("aa"), copy.get(Family.DENTRY, hex("01")));
        assertEquals(1, copy.size(Family.DENTRY));
        assertEquals(1, copy.appliedIndex());
        assertEquals(1, copy.appliedTerm());
    }

    @Test
    void readersSeeWholeBatches() throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger torn = new AtomicInteger();
        AtomicInteger scans = new AtomicInteger();
        Thread reader =
                new Thread(
                        () -> {
                            while (!stop.get() || scans.get() == 0) {
                                List<String> values = new ArrayList<>();
                                store.scan(
                                        Family.DENTRY,
                                        hex(""),
                                        hex(""),
                                        (key, value) ->
                                                values.add(HexFormat.of().formatHex(value)));
                                if (values.stream().distinct().count() > 1) {
                                    torn.incrementAndGet();
                                }
                                scans.incrementAndGet();
                            }
                        });
        reader.start();
        for (int i = 0; i < 2000; i++) {
            String value = i % 2 == 0 ? "aa" : "bb";
            store.commit(List.of(put("01", value), put("02", value), put("03", value)), 1, i);
        }
        stop.set(true);
        reader.join(10_000);
        assertEquals(0, torn.get());
    }
}
