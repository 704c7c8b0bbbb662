package io.cairn.admin.watch;

import io.cairn.admin.api.Json;
import io.cairn.base.Wording;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.master.cluster.Space;
import io.cairn.wire.master.ClusterRequest.Damage;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The faults of servers, disks and placement groups, the causes before their effects. For a server
 * or disk that is gone it tells how many groups wait for it. Of groups by themselves it tells only
 * those that no missing server or disk explains. Made for one document; not thread-safe.
 */
public final class StorageHealth {
    private static final int FULL_PERCENT = 90;

    /** So many full disks are named. */
    private static final int MAX_NAMED = 5;

    private final ClusterMap map;
    private final List<ServerStatus> servers;
    private final Space space;
    private final int expectedServers;
    private final Set<Integer> usedPools;
    private final long nowMs;

    /** Groups that a reason told so far explains. */
    private final Set<Integer> explained = new HashSet<>();

    /**
     * The faults of a cluster.
     *
     * @param expectedServers nothing is stored before so many have come; 0 for any number
     * @param usedPools the pools that files refer to
     * @param nowMs milliseconds since 1970
     */
    public StorageHealth(
            ClusterMap map,
            List<ServerStatus> servers,
            Space space,
            int expectedServers,
            Set<Integer> usedPools,
            long nowMs) {
        this.nowMs = nowMs;
        this.map = map;
        this.servers = servers;
        this.space = space;
        this.expectedServers = expectedServers;
        this.usedPools = usedPools;
    }

    /**
     * Says that chunk servers of other clusters ask here.
     *
     * @param foreign their names with their clusters
     * @param cluster this one
     */
    public void tellForeign(Map<String, Long> foreign, long cluster, Health health) {
        if (foreign.isEmpty()) {
            return;
        }
        String others =
                foreign.values().stream()
                        .distinct()
                        .map(Json::hex)
                        .collect(Collectors.joining(", "));
        String what =
                (foreign.size() == 1 ? "Chunk server %s holds" : "Chunk servers %s hold")
                                .formatted(String.join(", ", foreign.keySet()))
                        + " data of cluster %s, and this is cluster %s."
                                .formatted(others, Json.hex(cluster));
        if (map.servers().isEmpty()) {
            health.critical(
                    what,
                    "If the masters were started on empty directories, stop them all, bring their"
                            + " directories back (is a disk not mounted?) and start them again."
                            + " Format nothing: the files are on the chunk servers.");
        } else {
            health.warning(what, "Correct --masters, or --data, where it was started.");
        }
    }

    /** Says what is wrong. */
    public void tell(Health health) {
        Map<String, Endpoint> gone = new TreeMap<>();
        map.servers().forEach(server -> gone.put(server.name(), server.endpoint()));
        for (ServerStatus server : servers) {
            if (server.alive()) {
                gone.remove(server.name());
            } else {
                gone.put(server.name(), server.endpoint());
            }
        }
        gone.forEach((name, at) -> down(health, name, at));
        for (ServerStatus server : servers) {
            for (TargetReport report : server.targets()) {
                if (!report.healthy()) {
                    failed(health, server.name(), report);
                }
            }
        }
        damage(health);
        groups(health);
        space(health);
        full(health);
    }

    /** Chunks that are damaged at the heads of groups, by the members that may have them whole. */
    private void damage(Health health) {
        Map<String, Integer> waiting = new TreeMap<>();
        Map<String, Integer> lost = new TreeMap<>();
        for (ServerStatus server : servers) {
            for (TargetReport report : server.targets()) {
                for (Damage damage : server.alive() ? report.damages() : List.<Damage>of()) {
                    PlacementGroup group = map.group(damage.group());
                    if (group == null || !heads(report, group)) {
                        continue;
                    }
                    if (group.isComplete()) {
                        lost.merge(server.name(), damage.chunks(), Integer::sum);
                    } else {
                        waiting.merge(
                                "on chunk server %s and %s for chunk server %s"
                                        .formatted(server.name(), "%s", others(group)),
                                damage.chunks(),
                                Integer::sum);
                    }
                }
            }
        }
        waiting.forEach(
                (where, chunks) ->
                        health.critical(
                                damaged(chunks)
                                        + where.formatted(chunks == 1 ? "waits" : "wait")
                                        + ", which may have a good copy.",
                                "Start it again and let it come up to date."));
        lost.forEach(
                (server, chunks) ->
                        health.warning(
                                damaged(chunks) + "on chunk server " + server + ".",
                                "What has a good copy elsewhere is mended within seconds; if this"
                                        + " stays, it has none: restore those files, whose reading"
                                        + " fails, from a backup."));
    }

