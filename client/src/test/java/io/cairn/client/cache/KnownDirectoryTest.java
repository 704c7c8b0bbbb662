package io.cairn.client.cache;

import static io.cairn.client.cache.KnownDirectory.ABSENT;
import static io.cairn.client.cache.KnownDirectory.UNKNOWN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.DirectoryState;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.Reply.DirectoryReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When a directory is complete, and when that ends; each race by hand. */
class KnownDirectoryTest {
    private static final Name A = Name.of("a");
    private static final Name B = Name.of("b");
    private static final Name NONE = Name.of("none");
    private static final Attributes ATTRIBUTES =
            new Attributes(
                    1, 1, FileType.DIRECTORY, 0755, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, Acls.NONE, 0, 0);

    private final AtomicInteger names = new AtomicInteger();
    private final ManualClock clock = new ManualClock(50_000);
    private final KnownDirectory directory = fresh();

    private KnownDirectory fresh() {
        return new KnownDirectory(
                new KnownDirectory.Shared(clock, 3000, 1000, new AtomicLong(), names));
    }

    private void made() {
        directory.madeEmpty(directory.stamp(), clock.millis());
    }

    /** An own change whose reply comes at once. */
    private void change(long changes, Name name, long ino) {
        directory.begin(name);
        directory.changed(changes, clock.millis(), Map.of(name, ino));
        directory.end(name);
    }

    private void lookedUp(Name name, long ino, long changes) {
        long stamp = directory.stamp();
        directory.told(changes, clock.millis());
        directory.putChild(name, ino, new KnownDirectory.Asked(stamp, clock.millis()), changes);
    }

    private static DirectoryReply page(long changes, boolean end, Name... found) {
        List<DirectoryEntry> entries = new ArrayList<>();
        for (Name name : found) {
            entries.add(new DirectoryEntry(name, name.cookie(), 7, FileType.FILE, null));
        }
        entries.sort(Comparator.comparingLong(DirectoryEntry::cookie));
        return new DirectoryReply(
                new DirectoryState(ATTRIBUTES, changes, found.length), entries, end);
    }

    private KnownDirectory.PageRequest request(long cookie) {
        return new KnownDirectory.PageRequest(cookie, directory.stamp(), clock.millis(), false);
    }

    @Test
    void aNewDirectoryIsEmpty() {
        assertEquals(UNKNOWN, directory.child(A));
        made();
        assertEquals(ABSENT, directory.child(A));
        change(1, A, 5);
        assertEquals(5, directory.child(A));
        assertEquals(ABSENT, directory.child(B));
        change(2, A, 0);
        assertEquals(ABSENT, directory.child(A));
        assertEquals(0, names.get(), "absent names of a complete directory need no room");
    }

    @Test
    void aDirectoryThatOthersFoundBeforeItsMakerHeardOfItIsNotEmpty() {
        lookedUp(A, 5, 1);
        made();
        assertFalse(directory.isComplete());
        assertEquals(UNKNOWN, directory.child(B));
    }

    @Test
    void aSecondAfterTheLastConfirmationTheMasterIsAsked() {
        made();
        clock.advance(999);
        assertEquals(ABSENT, directory.child(A));
        clock.advance(1);
        assertEquals(UNKNOWN, directory.child(A));
        directory.told(0, clock.millis() - 400);
        clock.advance(599);
        assertEquals(ABSENT, directory.child(A), "confirmed when the question was sent");
        clock.advance(1);
        assertEquals(UNKNOWN, directory.child(A));
        change(1, A, 5);
        assertEquals(ABSENT, directory.child(B), "an own change confirms, too");
    }

    @Test
    void aLateReplyConfirmsNothingYounger() {
        made();
        long sentMs = clock.millis();
        clock.advance(5000);
        directory.begin(A);
        directory.changed(1, sentMs, Map.of(A, 5L));
        directory.end(A);
        assertTrue(directory.isComplete());
        assertEquals(UNKNOWN, directory.child(B), "the master did it up to 5 s ago");
    }

    @Test
    void anotherCountEndsItAtOnce() {
        made();
        change(1, A, 5);
        directory.told(2, clock.millis());
        assertEquals(UNKNOWN, directory.child(B));
        assertEquals(5, directory.child(A), "names that are known have their own time");
        directory.told(1, clock.millis());
        assertEquals(UNKNOWN, directory.child(B));
    }

