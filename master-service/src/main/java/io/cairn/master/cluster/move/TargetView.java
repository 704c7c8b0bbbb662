package io.cairn.master.cluster.move;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A target as the leader sees it.
 *
 * @param id its number in the map
 * @param serverId its server; 0 when nobody has it
 * @param presence whether it is there
 * @param leaving whether it is to be emptied: its members move elsewhere, and none comes
 * @param capacityBytes size of its disk, less the reserve; 0 when its room is not to be changed
 * @param freeBytes what may still be written
 * @param chunks how many chunks it has of each group that it has any of
 * @param damaged groups of which something is damaged there; null when they are not all known
 */
public record TargetView(
        int id,
        int serverId,
        Presence presence,
        boolean leaving,
        long capacityBytes,
        long freeBytes,
        Map<Integer, Long> chunks,
        @Nullable Set<Integer> damaged) {
    /** Whether a target is there. */
    public enum Presence {
        /** Its server is alive and its disk works. */
        HERE,
        /** It may come back soon: nothing is done about it yet. */
        AWAY,
        /** It failed, or is away for longer than the grace time. */
        LOST
    }

    /** Whether it can take another member. */
    boolean isOpen() {
        return presence == Presence.HERE && !leaving && freeBytes > 0;
    }

    /** Whether it may give members to emptier ones: also one that is full. */
    boolean mayGive() {
        return presence == Presence.HERE && !leaving && capacityBytes > 0;
    }

    /** Whether its members are to be made anew elsewhere. */
    boolean isGoing() {
        return leaving || presence == Presence.LOST;
    }

    /** Whether it is known that nothing of a group is damaged there. */
    boolean isSound(int group) {
        return damaged != null && !damaged.contains(group);
    }

    /** Whether it has chunks of a group, as far as that is known. */
    boolean holds(int group) {
        return chunks.getOrDefault(group, 0L) > 0;
    }

    /** How many chunks it has. */
    long chunkCount() {
        return chunks.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Which part of its disk a group takes, as far as that is known, 0 to 1. */
    double share(int group) {
        long all = chunkCount();
        return all == 0 ? 0 : usedShare() * chunks.getOrDefault(group, 0L) / all;
    }

    /** How full its disk is, 0 to 1. */
    double usedShare() {
        return capacityBytes <= 0 ? 1 : 1 - (double) freeBytes / capacityBytes;
    }
}
