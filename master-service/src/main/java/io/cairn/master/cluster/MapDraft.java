package io.cairn.master.cluster;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The next cluster map in the making: several decisions add to it, one after the other. Not
 * thread-safe.
 */
final class MapDraft {
    private final ClusterMap map;
    private final Map<Integer, ChunkServer> servers = new TreeMap<>();
    private final Map<Integer, Target> targets = new TreeMap<>();
    private final Map<Integer, Pool> pools = new TreeMap<>();
    private final Map<Integer, PlacementGroup> groups = new TreeMap<>();
    private final List<Integer> goneTargets = new ArrayList<>();
    private final List<Integer> gonePools = new ArrayList<>();

    MapDraft(ClusterMap map) {
        this.map = map;
    }

    /** The map that is changed. */
    ClusterMap map() {
        return map;
    }

    /** The epoch of the next map. */
    long epoch() {
        return map.epoch() + 1;
    }

    void put(ChunkServer server) {
        if (!server.equals(map.server(server.id()))) {
            servers.put(server.id(), server);
        }
    }

    void put(Target target) {
        if (!target.equals(map.target(target.id()))) {
            targets.put(target.id(), target);
        }
    }

    void put(Pool pool) {
        pools.put(pool.id(), pool);
    }

    void put(PlacementGroup group) {
        if (!gonePools.contains(group.poolId()) && !group.equals(map.group(group.id()))) {
            groups.put(group.id(), group);
        }
    }

    void removeTarget(int id) {
        targets.remove(id);
        if (map.target(id) != null) {
            goneTargets.add(id);
        }
    }

    /** Takes a pool away with its groups, also those that other decisions change. */
    void removePool(int id) {
        gonePools.add(id);
        groups.values().removeIf(group -> group.poolId() == id);
    }

    /** Whether a group is other in the next map. */
    boolean changes(int group) {
        return groups.containsKey(group);
    }

    /** Whether servers and targets stay as they are. */
    boolean keepsServers() {
        return servers.isEmpty() && targets.isEmpty() && goneTargets.isEmpty();
    }

    /** The changes. */
    MapDelta delta() {
        return new MapDelta(
                map.epoch(),
                epoch(),
                List.copyOf(servers.values()),
                List.copyOf(targets.values()),
                List.copyOf(pools.values()),
                List.copyOf(groups.values()),
                new MapDelta.Gone(List.of(), goneTargets, gonePools));
    }
}
