package io.cairn.master.cluster;

import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How the groups of a new pool spread over its targets. Every target heads as many groups as any
 * other. The partners of a target change from group to group, so that its load falls on all others
 * when it is lost. Members of a group are on distinct servers.
 */
final class PoolPlan {
    /** Groups that each target heads. */
    static final int GROUPS_PER_TARGET = 8;

    private PoolPlan() {}

    /** The targets in an order in which neighbours are on different servers as far as possible. */
    static List<Target> interleave(List<Target> targets) {
        Map<Integer, List<Target>> byServer = new TreeMap<>();
        targets.stream()
                .sorted(Comparator.comparingInt(Target::id))
                .forEach(
                        t -> byServer.computeIfAbsent(t.serverId(), s -> new ArrayList<>()).add(t));
        List<Target> order = new ArrayList<>();
        for (int row = 0; order.size() < targets.size(); row++) {
            for (List<Target> column : byServer.values()) {
                if (row < column.size()) {
                    order.add(column.get(row));
                }
            }
        }
        return order;
    }

    /** The members of each group. The targets must be on at least {@code replicas} servers. */
    static List<List<Member>> groups(List<Target> order, int replicas) {
        List<List<Member>> groups = new ArrayList<>();
        int count = order.size() * GROUPS_PER_TARGET;
        for (int group = 0; group < count; group++) {
            int head = group % order.size();
            int step = 1 + group / order.size() % Math.max(1, order.size() - 1);
            groups.add(members(order, head, step, replicas));
        }
        return groups;
    }

    private static List<Member> members(List<Target> order, int head, int step, int replicas) {
        List<Member> members = new ArrayList<>();
        Set<Integer> usedServers = new HashSet<>();
        int at = head;
        for (int visited = 0; members.size() < replicas; visited++) {
            if (visited > 2 * order.size() * order.size()) {
                throw new IllegalArgumentException(
                        replicas + " replicas need targets on as many servers: " + order);
            }
            Target target = order.get(at);
            if (usedServers.add(target.serverId())) {
                members.add(new Member(target.id(), MemberState.SERVING));
            }
            // A step that has a common divisor with the size would visit some targets only.
            at = (at + (visited < order.size() ? step : 1)) % order.size();
        }
        return List.copyOf(members);
    }
}
