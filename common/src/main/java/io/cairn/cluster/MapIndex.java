package io.cairn.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ways into a cluster map that its numbers do not give, each made when it is first asked for, and
 * kept by the maps that follow as long as it is right for them. Thread-safe.
 */
final class MapIndex {
    private final Table<Target> targets;
    private final int groupCount;
    private final int lastGroup;
    private final int serverCount;
    private final Lazy<Map<String, Integer>> names;
    private final Lazy<TargetIndex> targetIndex;
    private final Lazy<Map<Integer, int[]>> memberships;

    /** The targets by what they are looked for. */
    private record TargetIndex(Map<Long, Integer> ids, Map<Integer, List<Target>> byServer) {}

    MapIndex(Table<ChunkServer> servers, Table<Target> targets, Table<PlacementGroup> groups) {
        this(servers, targets, groups, null);
    }

    @SuppressWarnings("ReferenceEquality") // what was not changed is the same table
    private MapIndex(
            Table<ChunkServer> servers,
            Table<Target> targets,
            Table<PlacementGroup> groups,
            @Nullable MapIndex before) {
        this.targets = targets;
        serverCount = servers.size();
        groupCount = groups.size();
        lastGroup = groups.lastId();
        // Servers keep their names and groups their members for ever, and no number comes twice.
        boolean sameServers = before != null && before.serverCount == serverCount;
        boolean sameGroups =
                before != null && before.groupCount == groupCount && before.lastGroup == lastGroup;
        names = sameServers ? before.names : new Lazy<>(() -> names(servers));
        targetIndex =
                before != null && before.targets == targets
                        ? before.targetIndex
                        : new Lazy<>(() -> targetIndex(targets));
        memberships = sameGroups ? before.memberships : new Lazy<>(() -> memberships(groups));
    }

    MapIndex follow(
            Table<ChunkServer> servers, Table<Target> nextTargets, Table<PlacementGroup> groups) {
        return new MapIndex(servers, nextTargets, groups, this);
    }

    private static Map<String, Integer> names(Table<ChunkServer> servers) {
        Map<String, Integer> names = new HashMap<>();
        servers.forEach(server -> names.put(server.name(), server.id()));
        return names;
    }

    private static TargetIndex targetIndex(Table<Target> targets) {
        Map<Long, Integer> ids = new HashMap<>();
        Map<Integer, List<Target>> byServer = new HashMap<>();
        for (Target target : targets) {
            ids.put(target.identity(), target.id());
            byServer.computeIfAbsent(target.serverId(), _ -> new ArrayList<>()).add(target);
        }
        byServer.replaceAll((_, list) -> List.copyOf(list));
        return new TargetIndex(ids, byServer);
    }

    private static Map<Integer, int[]> memberships(Table<PlacementGroup> groups) {
        Map<Integer, List<Integer>> found = new HashMap<>();
        for (PlacementGroup group : groups) {
            for (PlacementGroup.Member member : group.members()) {
                found.computeIfAbsent(member.targetId(), _ -> new ArrayList<>()).add(group.id());
            }
        }
        Map<Integer, int[]> packed = HashMap.newHashMap(found.size());
        found.forEach(
                (target, ids) ->
                        packed.put(target, ids.stream().mapToInt(Integer::intValue).toArray()));
        return packed;
    }

    /** The number of the server of a name; 0 when there is none. */
    int server(String name) {
        return names.get().getOrDefault(name, 0);
    }

    /** The number of a target; 0 when there is none. */
    int target(long identity) {
        return targetIndex.get().ids().getOrDefault(identity, 0);
    }

    List<Target> targetsOf(int server) {
        return targetIndex.get().byServer().getOrDefault(server, List.of());
    }

    int[] groupsOf(int target) {
        return memberships.get().getOrDefault(target, new int[0]);
    }

    /** Made once, by the first that asks. */
    private static final class Lazy<T> {
        private @Nullable Supplier<T> maker;
        private volatile @Nullable T made;

        Lazy(Supplier<T> maker) {
            this.maker = maker;
        }

        T get() {
            T now = made;
            return now == null ? make() : now;
        }

        private synchronized T make() {
            T now = made;
            if (now == null) {
                now = Objects.requireNonNull(maker).get();
                made = now;
                // The records that it was made of may be of a map that has long gone.
                maker = null;
            }
            return now;
        }
    }
}
