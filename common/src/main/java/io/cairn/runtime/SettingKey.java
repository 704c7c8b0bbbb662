package io.cairn.runtime;

import io.cairn.cluster.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A setting that can be made: its name, what values it takes, what it is when nobody says anything,
 * and what it does. Immutable.
 *
 * @param <T> type of the value
 */
public final class SettingKey<T> {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+([.-][a-z0-9]+)*");
    private static final Pattern QUANTITY = Pattern.compile("(-?[0-9]{1,18})\\s*([A-Za-z]*)");

    private final String name;
    private final T standard;
    private final String values;
    private final String description;
    private final Function<String, T> parser;

    private SettingKey(
            String name,
            T standard,
            String values,
            String description,
            Function<String, T> parser) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("'" + name + "' is not like-this or like.this-one");
        }
        this.name = name;
        this.standard = standard;
        this.values = values;
        this.description = description;
        this.parser = parser;
    }

    /** Any text. */
    public static SettingKey<String> text(String name, String standard, String description) {
        return new SettingKey<>(name, standard, "text", description, text -> text);
    }

    /** A whole number in a range, both ends included. */
    public static SettingKey<Integer> number(
            String name, int standard, int min, int max, String description) {
        return new SettingKey<>(
                name,
                standard,
                "a number from " + min + " to " + max,
                description,
                text -> (int) ranged(text, min, max, SettingKey::plain));
    }

    /** A number of bytes in a range: {@code 4096}, {@code 64KiB}, {@code 4MiB}, {@code 1GiB}. */
    public static SettingKey<Long> bytes(
            String name, long standard, long min, long max, String description) {
        return new SettingKey<>(
                name,
                standard,
                "a size from " + min + " to " + max + " bytes, such as 4096, 64KiB, 4MiB, 1GiB",
                description,
                text -> ranged(text, min, max, SettingKey::byteUnit));
    }

    /** Milliseconds in a range: {@code 1500}, {@code 1500ms}, {@code 15s}, {@code 2min}. */
    public static SettingKey<Long> millis(
            String name, long standard, long min, long max, String description) {
        return new SettingKey<>(
                name,
                standard,
                "a time from " + min + " to " + max + " ms, such as 1500, 1500ms, 15s, 2min",
                description,
                text -> ranged(text, min, max, SettingKey::milliUnit));
    }

    /** {@code true} or {@code false}. */
    public static SettingKey<Boolean> flag(String name, boolean standard, String description) {
        return new SettingKey<>(
                name,
                standard,
                "true or false",
                description,
                text ->
                        switch (text) {
                            case "true" -> true;
                            case "false" -> false;
                            default -> throw new IllegalArgumentException();
                        });
    }

    /** One of some words. */
    public static SettingKey<String> choice(
            String name, String standard, List<String> words, String description) {
        return new SettingKey<>(
                name,
                standard,
                "one of " + String.join(", ", words),
                description,
                text -> {
                    if (!words.contains(text)) {
                        throw new IllegalArgumentException();
                    }
                    return text;
                });
    }

    /** {@code HOST:PORT}. */
    public static SettingKey<Endpoint> endpoint(
            String name, Endpoint standard, String description) {
        return new SettingKey<>(name, standard, "HOST:PORT", description, Endpoint::parse);
    }

    /** {@code HOST:PORT[,HOST:PORT...]}, or a list of them in a file. */
    public static SettingKey<List<Endpoint>> endpoints(
            String name, List<Endpoint> standard, String description) {
        return new SettingKey<>(
                name,
                List.copyOf(standard),
                "HOST:PORT[,HOST:PORT...]",
                description,
                text -> {
                    List<Endpoint> parsed = new ArrayList<>();
                    for (String one : text.split(",", -1)) {
                        parsed.add(Endpoint.parse(one.strip()));
                    }
                    return List.copyOf(parsed);
                });
    }

    private static long ranged(String text, long min, long max, Function<String, Long> unit) {
        Matcher matcher = QUANTITY.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException();
        }
        long value =
                Math.multiplyExact(
                        Long.parseLong(matcher.group(1)),
                        unit.apply(matcher.group(2).toLowerCase(Locale.ROOT)));
        if (value < min || value > max) {
            throw new IllegalArgumentException();
        }
        return value;
    }

    private static long plain(String unit) {
        if (unit.isEmpty()) {
            return 1;
        }
        throw new IllegalArgumentException();
    }

    private static long byteUnit(String unit) {
        return switch (unit) {
            case "", "b" -> 1;
            case "k", "kib" -> 1L << 10;
            case "m", "mib" -> 1L << 20;
            case "g", "gib" -> 1L << 30;
            case "t", "tib" -> 1L << 40;
            default -> throw new IllegalArgumentException();
        };
    }

    private static long milliUnit(String unit) {
        return switch (unit) {
            case "", "ms" -> 1;
            case "s" -> 1_000;
            case "min" -> 60_000;
            case "h" -> 3_600_000;
            default -> throw new IllegalArgumentException();
        };
    }

    /** The name in files and on the command line: {@code lease-ms}, {@code mount.cache-bytes}. */
    public String name() {
        return name;
    }

    /** The name of the environment variable: {@code CAIRN_LEASE_MS}. */
    public String variable() {
        return Settings.VARIABLE_PREFIX
                + name.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** The value when nobody says anything. */
    public T standard() {
        return standard;
    }

    /** What values it takes, in words. */
    public String values() {
        return values;
    }

    /** What it does: a sentence. */
    public String description() {
        return description;
    }

    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException when it is none of {@link #values()}
     */
    T parse(String text) {
        try {
            return parser.apply(text.strip());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
