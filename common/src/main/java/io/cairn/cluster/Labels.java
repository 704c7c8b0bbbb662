package io.cairn.cluster;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an operator says about the place of a chunk server. {@code rack} and {@code zone} are what
 * may fail as a whole; other labels are for people.
 *
 * @param values each key once, in order; at most {@value #MOST}
 */
public record Labels(SortedMap<String, String> values) {
    /** None. */
    public static final Labels NONE = new Labels(new TreeMap<>());

    /** Labels that a server may have. */
    public static final int MOST = 4;

    /** The key of what stands in one cabinet. */
    public static final String RACK = "rack";

    /** The key of what is in one room or building. */
    public static final String ZONE = "zone";

    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._/-]{1,63}");

    /**
     * Checks and copies.
     *
     * @throws IllegalArgumentException with what is wrong, and what would be right
     */
    public Labels {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
        if (values.size() > MOST) {
            throw new IllegalArgumentException(
                    "a chunk server has at most %d labels, not %d".formatted(MOST, values.size()));
        }
        values.forEach(Labels::check);
    }

    private static void check(String key, String value) {
        String label = key + "=" + value;
        if (!WORD.matcher(key).matches() || !WORD.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "label '"
                            + label
                            + "' is not KEY=VALUE, as in rack=r1: both have 1 to 63 letters, digits"
                            + " and . _ / -");
        }
        for (String known : List.of(RACK, ZONE)) {
            if (!key.equals(known) && isNear(key, known)) {
                throw new IllegalArgumentException(
                        "label '%s': did you mean %s=%s?".formatted(label, known, value));
            }
        }
    }

    /** Whether a key differs by case or by one letter. */
    private static boolean isNear(String key, String known) {
        String word = key.toLowerCase(Locale.ROOT);
        int same = 0;
        while (same < Math.min(word.length(), known.length())
                && word.charAt(same) == known.charAt(same)) {
            same++;
        }
        String rest = word.substring(same);
        String knownRest = known.substring(same);
        return rest.equals(knownRest)
                || (!rest.isEmpty() && rest.substring(1).equals(knownRest))
                || (!knownRest.isEmpty() && knownRest.substring(1).equals(rest))
                || (!rest.isEmpty()
                        && !knownRest.isEmpty()
                        && rest.substring(1).equals(knownRest.substring(1)));
    }

    /**
     * Reads labels as operators write them.
     *
     * @param labels each as {@code KEY=VALUE}
     * @throws IllegalArgumentException with what is wrong, and what would be right
     */
    public static Labels parse(List<String> labels) {
        SortedMap<String, String> values = new TreeMap<>();
        for (String label : labels) {
            int at = label.indexOf('=');
            if (at < 0) {
                throw new IllegalArgumentException(
                        "label '" + label + "' is not KEY=VALUE, as in rack=r1");
            }
            String before = values.put(label.substring(0, at), label.substring(at + 1));
            if (before != null) {
                throw new IllegalArgumentException(
                        "label '%s' is given twice: %s and %s"
                                .formatted(
                                        label.substring(0, at), before, label.substring(at + 1)));
            }
        }
        return new Labels(values);
    }

    /** The value of a key, or null. */
    public @Nullable String get(String key) {
        return values.get(key);
    }

    /** As operators write them: {@code rack=r1 zone=z1}; empty without any. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, String> each : values.entrySet()) {
            text.append(text.isEmpty() ? "" : " ").append(each.getKey()).append('=');
            text.append(each.getValue());
        }
        return text.toString();
    }
}
