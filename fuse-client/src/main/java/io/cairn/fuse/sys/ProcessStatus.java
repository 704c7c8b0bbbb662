package io.cairn.fuse.sys;

import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Facts in {@code /proc} about a thread that made a request, and that the request does not tell
 * (proc(5)). Takes some ten microseconds, so it is for what is rare.
 */
public final class ProcessStatus {
    private static final long SIGKILL = 1L << 8;
    private static final int SETGID = 02000;

    /** PF_EXITING of the kernel. */
    private static final long EXITING = 4;

    /** Places in {@code /proc/PID/stat} behind the name: flags, exit code. */
    private static final int FLAGS_FIELD = 6;

    private static final int EXIT_CODE_FIELD = 49;

    private ProcessStatus() {}

    /**
     * Whether a thread is being killed, or is at its end because it was. False when it is gone:
     * then others may wait for what it asked.
     */
    public static boolean isKilled(int thread) {
        if (thread <= 0) {
            return false;
        }
        try {
            for (String line : lines(thread, "status")) {
                if ((line.startsWith("SigPnd:") || line.startsWith("ShdPnd:"))
                        && (Long.parseUnsignedLong(line.substring(7).strip(), 16) & SIGKILL) != 0) {
                    return true;
                }
            }
            String stat = lines(thread, "stat").getFirst();
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return (Long.parseLong(fields[FLAGS_FIELD]) & EXITING) != 0
                    && (Long.parseLong(fields[EXIT_CODE_FIELD]) & 0x7f) != 0;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /**
     * Whether setting the access list of an inode takes its set-gid bit away, as chmod(2) would:
     * the caller is neither root nor in its group. Requests tell one group of the caller only.
     */
    public static boolean losesSetgid(Caller caller, int thread, Attributes inode) {
        return (inode.mode() & SETGID) != 0
                && caller.uid() != 0
                && caller.gid() != inode.gid()
                && !isInGroup(thread, inode.gid());
    }

    /**
     * Whether a process has a file mapped so that what it stores in memory is written to the file.
     * True also of another file with this number; false when that cannot be found out.
     */
    public static boolean mapsForWriting(int thread, long ino) {
        if (thread <= 0) {
            return false;
        }
        try {
            String wanted = Long.toUnsignedString(ino);
            return lines(thread, "maps").stream().anyMatch(line -> isShared(line, wanted));
        } catch (IOException e) {
            return false;
        }
    }

    /** A line is ADDRESSES PERMISSIONS OFFSET DEVICE INODE PATH. */
    private static boolean isShared(String line, String ino) {
        int at = line.indexOf(' ') + 1;
        return line.startsWith("w", at + 1)
                && line.startsWith("s", at + 3)
                && line.split(" ", 6)[4].equals(ino);
    }

    /** The process of a thread; the thread itself when that is gone. */
    public static int processOf(int thread) {
        try {
            return lines(thread, "status").stream()
                    .filter(line -> line.startsWith("Tgid:"))
                    .mapToInt(line -> Integer.parseInt(line.substring(5).strip()))
                    .findFirst()
                    .orElse(thread);
        } catch (IOException | RuntimeException e) {
            return thread;
        }
    }

    /** The name of a thread; empty when it is gone. */
    public static String nameOf(int thread) {
        try {
            return thread <= 0 ? "" : lines(thread, "comm").getFirst();
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }

    private static boolean isInGroup(int thread, int gid) {
        try {
            String wanted = Integer.toUnsignedString(gid);
            return lines(thread, "status").stream()
                    .filter(line -> line.startsWith("Groups:"))
                    .flatMap(line -> Arrays.stream(line.substring(7).strip().split(" ", -1)))
                    .anyMatch(wanted::equals);
        } catch (IOException e) {
            return false;
        }
    }

    private static List<String> lines(int thread, String file) throws IOException {
        return Files.readAllLines(file(thread, file), StandardCharsets.ISO_8859_1);
    }

    private static Path file(int thread, String name) {
        return Path.of("/proc", Integer.toString(thread), name);
    }
}
