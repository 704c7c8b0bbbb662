package io.cairn.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Where the right to append is after what happened, and what is to be done then. */
class AppendTokenTest {
    private static final long OWNER = 7;

    private final AppendToken token = new AppendToken(OWNER);

    private AppendToken.Ask ask() {
        return assertInstanceOf(AppendToken.Ask.class, token.fetch(false));
    }

    private void take() {
        ask();
        assertTrue(token.taken(token.asking()));
        token.fetched();
    }

    @Test
    void itStaysWhenTheAppendIsOver() {
        assertFalse(token.begin());
        take();
        assertTrue(token.begin());
        token.end();
        assertNull(token.due());
        assertEquals(new AppendToken.Held(null), token.state());
        assertInstanceOf(AppendToken.Enough.class, token.fetch(token.isHeld()));
    }

    @Test
    void whoNeedsItMeanwhileSharesWhatIsFetched() {
        AppendToken.Ask first = ask();
        AppendToken.Share second = assertInstanceOf(AppendToken.Share.class, token.fetch(false));
        assertSame(first.promise(), second.other());
        token.fetched();
        assertEquals(new AppendToken.None(), token.state());
    }

    @Test
    void aRecallWaitsForTheAppendThatRuns() {
        token.begin();
        take();
        assertTrue(token.recall(OWNER));
        assertNull(token.due());
        assertTrue(token.isHeld());
        token.end();
        assertNotNull(token.due());
        assertFalse(token.isHeld());
        assertTrue(token.mayBeOurs(), "the commit before the release still has it");
        token.released();
        assertFalse(token.mayBeOurs());
    }

    @Test
    void aRecallThatOvertakesTheGrantCounts() {
        ask();
        assertTrue(token.taken(token.asking()) && token.recall(OWNER));
        token.fetched();
        assertNotNull(token.due());
        token.released();
        ask();
        int losses = token.asking();
        assertTrue(token.recall(OWNER));
        assertTrue(token.taken(losses));
        token.fetched();
        assertNotNull(token.due());
    }

    @Test
    void aRecallOfTheTokenBeforeDoesNotCountForTheNextOne() {
        take();
        token.recall(OWNER);
        assertNotNull(token.due());
        ask();
        assertTrue(token.recall(OWNER), "the release is under way");
        token.released();
        assertTrue(token.taken(token.asking()));
        token.fetched();
        assertNull(token.due());
    }

    @Test
    void itIsFetchedAgainBehindItsRelease() {
        take();
        token.recall(OWNER);
        CompletableFuture<Void> released = token.due();
        AppendToken.Ask again = ask();
        assertSame(released, again.after());
        token.released();
        assertEquals(new AppendToken.Fetching(again.promise(), false), token.state());
    }

    @Test
    void aRecallOfAnotherTokenIsNotOurs() {
        take();
        assertFalse(token.recall(OWNER + 1));
        assertNull(token.due());
        token.closed();
        assertNotNull(token.due());
        assertTrue(token.recall(OWNER), "only the release may give it away");
        token.released();
        assertFalse(token.recall(OWNER));
    }

    @Test
    void theEndOfTheSessionTakesIt() {
        take();
        token.seen(token.number());
        assertTrue(token.isOurs());
        assertTrue(token.dropped());
        assertFalse(token.mayBeOurs());
        assertFalse(token.dropped());
        ask();
        int losses = token.asking();
        token.dropped();
        assertFalse(token.taken(losses), "it was granted in the session that ended");
        assertTrue(token.taken(token.asking()));
        token.fetched();
        assertTrue(token.isHeld());
        assertFalse(token.isOurs(), "nobody has looked at the inode under this one");
    }

    @Test
    void aTokenOfAnotherNumberIsNotFenced() {
        take();
        token.fenced(token.number());
        assertTrue(token.isFenced());
        token.dropped();
        take();
        assertFalse(token.isFenced());
    }

    /** Whatever happens in whatever order, who waits for a promise is not forgotten. */
    @Property(tries = 500)
    void everyPromiseIsKept(@ForAll long seed) {
        AppendToken token = new AppendToken(OWNER);
        Random random = new Random(seed);
        AppendToken.Ask running = null;
        CompletableFuture<Void> release = null;
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            switch (random.nextInt(8)) {
                case 0 -> token.begin();
                case 1 -> token.end();
                case 2 -> token.recall(OWNER);
                case 3 -> token.closed();
                case 4 -> token.dropped();
                case 5 -> {
                    if (token.fetch(token.mayBeOurs()) instanceof AppendToken.Ask ask) {
                        assertNull(running, "one asks at a time");
                        running = ask;
                        all.add(ask.promise());
                    }
                }
                case 6 -> {
                    if (running != null && running.after().isDone()) {
                        token.taken(token.asking());
                        token.fetched();
                        running.promise().complete(null);
                        running = null;
                    }
                }
                default -> {
                    if (release != null) {
                        token.released();
                        release.complete(null);
                        release = null;
                    }
                }
            }
            CompletableFuture<Void> due = token.due();
            if (due != null) {
                assertNull(release, "one release at a time");
                release = due;
                all.add(due);
            }
            assertEquals(running == null ? null : running.promise(), token.state().asked());
            assertEquals(release != null, token.state() instanceof AppendToken.Releasing);
        }
        if (running != null) {
            running.promise().complete(null);
        }
        if (release != null) {
            release.complete(null);
        }
        all.forEach(
                each -> assertTrue(each.isDone(), "of the promises only the last ones are open"));
    }
}
