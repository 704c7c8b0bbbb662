package io.cairn.chunk.store.format;

/**
 * Blocks of a blob that are about to be changed.
 *
 * @param synced number of the last write when the blob was synced last; 0 = never, or not known
 * @param first the first of them
 * @param count how many; 0 = none that was synced
 * @param place 0 when it ends with the next sync of the blob. Else it stands until another one
 *     takes its place, one of {@value #PLACES}: these blocks are changed again and again
 */
public record Claim(long synced, int first, int count, int place) {
    /** Claims of a blob that can stand at a time. */
    public static final int PLACES = 8;

    /** Nothing is known. */
    public static final Claim NONE = new Claim(0, 0, 0);

    /** One that ends with the next sync. */
    public Claim(long synced, int first, int count) {
        this(synced, first, count, 0);
    }

    /** The smallest range of whole units that covers this one. */
    Claim widened(int unit) {
        int from = first / unit * unit;
        int end = (first + count + unit - 1) / unit * unit;
        return new Claim(synced, from, end - from);
    }

    /** The same blocks, standing. */
    Claim at(int standing) {
        return new Claim(synced, first, count, standing);
    }

    int end() {
        return first + count;
    }

    /** Whether it has all blocks of another one. */
    boolean covers(Claim other) {
        return first <= other.first && other.end() <= end();
    }
}
