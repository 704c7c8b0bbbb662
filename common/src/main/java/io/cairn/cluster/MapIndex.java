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
    private final Lazy<Map<String, Integer>> names;
    private final Lazy<TargetIndex> targetIndex;
    private final Lazy<Map<Integer, int[]>> memberships;

    /** The targets by what they are looked for. */
    private record TargetIndex(Map<Long, Integer> ids, Map<Integer, List<Target>> byServer) {}

    private MapIndex(
            Lazy<Map<String, Integer>> names,
            Lazy<TargetIndex> targetIndex,
            Lazy<Map<Integer, int[]>> memberships) {
        this.names = names;
        this.targetIndex = targetIndex;
        this.memberships = memberships;
    }

    static MapIndex of(
            Table<ChunkServer> servers, Table<Target> targets, Table<PlacementGroup> groups) {
        return new MapIndex(
                new Lazy<>(() -> names(servers)),
                new Lazy<>(() -> targetIndex(targets)),
                new Lazy<>(() -> memberships(groups)));
    }

    /** The ways into the map that a delta makes of one with these tables. */
    MapIndex follow(
            MapDelta delta,
            Table<ChunkServer> oldServers,
            Table<PlacementGroup> oldGroups,
            MapIndex fresh) {
        boolean sameNames = delta.gone().servers().isEmpty();
        for (ChunkServer server : delta.servers()) {
            ChunkServer before = oldServers.get(server.id());
            sameNames &= before != null && before.name().equals(server.name());
        }
        boolean sameTargets = delta.targets().isEmpty() && delta.gone().targets().isEmpty();
        boolean sameMembers = delta.gone().pools().isEmpty();
        for (PlacementGroup group : delta.groups()) {
            PlacementGroup before = oldGroups.get(group.id());
            sameMembers &= before != null && group.hasMembersOf(before);
        }
        return new MapIndex(
                sameNames ? names : fresh.names,
                sameTargets ? targetIndex : fresh.targetIndex,
                sameMembers ? memberships : fresh.memberships);
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
