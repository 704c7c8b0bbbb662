package io.cairn.cli.api;

import io.cairn.base.Printable;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Values of JSON documents as people read them. The unit is the end of the field's name: {@code
 * freeBytes}, {@code leaseMs}, {@code orderedAt}. Control characters, which names of files may
 * hold, never reach the terminal. Immutable.
 */
public final class Values {
    private static final String BYTES = "Bytes";
    private static final String RATE = "BytesPerSecond";
    private static final int MAX_EXACT_MS = 1000;
    private static final int FEW_MS = 10;

    private final LongFunction<String> sizes;

    /**
     * Values with sizes written as told.
     *
     * @param sizes what to write for so many bytes
     */
    public Values(LongFunction<String> sizes) {
        this.sizes = sizes;
    }

    /** One line for a value; {@code -} for none. */
    public String text(String field, @Nullable Object value) {
        return switch (value) {
            case null -> "-";
            case Boolean flag -> flag ? "yes" : "no";
            case Number number -> number(field, number);
            case String text when isTime(field) -> time(text);
            case String text -> text.isEmpty() ? "-" : Printable.of(text);
            case List<?> list -> list(field, list);
            case Map<?, ?> map -> map(map);
            default -> Printable.of(value.toString());
        };
    }

    private static boolean isTime(String field) {
        return field.endsWith("At") || field.equals("at") || field.equals("since");
    }

    private String number(String field, Number number) {
        if (field.endsWith(RATE)) {
            return sizes.apply(number.longValue()) + "/s";
        }
        if (field.endsWith(BYTES)) {
            return sizes.apply(number.longValue());
        }
        if (field.endsWith("Ms")) {
            double ms = number.doubleValue();
            return ms > 0 && ms < FEW_MS && ms != Math.rint(ms)
                    ? String.format(Locale.ROOT, "%.2g ms", ms)
                    : duration(Math.round(ms));
        }
        if (number instanceof Double || number instanceof Float) {
            return String.format(Locale.ROOT, "%.1f", number.doubleValue());
        }
        return number.toString();
    }

    private static String duration(long ms) {
        if (ms < MAX_EXACT_MS) {
            return ms + " ms";
        }
        Duration time = Duration.ofMillis(ms);
        if (time.toMinutes() < 2) {
            return String.format(Locale.ROOT, "%.3g s", ms / 1000.0);
        }
        return time.toHours() < 1
                ? time.toMinutes() + " min"
                : time.toHours() + " h " + time.toMinutesPart() + " min";
    }

    private static String time(String text) {
        try {
            return Instant.parse(text).truncatedTo(ChronoUnit.SECONDS).toString();
        } catch (DateTimeParseException e) {
            return Printable.of(text);
        }
    }

    private String list(String field, List<?> list) {
        return list.isEmpty()
                ? "-"
                : list.stream()
                        .map(each -> each instanceof Map<?, ?> map ? row(map) : text(field, each))
                        .collect(Collectors.joining(", "));
    }

    /** An object within a list, without the names of its fields: {@code 1:c1:serving}. */
    private String row(Map<?, ?> map) {
        return map.entrySet().stream()
                .map(e -> text(String.valueOf(e.getKey()), e.getValue()))
                .collect(Collectors.joining(":"));
    }

    private String map(Map<?, ?> map) {
        return map.isEmpty()
                ? "-"
                : map.entrySet().stream()
                        .filter(e -> !(e.getValue() instanceof List<?> l && l.isEmpty()))
                        .map(e -> entry(String.valueOf(e.getKey()), e.getValue()))
                        .collect(Collectors.joining(" "));
    }

    private String entry(String key, @Nullable Object value) {
        return Printable.of(key) + "=" + text(key, value);
    }

    /** A field's name in words, without its unit: {@code capacityBytes} is {@code capacity}. */
    public static String words(String field) {
        if (!field.matches("[a-z]+([A-Z0-9][a-z]*)*")) {
            return field;
        }
        String name = field.replaceFirst("(?<=[a-z])(Bytes|Ms|At)$", "");
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isUpperCase(c)) {
                words.append(' ').append(Character.toLowerCase(c));
            } else {
                words.append(c);
            }
        }
        return words.toString();
    }
}
