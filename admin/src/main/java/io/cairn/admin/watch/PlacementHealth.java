package io.cairn.admin.watch;

import io.cairn.base.Wording;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.FailureDomain;
import io.cairn.cluster.Labels;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import io.cairn.master.cluster.ServerStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What administrators asked for and what does not come about: rules of placement that cannot be
 * kept, targets that cannot be emptied; and maintenance that goes on. Made for one document; not
 * thread-safe.
 */
public final class PlacementHealth {
    private final ClusterMap map;
    private final List<ServerStatus> servers;
    private final Set<Integer> usedPools;
    private final long nowMs;
    private final Map<Labels.Expression, Spread> spreads = new HashMap<>();

    /**
     * For a moment.
     *
     * @param usedPools the pools that files refer to
     * @param nowMs milliseconds since 1970
     */
    public PlacementHealth(
            ClusterMap map, List<ServerStatus> servers, Set<Integer> usedPools, long nowMs) {
        this.map = map;
        this.servers = servers;
        this.usedPools = usedPools;
        this.nowMs = nowMs;
    }

    /** Says it. */
    public void tell(Health health) {
        maintenance(health);
        domains(health, FailureDomain.RACK, Labels.RACK);
        domains(health, FailureDomain.ZONE, Labels.ZONE);
        neighbours(health);
        crowds(health);
        strangers(health);
        fullLabels(health);
        drains(health);
    }

    private void maintenance(Health health) {
        for (ServerStatus status : servers) {
            ChunkServer server = map.server(status.name());
            if (server != null && server.isMaintained(nowMs) && status.alive()) {
                health.warning(
                        "Chunk server %s is in maintenance until %s."
                                .formatted(
                                        server.name(),
                                        Instant.ofEpochMilli(server.maintenanceUntilMs())),
                        "When it is done: cairn admin servers maintenance %s --end."
                                .formatted(server.name()));
            }
        }
    }

    /** More copies than there are racks or zones. */
    private void domains(Health health, FailureDomain level, String label) {
        if (map.servers().stream().allMatch(server -> server.labels().get(label) == null)) {
            return;
        }
        Set<String> domains = new TreeSet<>();
        for (Target target : map.targets()) {
            if (target.serverId() != 0 && !target.isDraining()) {
                domains.add(level.of(map, target.id()));
            }
        }
        int most =
                map.pools().stream()
                        .filter(pool -> usedPools.contains(pool.id()))
                        .mapToInt(Pool::replicas)
                        .max()
                        .orElse(0);
        if (most > domains.size()) {
            health.warning(
                    "Files have %d copies, and the chunk servers are in %s: some copies share one."
                            .formatted(most, Wording.count(domains.size(), label)),
                    "Add chunk servers with another --label %s=NAME, or correct the labels."
                            .formatted(label));
        }
    }

    /** Groups whose members are closer to each other than they need be. */
    private void neighbours(Health health) {
        long close =
                map.groups().stream()
                        .filter(group -> usedPools.contains(group.poolId()))
                        .filter(this::isClose)
                        .count();
        if (close > 0) {
            health.warning(
                    Wording.count(close, "placement group")
                            + (close == 1 ? " has" : " have")
                            + " copies in one rack or zone although there are others.",
                    "Labels have changed since: drain a chunk server there and use it again, or"
                            + " correct the labels.");
        }
    }

    private Spread spread(Pool pool) {
        return spreads.computeIfAbsent(pool.copyLabels(), each -> new Spread(map, each));
    }

    private boolean isClose(PlacementGroup group) {
        List<Integer> members =
                group.members().stream().map(PlacementGroup.Member::targetId).toList();
        Pool pool = map.pool(group.poolId());
        if (pool == null || members.size() != pool.replicas()) {
            return false; // it is being moved
        }
        Spread spread = spread(pool);
        if (spread.isPerCopy()) {
            return false; // The labels say where they are.
        }
        for (int id : members) {
            List<Integer> others = new ArrayList<>(members);
            others.remove(Integer.valueOf(id));
            Target target = map.target(id);
            if (target != null
                    && !target.isDraining()
                    && !spread.isBeside(id, others)
                    && !spread.mayJoin(id, others, pool.replicas())) {
                return true;
            }
        }
        return false;
    }

