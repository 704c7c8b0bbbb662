package io.cairn.master.cluster;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Target;
import io.cairn.master.cluster.GroupDecision.Standing;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the servers as the leader sees them change in the cluster map. A pure function; use
 * each object once.
 *
 * <p>It works in this order. Servers and targets not yet in the map are entered. Members whose
 * server is gone or whose disk failed leave. Restarted and returning members begin to sync. Of the
 * last ones serving one that kept its memory comes back as serving ({@link GroupDecision}).
 */
final class MapDecision {
    private static final Standing AWAY = new Standing(false, false, false);
    private static final Standing WELL = new Standing(true, false, false);

    private final MapDraft draft;
    private final ClusterMap map;
    private final Map<String, ServerView> viewByName = new HashMap<>();
    private final Map<Long, ServerView> viewByTarget = new HashMap<>();
    private final Map<String, Integer> serverIds = new HashMap<>();
    private final Set<Integer> impatient;
    private final Standing[] standings;

    /**
     * A decision.
     *
     * @param impatient groups that have waited long enough for members that may have kept their
     *     memory
     */
    MapDecision(MapDraft draft, List<ServerView> views, Set<Integer> impatient) {
        this.draft = draft;
        this.map = draft.map();
        this.impatient = impatient;
        this.standings = new Standing[map.targets().lastId() + 1];
        Arrays.fill(standings, AWAY);
        for (ServerView view : views) {
            viewByName.put(view.name(), view);
            if (view.alive()) {
                view.targets().forEach(t -> viewByTarget.put(t.identity(), view));
            }
        }
        map.targets().forEach(target -> standings[target.id()] = standing(target));
    }

    /** Puts what has to change into the draft. */
    void decide() {
        enterServers();
        enterTargets();
        for (PlacementGroup group : map.groups()) {
            if (!isWell(group)) {
                boolean patient = !impatient.contains(group.id());
                draft.put(new GroupDecision(group, this::standing, patient).decide(draft.epoch()));
            }
        }
    }

    /** Whether all members have what is theirs, so that nothing has to be decided: nearly all. */
    private boolean isWell(PlacementGroup group) {
        for (Member member : group.members()) {
            if (member.state() != MemberState.SERVING || !standing(member).equals(WELL)) {
                return false;
            }
        }
        return true;
    }

    private void enterServers() {
        int lastId = map.servers().lastId();
        Map<String, ServerView> unknown = new HashMap<>(viewByName);
        for (ChunkServer server : map.servers()) {
            ServerView view = unknown.remove(server.name());
            serverIds.put(server.name(), server.id());
            if (view != null && view.alive()) {
                draft.put(entry(server.id(), view, server));
            }
        }
        for (String name : unknown.keySet().stream().sorted().toList()) {
            ServerView view = viewByName.get(name);
            if (view != null && view.alive()) {
                draft.put(entry(++lastId, view, null));
                serverIds.put(name, lastId);
            }
        }
    }

    /** What an administrator set stays; labels that it is started with are its own. */
    private static ChunkServer entry(int id, ServerView view, @Nullable ChunkServer known) {
        Labels told = view.declaration().labels();
        return new ChunkServer(
                id,
                view.name(),
                view.endpoint(),
                view.incarnation(),
                view.bootId(),
                known != null && told.values().isEmpty() ? known.labels() : told,
                known == null ? 0 : known.maintenanceUntilMs());
    }

    private void enterTargets() {
        int lastId = map.targets().lastId();
        Map<Long, ServerView> unknown = new HashMap<>(viewByTarget);
        for (Target target : map.targets()) {
            Target next = next(target, unknown.remove(target.identity()));
            if (next.serverId() != 0 || !map.groupsOf(target).isEmpty()) {
                draft.put(next);
            } else {
                draft.removeTarget(target.id());
            }
        }
        for (long identity : unknown.keySet().stream().sorted().toList()) {
            ServerView view = unknown.get(identity);
            if (view != null) {
                draft.put(next(new Target(++lastId, identity, 0), view));
            }
        }
    }

    private Target next(Target target, @Nullable ServerView view) {
        TargetReport report = view == null ? null : view.target(target.identity());
        if (view != null && report != null) {
            long start = report.start(target.start());
            return target.at(serverId(view), start)
                    .filled(DiskSpace.isNearlyFull(report, target.full()));
        }
        ChunkServer server = map.server(target.serverId());
        ServerView had = server == null ? null : viewByName.get(server.name());
        return had != null && had.alive() && had.declaration().replaces()
                ? target.at(0, target.start())
                : target;
    }

    private int serverId(ServerView view) {
        Integer id = serverIds.get(view.name());
        if (id == null) {
            throw new IllegalStateException("server " + view.name() + " was not entered");
        }
        return id;
    }

    private Standing standing(Member member) {
        return member.targetId() < standings.length ? standings[member.targetId()] : AWAY;
    }

    private Standing standing(Target target) {
        ServerView view = viewByTarget.get(target.identity());
        ChunkServer former = map.server(target.serverId());
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
        boolean present = report != null && report.healthy();
        return new Standing(present, restarted, restarted && !sameBoot);
    }
}
