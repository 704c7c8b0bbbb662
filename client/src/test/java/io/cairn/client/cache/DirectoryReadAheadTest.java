package io.cairn.client.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.DirectoryState;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When directories are read ahead, how far, and when no longer. */
class DirectoryReadAheadTest {
    private static final long DIR = 10;
    private static final int PAGE = 1500;

    private final ManualClock clock = new ManualClock(10_000);
    private final MetadataCache cache = new MetadataCache(clock, 1000);
    private final List<Query.ReadDirectory> asked = new ArrayList<>();
    private final List<CompletableFuture<Reply>> unanswered = new ArrayList<>();
    private final List<DirectoryEntry> entries = new ArrayList<>();
    private boolean isSlow;
    private boolean fails;
    private int lookups;
    private int fetched;
    private final DirectoryReadAhead readAhead = new DirectoryReadAhead(this::ask, clock, cache);

    private static Attributes attributes(long ino, FileType type) {
        return new Attributes(ino, 1, type, 0644, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, Acls.NONE, 0, 0);
    }

    private static Name name(int number) {
        return Name.of("file-" + number);
    }

    private void fill(int count) {
        entries.clear();
        for (int i = 0; i < count; i++) {
            Attributes a = attributes(1000L + i, FileType.FILE);
            entries.add(new DirectoryEntry(name(i), name(i).cookie(), a.ino(), a.type(), a));
        }
        entries.sort(Comparator.comparingLong(DirectoryEntry::cookie));
    }

    private DirectoryState state(long ino) {
        return new DirectoryState(attributes(ino, FileType.DIRECTORY), 5, entries.size());
    }

    private CompletableFuture<Reply> ask(Query query) {
        Query.ReadDirectory q = (Query.ReadDirectory) query;
        asked.add(q);
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        if (isSlow) {
            unanswered.add(reply);
        } else {
            reply.complete(fails ? new Reply.Failure(Errno.ESTALE, "gone") : page(q));
        }
        return reply;
    }

    private Reply page(Query.ReadDirectory q) {
        List<DirectoryEntry> rest =
                entries.stream().filter(each -> each.cookie() > q.cookie()).toList();
        List<DirectoryEntry> some = rest.subList(0, Math.min(PAGE, rest.size()));
        fetched += some.size();
        return new Reply.DirectoryReply(state(q.ino()), some, some.size() == rest.size());
    }

    /** As a mount does it. */
    private void lookup(long dir, int number) {
        long ino = cache.child(dir, name(number));
        if (ino > 0 && cache.attributes(ino) != null) {
            return;
        }
        lookups++;
        long stamp = cache.stamp(dir);
        cache.told(state(dir), clock.millis());
        cache.put(attributes(1000L + number, FileType.FILE));
        cache.putChild(
                state(dir),
                name(number),
                1000L + number,
                new KnownDirectory.Asked(stamp, clock.millis()));
        readAhead.missed(state(dir), name(number), 1000L + number);
    }

    @Test
    void theThirdMissReadsASmallDirectory() {
        fill(50);
        lookup(DIR, 0);
        lookup(DIR, 1);
        assertEquals(0, asked.size());
        lookup(DIR, 2);
        assertEquals(1, asked.size());
        assertTrue(cache.isComplete(DIR));
        for (int i = 0; i < 50; i++) {
            lookup(DIR, i);
            assertNotNull(cache.attributes(1000L + i));
        }
        assertEquals(3, lookups);
        assertEquals(0, cache.child(DIR, Name.of("none")));
    }

    @Test
    void missesMustComeWithinASecond() {
        fill(50);
        lookup(DIR, 0);
        lookup(DIR, 1);
        clock.advance(1001);
        lookup(DIR, 2);
        lookup(DIR, 3);
        assertEquals(0, asked.size());
        lookup(DIR, 4);
        assertEquals(1, asked.size());
    }

    @Test
    void everyNameOfALargeDirectoryCostsFewQuestions() {
        fill(2000);
        for (int i = 0; i < 2000; i++) {
            lookup(DIR, i);
        }
        assertTrue(lookups + asked.size() < 60, lookups + " lookups, " + asked.size() + " pages");
        assertEquals(2, asked.size());
        assertTrue(cache.isComplete(DIR));
    }

    @Test
    void aHugeDirectoryIsLeftAlone() {
        fill(DirectoryReadAhead.MAX_ENTRIES + 1);
        for (int i = 0; i < 1000; i++) {
            lookup(DIR, i);
        }
        assertEquals(0, asked.size());
    }

    @Test
    void oneFetchPerDirectoryAndAFewPerMount() {
        fill(50);
        isSlow = true;
        for (int dir = 0; dir < 10; dir++) {
            for (int i = 0; i < 20; i++) {
                lookup(DIR + dir, i);
            }
        }
        assertEquals(4, asked.size());
        assertEquals(4, asked.stream().map(Query.ReadDirectory::ino).distinct().count());
        isSlow = false;
        unanswered.forEach(each -> each.completeExceptionally(new IllegalStateException("lost")));
        for (int i = 0; i < 20; i++) {
            lookup(DIR + 9, i + 20);
        }
        assertEquals(5, asked.size());
    }

    @Test
    void randomLookupsInALargeDirectoryCostLittleExtra() {
        fill(8000);
        Random random = new Random(1);
        int seconds = 1200;
        int asking = 0;
        for (int i = 0; i < seconds * 100; i++) {
            asking++;
            lookup(DIR, random.nextInt(8000));
            clock.advance(10);
        }
        // An entry of a page costs at most a sixteenth of a lookup.
        int cost = lookups + fetched / 16;
        assertTrue(cost < asking * 1.1, cost + " for " + asking);
    }

    @Test
    void waitsLongerAndLongerWhenLittleIsUsed() {
        fill(1000);
        int before = 0;
        List<Integer> seconds = new ArrayList<>();
        for (int second = 0; second < 400; second++) {
            for (int i = 0; i < 10; i++) {
                lookup(DIR, second * 10 % 1000 + i);
            }
            if (asked.size() > before) {
                seconds.add(second);
                before = asked.size();
            }
            clock.advance(1001);
        }
        assertTrue(seconds.size() <= 7, "tried in seconds " + seconds);
        assertTrue(seconds.getLast() > 100, "but tries again: " + seconds);
    }

    @Test
    void goesOnAsLongAsMuchIsUsed() {
        fill(300);
        for (int second = 0; second < 20; second++) {
            for (int i = 0; i < 300; i++) {
                lookup(DIR, i);
            }
            clock.advance(1001);
        }
        assertEquals(20, asked.size());
        assertEquals(60, lookups);
    }

    @Test
    void aFailureIsNotRepeatedSoon() {
        fill(50);
        fails = true;
        for (int i = 0; i < 20; i++) {
            lookup(DIR, i);
        }
        assertEquals(1, asked.size());
        assertFalse(cache.isComplete(DIR));
    }

    @Test
    void whatIsInvalidatedMeanwhileIsNotPut() {
        fill(50);
        isSlow = true;
        lookup(DIR, 0);
        lookup(DIR, 1);
        lookup(DIR, 2);
        cache.forget(DIR);
        unanswered.getFirst().complete(page(asked.getFirst()));
        assertFalse(cache.isComplete(DIR));
        assertEquals(-1, cache.child(DIR, name(30)));
    }
}
