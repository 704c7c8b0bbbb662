package io.cairn.fs.quota;

/**
 * How much a file grows. Immutable.
 *
 * @param lengthBytes by so much its end moves, with the hole between the present end and what is
 *     written; 0 or more
 * @param storedBytes so many bytes are stored where none were, in one copy; 0 or more
 */
public record Growth(long lengthBytes, long storedBytes) {
    /** Not at all. */
    public static final Growth NONE = new Growth(0, 0);

    /** Whether it is none: somebody sent a number below 0. */
    public boolean isImpossible() {
        return lengthBytes < 0 || storedBytes < 0;
    }

    /** Both together. */
    public Growth plus(Growth other) {
        return new Growth(lengthBytes + other.lengthBytes, storedBytes + other.storedBytes);
    }
}
