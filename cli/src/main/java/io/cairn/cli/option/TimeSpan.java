package io.cairn.cli.option;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as people write them: {@code 90s}, {@code 30m}, {@code 2h}, {@code 7d}. */
public final class TimeSpan {
    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,8})([smhd])");
    private static final Map<String, Long> UNITS =
            Map.of("s", 1L, "m", 60L, "h", 3600L, "d", 86_400L);

    private TimeSpan() {}

    /** The seconds; fails with USAGE. */
    public static long seconds(String option, String text) {
        Matcher matcher = FORM.matcher(text.strip());
        Long unit = matcher.matches() ? UNITS.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new CommandException(
                    ExitCode.USAGE,
                    option + " '" + text + "' is not a time such as 90s, 30m, 2h or 1d");
        }
        return Long.parseLong(matcher.group(1)) * unit;
    }
}
