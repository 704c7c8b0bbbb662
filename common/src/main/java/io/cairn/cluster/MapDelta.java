package io.cairn.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The difference of a cluster map from an older one: the records that are new or changed, and the
 * numbers of those that are gone. The groups of a pool go with it. Nobody changes the lists.
 *
 * @param from epoch of the older map; 0 for the empty one, so that this is the whole map
 * @param to epoch of the younger one
 */
public record MapDelta(
        long from,
        long to,
        List<ChunkServer> servers,
        List<Target> targets,
        List<Pool> pools,
        List<PlacementGroup> groups,
        Gone gone) {
    /**
     * Records that one message or log entry holds: with the longest names and labels still below 1
     * MiB.
     */
    public static final int PART_RECORDS = 900;

    /** The numbers of records that are gone. */
    public record Gone(List<Integer> servers, List<Integer> targets, List<Integer> pools) {
        /** None. */
        public static final Gone NOTHING = new Gone(List.of(), List.of(), List.of());

        /** Keeps its own copies. */
        public Gone {
            servers = List.copyOf(servers);
            targets = List.copyOf(targets);
            pools = List.copyOf(pools);
        }

        int size() {
            return servers.size() + targets.size() + pools.size();
        }
    }

    /**
     * Some of the records of a delta: what is large comes in parts.
     *
     * @param at how many records the parts before have together
     * @param last whether no part follows
     */
    public record Part(MapDelta delta, int at, boolean last) {
        /** Where the next part begins. */
        public int end() {
            return at + delta.size();
        }
    }

    /** How many records it puts and removes. */
    public int size() {
        return servers.size() + targets.size() + pools.size() + groups.size() + gone.size();
    }

    @Override
    public String toString() {
        return "MapDelta{" + from + ".." + to + ", records=" + size() + "}";
    }

    /** Whether one message or log entry holds it. */
    public boolean isSmall() {
        return size() <= PART_RECORDS;
    }

    /** The part that begins behind so many records. */
    public Part part(int at) {
        Slice slice = new Slice(at);
        Gone goneHere =
                new Gone(slice.of(gone.servers), slice.of(gone.targets), slice.of(gone.pools));
        MapDelta some =
                new MapDelta(
                        from,
                        to,
                        slice.of(servers),
                        slice.of(targets),
                        slice.of(pools),
                        slice.of(groups),
                        goneHere);
        return new Part(some, at, at + some.size() >= size());
    }

    /** All parts, in order. */
    public List<Part> parts() {
        List<Part> parts = new ArrayList<>();
        Part part = part(0);
        parts.add(part);
        while (!part.last()) {
            part = part(part.end());
            parts.add(part);
        }
        return parts;
    }

    /** Takes elements off lists that are walked one after the other. */
    private static final class Slice {
        private int skip;
        private int left = PART_RECORDS;

        Slice(int skip) {
            this.skip = skip;
        }

        <T> List<T> of(List<T> list) {
            int from = Math.min(skip, list.size());
            int count = Math.min(left, list.size() - from);
            skip -= from;
            left -= count;
            return list.subList(from, from + count);
        }
    }

    /**
     * One delta of all its parts.
     *
     * @param parts at least one, complete and in order
     */
    public static MapDelta join(List<Part> parts) {
        if (parts.size() == 1) {
            return parts.getFirst().delta();
        }
        Gone all =
                new Gone(
                        joined(parts, part -> part.gone.servers),
                        joined(parts, part -> part.gone.targets),
                        joined(parts, part -> part.gone.pools));
        MapDelta first = parts.getFirst().delta();
        return new MapDelta(
                first.from,
                first.to,
                joined(parts, MapDelta::servers),
                joined(parts, MapDelta::targets),
                joined(parts, MapDelta::pools),
                joined(parts, MapDelta::groups),
                all);
    }

    private static <T> List<T> joined(List<Part> parts, Function<MapDelta, List<T>> list) {
        return parts.stream().flatMap(part -> list.apply(part.delta()).stream()).toList();
    }
}
