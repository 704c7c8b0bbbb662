package io.cairn.master.cluster;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.wire.master.ClusterRequest.MemberFailed;
import io.cairn.wire.master.ClusterRequest.MemberSynced;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports of members about other members of their groups, until the map has them. Guarded by {@link
 * ServerWatch}.
 */
final class GroupReports {
    private static final Logger LOG = LoggerFactory.getLogger(GroupReports.class);

    /** In the order told: of two that cannot reach each other the first one to tell stays. */
    private final Set<Removal> removals = new LinkedHashSet<>();

    private final List<MemberSynced> synced = new ArrayList<>();

    /** A member that another one could not reach; it leaves when its server may not serve. */
    private record Removal(int group, long epoch, int targetId, String server) {}

    void clear() {
        removals.clear();
        synced.clear();
    }

    /** A head cannot write to a member. */
    void failed(ClusterMap map, MemberFailed report) {
        PlacementGroup group = map.group(report.group());
        ChunkServer server = map.serverOfTarget(report.targetId());
        if (group == null || server == null || group.epoch() != report.epoch()) {
            return;
        }
        Removal removal =
                new Removal(report.group(), report.epoch(), report.targetId(), server.name());
        if (group.isCurrent(report.targetId()) && removals.add(removal)) {
            LOG.warn(
                    "group {} loses target {} on chunk server {}: {}",
                    report.group(),
                    report.targetId(),
                    server.name(),
                    report.reason());
        }
    }

    /** A syncing member has everything. */
    void synced(MemberSynced report) {
        synced.add(report);
    }

    /** The servers whose targets wait to leave a group. */
    Set<String> servers() {
        return removals.stream().map(Removal::server).collect(Collectors.toSet());
    }

    /** Whether any target waits to leave a group. */
    boolean isWaiting() {
        return !removals.isEmpty();
    }

    /** Whether one of its targets waits to leave a group: then a server's lease is not renewed. */
    boolean isSuspended(String server) {
        return !removals.isEmpty() && removals.stream().anyMatch(r -> r.server().equals(server));
    }

    /**
     * Members in sync serve, members out of reach leave, in groups that are as the heads told and
     * that nothing else changes.
     *
     * @param mayServe whether a server may still act in its groups
     */
    void decide(MapDraft draft, Predicate<String> mayServe) {
        Map<Integer, PlacementGroup> changed = new TreeMap<>();
        for (MemberSynced report : synced) {
            PlacementGroup group = draft.map().group(report.group());
            if (group != null
                    && !draft.changes(group.id())
                    && group.epoch() == report.epoch()
                    && isSyncing(group, report.targetId())) {
                PlacementGroup base = changed.getOrDefault(group.id(), group);
                changed.put(group.id(), with(base, report.targetId(), MemberState.SERVING, draft));
            }
        }
        synced.clear();
        removals.removeIf(
                r -> {
                    PlacementGroup group = draft.map().group(r.group());
                    return group == null || group.epoch() != r.epoch();
                });
        for (Removal removal : removals) {
            PlacementGroup group = draft.map().group(removal.group());
            if (group != null && !draft.changes(group.id()) && !mayServe.test(removal.server())) {
                PlacementGroup base = changed.getOrDefault(group.id(), group);
                if (servesWithout(base, removal.targetId())) {
                    changed.put(group.id(), without(base, removal.targetId(), draft));
                }
            }
        }
        changed.values().forEach(draft::put);
    }

    private static boolean isSyncing(PlacementGroup group, int targetId) {
        MemberState state = group.stateOf(targetId);
        return state != null && state.isSyncing();
    }

    private static boolean servesWithout(PlacementGroup group, int targetId) {
        return group.members().stream()
                .anyMatch(m -> m.state() == MemberState.SERVING && m.targetId() != targetId);
    }

    private static PlacementGroup without(PlacementGroup group, int targetId, MapDraft draft) {
        if (group.stateOf(targetId) != MemberState.ADOPTED) {
            return with(group, targetId, MemberState.OFFLINE, draft);
        }
        List<Member> members = new ArrayList<>(group.members());
        members.removeIf(member -> member.targetId() == targetId);
        return group.next(draft.epoch(), false, members);
    }

    private static PlacementGroup with(
            PlacementGroup group, int targetId, MemberState state, MapDraft draft) {
        List<Member> members = new ArrayList<>(group.members());
        members.replaceAll(m -> m.targetId() == targetId ? new Member(targetId, state) : m);
        return group.next(draft.epoch(), false, members);
    }
}
