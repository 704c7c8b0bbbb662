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

    /** Whether all fields are within their ranges. */
    public boolean isPossible() {
        boolean chunkSizeIsPossible =
                chunkSizeLog2 == 0
                        || (chunkSizeLog2 >= Layout.MIN_CHUNK_SIZE_LOG2
                                && chunkSizeLog2 <= Layout.MAX_CHUNK_SIZE_LOG2);
        return replicas >= 0
                && replicas <= MAX_REPLICAS
                && chunkSizeIsPossible
                && stripeWidth >= -1;
    }

    /** This policy where it says something, else {@code parent}. */
    public Policy orElse(Policy parent) {
        return new Policy(
                replicas > 0 ? replicas : parent.replicas,
                chunkSizeLog2 > 0 ? chunkSizeLog2 : parent.chunkSizeLog2,
                stripeWidth >= 0 ? stripeWidth : parent.stripeWidth);
    }

    /**
     * A named policy that directories refer to. What it does not say is as without it.
     *
     * @param name 1 to {@value #MAX_NAME_CHARS} of a-z, 0-9, dot, dash and underscore; begins with
     *     a letter or a digit
     * @param policy what new files below such a directory ask for; comes before the policies of the
     *     directories
     * @param trashSeconds how long removed files are kept; 0 not at all, {@link #UNSAID} when it
     *     does not say
     */
    public record StorageClass(String name, Policy policy, long trashSeconds) {
        public static final int MAX_NAME_CHARS = 64;

        /** Stands for a time that the class does not say. */
        public static final long UNSAID = -1;

        /** Whether a class may be called so. */
        public static boolean isName(String text) {
            return text.matches("[a-z0-9][a-z0-9._-]{0," + (MAX_NAME_CHARS - 1) + "}");
        }
    }
}