    @Test
    void anOldCountIsALateAnswer() {
        made();
        change(1, A, 5);
        directory.told(0, clock.millis());
        assertEquals(ABSENT, directory.child(B));
    }

    @Test
    void anotherMountsChangeBeforeAnOwnOneEndsIt() {
        made();
        change(2, A, 5);
        assertFalse(directory.isComplete());
        assertEquals(5, directory.child(A));
        assertEquals(UNKNOWN, directory.child(B));
    }

    @Test
    void repliesOutOfOrderCloseTheGap() {
        made();
        directory.begin(A);
        directory.begin(B);
        directory.changed(2, clock.millis(), Map.of(B, 6L));
        assertEquals(UNKNOWN, directory.child(NONE), "change 1 may be another mount's");
        directory.end(B);
        assertEquals(6, directory.child(B));
        assertEquals(UNKNOWN, directory.child(A), "under way");
        directory.changed(1, clock.millis(), Map.of(A, 5L));
        directory.end(A);
        assertEquals(ABSENT, directory.child(NONE));
        assertEquals(5, directory.child(A));
        change(3, A, 0);
        assertEquals(ABSENT, directory.child(A));
    }

    @Test
    void createAndUnlinkOfANameOutOfOrder() {
        made();
        directory.begin(A);
        directory.begin(A);
        directory.changed(2, clock.millis(), Map.of(A, 0L));
        directory.end(A);
        directory.changed(1, clock.millis(), Map.of(A, 5L));
        assertEquals(UNKNOWN, directory.child(A), "one is still under way");
        directory.end(A);
        assertEquals(ABSENT, directory.child(A));
        assertEquals(ABSENT, directory.child(B));
    }

    @Test
    void aLateReplyIsNotBelievedWhenWhatCameAfterItIsForgotten() {
        directory.begin(A);
        directory.begin(A);
        change(2, A, 0);
        directory.forgetChild(A);
        directory.changed(1, clock.millis(), Map.of(A, 5L));
        directory.end(A);
        directory.end(A);
        assertEquals(UNKNOWN, directory.child(A));
        lookedUp(B, 6, 2);
        directory.told(4, clock.millis());
        change(3, B, 0);
        assertEquals(UNKNOWN, directory.child(B), "removed, and perhaps made again");
    }

    @Test
    void aGapThatNobodyClosesEndsIt() {
        made();
        directory.begin(A);
        directory.told(2, clock.millis());
        assertTrue(directory.isComplete());
        assertEquals(UNKNOWN, directory.child(NONE));
        directory.changed(1, clock.millis(), Map.of(A, 5L));
        assertEquals(UNKNOWN, directory.child(NONE));
        directory.end(A);
        assertFalse(directory.isComplete());
    }

    @Test
    void aGapMayNotLast() {
        made();
        directory.begin(A);
        directory.told(2, clock.millis());
        clock.advance(1001);
        directory.told(2, clock.millis());
        assertFalse(directory.isComplete());
        directory.end(A);
    }

    @Test
    void changesAheadAreBounded() {
        made();
        directory.begin(A);
        for (int i = 0; i <= KnownDirectory.MAX_AHEAD; i++) {
            Name name = Name.of("n" + i);
            directory.begin(name);
            directory.changed(i + 2L, clock.millis(), Map.of(name, 100L + i));
            directory.end(name);
        }
        assertFalse(directory.isComplete());
        directory.end(A);
    }

    @Test
    void aNameUnderWayIsNeverAbsent() {
        made();
        directory.begin(A);
        assertEquals(UNKNOWN, directory.child(A));
        assertEquals(ABSENT, directory.child(B));
        directory.changed(1, clock.millis(), Map.of(A, 5L));
        assertEquals(UNKNOWN, directory.child(A));
        directory.end(A);
        assertEquals(5, directory.child(A));
    }

    @Test
    void anUnknownOutcomeEndsIt() {
        made();
        try (NameChange change = new NameChange(directory, List.of(A), clock.millis())) {
            directory.begin(A);
            change.done(null, Map.of(A, 5L));
        }
        assertEquals(UNKNOWN, directory.child(A));
        assertEquals(UNKNOWN, directory.child(B));
    }

    @Test
    void renameWithinADirectoryIsOneChange() {
        made();
        change(1, A, 5);
        List<Name> both = List.of(A, B);
        both.forEach(directory::begin);
        try (NameChange change = new NameChange(directory, both, clock.millis())) {
            change.done(new DirectoryState(ATTRIBUTES, 2, 1), Map.of(A, 0L, B, 5L));
        }
        assertEquals(ABSENT, directory.child(A));
        assertEquals(5, directory.child(B));
        assertTrue(directory.isSure());
    }

