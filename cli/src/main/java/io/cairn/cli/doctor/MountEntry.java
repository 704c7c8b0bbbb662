package io.cairn.cli.doctor;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A line of {@code /proc/self/mountinfo}, see proc(5).
 *
 * @param mountpoint where it is mounted
 * @param type the type of the filesystem
 * @param source what is mounted, a device for a local disk
 * @param options of the mount and of the filesystem
 */
record MountEntry(Path mountpoint, String type, String source, List<String> options) {
    /** Parses a line; null when it is none. */
    static @Nullable MountEntry parse(String line) {
        String[] halves = line.split(" - ", 2);
        String[] first = halves[0].split(" ", -1);
        String[] second = halves.length == 2 ? halves[1].split(" ", -1) : new String[0];
        if (first.length < 6 || second.length < 2) {
            return null;
        }
        String options = first[5] + (second.length > 2 ? "," + second[2] : "");
        return new MountEntry(
                Path.of(unescape(first[4])),
                second[0],
                unescape(second[1]),
                List.of(options.split(",", -1)));
    }

    /** Blanks and the like stand as three octal digits behind a backslash. */
    private static String unescape(String text) {
        StringBuilder out = new StringBuilder();
        int i = 0;
        while (i < text.length()) {
            if (text.charAt(i) == '\\' && text.substring(i).matches("(?s)\\\\[0-7]{3}.*")) {
                out.append((char) Integer.parseInt(text.substring(i + 1, i + 4), 8));
                i += 4;
            } else {
                out.append(text.charAt(i));
                i++;
            }
        }
        return out.toString();
    }
}
