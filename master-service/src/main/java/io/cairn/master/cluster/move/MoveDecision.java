package io.cairn.master.cluster.move;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import io.cairn.master.cluster.move.TargetView.Presence;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which groups get another member and which members are no longer needed. A pure function;
 * use each object once.
 *
 * <p>A group gets a new member, SYNCING, for each one that is lost or whose target is to be emptied
 * or lacks the labels of the pool. Groups with the fewest serving members come first, and each
 * target takes part in a few copies at a time only. When as many members serve as the pool has
 * copies the others leave. When nothing else is to do groups move from full targets to emptier
 * ones, until they are about evenly full.
 *
 * <p>A target that has chunks of a group without being a member becomes one, ADOPTED: masters that
 * were set back may not know that it has the only copy. It leaves only after it has served.
 *
 * <p>These hold whatever the targets do. A group that nobody serves is left alone: which member has
 * the acknowledged bytes is not decided here. A member leaves only when as many others serve as the
 * pool has copies, and nothing of the group is damaged at one of them: else it may have the last
 * good copy of a chunk. Two in one rack or server are not as good as two: until one of them leaves,
 * a member that is away and may come back stays. Where a new member may be depends on those that
 * stay, not on the one that it replaces: that one may share its rack, or its server for the time of
 * a move between two disks. The copy of a disk that failed goes to another disk of its server only
 * when the others may not take it, are nearly full or busy.
 */
public final class MoveDecision {
    private final ClusterMap map;
    private final Map<Integer, TargetView> targets;
    private final MoveLimits limits;
    private final Map<Labels.Expression, Spread> spreads = new HashMap<>();
    private final Map<Integer, Integer> busy = new HashMap<>();
    private final Map<Integer, Integer> memberships = new HashMap<>();

    /** By group: the targets that have chunks of it, in the order of all targets. */
    private final Map<Integer, List<TargetView>> holders = new HashMap<>();

    /** Targets by how full they are; those about as full by how many groups they are in. */
    private final Comparator<Integer> byRoom =
            Comparator.comparingLong(this::fill).thenComparingInt(this::memberships);

    /**
     * A decision.
     *
     * @param targets those of the map, by their numbers
     */
    public MoveDecision(ClusterMap map, Map<Integer, TargetView> targets, MoveLimits limits) {
        this.map = map;
        this.targets = targets;
        this.limits = limits;
        for (PlacementGroup group : map.groups()) {
            for (Member member : group.members()) {
                memberships.merge(member.targetId(), 1, Integer::sum);
                if (member.state().isSyncing()) {
                    occupy(group, member.targetId());
                }
            }
        }
        for (TargetView target : targets.values()) {
            for (int group : target.chunks().keySet()) {
                if (target.holds(group)) {
                    holders.computeIfAbsent(group, _ -> new ArrayList<>()).add(target);
                }
            }
        }
    }

    private void occupy(PlacementGroup group, int targetId) {
        Member head = group.head();
        busy.merge(targetId, 1, Integer::sum);
        if (head != null) {
            busy.merge(head.targetId(), 1, Integer::sum);
        }
    }

    /**
     * The groups that change, in their next epoch.
     *
     * @param free groups that nothing else changes in this epoch
     */
    public List<PlacementGroup> decide(Predicate<PlacementGroup> free) {
        List<PlacementGroup> changed = new ArrayList<>();
        List<PlacementGroup> open = new ArrayList<>();
        for (PlacementGroup group : map.groups()) {
            if (group.head() != null && free.test(group)) {
                open.add(group);
            }
        }
        open.sort(
                Comparator.comparing((PlacementGroup group) -> !isShort(group))
                        .thenComparingInt(map::servingServers)
                        .thenComparingInt(PlacementGroup::id));
        for (PlacementGroup group : open) {
            Set<Integer> going = going(group);
            PlacementGroup next = withStrays(withoutSurplus(group, going), going);
            next = withNewcomers(next, going);
            if (!next.equals(group)) {
                changed.add(next);
            }
        }
        return changed.isEmpty() ? balanced(open) : changed;
    }

