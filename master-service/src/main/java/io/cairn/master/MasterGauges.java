package io.cairn.master;

import io.cairn.cluster.PlacementGroup;
import io.cairn.master.cluster.ServerWatch;
import io.cairn.metadata.Namespace;
import io.cairn.runtime.Scheduler;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The cluster in numbers, as this master sees it: {@code cairn.cluster.*} and {@code
 * cairn.master.*}. Numbers that only a leader knows (servers, capacity, the sessions' doings) are 0
 * or missing on the others. Of the sessions, the busiest since the last look are shown, up to
 * {@value #MAX_SESSIONS}. Thread-safe.
 */
final class MasterGauges {
    /** Sessions that have series of their own. */
    static final int MAX_SESSIONS = 32;

    private static final long LOOK_MS = 5000;
    private static final int MAX_NAME = 80;

    private final Supplier<Namespace> namespace;
    private final SessionTable sessions;
    private final ServerWatch servers;
    private final Scheduler scheduler;
    private final MultiGauge operations;
    private final MultiGauge openFiles;
    private Map<Long, Long> before = Map.of();
    private volatile boolean closed;

    MasterGauges(
            Supplier<Namespace> namespace,
            SessionTable sessions,
            ServerWatch servers,
            Scheduler scheduler,
            MeterRegistry registry) {
        this.namespace = namespace;
        this.sessions = sessions;
        this.servers = servers;
        this.scheduler = scheduler;
        operations =
                MultiGauge.builder("cairn.master.session.operations")
                        .description("requests since this master leads, of the busiest sessions")
                        .register(registry);
        openFiles =
                MultiGauge.builder("cairn.master.session.open.files")
                        .description("files held open, of the busiest sessions")
                        .register(registry);
        register(registry);
        look();
    }

    private void register(MeterRegistry registry) {
        gauge(registry, "cairn.master.sessions", () -> namespace.get().sessions().size());
        gauge(registry, "cairn.cluster.inodes", () -> namespace.get().inodeCount());
        gauge(registry, "cairn.cluster.inodes.removed", () -> namespace.get().orphanCount());
        gauge(registry, "cairn.cluster.objects.removed", () -> namespace.get().garbageCount());
        gauge(registry, "cairn.cluster.map.epoch", () -> namespace.get().clusterMap().epoch());
        gauge(registry, "cairn.cluster.capacity.bytes", () -> servers.usage().totalBytes());
        gauge(registry, "cairn.cluster.free.bytes", () -> servers.usage().freeBytes());
        gauge(registry, "cairn.cluster.groups", () -> namespace.get().clusterMap().groups().size());
        gauge(
                registry,
                "cairn.cluster.groups.degraded",
                () -> groups(namespace.get().clusterMap()::isShort));
        gauge(registry, "cairn.cluster.copy.bytes", () -> servers.moves().bytesLeft());
        gauge(registry, "cairn.cluster.groups.syncing", () -> groups(PlacementGroup::isSyncing));
        for (boolean fewer : new boolean[] {false, true}) {
            Gauge.builder("cairn.cluster.groups.unavailable", () -> unavailable(fewer))
                    .description("placement groups without a copy that serves")
                    .tag("copies", fewer ? "fewer" : "standard")
                    .register(registry);
        }
        for (boolean alive : new boolean[] {true, false}) {
            Gauge.builder(
                            "cairn.cluster.servers",
                            () -> servers.status().stream().filter(s -> s.alive() == alive).count())
                    .description("chunk servers that the leader has heard of")
                    .tag("state", alive ? "up" : "down")
                    .register(registry);
        }
    }

    private static void gauge(MeterRegistry registry, String name, Supplier<Number> value) {
        Gauge.builder(name, value).register(registry);
    }

    private long groups(Predicate<PlacementGroup> which) {
        return namespace.get().clusterMap().groups().stream().filter(which).count();
    }

    /** Pools with fewer copies than the standard are there unasked, and empty as a rule. */
    private long unavailable(boolean fewer) {
        int standard = namespace.get().standardReplicas();
        return groups(g -> g.head() == null && g.members().size() < standard == fewer);
    }

    /** Takes the sessions as they are now; nothing once it is closed. */
    synchronized void update() {
        if (closed) {
            return;
        }
        Map<Long, Long> now = sessions.operations();
        List<Long> busiest =
                now.keySet().stream()
                        .sorted(
                                Comparator.comparingLong(
                                                (Long s) ->
                                                        before.getOrDefault(s, 0L)
                                                                - now.getOrDefault(s, 0L))
                                        .thenComparing(s -> s))
                        .limit(MAX_SESSIONS)
                        .toList();
        Map<Long, Tags> tags = new HashMap<>();
        namespace
                .get()
                .sessions()
                .forEach(
                        s -> {
                            String client = s.client();
                            int end = Math.min(client.length(), MAX_NAME);
                            tags.put(
                                    s.session(),
                                    Tags.of(
                                            "session",
                                            String.format(Locale.ROOT, "%016x", s.session()),
                                            "client",
                                            client.substring(0, end)));
                        });
        List<Long> shown = busiest.stream().filter(tags::containsKey).toList();
        operations.register(
                shown.stream()
                        .<MultiGauge.Row<?>>map(
                                s ->
                                        MultiGauge.Row.of(
                                                tags.getOrDefault(s, Tags.empty()),
                                                now.getOrDefault(s, 0L)))
                        .toList(),
                true);
        openFiles.register(
                shown.stream()
                        .<MultiGauge.Row<?>>map(
                                s ->
                                        MultiGauge.Row.of(
                                                tags.getOrDefault(s, Tags.empty()),
                                                sessions.openCount(s)))
                        .toList(),
                true);
        before = now;
    }

    private void look() {
        if (!closed) {
            update();
            scheduler.schedule(this::look, LOOK_MS);
        }
    }

    /** Looks no more: registers nothing from now on. */
    synchronized void close() {
        closed = true;
    }
}
