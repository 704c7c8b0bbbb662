package io.cairn.admin.trash;

import io.cairn.fs.TrashPlace;
import io.cairn.metadata.trash.TrashRecord;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is in the trash by the path where it was: that of a file, or of a directory with all
 * below. A path in the trash itself, such as {@code /.trash/2026-11-28/dir}, means what was removed
 * there on that day.
 *
 * @param path where it was, without a slash at the end; empty for everything
 * @param day in UTC; null for all days
 */
record TrashSearch(byte[] path, @Nullable LocalDate day) {
    private static final long NS_PER_DAY = 86_400_000_000_000L;
    private static final byte[] PLACE = ("/" + TrashPlace.NAME).getBytes(StandardCharsets.UTF_8);

    /** Understands a path as bytes, with or without a slash at the beginning. */
    static TrashSearch of(byte[] given) {
        byte[] path = normal(given);
        if (!isWithin(path, PLACE)) {
            return new TrashSearch(path, null);
        }
        byte[] rest = Arrays.copyOfRange(path, PLACE.length, path.length);
        int end = 1;
        while (end < rest.length && rest[end] != '/') {
            end++;
        }
        if (rest.length < 2) {
            return new TrashSearch(rest, null);
        }
        String day = new String(rest, 1, end - 1, StandardCharsets.UTF_8);
        try {
            return new TrashSearch(
                    Arrays.copyOfRange(rest, end, rest.length), LocalDate.parse(day));
        } catch (DateTimeParseException e) {
            return new TrashSearch(path, null);
        }
    }

    private static byte[] normal(byte[] given) {
        byte[] path = new byte[given.length + 1];
        int length = 0;
        for (int i = -1; i < given.length; i++) {
            byte next = i < 0 ? (byte) '/' : given[i];
            if (next != '/' || length == 0 || path[length - 1] != '/') {
                path[length++] = next;
            }
        }
        return Arrays.copyOf(path, path[length - 1] == '/' ? length - 1 : length);
    }

    private static boolean isWithin(byte[] path, byte[] above) {
        return path.length >= above.length
                && Arrays.equals(path, 0, above.length, above, 0, above.length)
                && (path.length == above.length || path[above.length] == '/');
    }

    /** Whether a record is one of those. */
    boolean finds(TrashRecord record) {
        return record.deletedNs() != 0
                && isWithin(record.path(), path)
                && (day == null
                        || day.toEpochDay() == Math.floorDiv(record.deletedNs(), NS_PER_DAY));
    }

    /** The path for people. */
    String text() {
        return path.length == 0 ? "/" : new String(path, StandardCharsets.UTF_8);
    }
}
