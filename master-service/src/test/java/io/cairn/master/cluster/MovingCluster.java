package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import io.cairn.master.cluster.move.MoveLimits;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.ClusterRequest.Cleared;
import io.cairn.wire.master.ClusterRequest.Damage;
import io.cairn.wire.master.ClusterRequest.Holdings;
import io.cairn.wire.master.ClusterRequest.MemberSynced;
import io.cairn.wire.master.ClusterRequest.Stored;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.TargetLoad;
import io.cairn.wire.scrub.ScrubReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;

/**
 * Servers with one target each or more, the decisions of the leader, and the newest write that each
 * copy of each group has. Checks after each decision what must always hold.
 */
@NullUnmarked
final class MovingCluster {
    static final long GRACE_MS = 10_000;

    /** Thousandths of a disk that a copy of a full group takes. */
    private static final long CHUNKS_SHARE = 20;

    /** So many copies of full groups leave a disk without room. */
    static final long FULL_GROUPS = 1_000 / CHUNKS_SHARE;

    final ManualClock clock = new ManualClock(1_000);
    final MemberMoves moves = new MemberMoves(clock, () -> new MoveLimits(GRACE_MS, 4, 100, 0));
    final GroupReports reports = new GroupReports();
    final Map<Integer, Server> servers = new TreeMap<>();
    final Map<Integer, Long> written = new HashMap<>();

    /** Groups with something in them. */
    final Set<Integer> full = new HashSet<>();

    private final int racks;
    private final int disks;
    ClusterMap map = ClusterMap.EMPTY;

    /**
     * A server with its disk, or one of the disks of a server: the newest write of each group that
     * is there.
     */
    static final class Server {
        final int number;
        final int host;
        final Map<Integer, Long> copies = new HashMap<>();
        final Set<Integer> damaged = new HashSet<>();
        Labels labels = Labels.NONE;
        boolean up = true;
        boolean healthy = true;
        long incarnation = 1;
        long boot = 1;
        ClusterMap known = ClusterMap.EMPTY;

        Server(int number, int host) {
            this.number = number;
            this.host = host;
        }

        boolean works() {
            return up && healthy;
        }
    }

    /** Pools over so many servers without labels. */
    MovingCluster(int count) {
        this(count, 0);
    }

    /** The same in so many racks; 0 = without labels. */
    MovingCluster(int count, int racks) {
        this(count, racks, 1);
    }

    /** The same of so many disks, as many as told in each server. */
    MovingCluster(int count, int racks, int disks) {
        this.racks = racks;
        this.disks = disks;
        for (int i = 1; i <= count; i++) {
            add(i);
        }
        tick();
        expand(Set.of());
    }

    /** Makes pools of kinds besides those that are there. */
    void expand(Set<Pool.Kind> kinds) {
        MapDraft draft = new MapDraft(map);
        PoolDecision.expand(draft, List.copyOf(map.targets()), 3, kinds, 1);
        take(draft);
        for (PlacementGroup group : map.groups()) {
            if (written.putIfAbsent(group.id(), 0L) != null) {
                continue;
            }
            for (Member member : group.members()) {
                server(member.targetId()).copies.put(group.id(), 0L);
            }
        }
    }

    Server add(int number) {
        int host = (number + disks - 1) / disks;
        Server server = new Server(number, host);
        for (Server other : disksOf(host)) {
            server.up = other.up;
            server.incarnation = other.incarnation;
            server.boot = other.boot;
        }
        servers.put(number, server);
        return server;
    }

    private List<Server> disksOf(int host) {
        return servers.values().stream().filter(server -> server.host == host).toList();
    }

    /** A server ends with all its disks, or starts again. */
    void power(Server disk, boolean up) {
        for (Server each : disksOf(disk.host)) {
            each.incarnation += up && !each.up ? 1 : 0;
            each.up = up;
        }
    }

    Server server(int targetId) {
        Target target = Objects.requireNonNull(map.target(targetId));
        return Objects.requireNonNull(servers.get((int) target.identity() - 100));
    }

    private List<ServerView> views() {
        Set<Integer> hosts = new TreeSet<>();
        servers.values().forEach(server -> hosts.add(server.host));
        return hosts.stream().map(this::view).toList();
    }

    private ServerView view(int host) {
        List<Server> own = disksOf(host);
        Server first = own.getFirst();
        return new ServerView(
                "c" + host,
                new Endpoint("h" + host, 1),
                first.incarnation,
                first.boot,
                own.stream().map(this::report).toList(),
                first.up,
                Declaration.NONE.labelled(
                        racks == 0
                                ? first.labels
                                : Labels.parse(List.of("rack=r" + host % racks))));
    }

    private TargetReport report(Server server) {
        List<Cleared> cleared = new ArrayList<>();
        Target own = server.known.targetOf(100 + server.number);
        for (PlacementGroup group : server.known.groups()) {
            boolean left = own != null && group.left().contains(own.id());
            if (left && !server.copies.containsKey(group.id())) {
                cleared.add(new Cleared(group.id(), group.epoch()));
            }
        }
        return new TargetReport(
                100 + server.number,
                1_000,
                1_000 - Math.min(1_000, used(server)),
                0,
                server.healthy,
                0,
                "",
                TargetLoad.NONE,
                server.damaged.stream().map(group -> new Damage(group, 1)).toList(),
                List.of(),
                server.healthy ? "" : "it failed",
                ScrubReport.NONE,
                new Holdings(stored(server), cleared),
                0);
    }

    /** Groups that are full have two chunks in each copy, others none. */
    private List<Stored> stored(Server server) {
        return server.copies.keySet().stream()
                .filter(id -> full.contains(id))
                .map(id -> new Stored(id, 2))
                .toList();
    }

