package io.cairn.master.cluster;

import io.cairn.runtime.Clock;
import io.cairn.wire.Limits;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Until when chunk servers may act, as the leader counts it: from the arrival of their heartbeats,
 * while they count from the sending, and a quarter longer than they. A fresh leader takes every
 * server for renewed by the one before. Guarded by {@link ServerWatch}.
 */
final class ServerLeases {
    /** How much longer than the lease the master waits, in percent of the lease. */
    private static final int GRACE_PERCENT = 25;

    private final Clock clock;
    private final long leaseMs;
    private final Map<String, Long> renewedMs = new HashMap<>();
    private final Map<String, Long> heardMs = new HashMap<>();

    /** Servers that were given up before their lease had ended, and were not heard since. */
    private final Set<String> lost = new HashSet<>();

    private long leaderSinceMs;

    /**
     * Nothing was heard yet.
     *
     * @param leaseMs what a heartbeat that is answered gives
     */
    ServerLeases(Clock clock, long leaseMs) {
        this.clock = clock;
        this.leaseMs = leaseMs;
    }

    /** This master begins to lead. */
    void lead() {
        renewedMs.clear();
        heardMs.clear();
        lost.clear();
        leaderSinceMs = clock.millis();
    }

    /** A heartbeat came; {@code renewed} if it is answered with a lease. */
    void heard(String server, boolean renewed) {
        heardMs.put(server, clock.millis());
        lost.remove(server);
        if (renewed) {
            renewedMs.put(server, clock.millis());
        }
    }

    /** Whether servers that were not heard yet count as alive: this leader is fresh. */
    boolean presumes() {
        return clock.millis() - leaderSinceMs < withGrace(leaseMs);
    }

    /** How long ago the lease of a server was renewed. */
    long silentMs(String server) {
        // Asked of all servers, ten times a second: nothing is allocated.
        Long renewed = renewedMs.get(server);
        return clock.millis() - (renewed == null ? leaderSinceMs : renewed);
    }

    /** Whether a server counts as there. */
    boolean isAlive(String server) {
        return !lost.contains(server) && silentMs(server) < withGrace(leaseMs);
    }

    /**
     * Whether a server may still act in its groups. One that others cannot reach may not as soon as
     * it has not been renewed for a read lease: to write it needs the others, and it answers no
     * reads any more.
     *
     * @param doubted whether others told that they cannot reach it
     */
    boolean mayServe(String server, boolean doubted) {
        long limitMs = doubted || lost.contains(server) ? Limits.readLeaseMs(leaseMs) : leaseMs;
        return silentMs(server) < withGrace(limitMs);
    }

    /**
     * Whether a server may still write by its own clock, where it needs no others: others may not
     * reach it, and its clients may.
     */
    boolean mayWrite(String server) {
        return silentMs(server) < withGrace(leaseMs);
    }

    /** Whether a server was heard a moment ago, though its lease was perhaps not renewed. */
    boolean isHeard(String server) {
        Long atMs = heardMs.get(server);
        return atMs != null && clock.millis() - atMs < withGrace(Limits.readLeaseMs(leaseMs));
    }

    /** A server has ended its lease. */
    void ended(String server) {
        lost.add(server);
        renewedMs.put(server, clock.millis() - withGrace(leaseMs));
    }

    /** Others cannot reach a server, and it is not heard here; whether that is new. */
    boolean giveUp(String server) {
        return !isHeard(server) && !mayServe(server, true) && lost.add(server);
    }

    private static long withGrace(long ms) {
        return ms * (100 + GRACE_PERCENT) / 100;
    }
}