    /** The next one does not know that this client believes in the absence of a name. */
    @Test
    void whatALeaderHasDoneBeforeAnotherAnswersIsNotBelieved() {
        made();
        change(1, A, 5);
        change(2, B, 6);
        try (NameChange change = new NameChange(directory, List.of(A), clock.millis())) {
            directory.begin(A);
            directory.doubt();
            change.done(new DirectoryState(ATTRIBUTES, 3, 1), Map.of(A, 0L));
        }
        assertEquals(UNKNOWN, directory.child(A));
        assertEquals(6, directory.child(B));
        lookedUp(A, 0, 3);
        assertEquals(ABSENT, directory.child(A));
    }

    @Test
    void aNameThatIsKnownAndOldIsAskedFor() {
        made();
        change(1, A, 5);
        clock.advance(3000);
        directory.told(1, clock.millis());
        assertEquals(UNKNOWN, directory.child(A));
        assertEquals(ABSENT, directory.child(B));
        lookedUp(A, 5, 1);
        assertEquals(5, directory.child(A));
    }

    @Test
    void aLateLookupDoesNotBringBackAnUnlinkedName() {
        made();
        change(1, A, 5);
        long stamp = directory.stamp();
        change(2, A, 0);
        directory.told(1, clock.millis());
        directory.putChild(A, 5, new KnownDirectory.Asked(stamp, clock.millis()), 1);
        assertEquals(ABSENT, directory.child(A));
        directory.told(9, clock.millis());
        directory.putChild(A, 5, new KnownDirectory.Asked(stamp, clock.millis()), 1);
        assertEquals(UNKNOWN, directory.child(A));
    }

    @Test
    void anAbsenceIsBelievedForItsTimeFromTheQuestionOn() {
        long sentMs = clock.millis();
        long stamp = directory.stamp();
        clock.advance(700);
        directory.told(3, sentMs);
        directory.putChild(A, 0, new KnownDirectory.Asked(stamp, sentMs), 3);
        assertEquals(ABSENT, directory.child(A));
        clock.advance(299);
        assertEquals(ABSENT, directory.child(A));
        clock.advance(1);
        assertEquals(UNKNOWN, directory.child(A));
    }

    @Test
    void anotherMasterDoesNotKnowWhichAbsencesAreBelieved() {
        lookedUp(A, 0, 3);
        lookedUp(B, 7, 3);
        directory.doubt();
        assertEquals(UNKNOWN, directory.child(A));
        assertEquals(7, directory.child(B));
        assertEquals(1, names.get());
    }

    @Test
    void aLookupDuringACreateIsNotTakenForTheTimeAfterIt() {
        made();
        long stamp = directory.stamp();
        directory.begin(A);
        directory.told(0, clock.millis());
        directory.changed(1, clock.millis(), Map.of(A, 5L));
        directory.putChild(A, 0, new KnownDirectory.Asked(stamp, clock.millis()), 0);
        directory.end(A);
        assertEquals(5, directory.child(A));
    }

    @Test
    void tooManyNamesEndIt() {
        made();
        for (int i = 1; i <= KnownDirectory.MAX_NAMES + 1; i++) {
            change(i, Name.of("n" + i), i);
        }
        assertFalse(directory.isComplete());
        assertEquals(UNKNOWN, directory.child(Name.of("n1")));
        assertEquals(KnownDirectory.MAX_NAMES + 1, directory.child(Name.of("n20001")));
        assertEquals(1, names.get());
    }

    @Test
    void aListingOfTooManyNamesIsNotKept() {
        lookedUp(A, 7, 4);
        lookedUp(B, 0, 4);
        List<DirectoryEntry> bare = page(4, true, A, B, NONE).entries();
        DirectoryState huge = new DirectoryState(ATTRIBUTES, 4, KnownDirectory.MAX_NAMES + 1);
        directory.putPage(request(0), new DirectoryReply(huge, bare, true));
        assertFalse(directory.isComplete());
        assertEquals(2, names.get());
        assertEquals(7, directory.child(A));
        assertEquals(7, directory.child(B));
        assertEquals(UNKNOWN, directory.child(NONE));
    }