    /**
     * The members that others are to replace: those that are lost or are to be emptied, those
     * without the labels of the pool, and those that are too close to the ones before them. When
     * there is one more than there shall be, that may be because it replaces one that it is close
     * to: then the one with less room goes.
     */
    private Set<Integer> going(PlacementGroup group) {
        Set<Integer> going = new HashSet<>();
        List<Integer> rest = new ArrayList<>();
        Labels.Expression labels = labels(group);
        for (Member member : group.members()) {
            TargetView target = targets.get(member.targetId());
            if (target == null || target.isGoing() || !labels.admits(map, member.targetId())) {
                going.add(member.targetId());
            } else {
                rest.add(member.targetId());
            }
        }
        List<Integer> close = tooClose(group, rest);
        int surplus = close.isEmpty() || rest.size() <= copies(group) ? 0 : surplus(group, rest);
        going.addAll(surplus == 0 ? close : List.of(surplus));
        return going;
    }

    /** Those of some members that are too close to the ones before them. */
    private List<Integer> tooClose(PlacementGroup group, List<Integer> members) {
        Spread spread = spread(labels(group));
        int copies = copies(group);
        List<Integer> staying = new ArrayList<>();
        List<Integer> close = new ArrayList<>();
        for (int each : members) {
            (spread.mayJoin(each, staying, copies) ? staying : close).add(each);
        }
        return close;
    }

    /**
     * Which of some members leaves when one has to: the one with the least room of those without
     * which no two others are too close. 0 when there is none.
     */
    private int surplus(PlacementGroup group, List<Integer> members) {
        int worst = 0;
        for (int each : members) {
            List<Integer> others = members.stream().filter(id -> id != each).toList();
            boolean isWorse = worst == 0 || byRoom.compare(each, worst) >= 0;
            if (isWorse && tooClose(group, others).isEmpty()) {
                worst = each;
            }
        }
        return worst;
    }

    /** Whether members serve on fewer servers than its pool has copies. */
    private boolean isShort(PlacementGroup group) {
        return map.servingServers(group) < copies(group);
    }

    private int copies(PlacementGroup group) {
        Pool pool = map.pool(group.poolId());
        return pool == null ? 0 : pool.replicas();
    }

    private Labels.Expression labels(PlacementGroup group) {
        Pool pool = map.pool(group.poolId());
        return pool == null ? Labels.Expression.ANY : pool.copyLabels();
    }

    private Spread spread(Labels.Expression labels) {
        return spreads.computeIfAbsent(labels, each -> new Spread(map, each));
    }

    private static List<Member> serving(PlacementGroup group) {
        return group.members().stream().filter(m -> m.state() == MemberState.SERVING).toList();
    }

    /** The group without the members that are not needed, once enough others serve. */
    private PlacementGroup withoutSurplus(PlacementGroup group, Set<Integer> going) {
        int copies = copies(group);
        List<Member> kept =
                serving(group).stream()
                        .sorted(
                                Comparator.comparing((Member m) -> going.contains(m.targetId()))
                                        .thenComparing(Member::targetId, byRoom))
                        .limit(copies)
                        .toList();
        if (kept.size() < copies || copies == 0 || !isSound(group)) {
            return group;
        }
        long leaving = kept.stream().filter(m -> going.contains(m.targetId())).count();
        long wanted = Math.max(leaving, evens(group, kept) ? 1 : 0);
        Set<Member> staying = new HashSet<>(kept);
        for (Member member : group.members()) {
            boolean mayStay = !going.contains(member.targetId()) && wanted > 0;
            if (member.state() == MemberState.ADOPTED) {
                staying.add(member);
            } else if (mayStay && isAwaited(member, group, kept)) {
                staying.add(member);
                wanted--;
            }
        }
        List<Member> next = without(group.members(), staying, copies);
        return next.size() == group.members().size() ? group : group.moved(epoch(), next);
    }

    /** Whether a member that syncs, or is away, may be better than one of those that are kept. */
    private boolean isAwaited(Member member, PlacementGroup group, List<Member> kept) {
        List<Integer> ids = kept.stream().map(Member::targetId).toList();
        return member.state() == MemberState.SYNCING
                || (member.state() == MemberState.OFFLINE && !tooClose(group, ids).isEmpty());
    }

    /** Those that stay, in order; the last ones move up to the places that others leave. */
    private static List<Member> without(List<Member> members, Set<Member> staying, int copies) {
        List<Member> next = new ArrayList<>(members.subList(0, Math.min(copies, members.size())));
        List<Member> later =
                new ArrayList<>(
                        members.subList(next.size(), members.size()).stream()
                                .filter(staying::contains)
                                .toList());
        for (int i = 0; i < next.size(); i++) {
            if (!staying.contains(next.get(i)) && !later.isEmpty()) {
                next.set(i, later.removeFirst());
            }
        }
        next.removeIf(member -> !staying.contains(member));
        next.addAll(later);
        return next;
    }

