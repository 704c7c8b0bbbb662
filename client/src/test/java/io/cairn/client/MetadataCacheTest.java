package io.cairn.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.runtime.Clock;
import org.junit.jupiter.api.Test;

/** What the cache believes, and for how long. */
class MetadataCacheTest {
    private static final Name A = Name.of("a");

    private long nowNs = 5_000_000_000L;
    private final Clock clock =
            new Clock() {
                @Override
                public long nanoTime() {
                    return nowNs;
                }

                @Override
                public long wallNs() {
                    return nowNs;
                }
            };
    private final MetadataCache cache = new MetadataCache(clock, 3000);

    private static Attributes attributes(long ino, long version) {
        return new Attributes(
                ino, 1, FileType.FILE, 0644, 1, 0, 0, 0, version, 0, 0, 0, 0, version);
    }

    private void pass(long ms) {
        nowNs += ms * 1_000_000;
    }

    @Test
    void youngerVersionWinsUntilItIsTooOld() {
        cache.put(attributes(5, 10));
        cache.put(attributes(5, 9));
        assertEquals(10, cache.attributes(5).version());
        cache.put(attributes(5, 11));
        assertEquals(11, cache.attributes(5).version());
        pass(2999);
        assertNotNull(cache.attributes(5));
        pass(1);
        assertNull(cache.attributes(5));
    }

    @Test
    void absentNamesAreBelievedForASecondAtMost() {
        cache.putChild(1, A, 0, cache.stamp(1));
        assertEquals(0, cache.child(1, A));
        pass(1000);
        assertEquals(-1, cache.child(1, A));
        cache.putChild(1, A, 7, cache.stamp(1));
        pass(2999);
        assertEquals(7, cache.child(1, A));
        pass(1);
        assertEquals(-1, cache.child(1, A));
    }

    @Test
    void lateAnswerDoesNotUndoAnOwnChange() {
        long stamp = cache.stamp(1);
        cache.changeChild(1, A, 0);
        cache.putChild(1, A, 7, stamp);
        assertEquals(0, cache.child(1, A));
        stamp = cache.stamp(1);
        cache.forget(1);
        cache.putChild(1, A, 7, stamp);
        assertEquals(-1, cache.child(1, A));
        stamp = cache.stamp(1);
        cache.forgetChild(1, A);
        cache.putChild(1, A, 7, stamp);
        assertEquals(-1, cache.child(1, A));
    }

    @Test
    void namesOfGoneInodesAreForgotten() {
        cache.putChild(1, A, 7, cache.stamp(1));
        cache.putChild(1, Name.of("b"), 8, cache.stamp(1));
        cache.gone(7);
        assertEquals(-1, cache.child(1, A));
        assertEquals(8, cache.child(1, Name.of("b")));
    }

    @Test
    void nothingIsBelievedWithoutTimeToLive() {
        MetadataCache off = new MetadataCache(clock, 0);
        off.put(attributes(5, 10));
        off.changeChild(1, A, 5);
        assertNull(off.attributes(5));
        assertEquals(-1, off.child(1, A));
    }
}
