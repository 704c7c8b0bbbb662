package io.cairn.master.cluster.move;

import io.cairn.cluster.Labels;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides which groups move from full targets to emptier ones. Each target gives or takes one group
 * at a time. The fullest ones come first, and each takes the emptiest one that may have one of its
 * groups. A pure function; use each object once.
 */
final class Balance {
    /** Targets whose disks are as unequally full as this are left as they are. */
    private static final double SPREAD = 0.05;

    /** So many places with the labels are tried for each target: there may be hundreds of both. */
    private static final int MAX_TRIES = 8;

    private final List<TargetView> order;
    private final Map<Integer, List<PlacementGroup>> groups = new HashMap<>();
    private final Rules rules;

    /** What may be moved where. */
    interface Rules {
        /** The labels that the targets of a group need. */
        Labels.Expression labels(PlacementGroup group);

        /** Whether a target has these labels; asked for many targets, so it is cheap. */
        boolean admits(Labels.Expression labels, TargetView to);

        /** Targets with many groups, most first, if one has room, nothing, and is in few groups. */
        List<TargetView> givers(TargetView to);

        /** Whether a group may leave one target for another one. */
        boolean mayTake(PlacementGroup group, TargetView from, TargetView to);

        /** The group with one more member. */
        PlacementGroup with(PlacementGroup group, TargetView to);
    }

    /**
     * A decision.
     *
     * @param order targets that take part, emptiest first
     * @param whole groups that lack nothing
     */
    Balance(List<TargetView> order, List<PlacementGroup> whole, Rules rules) {
        this.order = order;
        this.rules = rules;
        for (PlacementGroup group : whole) {
            for (Member member : group.members()) {
                groups.computeIfAbsent(member.targetId(), _ -> new ArrayList<>()).add(group);
            }
        }
    }

    /** Groups with a new member where there is more room. */
    List<PlacementGroup> decide() {
        List<PlacementGroup> changed = new ArrayList<>();
        Set<Integer> taking = new HashSet<>();
        for (TargetView from : order.reversed()) {
            evenOut(from, taking).ifPresent(changed::add);
        }
        for (int i = 0; i < order.size() && changed.isEmpty(); i++) {
            fillUp(order.get(i)).ifPresent(changed::add);
        }
        return changed;
    }

    private List<PlacementGroup> groupsOf(TargetView target) {
        return groups.getOrDefault(target.id(), List.of());
    }

    private Set<Labels.Expression> labels(TargetView from) {
        return groupsOf(from).stream().map(rules::labels).collect(Collectors.toSet());
    }

    /** The largest group of a full target with a new member at an emptier one. */
    private Optional<PlacementGroup> evenOut(TargetView from, Set<Integer> taking) {
        if (from.usedShare() - order.getFirst().usedShare() <= SPREAD) {
            return Optional.empty(); // Nearly always.
        }
        Set<Labels.Expression> labels = labels(from);
        int tries = 0;
        for (TargetView to : order) {
            double gap = from.usedShare() - to.usedShare();
            if (gap <= SPREAD || tries == MAX_TRIES) {
                break;
            }
            boolean mayHave = labels.stream().anyMatch(each -> rules.admits(each, to));
            if (!to.isOpen() || taking.contains(to.id()) || !mayHave) {
                continue;
            }
            tries++;
            Optional<PlacementGroup> moved =
                    groupsOf(from).stream()
                            .filter(group -> from.share(group.id()) > 0)
                            .filter(group -> from.share(group.id()) <= gap / 2)
                            .filter(group -> rules.mayTake(group, from, to))
                            .max(Comparator.comparingDouble(group -> from.share(group.id())));
            if (moved.isPresent()) {
                taking.add(to.id());
                return moved.map(group -> rules.with(group, to));
            }
        }
        return Optional.empty();
    }

    /** A group with a new member at a target that has nothing, and few places. */
    private Optional<PlacementGroup> fillUp(TargetView to) {
        return rules.givers(to).stream()
                .filter(from -> labels(from).stream().anyMatch(each -> rules.admits(each, to)))
                .limit(MAX_TRIES)
                .flatMap(
                        from ->
                                groupsOf(from).stream()
                                        .filter(group -> rules.mayTake(group, from, to)))
                .findFirst()
                .map(group -> rules.with(group, to));
    }
}
