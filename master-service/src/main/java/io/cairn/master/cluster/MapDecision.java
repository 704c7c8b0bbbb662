package io.cairn.master.cluster;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.wire.ClusterRequest.TargetReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next cluster map from the present one and the servers as the leader sees them. A pure
 * function; use each object once.
 *
 * <p>In this order: servers and targets not yet in the map are entered; members whose server is
 * gone or whose disk failed leave; restarted and returning members begin to sync; the last one
 * serving comes back as serving. When all serving members of a group vanish together, each of them
 * holds every acknowledged byte, so that all become LAST_SERVING and the first to return serves.
 */
final class MapDecision {
    private final ClusterMap map;
    private final long nextEpoch;
    private final Map<String, ServerView> viewByName = new HashMap<>();
    private final Map<Long, ServerView> viewByTarget = new HashMap<>();
    private final List<ChunkServer> servers = new ArrayList<>();
    private final List<Target> targets = new ArrayList<>();
    private final Map<Integer, Long> formerIncarnations = new HashMap<>();
    private boolean changed;

    MapDecision(ClusterMap map, List<ServerView> views) {
        this.map = map;
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
        map.servers().forEach(s -> formerIncarnations.put(s.id(), s.incarnation()));
        enterServers();
        enterTargets();
        List<PlacementGroup> groups = new ArrayList<>();
        for (PlacementGroup group : map.groups()) {
            PlacementGroup next = decideGroup(group);
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
                                server.id(), server.name(), view.endpoint(), view.incarnation());
            }
            changed |= !next.equals(server);
            servers.add(next);
            lastId = Math.max(lastId, server.id());
        }
        for (String name : unknown.keySet().stream().sorted().toList()) {
            ServerView view = viewByName.get(name);
            if (view != null && view.alive()) {
                servers.add(new ChunkServer(++lastId, name, view.endpoint(), view.incarnation()));
                changed = true;
            }
        }
    }

    private void enterTargets() {
        int lastId = 0;
        Map<Long, ServerView> unknown = new HashMap<>(viewByTarget);
        for (Target target : map.targets()) {
            ServerView view = unknown.remove(target.identity());
            Target next =
                    view == null
                            ? target
                            : new Target(target.id(), target.identity(), serverId(view));
            changed |= !next.equals(target);
            targets.add(next);
            lastId = Math.max(lastId, target.id());
        }
        for (long identity : unknown.keySet().stream().sorted().toList()) {
            ServerView view = unknown.get(identity);
            if (view != null) {
                targets.add(new Target(++lastId, identity, serverId(view)));
                changed = true;
            }
        }
    }

    private int serverId(ServerView view) {
        for (ChunkServer server : servers) {
            if (server.name().equals(view.name())) {
                return server.id();
            }
        }
        throw new IllegalStateException("server " + view.name() + " was not entered");
    }

    private PlacementGroup decideGroup(PlacementGroup group) {
        List<Member> members = new ArrayList<>(group.members());
        boolean broken = withdraw(members) || isLastRestarted(group.members());
        restore(members);
        if (members.equals(group.members()) && !broken) {
            return group;
        }
        return group.next(nextEpoch, broken, members);
    }

    /** Whether one that may come back as serving lost its memory: power may have failed. */
    private boolean isLastRestarted(List<Member> members) {
        return members.stream()
                .anyMatch(m -> m.state() == MemberState.LAST_SERVING && restarted(m));
    }

    /**
     * Takes out members that are gone, and those that were restarted while another one stayed.
     * Returns whether the group needs a new epoch though no state changed: its members were
     * restarted together.
     */
    private boolean withdraw(List<Member> members) {
        boolean anyStays =
                members.stream().anyMatch(m -> isServing(m) && present(m) && !restarted(m));
        boolean anyServes = members.stream().anyMatch(m -> isServing(m) && present(m));
        boolean reconcile = false;
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            if (member.state() == MemberState.OFFLINE
                    || member.state() == MemberState.LAST_SERVING) {
                continue;
            }
            if (!present(member)) {
                boolean last = isServing(member) && !anyServes;
                members.set(i, as(member, last ? MemberState.LAST_SERVING : MemberState.OFFLINE));
            } else if (restarted(member)) {
                if (isServing(member) && !anyStays) {
                    reconcile = true;
                } else {
                    members.set(i, as(member, MemberState.OFFLINE));
                }
            }
        }
        return reconcile;
    }

    private void restore(List<Member> members) {
        boolean anyServes = members.stream().anyMatch(m -> isServing(m) && present(m));
        for (int i = 0; i < members.size() && !anyServes; i++) {
            Member member = members.get(i);
            if (member.state() == MemberState.LAST_SERVING && present(member)) {
                members.set(i, as(member, MemberState.SERVING));
                anyServes = true;
            }
        }
        if (!anyServes) {
            return;
        }
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            if (isServing(member) || member.state() == MemberState.SYNCING) {
                continue;
            }
            MemberState next = present(member) ? MemberState.SYNCING : MemberState.OFFLINE;
            members.set(i, as(member, next));
        }
    }

    private static Member as(Member member, MemberState state) {
        return new Member(member.targetId(), state);
    }

    private static boolean isServing(Member member) {
        return member.state() == MemberState.SERVING;
    }

    private boolean present(Member member) {
        Target target = map.target(member.targetId());
        if (target == null) {
            return false;
        }
        ServerView view = viewByTarget.get(target.identity());
        TargetReport report = view == null ? null : view.target(target.identity());
        return report != null && report.healthy();
    }

    private boolean restarted(Member member) {
        Target target = map.target(member.targetId());
        ServerView view = target == null ? null : viewByTarget.get(target.identity());
        Long former = target == null ? null : formerIncarnations.get(target.serverId());
        return view != null && former != null && former != view.incarnation();
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
