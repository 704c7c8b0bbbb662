package io.cairn.admin.storage;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a command is about: one target, or a chunk server with all of its targets.
 *
 * @param title for people: {@code target 3 of chunk server c1}
 * @param server whose they are; null when nobody has the target
 * @param whole whether it is all of the server
 * @param targets numbers of the targets
 */
record Subject(String title, @Nullable ChunkServer server, boolean whole, Set<Integer> targets) {
    static Subject of(ClusterMap map, Target target) {
        ChunkServer server = map.serverOfTarget(target.id());
        String of = server == null ? "" : " of chunk server " + server.name();
        return new Subject("target " + target.id() + of, server, false, Set.of(target.id()));
    }

    static Subject of(ClusterMap map, ChunkServer server) {
        Set<Integer> targets = new TreeSet<>();
        map.targetsOf(server).forEach(target -> targets.add(target.id()));
        return new Subject("chunk server " + server.name(), server, true, targets);
    }

    int[] ids() {
        return targets.stream().mapToInt(Integer::intValue).toArray();
    }

    /** What administrators want of the targets now. */
    String state(ClusterMap map) {
        long draining =
                targets.stream()
                        .map(map::target)
                        .filter(target -> target != null && target.isDraining())
                        .count();
        if (draining == 0) {
            return "in use";
        }
        return draining == targets.size() ? "draining" : "draining in part";
    }

    /** The groups that have a member there. */
    List<PlacementGroup> groups(ClusterMap map) {
        TreeMap<Integer, PlacementGroup> groups = new TreeMap<>();
        for (int id : targets) {
            Target target = map.target(id);
            if (target != null) {
                map.groupsOf(target).forEach(group -> groups.put(group.id(), group));
            }
        }
        return new ArrayList<>(groups.values());
    }

    /** Those of which nobody else has all. */
    List<PlacementGroup> alone(ClusterMap map) {
        return groups(map).stream()
                .filter(
                        group ->
                                group.members().stream()
                                        .noneMatch(
                                                m ->
                                                        m.state() == MemberState.SERVING
                                                                && !targets.contains(m.targetId())))
                .toList();
    }
}