    private long used(Server server) {
        return stored(server).size() * CHUNKS_SHARE;
    }

    /** How unequally full the targets are that take members, in percent. */
    double spread() {
        double most = 0;
        double least = 100;
        for (Server server : servers.values()) {
            Target target = map.targetOf(100 + server.number);
            if (target != null && !target.isDraining() && server.works()) {
                most = Math.max(most, used(server) / 10.0);
                least = Math.min(least, used(server) / 10.0);
            }
        }
        return most - least;
    }

    /** One look of the leader, as {@link ServerWatch} does it. */
    void tick() {
        List<ServerView> views = views();
        MapDraft draft = new MapDraft(map);
        new MapDecision(draft, views, Set.of()).decide();
        reports.decide(draft, name -> disksOf(Integer.parseInt(name.substring(1))).getFirst().up);
        if (draft.keepsServers()) {
            moves.decide(draft, views);
        }
        take(draft);
    }

    private void take(MapDraft draft) {
        ClusterMap before = map;
        if (draft.delta().size() > 0) {
            map = map.with(draft.delta());
            map.groups().forEach(group -> check(before.group(group.id()), group));
        }
    }

    private void check(@Nullable PlacementGroup before, PlacementGroup now) {
        Set<Integer> used = new HashSet<>();
        for (Member member : now.members()) {
            if (member.state() != MemberState.OFFLINE) {
                int owner = Objects.requireNonNull(map.target(member.targetId())).serverId();
                boolean isFirst = used.add(owner);
                assertTrue(isFirst || disks > 1, "two on one server: " + now);
            }
            assertTrue(!now.left().contains(member.targetId()), "has left: " + now);
        }
        Member head = now.head();
        if (head != null && written.containsKey(now.id())) {
            assertEquals(
                    written.get(now.id()),
                    server(head.targetId()).copies.get(now.id()),
                    "the head lacks a write: " + now);
        }
        if (before == null) {
            return;
        }
        for (Member member : before.members()) {
            if (now.stateOf(member.targetId()) == null && member.state() == MemberState.ADOPTED) {
                assertTrue(!now.left().contains(member.targetId()), "nobody saw it: " + now);
            } else if (now.stateOf(member.targetId()) == null) {
                assertTrue(
                        serving(now) >= copies(now),
                        "a member left that was needed: " + before + " " + now);
                assertTrue(now.left().contains(member.targetId()), "it has to delete: " + now);
                assertTrue(
                        member.state() == MemberState.SERVING
                                || member.state() == MemberState.SYNCING
                                || member.state() == MemberState.OFFLINE,
                        "nobody decided who serves: " + before);
            }
        }
    }

    static long serving(PlacementGroup group) {
        return group.members().stream().filter(m -> m.state() == MemberState.SERVING).count();
    }

    int copies(PlacementGroup group) {
        return Objects.requireNonNull(map.pool(group.poolId())).replicas();
    }

    /** An administrator wants a target to be emptied, or not any more. */
    void drain(int id, boolean drains) {
        Target target = map.target(id);
        if (target != null && target.isDraining() != drains) {
            TargetState state = drains ? TargetState.DRAINING : TargetState.IN_USE;
            map =
                    map.with(
                            new MapDelta(
                                    map.epoch(),
                                    map.epoch() + 1,
                                    List.of(),
                                    List.of(target.in(state)),
                                    List.of(),
                                    List.of(),
                                    MapDelta.Gone.NOTHING));
        }
    }

    /** All that work hear of the map. */
    void tell() {
        servers.values().stream().filter(s -> s.up).forEach(s -> s.known = map);
    }

    /** A write that is acknowledged when all who serve have it. */
    void write(int id) {
        PlacementGroup group = map.group(id);
        assertNotNull(group);
        List<Member> serving =
                group.members().stream().filter(m -> m.state() == MemberState.SERVING).toList();
        boolean all = serving.stream().allMatch(m -> server(m.targetId()).works());
        if (!serving.isEmpty() && all) {
            written.merge(id, 1L, Long::sum);
            serving.forEach(m -> server(m.targetId()).copies.put(id, written.get(id)));
        }
    }

    /** The heads bring members up to date that can be reached. */
    void sync(int id) {
        PlacementGroup group = Objects.requireNonNull(map.group(id));
        Member head = group.head();
        for (Member member : group.members()) {
            if (head != null
                    && member.state().isSyncing()
                    && server(head.targetId()).works()
                    && server(member.targetId()).works()) {
                server(member.targetId()).known = map; // else it refuses what the head sends
                salvage(group, server(member.targetId()).copies.getOrDefault(id, -1L));
                server(member.targetId()).copies.put(id, Objects.requireNonNull(written.get(id)));
                reports.synced(new MemberSynced(id, group.epoch(), member.targetId()));
            }
        }
    }

    /** What is later at a syncing member is taken from it. */
    private void salvage(PlacementGroup group, long theirs) {
        if (theirs > Objects.requireNonNull(written.get(group.id()))) {
            written.put(group.id(), theirs);
            group.members().stream()
                    .filter(member -> member.state() == MemberState.SERVING)
                    .forEach(member -> server(member.targetId()).copies.put(group.id(), theirs));
        }
    }

    /** A server deletes what its map says it has left. */
    void clear(Server server) {
        Target own = server.known.targetOf(100 + server.number);
        for (PlacementGroup group : server.known.groups()) {
            if (server.works() && own != null && group.left().contains(own.id())) {
                server.copies.remove(group.id());
            }
        }
    }

    void pass(long ms) {
        clock.advance(ms);
    }
}