    private static String damaged(int chunks) {
        return Wording.count(chunks, "chunk") + (chunks == 1 ? " is" : " are") + " damaged ";
    }

    private boolean heads(TargetReport report, PlacementGroup group) {
        PlacementGroup.Member head = group.head();
        Target target = head == null ? null : map.target(head.targetId());
        return target != null && target.identity() == report.identity();
    }

    /** The servers of the members that do not serve. */
    private String others(PlacementGroup group) {
        Set<String> names = new TreeSet<>();
        for (PlacementGroup.Member member : group.members()) {
            ChunkServer server = map.serverOfTarget(member.targetId());
            if (server != null && member.state() != MemberState.SERVING) {
                names.add(server.name());
            }
        }
        return String.join(", ", names);
    }

    private String missing() {
        int come = map.servers().size();
        return expectedServers > 0 && come > 0
                ? "%d of %d chunk servers have come.".formatted(come, expectedServers)
                : "no chunk servers have come.";
    }

    private void down(Health health, String name, Endpoint at) {
        ChunkServer server = map.server(name);
        List<Target> targets = server == null ? List.of() : map.targetsOf(server);
        if (server != null && server.isMaintained(nowMs)) {
            tell(
                    health,
                    "Chunk server %s is away, in maintenance until %s"
                            .formatted(name, Instant.ofEpochMilli(server.maintenanceUntilMs())),
                    targets,
                    "Start it again before; else what it holds is made anew elsewhere.");
            return;
        }
        tell(
                health,
                "Chunk server %s does not answer".formatted(name),
                targets,
                "Look at the machine of %s; start 'cairn chunk' there again.".formatted(at));
    }

    private void failed(Health health, String server, TargetReport report) {
        Target known = map.targetOf(report.identity());
        List<Target> targets = known == null ? List.of() : List.of(known);
        String disk =
                report.directory().isEmpty()
                        ? "target " + Json.hex(report.identity())
                        : report.directory();
        tell(
                health,
                "Disk %s of chunk server %s has failed%s"
                        .formatted(
                                disk,
                                server,
                                report.fault().isEmpty() ? "" : " (" + report.fault() + ")"),
                targets,
                "Replace the disk; what had copies elsewhere is there.");
    }

    private void tell(Health health, String what, List<Target> targets, String remedy) {
        Set<PlacementGroup> waiting = new HashSet<>();
        for (Target target : targets) {
            map.groupsOf(target).stream()
                    .filter(group -> !group.isCurrent(target.id()))
                    .forEach(waiting::add);
        }
        waiting.forEach(group -> explained.add(group.id()));
        long unreadable = waiting.stream().filter(this::isMissed).count();
        // Others may have come for it, and nobody waits for one that is over.
        long copyless =
                waiting.stream()
                        .filter(group -> group.head() != null && map.isShort(group))
                        .count();
        if (unreadable > 0) {
            health.critical(
                    what
                            + ": "
                            + Wording.count(unreadable, "placement group")
                            + (unreadable == 1 ? " waits" : " wait")
                            + " for it, whose files cannot be read or written.",
                    remedy);
        } else if (copyless > 0) {
            health.warning(
                    what
                            + ": "
                            + Wording.count(copyless, "placement group")
                            + (copyless == 1 ? " is" : " are")
                            + " short of a copy.",
                    remedy);
        } else {
            health.warning(what + ".", remedy);
        }
    }

    /**
     * Pools with fewer copies than the standard are there unasked: those without files count not.
     */
    private boolean isMissed(PlacementGroup group) {
        Pool pool = map.pool(group.poolId());
        int copies = pool == null ? group.members().size() : pool.replicas();
        return group.head() == null
                && (copies >= space.replicas() || usedPools.contains(group.poolId()));
    }

    private void groups(Health health) {
        List<PlacementGroup> others =
                map.groups().stream().filter(group -> !explained.contains(group.id())).toList();
        long unreadable = others.stream().filter(this::isMissed).count();
        long syncing =
                others.stream().filter(group -> group.head() != null && map.isShort(group)).count();
        if (unreadable > 0) {
            health.critical(
                    Wording.count(unreadable, "placement group")
                            + (unreadable == 1 ? " has" : " have")
                            + " no copy that serves yet: their files cannot be read or written.",
                    "Wait while their servers come back: see groups with the state unavailable.");
        }
        if (syncing > 0) {
            health.warning(
                    Wording.count(syncing, "placement group")
                            + (syncing == 1 ? " is" : " are")
                            + " short of a copy and being brought up to date.",
                    "Wait: see groups at risk.");
        }
        if (map.pools().isEmpty()) {
            health.critical(
                    "Files cannot be stored yet: " + missing(),
                    "Start chunk servers with 'cairn chunk'.");
        }
    }

