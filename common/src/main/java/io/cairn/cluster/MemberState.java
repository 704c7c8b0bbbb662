package io.cairn.cluster;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;

/** The role of a target in a placement group. */
public enum MemberState implements Coded {
    /** Holds every acknowledged byte; serves reads; every write goes to it. */
    SERVING(0),
    /** Receives every write and meanwhile copies what it missed; does not serve reads. */
    SYNCING(1),
    /**
     * Was among the last ones serving and came back without what it had not flushed: serves only
     * when none comes back that has it.
     */
    WAITING(2),
    /** Was among the last ones serving when it went away: may come back as SERVING. */
    LAST_SERVING(3),
    /** Away; must sync when it comes back. */
    OFFLINE(4),
    /**
     * Like {@link #SYNCING}, and may have what no other member has: its target held chunks of the
     * group before the masters knew that. It leaves with what it has when it goes away, and comes
     * back when it is seen again.
     */
    ADOPTED(5);

    /** All by their codes. */
    public static final CodeTable<MemberState> CODES = new CodeTable<>(values());

    private final int code;

    MemberState(int code) {
        this.code = code;
    }

    /** Whether it receives every write, and the head brings it up to date. */
    public boolean isSyncing() {
        return this == SYNCING || this == ADOPTED;
    }

    @Override
    public int code() {
        return code;
    }
}
