package io.cairn.cluster;

/** What a target is to a placement group. Ordinals are part of the wire format. */
public enum MemberState {
    /** Holds every acknowledged byte; serves reads; every write goes to it. */
    SERVING,
    /** Receives every write and meanwhile copies what it missed; does not serve reads. */
    SYNCING,
    /**
     * Was among the last ones serving and came back without what it had not flushed: serves only
     * when none comes back that has it.
     */
    WAITING,
    /** Was among the last ones serving when it went away: may come back as SERVING. */
    LAST_SERVING,
    /** Away; must sync when it comes back. */
    OFFLINE
}
