package io.cairn.master.cluster.move;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is still to be copied. Bytes are estimated: chunks that are missing, times the space that a
 * chunk takes on average.
 *
 * @param repairing groups that serve and are short of a copy
 * @param moving groups that have all their copies and get another member
 * @param bytesLeft of both
 * @param bytesPerSecond how fast these have become fewer lately; 0 when that is not known
 */
public record MoveProgress(long repairing, long moving, long bytesLeft, long bytesPerSecond) {
    /** Nothing. */
    public static final MoveProgress NONE = new MoveProgress(0, 0, 0, 0);

    /**
     * That of a map.
     *
     * @param chunkBytes what a chunk takes on average
     */
    public static MoveProgress of(
            ClusterMap map, Map<Integer, TargetView> targets, long chunkBytes) {
        long repairing = 0;
        long moving = 0;
        long chunks = 0;
        for (PlacementGroup group : map.groups()) {
            Member head = group.head();
            if (head == null || (!map.isShort(group) && !group.isSyncing())) {
                continue;
            }
            repairing += map.isShort(group) ? 1 : 0;
            moving += map.isShort(group) ? 0 : 1;
            long all = chunks(targets, head, group.id());
            boolean begun = false;
            for (Member member : group.members()) {
                if (member.state().isSyncing()) {
                    chunks += Math.max(0, all - chunks(targets, member, group.id()));
                    begun = true;
                }
            }
            chunks += begun ? 0 : all;
        }
        return new MoveProgress(repairing, moving, chunks * chunkBytes, 0);
    }

    private static long chunks(Map<Integer, TargetView> targets, Member member, int group) {
        TargetView target = targets.get(member.targetId());
        return target == null ? 0 : target.chunks().getOrDefault(group, 0L);
    }

    /** The same at a speed. */
    public MoveProgress at(long perSecond) {
        return new MoveProgress(repairing, moving, bytesLeft, perSecond);
    }

    /** How long it takes still; null when that is not known. */
    public @Nullable Long secondsLeft() {
        return bytesPerSecond <= 0 ? null : bytesLeft / bytesPerSecond;
    }
}