    /** Whether it is known that nothing of a group is damaged at any member that is here. */
    private boolean isSound(PlacementGroup group) {
        for (Member member : group.members()) {
            TargetView target = targets.get(member.targetId());
            boolean sound =
                    target != null
                            && target.presence() == Presence.HERE
                            && target.isSound(group.id());
            if (member.state() == MemberState.SERVING && !sound) {
                return false;
            }
        }
        return true;
    }

    /**
     * The group with the targets that have chunks of it and are no members. Masters that were set
     * back do not know them, or a disk is back after it was given up. Nobody else may have these
     * chunks, so each becomes a member, and leaves after it has served.
     */
    private PlacementGroup withStrays(PlacementGroup group, Set<Integer> going) {
        List<Member> members = new ArrayList<>(group.members());
        for (TargetView target : holders.getOrDefault(group.id(), List.of())) {
            Member head = group.head();
            if (target.presence() == Presence.HERE
                    && head != null
                    && !isBusy(head.targetId())
                    && !isBusy(target.id())
                    && !group.left().contains(target.id())
                    && isAlone(target, members, going)) {
                members.add(new Member(target.id(), MemberState.ADOPTED));
                occupy(group, target.id());
                memberships.merge(target.id(), 1, Integer::sum);
            }
        }
        return members.size() == group.members().size() ? group : group.moved(epoch(), members);
    }

    /** The group with new members for those that are going, as far as there are places. */
    private PlacementGroup withNewcomers(PlacementGroup group, Set<Integer> going) {
        List<Member> members = new ArrayList<>(group.members());
        long counted = members.stream().filter(m -> !going.contains(m.targetId())).count();
        for (long missing = copies(group) - counted; missing > 0; missing--) {
            TargetView place = place(group, members, going);
            if (place == null) {
                break;
            }
            members.add(new Member(place.id(), MemberState.SYNCING));
            occupy(group, place.id());
            memberships.merge(place.id(), 1, Integer::sum);
        }
        return members.size() == group.members().size() ? group : group.moved(epoch(), members);
    }

    /** The best target for one more member, or null. */
    private @Nullable TargetView place(
            PlacementGroup group, List<Member> members, Set<Integer> going) {
        Member head = group.head();
        if (head == null || isBusy(head.targetId())) {
            return null;
        }
        List<Integer> others =
                members.stream().map(Member::targetId).filter(id -> !going.contains(id)).toList();
        return targets.values().stream()
                .filter(target -> target.isOpen() && !isBusy(target.id()))
                .filter(target -> !target.holds(group.id())) // A stray: not before it is adopted.
                .filter(target -> !group.left().contains(target.id()))
                .filter(target -> fits(target, members, going, group))
                .min(
                        Comparator.comparing((TargetView target) -> isNearlyFull(target.id()))
                                .thenComparingInt(target -> closeness(group, target, others))
                                .thenComparing(target -> isBesideLost(target, members))
                                .thenComparing(TargetView::id, byRoom)
                                .thenComparingInt(TargetView::id))
                .orElse(null);
    }

    /** How close a target is to others where labels, and not racks, say where copies lie. */
    private int closeness(PlacementGroup group, TargetView target, List<Integer> others) {
        Spread spread = spread(labels(group));
        return spread.isPerCopy() ? spread.closeness(target.id(), others) : 0;
    }

    /** Whether a copy might not fit: one that fills its disk waits there for ever. */
    private boolean isNearlyFull(int targetId) {
        Target target = map.target(targetId);
        return target == null || target.full();
    }

    /** Whether a target shares its server with a member that failed: the next to fail, perhaps. */
    private boolean isBesideLost(TargetView target, List<Member> members) {
        for (Member member : members) {
            TargetView other = targets.get(member.targetId());
            if (member.state() == MemberState.OFFLINE
                    && other != null
                    && other.serverId() == target.serverId()) {
                return true;
            }
        }
        return false;
    }

    /** How full a target is, in steps that are not worth a difference. */
    private long fill(int targetId) {
        TargetView target = targets.get(targetId);
        return target == null ? 50 : Math.round(target.usedShare() * 50);
    }

    /**
     * Whether a target may be a member beside those that stay or may come back. It has the labels
     * of the pool.
     */
    private boolean fits(
            TargetView target, List<Member> members, Set<Integer> going, PlacementGroup group) {
        List<Integer> others =
                members.stream().map(Member::targetId).filter(id -> !going.contains(id)).toList();
        Labels.Expression labels = labels(group);
        return isAlone(target, members, going)
                && labels.admits(map, target.id())
                && spread(labels).mayJoin(target.id(), others, copies(group));
    }

