package io.cairn.fs.quota;

/**
 * How much an account may hold. A number of 0 limits nothing. Immutable.
 *
 * @param soft beyond these a warning is given, and after the grace time nothing more is taken
 * @param hard beyond these nothing is taken
 * @param graceMs how long the soft limits may be passed, in milliseconds
 */
public record Quota(Sums soft, Sums hard, long graceMs) {
    /** No limit at all. */
    public static final Quota NONE = new Quota(Sums.ZERO, Sums.ZERO, 0);

    /** The grace time unless told: a week, in milliseconds. */
    public static final long STANDARD_GRACE_MS = 7 * 86_400_000L;

    /** Whether it limits nothing. */
    public boolean isNone() {
        return soft.isZero() && hard.isZero();
    }

    /** Whether its numbers make sense: none negative, no soft limit above the hard one. */
    public boolean isPossible() {
        return graceMs >= 0
                && isOrdered(soft.inodes(), hard.inodes())
                && isOrdered(soft.lengthBytes(), hard.lengthBytes())
                && isOrdered(soft.spaceBytes(), hard.spaceBytes());
    }

    private static boolean isOrdered(long softLimit, long hardLimit) {
        return softLimit >= 0 && hardLimit >= 0 && (hardLimit == 0 || softLimit <= hardLimit);
    }

    /** Whether some number is above a limit. */
    public static boolean isAbove(Sums used, Sums limits) {
        return isAbove(used.inodes(), limits.inodes())
                || isAbove(used.lengthBytes(), limits.lengthBytes())
                || isAbove(used.spaceBytes(), limits.spaceBytes());
    }

    /** Whether a number is above its limit; 0 limits nothing. */
    public static boolean isAbove(long used, long limit) {
        return limit > 0 && Sums.compare(used, limit) > 0;
    }

    /** The limits that hold: the soft ones once their grace time is over. */
    public Sums inForce(boolean graceIsOver) {
        return graceIsOver
                ? new Sums(
                        lower(soft.inodes(), hard.inodes()),
                        lower(soft.lengthBytes(), hard.lengthBytes()),
                        lower(soft.spaceBytes(), hard.spaceBytes()))
                : hard;
    }

    private static long lower(long softLimit, long hardLimit) {
        return softLimit > 0 ? softLimit : hardLimit;
    }
}
