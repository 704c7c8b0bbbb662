package io.cairn.master.cluster;

import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * How the groups of a new pool spread over its targets. Every target heads as many groups as any
 * other. The partners of a target change from group to group, so that its load falls on all others
 * when it is lost. Members of a group are on distinct servers, and in distinct racks and zones as
 * far as possible ({@link Spread}).
 */
final class PoolPlan {
    /** Groups that each target heads. */
    static final int GROUPS_PER_TARGET = 8;

    private PoolPlan() {}

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

    /** The members of each group. There must be places for {@code replicas} copies. */
    static List<List<Member>> groups(Spread spread, List<Target> order, int replicas) {
        List<List<Member>> groups = new ArrayList<>();
        int count = order.size() * GROUPS_PER_TARGET;
        for (int group = 0; group < count; group++) {
            int head = group % order.size();
            int step = 1 + group / order.size() % Math.max(1, order.size() - 1);
            List<Integer> members = new ArrayList<>();
            while (members.size() < replicas) {
                members.add(next(spread, walk(order, head, step), members));
            }
            groups.add(members.stream().map(id -> new Member(id, MemberState.SERVING)).toList());
        }
        return groups;
    }

    /** All targets, each once or twice, beginning with one and at first in steps. */
    private static IntStream walk(List<Target> order, int head, int step) {
        int size = order.size();
        // A step that has a common divisor with the size would visit some targets only.
        return IntStream.range(0, 2 * size)
                .mapToLong(i -> i < size ? head + (long) i * step : head + (long) size * step + i)
                .mapToInt(at -> order.get((int) (at % size)).id());
    }

    private static boolean mayFollow(Spread spread, int target, List<Integer> members) {
        return spread.isPerCopy()
                ? spread.mayJoin(target, members, members.size() + 1)
                : !spread.isBeside(target, members);
    }

    /** The first one on the way that is as far from the members as any. */
    private static int next(Spread spread, IntStream walk, List<Integer> members) {
        int best = 0;
        int closest = Integer.MAX_VALUE;
        for (int target : (Iterable<Integer>) walk::iterator) {
            int closeness = spread.closeness(target, members);
            if (closeness < closest && mayFollow(spread, target, members)) {
                best = target;
                closest = closeness;
            }
            if (closest == 0) {
                return best;
            }
        }
        if (best == 0) {
            throw new IllegalArgumentException(
                    "as many replicas as servers at most, not more than " + members.size());
        }
        return best;
    }
}
