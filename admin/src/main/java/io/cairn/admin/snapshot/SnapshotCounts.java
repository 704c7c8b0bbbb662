package io.cairn.admin.snapshot;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many snapshots of each cadence are kept; 0: none are taken.
 *
 * @param hourly 0..{@value #MAX}, as the others
 */
record SnapshotCounts(int hourly, int daily, int weekly, int monthly) {
    /** So many may be kept by all schedules together: the rest is for those taken by hand. */
    static final int MAX = 4000;

    /** The fields of a document that tells them. */
    static List<Field> fields() {
        List<Field> fields = new ArrayList<>();
        for (Cadence cadence : Cadence.values()) {
            String what = "So many of the last " + cadence.text() + " ones are kept.";
            fields.add(Field.maybe(cadence.text(), Shape.whole(1, MAX), what));
        }
        return fields;
    }

    /** The counts that a document tells. */
    static SnapshotCounts of(Map<String, Object> document) {
        return new SnapshotCounts(
                count(document, Cadence.HOURLY),
                count(document, Cadence.DAILY),
                count(document, Cadence.WEEKLY),
                count(document, Cadence.MONTHLY));
    }

    /**
     * The counts that a text tells: {@code hourly=24,daily=7}.
     *
     * @throws IllegalArgumentException with what is wrong, and what would be right
     */
    static SnapshotCounts parse(String text) {
        Map<String, Object> document = Json.map();
        for (String part : text.split(",", -1)) {
            String[] words = part.split("=", -1);
            if (words.length != 2 || !isKind(words[0]) || !words[1].matches("[1-9][0-9]{0,3}")) {
                throw new IllegalArgumentException(
                        "'"
                                + part
                                + "' is no KIND=N such as hourly=24,daily=7: kinds are hourly,"
                                + " daily, weekly and monthly, N is from 1 to "
                                + MAX);
            }
            if (document.put(words[0], Integer.valueOf(words[1])) != null) {
                throw new IllegalArgumentException(
                        "'" + words[0] + "' is said twice: give it once");
            }
        }
        SnapshotCounts counts = of(document);
        if (counts.total() > MAX) {
            throw new IllegalArgumentException(
                    "'" + text + "' keeps more than " + MAX + " snapshots: give smaller numbers");
        }
        return counts;
    }

    private static boolean isKind(String word) {
        for (Cadence cadence : Cadence.values()) {
            if (cadence.text().equals(word)) {
                return true;
            }
        }
        return false;
    }

    private static int count(Map<String, Object> document, Cadence cadence) {
        return document.get(cadence.text()) instanceof Number number ? number.intValue() : 0;
    }

    /** Those of a cadence. */
    int of(Cadence cadence) {
        return switch (cadence) {
            case HOURLY -> hourly;
            case DAILY -> daily;
            case WEEKLY -> weekly;
            case MONTHLY -> monthly;
        };
    }

    /** All together. */
    int total() {
        return hourly + daily + weekly + monthly;
    }

    /** Puts them into a document; null for none. */
    void put(Map<String, Object> document) {
        for (Cadence cadence : Cadence.values()) {
            document.put(cadence.text(), of(cadence) == 0 ? null : of(cadence));
        }
    }

    /** The counts as people write them: {@code hourly=24,daily=7}. */
    String text() {
        List<String> parts = new ArrayList<>();
        for (Cadence cadence : Cadence.values()) {
            if (of(cadence) > 0) {
                parts.add(cadence.text() + "=" + of(cadence));
            }
        }
        return String.join(",", parts);
    }

    /** The record that holds them, with the path that a directory has. */
    byte[] stored(@Nullable String directory) {
        Map<String, Object> map = Json.map();
        map.put("directory", directory);
        put(map);
        return Json.bytes(map);
    }
}
