package io.cairn.metadata.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.wire.Limits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionTest {
    private final Session session =
            new Session(new SessionRecord.Stored(1, 99, 0, "", new ReservedNumbers()));
    private final List<Long> forgotten = new ArrayList<>();

    @Test
    void remembersUntilAcknowledged() {
        session.remember(1);
        session.remember(3);
        assertTrue(session.remembers(1));
        assertFalse(session.remembers(2));
        session.acknowledge(2, forgotten::add);
        assertFalse(session.remembers(1));
        assertTrue(session.remembers(3));
        assertEquals(List.of(1L), forgotten);
        assertEquals(2, session.ackedUpTo());
    }

    @Test
    void acknowledgingLessChangesNothing() {
        session.acknowledge(5, forgotten::add);
        session.remember(7);
        session.acknowledge(4, forgotten::add);
        assertEquals(5, session.ackedUpTo());
        assertTrue(session.remembers(7));
    }

    @Test
    void theWindowIsBounded() {
        assertTrue(Session.fits(Limits.MAX_SESSION_WINDOW, 0));
        assertFalse(Session.fits(Limits.MAX_SESSION_WINDOW + 1, 0));
        assertFalse(Session.fits(5, 5));
        assertFalse(Session.fits(4, 5));
    }

    @Test
    void aNumberOutsideOfTheWindowIsNotTakenForAnother() {
        session.remember(1);
        assertFalse(session.remembers(1 + Limits.MAX_SESSION_WINDOW));
        assertFalse(session.remembers(1 - Limits.MAX_SESSION_WINDOW));
    }

    @Test
    void aGreatLeapForgetsEverythingAtOnce() {
        session.remember(1);
        session.remember(Limits.MAX_SESSION_WINDOW);
        session.acknowledge(Long.MAX_VALUE - 1, forgotten::add);
        assertEquals(List.of(1L, (long) Limits.MAX_SESSION_WINDOW), forgotten);
        assertTrue(Session.fits(Long.MAX_VALUE, session.ackedUpTo()));
    }

    @Test
    void theEndForgetsEverything() {
        session.acknowledge(Long.MAX_VALUE - 1, forgotten::add);
        session.remember(Long.MAX_VALUE);
        session.end(forgotten::add);
        assertEquals(List.of(Long.MAX_VALUE), forgotten);
    }
}
