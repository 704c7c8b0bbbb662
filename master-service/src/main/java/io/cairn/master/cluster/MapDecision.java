package io.cairn.master.cluster;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.master.cluster.GroupDecision.Standing;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next cluster map from the present one and the servers as the leader sees them. A pure
 * function; use each object once.
 *
 * <p>It works in this order. Servers and targets not yet in the map are entered. Members whose
 * server is gone or whose disk failed leave. Restarted and returning members begin to sync. Of the
 * last ones serving one that kept its memory comes back as serving ({@link GroupDecision}).
 */
final class MapDecision {
    private final ClusterMap map;
    private final long nextEpoch;
    private final Map<String, ServerView> viewByName = new HashMap<>();
    private final Map<Long, ServerView> viewByTarget = new HashMap<>();
    private final List<ChunkServer> servers = new ArrayList<>();
    private final List<Target> targets = new ArrayList<>();
    private final Set<Integer> impatient;
    private boolean changed;

    /**
     * A decision.
     *
     * @param impatient groups that have waited long enough for members that may have kept their
     *     memory
     */
    MapDecision(ClusterMap map, List<ServerView> views, Set<Integer> impatient) {
        this.map = map;
        this.impatient = impatient;
        this.nextEpoch = map.epoch() + 1;
        for (ServerView view : views) {
            viewByName.put(view.name(), view);
            if (view.alive()) {
                view.targets().forEach(t -> viewByTarget.put(t.identity(), view));
            }
        }
    }

    /** The next map, with the next epoch, or null when nothing has to change. */
    @Nullable ClusterMap decide() {
        enterServers();
        enterTargets();
        List<PlacementGroup> groups = new ArrayList<>();
        for (PlacementGroup group : map.groups()) {
            PlacementGroup next =
                    new GroupDecision(
                                    group, m -> standing(group, m), !impatient.contains(group.id()))
                            .decide(nextEpoch);
            changed |= !next.equals(group);
            groups.add(next);
        }
        return changed ? new ClusterMap(nextEpoch, servers, targets, map.pools(), groups) : null;
    }

    private void enterServers() {
        int lastId = 0;
        Map<String, ServerView> unknown = new HashMap<>(viewByName);
        for (ChunkServer server : map.servers()) {
            ServerView view = unknown.remove(server.name());
            ChunkServer next = server;
            if (view != null && view.alive()) {
                next =
                        new ChunkServer(
                                server.id(),
                                server.name(),
                                view.endpoint(),
                                view.incarnation(),
                                view.bootId());
            }
            changed |= !next.equals(server);
            servers.add(next);
            lastId = Math.max(lastId, server.id());
        }
        for (String name : unknown.keySet().stream().sorted().toList()) {
            ServerView view = viewByName.get(name);
            if (view != null && view.alive()) {
                servers.add(
                        new ChunkServer(
                                ++lastId,
                                name,
                                view.endpoint(),
                                view.incarnation(),
                                view.bootId()));
                changed = true;
            }
        }
    }

    private void enterTargets() {
        int lastId = 0;
        Map<Long, ServerView> unknown = new HashMap<>(viewByTarget);
        for (Target target : map.targets()) {
            Target next = next(target, unknown.remove(target.identity()));
            changed |= !next.equals(target);
            lastId = Math.max(lastId, target.id());
            if (next.serverId() != 0 || isMember(target.id())) {
                targets.add(next);
            } else {
                changed = true;
            }
        }
        for (long identity : unknown.keySet().stream().sorted().toList()) {
            ServerView view = unknown.get(identity);
            if (view != null) {
                targets.add(next(new Target(++lastId, identity, 0), view));
                changed = true;
            }
        }
    }

    private Target next(Target target, @Nullable ServerView view) {
        TargetReport report = view == null ? null : view.target(target.identity());
        if (view != null && report != null) {
            long start = report.start(target.start());
            return new Target(target.id(), target.identity(), serverId(view), start);
        }
        ChunkServer server = map.server(target.serverId());
        ServerView had = server == null ? null : viewByName.get(server.name());
        return had != null && had.alive() && had.replaces()
                ? new Target(target.id(), target.identity(), 0, target.start())
                : target;
    }

