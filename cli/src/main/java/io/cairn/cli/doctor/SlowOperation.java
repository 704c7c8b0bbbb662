package io.cairn.cli.doctor;

import io.cairn.runtime.WaitCause;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A slow operation that a mount remembers. Times are in microseconds but for {@code agoMs}.
 *
 * @param operation its name
 * @param agoMs when it ended
 * @param totalUs how long it took
 * @param waitsUs how long it waited for each of them
 * @param ino the inode; of a change of a name, the directory
 * @param process which asked; 0 when the kernel does not say
 * @param program name of that process; empty when it has ended
 * @param path on this machine; empty when nobody knows it
 */
record SlowOperation(
        String operation,
        long agoMs,
        long totalUs,
        Map<WaitCause, Long> waitsUs,
        String ino,
        long process,
        String program,
        String path) {
    private static final int CAUSES = WaitCause.values().length;
    private static final int FIELDS = 7 + CAUSES;

    /**
     * Reads a line of a mount.
     *
     * @param mountpoint where it is mounted
     * @param subdirectory what of the cluster is mounted there
     * @return null for a line of another release
     */
    static @Nullable SlowOperation parse(String line, Path mountpoint, String subdirectory) {
        String[] fields = line.split("\t", -1);
        if (fields.length != FIELDS) {
            return null;
        }
        try {
            Map<WaitCause, Long> waits = new EnumMap<>(WaitCause.class);
            int at = 3;
            for (WaitCause cause : WaitCause.values()) {
                waits.put(cause, Long.parseLong(fields[at]));
                at++;
            }
            return new SlowOperation(
                    fields[0],
                    Long.parseLong(fields[1]),
                    Math.max(1, Long.parseLong(fields[2])),
                    waits,
                    fields[3 + CAUSES],
                    Long.parseLong(fields[4 + CAUSES]),
                    fields[5 + CAUSES],
                    local(fields[6 + CAUSES], mountpoint, subdirectory));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static String local(String path, Path mountpoint, String subdirectory) {
        String base = subdirectory.equals("/") ? "" : subdirectory;
        if (path.isEmpty() || !(path + "/").startsWith(base + "/")) {
            return path;
        }
        String below = path.substring(base.length());
        return below.isEmpty() || below.equals("/") ? mountpoint.toString() : mountpoint + below;
    }

    /** How long it waited for something. */
    long waitUs(WaitCause cause) {
        return waitsUs.getOrDefault(cause, 0L);
    }

    /** How long it waited for nothing that is known: the work of the mount itself. */
    long ownUs() {
        return Math.max(0, totalUs - waitsUs.values().stream().mapToLong(Long::longValue).sum());
    }

    /** Whether it is about a file, or about something below a directory. */
    boolean isBelow(String wanted) {
        return path.equals(wanted) || path.startsWith(wanted.endsWith("/") ? wanted : wanted + "/");
    }

    /** Its path, or its number where that is all that is known. */
    String where() {
        return path.isEmpty() ? "inode " + ino : path;
    }

    /** For a JSON document. */
    Map<String, Object> document() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("operation", operation);
        map.put("endedMsAgo", agoMs);
        map.put("totalUs", totalUs);
        map.put("mountUs", ownUs());
        for (WaitCause cause : WaitCause.values()) {
            map.put(cause.word() + "Us", waitUs(cause));
        }
        map.put("ino", ino);
        map.put("process", process);
        map.put("program", program);
        map.put("path", path);
        return map;
    }
}
