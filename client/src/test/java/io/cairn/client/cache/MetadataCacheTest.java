package io.cairn.client.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.DirectoryState;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.testkit.ManualClock;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What the cache believes, and for how long. */
class MetadataCacheTest {
    private static final Name A = Name.of("a");
    private static final Name B = Name.of("b");

    private final ManualClock clock = new ManualClock(5_000);
    private final MetadataCache cache = new MetadataCache(clock, 3000);

    private static Attributes attributes(long ino, long version) {
        return new Attributes(
                ino,
                1,
                FileType.FILE,
                0644,
                1,
                0,
                0,
                0,
                version,
                0,
                0,
                0,
                0,
                version,
                Acls.NONE,
                0,
                0);
    }

    private static DirectoryState directory(long ino, long changes) {
        return new DirectoryState(attributes(ino, 1), changes, 1);
    }

    @Test
    void whatIsReadOftenOutlivesAWalkThroughMoreInodesThanThereIsRoomFor() {
        cache.put(attributes(5, 10));
        for (long ino = 10; ino < 300_000; ino++) {
            cache.put(attributes(ino, 1));
            assertNotNull(cache.attributes(5), "forgotten at inode " + ino);
        }
        long known =
                LongStream.range(10, 300_000).filter(ino -> cache.attributes(ino) != null).count();
        assertTrue(known <= 200_000 && known > 100_000, known + " are known");
    }

    private void pass(long ms) {
        clock.advance(ms);
    }

    /** A lookup whose answer came at once. */
    private void found(Name name, long ino) {
        cache.putChild(
                directory(1, 0),
                name,
                ino,
                new KnownDirectory.Asked(cache.stamp(1), clock.millis()));
    }

    private void change(long changes, Name name, long ino) {
        try (NameChange change = cache.begin(1, List.of(name))) {
            change.done(directory(1, changes), Map.of(name, ino));
        }
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
        found(A, 0);
        assertEquals(0, cache.child(1, A));
        pass(1000);
        assertEquals(-1, cache.child(1, A));
        found(A, 7);
        pass(2999);
        assertEquals(7, cache.child(1, A));
        pass(1);
        assertEquals(-1, cache.child(1, A));
    }

    @Test
    void lateAnswerDoesNotUndoAnOwnChange() {
        long stamp = cache.stamp(1);
        change(1, A, 0);
        cache.putChild(directory(1, 0), A, 7, new KnownDirectory.Asked(stamp, clock.millis()));
        assertEquals(0, cache.child(1, A));
        stamp = cache.stamp(1);
        cache.forget(1);
        cache.putChild(directory(1, 1), A, 7, new KnownDirectory.Asked(stamp, clock.millis()));
        assertEquals(-1, cache.child(1, A));
        stamp = cache.stamp(1);
        cache.forgetChild(1, A);
        cache.putChild(directory(1, 1), A, 7, new KnownDirectory.Asked(stamp, clock.millis()));
        assertEquals(-1, cache.child(1, A));
    }

    @Test
    void namesOfGoneInodesAreForgotten() {
        found(A, 7);
        found(B, 8);
        cache.gone(7);
        assertEquals(-1, cache.child(1, A));
        assertEquals(8, cache.child(1, B));
    }

    @Test
    void aGoneInodeInACompleteDirectoryIsNotAbsent() {
        cache.madeDirectory(1, cache.generation(), clock.millis());
        change(1, A, 7);
        cache.gone(7);
        assertEquals(-1, cache.child(1, A), "another mount may have replaced it");
        assertEquals(0, cache.child(1, B));
    }

    @Test
    void nothingIsBelievedWithoutTimeToLive() {
        MetadataCache off = new MetadataCache(clock, 0);
        off.put(attributes(5, 10));
        off.madeDirectory(1, off.generation(), clock.millis());
        try (NameChange change = off.begin(1, List.of(A))) {
            change.done(directory(1, 1), Map.of(A, 5L));
        }
        assertNull(off.attributes(5));
        assertEquals(-1, off.child(1, A));
        assertEquals(-1, off.child(1, B));
    }

    @Test
    void aDirectoryMadeHereIsCompleteUnlessSomethingIntervened() {
        long generation = cache.generation();
        cache.madeDirectory(1, generation, clock.millis());
        assertEquals(0, cache.child(1, A));
        cache.forget(2);
        cache.madeDirectory(2, generation, clock.millis());
        assertFalse(cache.isComplete(2), "the master has told of a change meanwhile");
        generation = cache.generation();
        change(1, A, 5);
        cache.madeDirectory(1, generation, clock.millis());
        cache.doubtNames();
        cache.madeDirectory(3, generation, clock.millis());
        assertFalse(cache.isComplete(3), "another master has taken over meanwhile");
    }

    @Test
    void aNewConnectionOrSessionEndsCompleteness() {
        cache.madeDirectory(1, cache.generation(), clock.millis());
        change(1, A, 5);
        long stamp = cache.stamp(1);
        cache.doubtNames();
        assertEquals(5, cache.child(1, A));
        assertEquals(-1, cache.child(1, B));
        cache.putChild(directory(1, 1), B, 7, new KnownDirectory.Asked(stamp, clock.millis()));
        assertEquals(-1, cache.child(1, B), "asked before");
        cache.madeDirectory(2, cache.generation(), clock.millis());
        cache.clear();
        assertEquals(-1, cache.child(2, A));
        assertEquals(-1, cache.child(1, A));
    }

    /** I12: the master tells of a new name before this client hears of its own removal. */
    @Test
    void anOwnRemovalWhoseReplyWasOvertakenIsNotBelieved() {
        cache.putChild(
                directory(1, 3), A, 5, new KnownDirectory.Asked(cache.stamp(1), clock.millis()));
        try (NameChange change = cache.begin(1, List.of(A))) {
            cache.forget(1);
            change.done(directory(1, 4), Map.of(A, 0L));
        }
        assertEquals(-1, cache.child(1, A));
    }

    @Test
    void anEvictedDirectoryDoesNotForgetWhatIsUnderWay() {
        cache.madeDirectory(1, cache.generation(), clock.millis());
        try (NameChange change = cache.begin(1, List.of(A))) {
            cache.clear();
            assertEquals(-1, cache.child(1, A));
            change.done(directory(1, 1), Map.of(A, 5L));
        }
        assertEquals(5, cache.child(1, A));
        assertEquals(-1, cache.child(1, B));
    }

    @Test
    void namesAreBounded() {
        for (long ino = 1; ino <= 40; ino++) {
            for (int i = 0; i < 15_000; i++) {
                cache.putChild(
                        directory(ino, 0),
                        Name.of("n" + i),
                        7,
                        new KnownDirectory.Asked(cache.stamp(ino), clock.millis()));
                assertTrue(cache.nameCount() < 400_001);
            }
        }
        cache.clear();
        assertEquals(0, cache.nameCount());
    }
}
