package io.cairn.client.chunk;

import io.cairn.client.session.SessionState;
import java.util.List;

/**
 * Whether a change of contents may still be sent: what was written under locks only while the
 * session that holds them lasts, because afterwards they may protect what another client writes;
 * and nothing that its writer was told is lost. Thread-safe.
 */
public final class WritePermit {
    /** The answer to a request for a permit, the better one first. */
    enum Answer {
        /** Send. */
        YES,
        /** The lease is over by our clock; the master may still renew it. */
        NOT_NOW,
        /** Give up. */
        NEVER
    }

    private final SessionState state;
    private final long session;
    private final List<WritePermit> parts;
    private volatile boolean withdrawn;

    /**
     * A permit.
     *
     * @param session the session that has to last; 0 when no locks are held, negative when they are
     *     lost already
     */
    public WritePermit(SessionState state, long session) {
        this(state, session, List.of());
    }

    private WritePermit(SessionState state, long session, List<WritePermit> parts) {
        this.state = state;
        this.session = session;
        this.parts = parts;
    }

    /** A permit to send what needs each of some, at least one. */
    static WritePermit ofAll(List<WritePermit> permits) {
        return new WritePermit(permits.getFirst().state, 0, permits);
    }

    /** Whether to send now. */
    Answer ask() {
        if (withdrawn || (session != 0 && state.session() != session)) {
            return Answer.NEVER;
        }
        Answer answer = session == 0 || state.leaseRuns() ? Answer.YES : Answer.NOT_NOW;
        for (WritePermit part : parts) {
            Answer next = part.ask();
            answer = next.compareTo(answer) > 0 ? next : answer;
        }
        return answer;
    }

    /** From now on it is never sent. */
    void withdraw() {
        withdrawn = true;
    }
}