    @Test
    void listingWithOneCountMakesItComplete() {
        DirectoryReply all = page(4, true, A, B, NONE);
        List<DirectoryEntry> entries = all.entries();
        Name[] order = entries.stream().map(DirectoryEntry::name).toArray(Name[]::new);
        directory.putPage(request(0), page(4, false, order[0]));
        directory.putPage(request(entries.get(0).cookie()), page(4, false, order[1]));
        assertFalse(directory.isComplete());
        assertEquals(UNKNOWN, directory.child(order[2]));
        directory.putPage(request(entries.get(1).cookie()), page(4, true, order[2]));
        assertTrue(directory.isComplete());
        assertEquals(ABSENT, directory.child(Name.of("other")));
        assertEquals(7, directory.child(A));
    }

    @Test
    void listingWithAHoleOrTwoCountsDoesNot() {
        directory.putPage(request(0), page(4, false, A));
        directory.putPage(request(A.cookie() + 1), page(4, true, B));
        assertFalse(directory.isComplete());
        directory.putPage(request(A.cookie()), page(5, true, B));
        assertFalse(directory.isComplete());
        directory.putPage(request(0), page(5, true, A, B));
        assertTrue(directory.isComplete());
    }

    @Test
    void listingDuringOwnChanges() {
        directory.begin(NONE);
        KnownDirectory.PageRequest early = request(0);
        directory.changed(5, clock.millis(), Map.of(NONE, 9L));
        directory.end(NONE);
        directory.putPage(early, page(4, true, A, B));
        assertFalse(directory.isComplete(), "it was read before the change");
        assertEquals(9, directory.child(NONE));
        directory.begin(NONE);
        directory.putPage(request(0), page(6, true, A, B));
        assertTrue(directory.isComplete());
        assertEquals(UNKNOWN, directory.child(NONE), "an unlink under way");
        directory.changed(6, clock.millis(), Map.of(NONE, 0L));
        directory.end(NONE);
        assertEquals(ABSENT, directory.child(NONE));
        assertEquals(7, directory.child(A));
    }

    @Test
    void aListingKnowsBetterThanALateOwnReply() {
        directory.begin(NONE);
        directory.putPage(request(0), page(6, true, A, B));
        directory.changed(5, clock.millis(), Map.of(NONE, 9L));
        directory.end(NONE);
        assertEquals(ABSENT, directory.child(NONE), "made by 5, removed by another mount's 6");
    }

    @Test
    void whatAListingDoesNotShowIsForgotten() {
        lookedUp(NONE, 9, 3);
        directory.putPage(request(0), page(4, true, A, B));
        assertEquals(ABSENT, directory.child(NONE));
        assertEquals(2, names.get());
    }

    @Test
    void anInvalidationDuringAListing() {
        KnownDirectory.PageRequest request = request(0);
        directory.forgetAnswers();
        directory.putPage(request, page(4, true, A, B));
        assertFalse(directory.isComplete());
        assertEquals(UNKNOWN, directory.child(A));
        directory.putPage(request(0), page(4, false, A));
        directory.forgetChild(A);
        directory.putPage(request(A.cookie()), page(4, true, B));
        assertFalse(directory.isComplete(), "a name it had shown was forgotten");
    }

    @Test
    void aDoubtBetweenTheReplyAndItsEffectCounts() {
        long stamp = directory.stamp();
        directory.forgetAnswers();
        directory.madeEmpty(stamp, clock.millis());
        assertFalse(directory.isComplete());
    }

    @Test
    void droppedItStaysEmpty() {
        made();
        assertTrue(directory.drop());
        assertFalse(directory.begin(A));
        lookedUp(A, 5, 0);
        directory.putPage(request(0), page(4, true, A, B));
        directory.madeEmpty(directory.stamp(), clock.millis());
        assertEquals(UNKNOWN, directory.child(A));
        assertFalse(directory.isComplete());
        assertEquals(0, names.get());
    }

    @Test
    void whatWasFetchedAheadIsCountedWhenItIsUsed() {
        KnownDirectory.PageRequest ahead =
                new KnownDirectory.PageRequest(0, directory.stamp(), clock.millis(), true);
        lookedUp(A, 7, 4);
        directory.putPage(ahead, page(4, true, A, B, NONE));
        directory.child(A);
        directory.child(B);
        directory.child(B);
        assertEquals(1, directory.takeUsedAhead(), "a was known before");
        assertEquals(0, directory.takeUsedAhead());
    }
}