    /** Groups that rest with two members on one server: a disk was moved there. */
    private void crowds(Health health) {
        long crowded =
                map.groups().stream()
                        .filter(group -> usedPools.contains(group.poolId()))
                        .filter(this::isCrowded)
                        .count();
        if (crowded > 0) {
            health.warning(
                    Wording.count(crowded, "placement group")
                            + (crowded == 1 ? " has" : " have")
                            + " two copies on one chunk server.",
                    "They move as soon as another one may take them: add a chunk server, or take"
                            + " the disk back to the one that it came from.");
        }
    }

    private boolean isCrowded(PlacementGroup group) {
        Pool pool = map.pool(group.poolId());
        return pool != null
                && group.members().size() == pool.replicas() // else one of them is leaving
                && group.members().stream().anyMatch(m -> map.isBesideMember(group, m.targetId()));
    }

    /** Copies on chunk servers without the labels of their pool, or missing for want of them. */
    private void strangers(Health health) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Pool pool : map.pools()) {
            boolean isAbout = !pool.labels().isAny() && usedPools.contains(pool.id());
            for (PlacementGroup group : isAbout ? map.groupsOf(pool) : List.<PlacementGroup>of()) {
                if (isWrong(pool, group) && places(pool) < pool.replicas()) {
                    counts.merge(pool.labels().text(), 1, Integer::sum);
                }
            }
        }
        counts.forEach(
                (labels, count) ->
                        health.warning(
                                ("%s cannot get all copies on chunk servers with the labels"
                                                + " '%s': too few servers have them.")
                                        .formatted(Wording.count(count, "placement group"), labels),
                                "Add chunk servers with these labels, label others with 'cairn"
                                        + " admin servers label', or change the storage class."));
    }

    private boolean isWrong(Pool pool, PlacementGroup group) {
        List<Integer> members =
                group.members().stream().map(PlacementGroup.Member::targetId).toList();
        return map.isShort(group)
                || members.stream().anyMatch(id -> !pool.copyLabels().admits(map, id))
                || !spread(pool).isMatched(members);
    }

    /** For how many copies there are servers. */
    private int places(Pool pool) {
        List<Target> open =
                map.targets().stream().filter(t -> t.serverId() != 0 && !t.isDraining()).toList();
        return Spread.places(map, pool.copyLabels(), open);
    }

    /** Labels whose targets have no room while others have. */
    private void fullLabels(Health health) {
        Set<String> full = new TreeSet<>();
        Set<Labels.Expression> wanted = new HashSet<>();
        map.pools().forEach(pool -> wanted.addAll(pool.copyLabels().each()));
        for (Labels.Expression labels : wanted) {
            List<Target> admitted =
                    map.targets().stream()
                            .filter(t -> t.serverId() != 0)
                            .filter(t -> labels.admits(map, t.id()))
                            .toList();
            if (!labels.isAny()
                    && !admitted.isEmpty()
                    && admitted.stream().allMatch(Target::full)
                    && map.targets().stream().anyMatch(t -> t.serverId() != 0 && !t.full())) {
                full.add(labels.text());
            }
        }
        for (String labels : full) {
            health.warning(
                    ("All targets of chunk servers with the labels '%s' are nearly full, and"
                                    + " others are not: the label is the limit.")
                            .formatted(labels),
                    "Add disks there, or change the storage classes that ask for these labels.");
        }
    }

    private void drains(Health health) {
        Map<Integer, String> leaving = new TreeMap<>();
        for (Target target : map.targets()) {
            if (target.isDraining() && !map.groupsOf(target).isEmpty()) {
                ChunkServer server = map.serverOfTarget(target.id());
                leaving.put(target.id(), server == null ? "" : " of " + server.name());
            }
        }
        List<String> obstacles =
                leaving.isEmpty()
                        ? List.of()
                        : new Drain(map, ServerStatus.healthy(servers), usedPools, leaving.keySet())
                                .obstacles();
        if (!obstacles.isEmpty()) {
            String names =
                    leaving.entrySet().stream()
                            .map(each -> each.getKey() + each.getValue())
                            .collect(Collectors.joining(", "));
            health.warning(
                    "Not all of draining target %s can move. ".formatted(names)
                            + String.join(" ", obstacles),
                    "Or use it again: cairn admin targets undrain.");
        }
    }
}
