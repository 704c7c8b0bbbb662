package io.cairn.fuse.sys;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The mounts of the machine, as the kernel tells in {@code /proc/self/mountinfo}. Unlike {@code
 * stat(2)} reading it never waits for a filesystem that hangs.
 */
public final class MountTable {
    /**
     * A line of the table.
     *
     * @param device {@code major:minor}
     * @param mountpoint where
     * @param type such as {@code fuse.cairn}
     * @param source what {@code df} shows as the device
     */
    public record Entry(String device, Path mountpoint, String type, String source) {}

    private MountTable() {}

    /** The topmost mount on exactly this path, or null. */
    public static @Nullable Entry find(Path mountpoint) {
        Entry found = null;
        for (Entry entry : read()) {
            if (entry.mountpoint().equals(mountpoint)) {
                found = entry;
            }
        }
        return found;
    }

    private static List<Entry> read() {
        try {
            byte[] bytes = Files.readAllBytes(Path.of("/proc/self/mountinfo"));
            return parse(new String(bytes, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new MountException(
                    MountException.Category.SYSTEM,
                    "cannot read /proc/self/mountinfo: " + e.getMessage() + "; mount /proc",
                    e);
        }
    }

    /** Parses the format of proc_pid_mountinfo(5); lines it does not understand are left out. */
    static List<Entry> parse(String text) {
        List<Entry> entries = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            String[] fields = line.split(" ", -1);
            int dash = 6;
            while (dash < fields.length && !fields[dash].equals("-")) {
                dash++;
            }
            if (dash + 2 < fields.length) {
                entries.add(
                        new Entry(
                                fields[2],
                                Path.of(unescape(fields[4])),
                                unescape(fields[dash + 1]),
                                unescape(fields[dash + 2])));
            }
        }
        return entries;
    }

    /** Blank, tab, newline and backslash are written as three octal digits. */
    private static String unescape(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '\\' && i + 3 < field.length()) {
                plain.append((char) Integer.parseInt(field.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                plain.append(c);
            }
        }
        return plain.toString();
    }
}
