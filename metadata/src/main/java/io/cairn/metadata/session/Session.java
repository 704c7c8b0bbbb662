package io.cairn.metadata.session;

import io.cairn.wire.Limits;
import java.util.BitSet;

/**
 * The window of a session: up to where its client has heard the replies, and which replies beyond
 * are remembered. Belongs to the apply thread; made again from the stored replies after a restart.
 */
public final class Session {
    private static final int WINDOW = Limits.MAX_SESSION_WINDOW;

    private final SessionRecord.Stored stored;
    private final BitSet remembered = new BitSet(WINDOW);
    private long ackedUpTo;

    Session(SessionRecord.Stored stored) {
        this.stored = stored;
    }

    public long number() {
        return stored.session();
    }

    long openingSequence() {
        return stored.openingSequence();
    }

    /** How it is stored, with the numbers that it has reserved now. */
    SessionRecord.Stored stored() {
        return stored;
    }

    long ackedUpTo() {
        return ackedUpTo;
    }

    /** Whether a sequence number is in the window that begins behind {@code acked}. */
    public static boolean fits(long sequence, long acked) {
        return sequence > acked && sequence - acked <= WINDOW;
    }

    boolean remembers(long sequence) {
        return fits(sequence, ackedUpTo) && remembered.get(slot(sequence));
    }

    void remember(long sequence) {
        remembered.set(slot(sequence));
    }

    /** Receives what is forgotten. */
    @FunctionalInterface
    interface Forgotten {
        void accept(long sequence);
    }

    /** The client has heard the replies up to a number: they are forgotten. */
    void acknowledge(long upTo, Forgotten forgotten) {
        if (upTo <= ackedUpTo) {
            return;
        }
        forgetUpTo(upTo, forgotten);
        ackedUpTo = upTo;
    }

    /** Forgets everything. */
    void end(Forgotten forgotten) {
        forgetUpTo(Long.MAX_VALUE, forgotten);
    }

    private void forgetUpTo(long upTo, Forgotten forgotten) {
        long count = Math.min(upTo - ackedUpTo, WINDOW);
        for (long i = 1; i <= count; i++) {
            forget(ackedUpTo + i, forgotten);
        }
    }

    private void forget(long sequence, Forgotten forgotten) {
        if (remembered.get(slot(sequence))) {
            remembered.clear(slot(sequence));
            forgotten.accept(sequence);
        }
    }

    private static int slot(long sequence) {
        return (int) Long.remainderUnsigned(sequence, WINDOW);
    }
}
