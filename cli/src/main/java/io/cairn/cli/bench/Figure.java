package io.cairn.cli.bench;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One measured speed. Immutable.
 *
 * @param group the workload it belongs to
 * @param name what was done, unique in its group
 * @param unit MiB/s or 1/s
 * @param value how many of them
 * @param ceiling what the machine itself does of the same; null when nothing compares
 */
record Figure(String group, String name, String unit, double value, @Nullable Figure ceiling) {
    static final String BYTES = "MiB/s";
    static final String TIMES = "1/s";

    /** The part of its ceiling that it reaches; negative when it has none. */
    double share() {
        return ceiling == null || ceiling.value() <= 0 ? -1 : value / ceiling.value();
    }

    /** What two runs have in common for the same figure. */
    String key() {
        return group + ": " + name;
    }

    /** The value with three digits that count. */
    String text() {
        String form = value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, form, value);
    }

    /** As an object of JSON. */
    Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("group", group);
        document.put("name", name);
        document.put("unit", unit);
        document.put("value", value);
        if (ceiling != null) {
            document.put("ceiling", ceiling.name());
            document.put("share", share());
        }
        return document;
    }
}
