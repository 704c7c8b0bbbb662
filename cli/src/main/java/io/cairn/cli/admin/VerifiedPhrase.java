package io.cairn.cli.admin;

import io.cairn.base.Wording;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Since when copies are verified, in words. */
final class VerifiedPhrase {
    private static final long MINUTE_S = 60;
    private static final long HOUR_S = 3_600;
    private static final long DAY_S = 24 * HOUR_S;

    private VerifiedPhrase() {}

    /** The words for a document of the API; null when it tells of no disk. */
    static @Nullable String of(@Nullable Object document) {
        if (!(document instanceof Map<?, ?> verified)) {
            return null;
        }
        long open = verified.get("unverified") instanceof Number number ? number.longValue() : 0;
        String disks = open == 0 ? "" : Wording.count(open, "disk") + " not verified yet";
        if (!(verified.get("secondsAgo") instanceof Number seconds)) {
            return disks.isEmpty() ? null : disks;
        }
        return "the oldest copy was verified "
                + age(seconds.longValue())
                + " ago"
                + (disks.isEmpty() ? "" : "; " + disks);
    }

    private static String age(long seconds) {
        if (seconds < 2 * MINUTE_S) {
            return Wording.count(seconds, "second");
        }
        if (seconds < 2 * HOUR_S) {
            return Wording.count(seconds / MINUTE_S, "minute");
        }
        return seconds < 2 * DAY_S
                ? Wording.count(seconds / HOUR_S, "hour")
                : Wording.count(seconds / DAY_S, "day");
    }
}
