package io.cairn.fs.quota;

/**
 * An account with a quota.
 *
 * @param used what it holds
 * @param sinceNs when it passed a soft limit, nanoseconds since 1970; 0 when it is below all
 */
public record LimitedAccount(Account account, Quota quota, Sums used, long sinceNs) {
    /** Whether a soft limit was passed longer ago than the grace time. */
    public boolean isGraceOver(long nowNs) {
        return sinceNs != 0 && (nowNs - sinceNs) / 1_000_000 >= quota.graceMs();
    }

    /** A word for people: ok, soft, graceOver, or full when a hard limit is reached. */
    public String state(long nowNs) {
        Sums hard = quota.hard();
        if (isReached(used.inodes(), hard.inodes())
                || isReached(used.lengthBytes(), hard.lengthBytes())
                || isReached(used.spaceBytes(), hard.spaceBytes())) {
            return "full";
        }
        return sinceNs == 0 ? "ok" : isGraceOver(nowNs) ? "graceOver" : "soft";
    }

    private static boolean isReached(long number, long limit) {
        return limit > 0 && Sums.compare(number, limit) >= 0;
    }

    /** The limits that hold at a time; 0 limits nothing. */
    public Sums limits(long nowNs) {
        return quota.inForce(isGraceOver(nowNs));
    }
}
