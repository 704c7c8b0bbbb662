package io.cairn.master.cluster;

import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How the groups of a new pool spread over its targets. Every target heads as many groups as any
 * other. The partners of a target change from group to group, so that its load falls on all others
 * when it is lost. Members of a group are on distinct servers, and in distinct racks and zones as
 * far as possible ({@link Spread}).
 */
final class PoolPlan {
    /** Groups that each target heads. */
    static final int GROUPS_PER_TARGET = 8;

    /**
     * So many targets are tried in steps, and as many one by one. Where that does not do, those
     * that will are rare, and take turns.
     */
    private static final int MAX_STEPS = 8;

    private final Spread spread;
    private final List<Target> order;

    /** Targets by the copies that they may have, and by where they are. */
    private final Map<Integer, Map<Site, List<Integer>>> sites = new LinkedHashMap<>();

    private final Set<Integer> zones = new HashSet<>();
    private final Set<Integer> racks = new HashSet<>();

    private PoolPlan(Spread spread, List<Target> order) {
        this.spread = spread;
        this.order = order;
        for (Target target : order) {
            Site site = site(target.id());
            sites.computeIfAbsent(spread.fitting(target.id()), _ -> new LinkedHashMap<>())
                    .computeIfAbsent(site, _ -> new ArrayList<>())
                    .add(target.id());
            zones.add(site.zone());
            racks.add(site.rack());
        }
    }

    /** Where a target is. */
    private record Site(int zone, int rack) {}

    private Site site(int target) {
        return new Site(spread.domain(0, target), spread.domain(1, target));
    }

    /** How many groups a pool on so many targets has. */
    static int groupCount(int targets) {
        return targets * GROUPS_PER_TARGET;
    }

    /**
     * The targets in an order in which neighbours are in different zones, racks and servers as far
     * as possible.
     */
    static List<Target> interleave(Spread spread, List<Target> targets) {
        List<Target> sorted = new ArrayList<>(targets);
        sorted.sort(Comparator.comparingInt(Target::serverId).thenComparingInt(Target::id));
        return interleave(spread, sorted, 0);
    }

    private static List<Target> interleave(Spread spread, List<Target> targets, int depth) {
        if (depth == Spread.levels()) {
            return targets;
        }
        Map<Integer, List<Target>> columns = new LinkedHashMap<>();
        for (Target target : targets) {
            columns.computeIfAbsent(spread.domain(depth, target.id()), _ -> new ArrayList<>())
                    .add(target);
        }
        columns.replaceAll((_, column) -> interleave(spread, column, depth + 1));
        List<Target> order = new ArrayList<>();
        for (int row = 0; order.size() < targets.size(); row++) {
            for (List<Target> column : columns.values()) {
                if (row < column.size()) {
                    order.add(column.get(row));
                }
            }
        }
        return order;
    }

    /**
     * The members of each group. There must be places for {@code replicas} copies. Takes time in
     * proportion to the groups and the racks.
     */
    static List<List<Member>> groups(Spread spread, List<Target> order, int replicas) {
        PoolPlan plan = new PoolPlan(spread, order);
        List<List<Member>> groups = new ArrayList<>();
        int count = groupCount(order.size());
        for (int group = 0; group < count; group++) {
            int head = group % order.size();
            int step = 1 + group / order.size() % Math.max(1, order.size() - 1);
            List<Integer> members = new ArrayList<>();
            while (members.size() < replicas) {
                members.add(plan.next(head, step, members));
            }
            groups.add(members.stream().map(id -> new Member(id, MemberState.SERVING)).toList());
        }
        return groups;
    }

    /** Which target is at a place of the walk that begins with a head and goes on in steps. */
    private int walked(int head, int step, int at) {
        // A step that has a common divisor with the size visits some targets only, again and again.
        long steps = (long) Math.min(at, MAX_STEPS) * step + Math.max(0, at - MAX_STEPS);
        return order.get((int) ((head + steps) % order.size())).id();
    }

    /** The first one on the way that is as far from the members as any. */
    private int next(int head, int step, List<Integer> members) {
        Beside beside = new Beside(members);
        int least = beside.least();
        for (int at = 0; at < 2 * MAX_STEPS; at++) {
            int target = walked(head, step, at);
            if (beside.closeness(site(target)) == least && beside.mayFollow(target)) {
                return target;
            }
        }
        List<Integer> rare = beside.all(least);
        return rare.get((head + step) % rare.size());
    }

    /** What may be a member beside some others. */
    private final class Beside {
        private final List<Integer> members;
        private final Set<Integer> fittings = new HashSet<>();

        Beside(List<Integer> members) {
            this.members = members;
            sites.forEach(
                    (fitting, places) -> {
                        List<Integer> all = new ArrayList<>(members);
                        all.add(places.values().iterator().next().getFirst());
                        if (spread.isMatched(all)) {
                            fittings.add(fitting);
                        }
                    });
        }

        /** As {@link Spread#closeness} for a target there that shares its server with none. */
        int closeness(Site site) {
            int sum = 0;
            for (int member : members) {
                sum += spread.domain(0, member) == site.zone() ? 1 : 0;
                sum += spread.domain(1, member) == site.rack() ? 1 : 0;
            }
            return sum;
        }

        boolean mayFollow(int target) {
            return fittings.contains(spread.fitting(target)) && isApart(target);
        }

        private boolean isApart(int target) {
            return !spread.isBeside(target, members);
        }

        /** All that may follow and are so close. */
        List<Integer> all(int closeness) {
            List<Integer> all = new ArrayList<>();
            for (int fitting : fittings) {
                sites.getOrDefault(fitting, Map.of())
                        .forEach(
                                (site, targets) -> {
                                    if (closeness(site) == closeness) {
                                        targets.stream().filter(this::isApart).forEach(all::add);
                                    }
                                });
            }
            return all;
        }

        /** How close the best place is. */
        int least() {
            int bound = fewest(zones, 0) + fewest(racks, 1);
            int least = Integer.MAX_VALUE;
            for (int fitting : fittings) {
                Map<Site, List<Integer>> places = sites.getOrDefault(fitting, Map.of());
                for (Map.Entry<Site, List<Integer>> each : places.entrySet()) {
                    int closeness = closeness(each.getKey());
                    if (closeness < least && each.getValue().stream().anyMatch(this::isApart)) {
                        least = closeness;
                    }
                    if (least == bound) {
                        return least; // Nearly always after a few.
                    }
                }
            }
            if (least == Integer.MAX_VALUE) {
                throw new IllegalArgumentException(
                        "as many replicas as servers at most, not more than " + members.size());
            }
            return least;
        }

        /** How many members are in the domain of a level that has the fewest. */
        private int fewest(Set<Integer> domains, int depth) {
            if (domains.size() > members.size()) {
                return 0;
            }
            int fewest = members.size();
            for (int domain : domains) {
                int count = 0;
                for (int member : members) {
                    count += spread.domain(depth, member) == domain ? 1 : 0;
                }
                fewest = Math.min(fewest, count);
            }
            return fewest;
        }
    }
}