    private void space(Health health) {
        double freePercent = 100.0 * space.freeBytes() / Math.max(1, space.totalBytes());
        if (space.totalBytes() > 0 && freePercent < 100 - FULL_PERCENT) {
            health.warning(
                    "More than " + FULL_PERCENT + " % of the space is used.",
                    "Add chunk servers or disks, or delete files.");
        }
    }

    /**
     * Disks that are full: nothing fails while others take what is written. Only those with the
     * same labels do.
     */
    private void full(Health health) {
        Set<Integer> full = new HashSet<>();
        Set<Integer> empty = new HashSet<>();
        List<String> names = fullDisks(full, empty);
        Map<Labels.Expression, List<PlacementGroup>> byLabels = groupsForNewFiles();
        if (names.isEmpty() || byLabels.isEmpty()) {
            return;
        }
        String told =
                String.join(" ", names.subList(0, Math.min(names.size(), MAX_NAMED)))
                        + (names.size() > MAX_NAMED
                                ? " So are %d more.".formatted(names.size() - MAX_NAMED)
                                : "");
        // Groups whose servers are away take nothing either, but full disks are not why.
        byLabels.values()
                .removeIf(
                        groups ->
                                groups.stream().anyMatch(each -> map.takesNew(each.id()))
                                        || groups.stream().noneMatch(each -> isOn(each, full)));
        if (byLabels.isEmpty()) {
            health.warning(
                    told + " What is written goes to other disks.",
                    "Nothing to do while the others have room: disks are evened out in time.");
        }
        byLabels.forEach((labels, groups) -> full(health, labels, groups, empty, told));
    }

    /** By labels: the groups with as many copies as new files get, or more. */
    private Map<Labels.Expression, List<PlacementGroup>> groupsForNewFiles() {
        Map<Labels.Expression, Integer> copies = new HashMap<>();
        Map<Labels.Expression, List<PlacementGroup>> byLabels = new LinkedHashMap<>();
        for (Pool pool : map.pools()) {
            if (pool.replicas() >= copies.computeIfAbsent(pool.labels(), this::copies)) {
                byLabels.computeIfAbsent(pool.labels(), _ -> new ArrayList<>())
                        .addAll(map.groupsOf(pool));
            }
        }
        return byLabels;
    }

    /** The standard number of copies, or as many as the servers with labels allow. */
    private int copies(Labels.Expression labels) {
        int most =
                map.pools().stream()
                        .filter(pool -> pool.labels().equals(labels))
                        .mapToInt(Pool::replicas)
                        .max()
                        .orElse(0);
        return labels.isAny() ? space.replicas() : Math.min(space.replicas(), most);
    }

    /** None of these groups has disks that all have room. */
    private void full(
            Health health,
            Labels.Expression labels,
            List<PlacementGroup> groups,
            Set<Integer> empty,
            String told) {
        String where = labels.isAny() ? "" : " with the labels " + labels.text();
        if (groups.stream().allMatch(group -> isOn(group, empty))) {
            health.critical(
                    "No disks%s have room for %s: writers hear 'No space left on device'. "
                                    .formatted(where, Wording.count(copies(labels), "copy"))
                            + told,
                    "Add chunk servers or disks, or delete files.");
        } else {
            health.warning(
                    "%s No other disks%s take what these refuse.".formatted(told, where),
                    "Add chunk servers or disks, or delete files.");
        }
    }

    /** Tells the full ones, and those of them without any room by the numbers of their targets. */
    private List<String> fullDisks(Set<Integer> full, Set<Integer> empty) {
        List<String> names = new ArrayList<>();
        for (ServerStatus server : servers) {
            for (TargetReport report : ServerStatus.healthy(List.of(server))) {
                Target target = map.targetOf(report.identity());
                boolean isEmpty = report.capacityBytes() > 0 && report.freeBytes() == 0;
                if (target != null && (isEmpty || target.full())) {
                    full.add(target.id());
                    names.add(
                            "Disk %s of chunk server %s is %s."
                                    .formatted(
                                            report.directory(),
                                            server.name(),
                                            isEmpty ? "full" : "nearly full"));
                }
                if (target != null && isEmpty) {
                    empty.add(target.id());
                }
            }
        }
        return names;
    }

    private static boolean isOn(PlacementGroup group, Set<Integer> targets) {
        return group.members().stream().anyMatch(member -> targets.contains(member.targetId()));
    }
}
