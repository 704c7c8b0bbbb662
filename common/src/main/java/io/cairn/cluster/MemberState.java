package io.cairn.cluster;

/** What a target is to a placement group. Ordinals are part of the wire format. */
public enum MemberState {
    /** Holds every acknowledged byte; serves reads; every write goes to it. */
    SERVING,
    /** Receives every write and meanwhile copies what it missed; does not serve reads. */
    SYNCING,
    /** Has missed writes and waits for its turn to sync. */
    WAITING,
    /** Was the last one serving when it went away: alone may come back as SERVING. */
    LAST_SERVING,
    /** Away; must sync when it comes back. */
    OFFLINE
}
