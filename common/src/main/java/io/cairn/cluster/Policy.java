package io.cairn.cluster;

/**
 * Wishes of a directory (or file) for the layout of new contents; files and directories made in a
 * directory inherit its policy. A zero or negative field means "as the parent at that time / the
 * cluster's standard".
 *
 * @param replicas copies, 1..15; 0 = the cluster's standard
 * @param chunkSizeLog2 16..26; 0 = {@link Layout#STANDARD_CHUNK_SIZE_LOG2}
 * @param stripeWidth placement groups in turn, 0 = all; -1 = the cluster's standard (all)
 */
public record Policy(int replicas, int chunkSizeLog2, int stripeWidth) {
    /** Asks for nothing in particular. */
    public static final Policy STANDARD = new Policy(0, 0, -1);

    /** Largest number of replicas. */
    public static final int MAX_REPLICAS = 15;

    /** This policy where it says something, else {@code parent}. */
    public Policy orElse(Policy parent) {
        return new Policy(
                replicas > 0 ? replicas : parent.replicas,
                chunkSizeLog2 > 0 ? chunkSizeLog2 : parent.chunkSizeLog2,
                stripeWidth >= 0 ? stripeWidth : parent.stripeWidth);
    }
}
