package io.cairn.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The unit of replication: targets that hold the same chunks.
 *
 * @param id number, from 1
 * @param poolId its pool
 * @param epoch grows with every change of the members; requests and servers must agree on it
 * @param unbrokenSince epoch since when there was always a serving member that had not lost its
 *     memory: an acknowledged write of this epoch or a later one is there, flushed or not. Writes
 *     acknowledged before may have gone with the power of all members
 * @param unbrokenBefore what that epoch was before: between it and {@code unbrokenSince} nothing
 *     was lost, so that of two writes acknowledged then the later one is there only with the other
 * @param members in order; the first SERVING one is the head. While one takes the place of another
 *     they are more than the copies of the pool
 * @param left targets that were members and may still have chunks of the group, which they shall
 *     delete; none of them becomes a member before it has
 */
public record PlacementGroup(
        int id,
        int poolId,
        long epoch,
        long unbrokenSince,
        long unbrokenBefore,
        List<Member> members,
        List<Integer> left)
        implements Table.Numbered {
    /** One target of a group. */
    public record Member(int targetId, MemberState state) {}

    /** A new group. */
    public PlacementGroup(int id, int poolId, long epoch, List<Member> members) {
        this(id, poolId, epoch, epoch, epoch, members, List.of());
    }

    /**
     * The group in its next epoch.
     *
     * @param broken whether all who served lost their memory
     */
    public PlacementGroup next(long nextEpoch, boolean broken, List<Member> nextMembers) {
        return new PlacementGroup(
                id,
                poolId,
                nextEpoch,
                broken ? nextEpoch : unbrokenSince,
                broken ? unbrokenSince : unbrokenBefore,
                nextMembers,
                left);
    }

    /** The group in its next epoch with other targets; those that it had before have left. */
    public PlacementGroup moved(long nextEpoch, List<Member> nextMembers) {
        PlacementGroup next = next(nextEpoch, false, nextMembers);
        List<Integer> gone = new ArrayList<>(left);
        for (Member member : members) {
            if (next.stateOf(member.targetId) == null) {
                gone.add(member.targetId);
            }
        }
        return next.withLeft(gone);
    }

    /**
     * The same group, in the same epoch, when other targets have still to delete what they have of
     * it.
     */
    public PlacementGroup withLeft(List<Integer> targets) {
        return new PlacementGroup(
                id, poolId, epoch, unbrokenSince, unbrokenBefore, members, List.copyOf(targets));
    }

    /** The target that orders the writes, or null when none is serving. */
    public @Nullable Member head() {
        for (Member member : members) {
            if (member.state == MemberState.SERVING) {
                return member;
            }
        }
        return null;
    }

    /**
     * The group in its next epoch with a target behind the others; null when none of them serves.
     */
    public @Nullable PlacementGroup headedByOthers(int targetId, long nextEpoch) {
        List<Member> order = new ArrayList<>(members);
        order.removeIf(member -> member.targetId == targetId);
        boolean serves = order.stream().anyMatch(m -> m.state == MemberState.SERVING);
        members.stream().filter(member -> member.targetId == targetId).forEach(order::add);
        return serves ? next(nextEpoch, false, order) : null;
    }

    /** The group in its next epoch with a member before the others. */
    public PlacementGroup headedBy(int targetId, long nextEpoch) {
        List<Member> order = new ArrayList<>(members);
        order.removeIf(member -> member.targetId != targetId);
        members.stream().filter(member -> member.targetId != targetId).forEach(order::add);
        return next(nextEpoch, false, order);
    }

    /** Whether another one has the same targets in the same order, whatever their states. */
    boolean hasMembersOf(PlacementGroup other) {
        boolean same = members.size() == other.members.size();
        for (int i = 0; same && i < members.size(); i++) {
            same = members.get(i).targetId == other.members.get(i).targetId;
        }
        return same;
    }

    /** Whether all members serve: no copy is missing or behind. */
    public boolean isComplete() {
        return members.stream().allMatch(member -> member.state == MemberState.SERVING);
    }

    /** Whether a member is being brought up to date. */
    public boolean isSyncing() {
        return members.stream().anyMatch(member -> member.state.isSyncing());
    }

    /** Whether a target must receive every write: it serves or syncs. */
    public boolean isCurrent(int targetId) {
        MemberState state = stateOf(targetId);
        return state != null && (state == MemberState.SERVING || state.isSyncing());
    }

    /** The state of a target in this group, or null when it is not a member. */
    public @Nullable MemberState stateOf(int targetId) {
        for (Member member : members) {
            if (member.targetId == targetId) {
                return member.state;
            }
        }
        return null;
    }
}