    /** Whether no member that stays, or may come back, is on the server of a target. */
    private boolean isAlone(TargetView target, List<Member> members, Set<Integer> going) {
        for (Member member : members) {
            TargetView other = targets.get(member.targetId());
            boolean beside = other != null && other.serverId() == target.serverId();
            boolean stays = !going.contains(member.targetId());
            if (member.targetId() == target.id() || (stays && beside)) {
                return false;
            }
        }
        return true;
    }

    private boolean isBusy(int targetId) {
        return busy.getOrDefault(targetId, 0) >= limits.parallel();
    }

    private int memberships(int targetId) {
        return memberships.getOrDefault(targetId, 0);
    }

    /** When nothing else is to do: groups that get a member where there is more room. */
    private List<PlacementGroup> balanced(List<PlacementGroup> open) {
        Set<Integer> unsettled = new HashSet<>(); // What is known of their room is not true yet.
        for (PlacementGroup group : map.groups()) {
            unsettled.addAll(group.left());
            if (group.isSyncing()) {
                group.members().forEach(member -> unsettled.add(member.targetId()));
            }
        }
        List<TargetView> order =
                targets.values().stream()
                        .filter(target -> target.mayGive() && !unsettled.contains(target.id()))
                        .sorted(Comparator.comparingDouble(TargetView::usedShare))
                        .toList();
        List<PlacementGroup> whole = open.stream().filter(this::isWhole).toList();
        return new Balance(order, whole, new Rules()).decide();
    }

    /** What may be moved where. */
    private final class Rules implements Balance.Rules {
        private final Map<Labels.Expression, Map<Integer, Boolean>> admitted = new HashMap<>();
        private final long all = memberships.values().stream().mapToInt(Integer::intValue).sum();
        private final List<TargetView> usual =
                targets.values().stream()
                        .filter(TargetView::mayGive)
                        .sorted(Comparator.comparingInt(each -> -memberships(each.id())))
                        .toList();

        @Override
        public Labels.Expression labels(PlacementGroup group) {
            return MoveDecision.this.labels(group);
        }

        @Override
        public boolean admits(Labels.Expression labels, TargetView to) {
            return admitted.computeIfAbsent(labels, _ -> new HashMap<>())
                    .computeIfAbsent(to.id(), id -> labels.admits(map, id));
        }

        @Override
        public List<TargetView> givers(TargetView to) {
            boolean isUsual = 2L * memberships(to.id()) * usual.size() >= all;
            return !to.isOpen() || to.chunkCount() > 0 || isUsual
                    ? List.of()
                    : usual.stream()
                            .filter(from -> memberships(from.id()) > memberships(to.id()) + 1)
                            .toList();
        }

        @Override
        public boolean mayTake(PlacementGroup group, TargetView from, TargetView to) {
            return MoveDecision.this.mayTake(group, from, to);
        }

        @Override
        public PlacementGroup with(PlacementGroup group, TargetView to) {
            List<Member> members = new ArrayList<>(group.members());
            members.add(new Member(to.id(), MemberState.SYNCING));
            return group.moved(epoch(), members);
        }
    }

    /** The one that takes must be the better one also later, when one of all has to leave. */
    private boolean mayTake(PlacementGroup group, TargetView from, TargetView to) {
        if (to.holds(group.id())
                || group.left().contains(to.id())
                || !isAlone(to, group.members(), Set.of(from.id()))
                || !labels(group).admits(map, to.id())) {
            return false;
        }
        List<Integer> all = new ArrayList<>();
        group.members().forEach(member -> all.add(member.targetId()));
        List<Integer> others = all.stream().filter(id -> id != from.id()).toList();
        all.add(to.id());
        return surplus(group, all) == from.id()
                && closeness(group, to, others) <= closeness(group, from, others);
    }

    private boolean isWhole(PlacementGroup group) {
        return group.isComplete()
                && group.members().size() == copies(group)
                && going(group).isEmpty()
                && isSound(group);
    }

    /** Whether a member that syncs beside enough others takes the place of one with less room. */
    private boolean evens(PlacementGroup group, List<Member> kept) {
        for (Member member : group.members()) {
            if (member.state() == MemberState.SYNCING
                    && kept.stream()
                            .anyMatch(k -> byRoom.compare(member.targetId(), k.targetId()) < 0)) {
                return true;
            }
        }
        return false;
    }

    private long epoch() {
        return map.epoch() + 1;
    }
}
