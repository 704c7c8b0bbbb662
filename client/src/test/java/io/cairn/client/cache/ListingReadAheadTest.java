package io.cairn.client.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which names of large directories are looked up ahead. */
class ListingReadAheadTest {
    private static final long DIR = 10;
    private static final int COUNT = 12_000;
    private static final int PAGE = 1024;

    private final ManualClock clock = new ManualClock(10_000);
    private final MetadataCache cache = new MetadataCache(clock, 1000);
    private final List<Query.LookupMany> asked = new ArrayList<>();
    private final List<CompletableFuture<Reply>> unanswered = new ArrayList<>();
    private final List<DirectoryEntry> entries = new ArrayList<>();
    private final Set<Name> gone = new HashSet<>();
    private final DirectoryReadAhead readAhead = new DirectoryReadAhead(this::ask, clock, cache);
    private boolean isSlow;
    private int lookups;
    private int fetched;

    private static Attributes attributes(long ino, FileType type) {
        return new Attributes(ino, 1, type, 0644, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, Acls.NONE, 0, 0);
    }

    private DirectoryState state() {
        return new DirectoryState(attributes(DIR, FileType.DIRECTORY), 5, entries.size());
    }

    private CompletableFuture<Reply> ask(Query query) {
        asked.add((Query.LookupMany) query);
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        unanswered.add(reply);
        if (!isSlow) {
            answer();
        }
        return reply;
    }

    private void answer() {
        Set<Name> wanted = new HashSet<>(asked.getLast().names());
        wanted.removeAll(gone);
        List<DirectoryEntry> found =
                entries.stream().filter(each -> wanted.contains(each.name())).toList();
        fetched += found.size();
        unanswered.getLast().complete(new Reply.DirectoryReply(state(), found, false));
    }

    private void fill() {
        for (int i = 0; i < COUNT; i++) {
            Name name = Name.of("file-" + i);
            Attributes a = attributes(1000L + i, FileType.FILE);
            entries.add(new DirectoryEntry(name, name.cookie(), a.ino(), a.type(), a));
        }
        entries.sort(Comparator.comparingLong(DirectoryEntry::cookie));
    }

    private void list() {
        list(0, COUNT);
    }

    private void list(int from, int to) {
        for (int at = from; at < to; at += PAGE) {
            List<DirectoryEntry> page = entries.subList(at, Math.min(at + PAGE, to));
            readAhead.listed(
                    at == 0 ? 0 : entries.get(at - 1).cookie(),
                    new Reply.DirectoryReply(state(), page, to == COUNT));
        }
    }

    private List<DirectoryEntry> byInode() {
        return entries.stream().sorted(Comparator.comparingLong(DirectoryEntry::ino)).toList();
    }

    /** As a mount does it. */
    private void lookup(DirectoryEntry entry) {
        long ino = cache.child(DIR, entry.name());
        if (ino > 0 && cache.attributes(ino) != null) {
            assertEquals(entry.ino(), ino);
            return;
        }
        lookups++;
        long stamp = cache.stamp(DIR);
        cache.told(state(), clock.millis());
        cache.put(attributes(entry.ino(), FileType.FILE));
        cache.putChild(
                state(),
                entry.name(),
                entry.ino(),
                new KnownDirectory.Asked(stamp, clock.millis()));
        readAhead.missed(state(), entry.name(), entry.ino());
    }

    private void assertFewQuestions() {
        int questions = lookups + asked.size();
        assertTrue(questions < COUNT / 50, lookups + " lookups, " + asked.size() + " more");
        assertTrue(fetched <= COUNT, fetched + " fetched");
    }

    @Test
    void lookupsInTheOrderOfInodesCostFewQuestions() {
        fill();
        list();
        byInode().forEach(this::lookup);
        assertFewQuestions();
    }

    @Test
    void lookupsInTheOrderOfTheListingCostFewQuestions() {
        fill();
        list();
        entries.forEach(this::lookup);
        assertFewQuestions();
    }

    @Test
    void aListingMayGoOnBetweenLookups() {
        fill();
        for (int at = 0; at < COUNT; at += 3000) {
            list(at, at + 3000);
            entries.subList(at, at + 3000).stream()
                    .sorted(Comparator.comparingLong(DirectoryEntry::ino))
                    .forEach(this::lookup);
        }
        assertFewQuestions();
    }

    @Test
    void whatIsRemovedMeanwhileIsNotBelieved() {
        fill();
        list();
        List<DirectoryEntry> ordered = byInode();
        gone.add(ordered.get(20).name());
        for (int i = 0; i < 20; i++) {
            lookup(ordered.get(i));
        }
        assertEquals(1, asked.size());
        assertEquals(-1, cache.child(DIR, ordered.get(20).name()));
        assertNotNull(cache.attributes(ordered.get(21).ino()));
    }

    @Test
    void oneQuestionAtATime() {
        fill();
        list();
        isSlow = true;
        byInode().subList(0, 1000).forEach(this::lookup);
        assertEquals(1, asked.size());
        assertEquals(1000, lookups);
        isSlow = false;
        answer();
        byInode().subList(1000, 3000).forEach(this::lookup);
        assertTrue(lookups < 1100, lookups + " lookups");
    }

    @Test
    void aFailureDoesNoHarm() {
        fill();
        list();
        isSlow = true;
        byInode().subList(0, 10).forEach(this::lookup);
        unanswered.getLast().completeExceptionally(new IllegalStateException("lost"));
        isSlow = false;
        byInode().subList(10, 3000).forEach(this::lookup);
        assertTrue(lookups < 100, lookups + " lookups");
    }

    @Test
    void lookupsInNoOrderAskForLittleMore() {
        fill();
        list();
        Random random = new Random(1);
        for (int i = 0; i < 3000; i++) {
            lookup(entries.get(random.nextInt(COUNT)));
            clock.advance(10);
        }
        assertTrue(fetched < 200, fetched + " fetched");
    }

    @Test
    void whoHasNotListedAsksForEachName() {
        fill();
        byInode().subList(0, 100).forEach(this::lookup);
        assertEquals(0, asked.size());
        assertEquals(100, lookups);
    }

    @Test
    void whatIsRememberedHasALimit() {
        fill();
        // More directories than fit: the ones listed first are forgotten.
        for (long dir = 0; dir < 40; dir++) {
            DirectoryState other =
                    new DirectoryState(attributes(100 + dir, FileType.DIRECTORY), 5, COUNT);
            readAhead.listed(0, new Reply.DirectoryReply(other, entries, true));
        }
        for (DirectoryEntry entry : byInode().subList(0, 100)) {
            DirectoryState first =
                    new DirectoryState(attributes(100, FileType.DIRECTORY), 5, COUNT);
            readAhead.missed(first, entry.name(), entry.ino());
        }
        assertEquals(0, asked.size());
    }
}
