package io.cairn.cli.admin;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Reads how long a token is good. */
final class TokenTime {
    private TokenTime() {}

    /**
     * The end of a span that begins now, as in the admin API.
     *
     * @param option who tells it
     * @param text a number with m, h or d
     * @throws CommandException with USAGE when it is no span
     */
    static String end(String option, String text) {
        if (!text.matches("[1-9][0-9]{0,4}[mhd]")) {
            throw new CommandException(
                    ExitCode.USAGE, option + " '" + text + "' is no time such as 10m, 1h or 7d");
        }
        long count = Long.parseLong(text.substring(0, text.length() - 1));
        Duration span =
                switch (text.charAt(text.length() - 1)) {
                    case 'm' -> Duration.ofMinutes(count);
                    case 'h' -> Duration.ofHours(count);
                    default -> Duration.ofDays(count);
                };
        return Instant.now().plus(span).truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
