package io.cairn.client.chunk;

import io.cairn.client.session.SessionState;

/**
 * Whether a change of contents may still be sent: what was written under locks only while the
 * session that holds them lasts, because afterwards they may protect what another client writes;
 * and nothing that its writer was told is lost. Thread-safe.
 */
public final class WritePermit {
    /** The answer to a request for a permit. */
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
    private volatile boolean withdrawn;

    /**
     * A permit.
     *
     * @param session the session that has to last; 0 when no locks are held, negative when they are
     *     lost already
     */
    public WritePermit(SessionState state, long session) {
        this.state = state;
        this.session = session;
    }

    /** Whether to send now. */
    Answer ask() {
        if (withdrawn || (session != 0 && state.session() != session)) {
            return Answer.NEVER;
        }
        return session == 0 || state.leaseRuns() ? Answer.YES : Answer.NOT_NOW;
    }

    /** From now on it is never sent. */
    void withdraw() {
        withdrawn = true;
    }
}