    private boolean isMember(int targetId) {
        return map.groups().stream()
                .flatMap(group -> group.members().stream())
                .anyMatch(member -> member.targetId() == targetId);
    }

    private int serverId(ServerView view) {
        for (ChunkServer server : servers) {
            if (server.name().equals(view.name())) {
                return server.id();
            }
        }
        throw new IllegalStateException("server " + view.name() + " was not entered");
    }

    /**
     * A server answers for one member of a group only: when a disk was moved to one that holds
     * another member already, the one that stands higher counts as here, the other as away.
     */
    private Standing standing(PlacementGroup group, Member member) {
        Standing alone = standing(member);
        ServerView here = view(member);
        boolean beside = false;
        List<Integer> ids = group.members().stream().map(Member::targetId).toList();
        int own = ids.indexOf(member.targetId());
        int rank = rank(group.members().get(own));
        for (int i = 0; here != null && i < group.members().size(); i++) {
            Member other = group.members().get(i);
            int order = Integer.compare(rank(other), rank);
            boolean higher = order < 0 || (order == 0 && i < own);
            beside |= higher && here.equals(view(other)) && standing(other).present();
        }
        return beside ? new Standing(false, alone.restarted(), alone.rebooted()) : alone;
    }

    private @Nullable ServerView view(Member member) {
        Target target = map.target(member.targetId());
        return target == null ? null : viewByTarget.get(target.identity());
    }

    private static int rank(Member member) {
        return switch (member.state()) {
            case SERVING -> 0;
            case LAST_SERVING -> 1;
            case WAITING -> 2;
            case SYNCING -> 3;
            case OFFLINE -> 4;
        };
    }

    private Standing standing(Member member) {
        Target target = map.target(member.targetId());
        if (target == null) {
            return new Standing(false, false, false);
        }
        ServerView view = viewByTarget.get(target.identity());
        ChunkServer former = former(target.serverId());
        TargetReport report = view == null ? null : view.target(target.identity());
        boolean restarted =
                view != null && (former == null || former.incarnation() != view.incarnation());
        boolean sameBoot =
                view != null
                        && former != null
                        && report != null
                        && report.follows(target.start())
                        && former.bootId() != 0
                        && former.bootId() == view.bootId();
        return new Standing(report != null && report.healthy(), restarted, restarted && !sameBoot);
    }

    private @Nullable ChunkServer former(int serverId) {
        for (ChunkServer server : map.servers()) {
            if (server.id() == serverId) {
                return server;
            }
        }
        return null;
    }

    /**
     * The map with fresh pools over the given targets: for every number of replicas from 1 to
     * {@code maxReplicas} that the number of distinct servers allows, one pool.
     */
    static ClusterMap withPools(ClusterMap map, List<Target> members, int maxReplicas) {
        List<Target> order = PoolPlan.interleave(members);
        long distinct = order.stream().mapToInt(Target::serverId).distinct().count();
        int poolId = map.pools().stream().mapToInt(Pool::id).max().orElse(0);
        int groupId = map.groups().stream().mapToInt(PlacementGroup::id).max().orElse(0);
        List<Pool> pools = new ArrayList<>(map.pools());
        List<PlacementGroup> groups = new ArrayList<>(map.groups());
        for (int replicas = 1; replicas <= Math.min(maxReplicas, distinct); replicas++) {
            List<List<Member>> plan = PoolPlan.groups(order, replicas);
            pools.add(new Pool(++poolId, replicas, groupId + 1, plan.size()));
            for (List<Member> each : plan) {
                groups.add(new PlacementGroup(++groupId, poolId, map.epoch() + 1, each));
            }
        }
        return new ClusterMap(map.epoch() + 1, map.servers(), map.targets(), pools, groups);
    }
}
