package io.cairn.admin.snapshot;

import io.cairn.fs.Name;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How often a snapshot is taken. Each period begins at a moment of UTC, which its name tells. */
enum Cadence {
    HOURLY,
    DAILY,
    /** On Mondays. */
    WEEKLY,
    /** On the first of each month. */
    MONTHLY;

    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm'Z'", Locale.ROOT);

    /** The word for it: {@code hourly}. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** When the period began that a time is in. */
    Instant momentAt(Instant time) {
        ZonedDateTime at = time.atZone(ZoneOffset.UTC);
        ZonedDateTime day = at.truncatedTo(ChronoUnit.DAYS);
        ZonedDateTime moment =
                switch (this) {
                    case HOURLY -> at.truncatedTo(ChronoUnit.HOURS);
                    case DAILY -> day;
                    case WEEKLY -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
                    case MONTHLY -> day.withDayOfMonth(1);
                };
        return moment.toInstant();
    }

    /** When the next period begins after a time. */
    Instant after(Instant time) {
        ZonedDateTime moment = momentAt(time).atZone(ZoneOffset.UTC);
        ZonedDateTime next =
                switch (this) {
                    case HOURLY -> moment.plusHours(1);
                    case DAILY -> moment.plusDays(1);
                    case WEEKLY -> moment.plusWeeks(1);
                    case MONTHLY -> moment.plusMonths(1);
                };
        return next.toInstant();
    }

    /** The name of the snapshot of a moment: {@code hourly-2026-11-28T18:00Z}. */
    Name nameOf(Instant moment) {
        return Name.of(text() + "-" + MINUTE.format(moment.atOffset(ZoneOffset.UTC)));
    }

    /** The moment that a name tells; null when it is not such a name. */
    @Nullable Instant momentOf(Name name) {
        String text = name.toString();
        String prefix = text() + "-";
        if (!text.startsWith(prefix)) {
            return null;
        }
        try {
            LocalDateTime at = LocalDateTime.parse(text.substring(prefix.length()), MINUTE);
            Instant moment = at.toInstant(ZoneOffset.UTC);
            boolean isIts = momentAt(moment).equals(moment) && nameOf(moment).equals(name);
            return isIts ? moment : null;
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
