package io.cairn.master.cluster;

import io.cairn.master.load.SlowTargets;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.TargetLoad;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes rates out of the counters in heartbeats: of each target over the last {@value #WINDOW_MS}
 * ms, by the clock of its server. A process that was started anew counts from 0, so its first
 * heartbeat gives no rate, and neither does the first one that a fresh leader hears. Soft state of
 * the leader, as large as what chunk servers report. Thread-safe.
 */
public final class LoadWatch {
    /** How far back rates look, and how long they are believed. */
    static final long WINDOW_MS = 5_000;

    /** Heartbeats that come sooner than this after another one are left out. */
    private static final long LEAST_MS = 500;

    private final Clock clock;
    private final Map<String, Server> servers = new HashMap<>();
    private final SlowTargets slow = new SlowTargets();

    /** The targets of a process of a chunk server. */
    private record Server(long incarnation, long heardMs, Map<Long, Track> tracks) {}

    /** The counters of a target lately, the oldest first, and when its last error was. */
    private static final class Track {
        final Deque<TargetLoad> samples = new ArrayDeque<>();
        final Instant since;
        TargetLoad last;
        @Nullable Instant lastErrorAt;

        Track(TargetLoad first, Instant now) {
            last = first;
            since = now.minusMillis(first.countedMs());
            samples.add(first);
            noteError(first, now);
        }

        void add(TargetLoad load, Instant now) {
            if (load.errors() > last.errors()) {
                noteError(load, now);
            }
            last = load;
            if (load.countedMs() - samples.getLast().countedMs() < LEAST_MS) {
                return;
            }
            samples.addLast(load);
            while (samples.size() > 2
                    && load.countedMs() - samples.getFirst().countedMs() > WINDOW_MS) {
                samples.removeFirst();
            }
        }

        private void noteError(TargetLoad load, Instant now) {
            lastErrorAt = load.errors() == 0 ? null : now.minusMillis(load.errorAgoMs());
        }

        @Nullable LoadRates rates() {
            return samples.size() < 2
                    ? null
                    : LoadRates.between(samples.getFirst(), samples.getLast());
        }
    }

    LoadWatch(Clock clock) {
        this.clock = clock;
    }

    /** Forgets all: another master has led. */
    synchronized void clear() {
        servers.clear();
        slow.clear();
    }

    /** Takes the counters of a heartbeat; what it does not report any more is forgotten. */
    synchronized void heard(Heartbeat heartbeat) {
        Server before = servers.get(heartbeat.name());
        boolean isSame = before != null && before.incarnation == heartbeat.incarnation();
        Instant now = clock.now();
        Map<Long, Track> tracks = new HashMap<>();
        for (TargetReport report : heartbeat.targets()) {
            Track known = isSame && before != null ? before.tracks.get(report.identity()) : null;
            TargetLoad load = report.load();
            if (known == null || load.countedMs() < known.last.countedMs()) {
                known = new Track(load, now);
            } else {
                known.add(load, now);
            }
            tracks.put(report.identity(), known);
            slow.heard(report.identity(), load);
        }
        servers.put(heartbeat.name(), new Server(heartbeat.incarnation(), clock.millis(), tracks));
        if (before != null && !tracks.keySet().containsAll(before.tracks.keySet())) {
            forgetTheUnreported();
        }
    }

    /** Walks all targets: for the rare case that a server has one less. */
    private void forgetTheUnreported() {
        Set<Long> all = new HashSet<>();
        servers.values().forEach(server -> all.addAll(server.tracks.keySet()));
        slow.retain(all);
    }

    private boolean isFresh(Server server) {
        return clock.millis() - server.heardMs <= WINDOW_MS;
    }

    /** The work of a target; null when no server has reported it to this leader. */
    public synchronized @Nullable TargetActivity of(long identity) {
        Server latest = null;
        for (Server server : servers.values()) {
            if (server.tracks.containsKey(identity)
                    && (latest == null || latest.heardMs < server.heardMs)) {
                latest = server;
            }
        }
        Track track = latest == null ? null : latest.tracks.get(identity);
        if (latest == null || track == null) {
            return null;
        }
        return new TargetActivity(
                isFresh(latest) ? track.rates() : null, track.last, track.since, track.lastErrorAt);
    }

    /** Targets that are slow beside the others, and what they do slowly, in words. */
    public synchronized Map<Long, String> slow() {
        return slow.slow();
    }

    /** All targets whose rates are known together; null when none are. */
    public synchronized @Nullable LoadRates sum() {
        LoadRates sum = null;
        for (Server server : servers.values()) {
            for (Track track : server.tracks.values()) {
                sum = LoadRates.sum(sum, isFresh(server) ? track.rates() : null);
            }
        }
        return sum;
    }
}
