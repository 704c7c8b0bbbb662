package io.cairn.fs.quota;

/**
 * How much something holds. Immutable. Sums of lengths beyond 2^63 wrap around, so that adding and
 * subtracting stay exact; {@link #compare} takes them as unsigned.
 *
 * @param inodes files, directories and all others, each one once
 * @param lengthBytes lengths of files and of targets of symbolic links, as stat(2) shows them
 * @param spaceBytes bytes that all copies of contents occupy
 */
public record Sums(long inodes, long lengthBytes, long spaceBytes) {
    /** Nothing. */
    public static final Sums ZERO = new Sums(0, 0, 0);

    /** Both together. */
    public Sums plus(Sums other) {
        return new Sums(
                inodes + other.inodes,
                lengthBytes + other.lengthBytes,
                spaceBytes + other.spaceBytes);
    }

    /** What is left without the other. */
    public Sums minus(Sums other) {
        return new Sums(
                inodes - other.inodes,
                lengthBytes - other.lengthBytes,
                spaceBytes - other.spaceBytes);
    }

    /** Whether there is nothing. */
    public boolean isZero() {
        return inodes == 0 && lengthBytes == 0 && spaceBytes == 0;
    }

    /** Orders two numbers of one kind. */
    public static int compare(long one, long other) {
        return Long.compareUnsigned(one, other);
    }
}
