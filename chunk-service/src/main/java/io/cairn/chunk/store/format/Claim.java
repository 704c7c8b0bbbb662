package io.cairn.chunk.store.format;

/**
 * Blocks of a blob that are about to be changed.
 *
 * @param synced number of the last write when the blob was synced last; 0 = never, or not known
 * @param first the first of them
 * @param count how many; 0 = none that was synced
 */
public record Claim(long synced, int first, int count) {
    /** Nothing is known. */
    public static final Claim NONE = new Claim(0, 0, 0);

    /** The smallest range of whole units that covers this one. */
    Claim widened(int unit) {
        int from = first / unit * unit;
        int end = (first + count + unit - 1) / unit * unit;
        return new Claim(synced, from, end - from);
    }
}
