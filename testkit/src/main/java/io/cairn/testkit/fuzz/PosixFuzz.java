package io.cairn.testkit.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.testkit.contract.Scene;
import io.cairn.testkit.posix.Posix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Runs the same calls through two doors and compares what they answer: the result or the errno of
 * each call, and at the end the two trees with attributes and contents. Inode numbers, times and
 * block counts are the affair of each filesystem; which names are the same file is compared.
 *
 * <p>Names come from a small set, so that calls meet. The caller removes the files that a run
 * leaves in the two directories.
 */
public final class PosixFuzz {
    /** The work of a step. */
    public enum Call {
        OPEN,
        CREATE,
        CLOSE,
        WRITE,
        READ,
        APPEND,
        FTRUNCATE,
        TRUNCATE,
        MKDIR,
        RMDIR,
        UNLINK,
        LINK,
        SYMLINK,
        READLINK,
        RENAME,
        CHMOD,
        CHOWN,
        STAT,
        LSTAT,
        FSTAT,
        LIST,
        ACCESS,
        MKNOD,
        SET_XATTR,
        GET_XATTR,
        REMOVE_XATTR,
        LIST_XATTR,
        PUNCH,
        FLOCK
    }

    /**
     * One step; which of the numbers matter depends on the call.
     *
     * @param call what to do
     * @param user 0 the superuser, 1 and 2 two users; with a descriptor who opened it counts
     * @param path index into the set of paths
     * @param other another path, or a slot of the table of descriptors
     * @param value bits, offsets, lengths
     */
    public record Step(Call call, int user, int path, int other, int value) {}

    /** Paths that steps name by index: nested, with symbolic links in the way, odd endings. */
    public static final List<String> PATHS =
            List.of(
                    "a", "b", "c", "d", "a/a", "a/b", "a/c", "b/a", "b/b", "c/d", "a/a/a", "a/a/b",
                    "b/a/c", "a/..", "a/.", "b/", "a/b/", "c/../d", "d/a", "d/b/c");

    private static final int SLOTS = 4;
    private static final int NESTING = 8;

    /** Sticky only where the sysctls fs.protected_* of the machine have no say. */
    private static final int[] MODES = {0, 0700, 0755, 0777, 01755, 02775, 06755, 0644, 0444, 0311};

    private static final int[] IDS = {0, Scene.ANN, Scene.BOB};
    private static final int[] GIDS = {-1, Scene.ANNS, Scene.BOBS, Scene.BOTH};

    private final Posix first;
    private final Posix second;
    private final Map<Integer, int[]> descriptors = new HashMap<>();

    private PosixFuzz(Posix first, Posix second) {
        this.first = first;
        this.second = second;
    }

    /**
     * Runs all steps, comparing after each, and compares the trees.
     *
     * @param one a door into an empty directory that everybody can reach
     * @param other another one
     */
    public static void run(Posix one, Posix other, List<Step> steps) {
        try (Posix first = one.process(nest(one));
                Posix second = other.process(nest(other))) {
            new PosixFuzz(first, second).run(steps);
        }
    }

    /** A deep directory, so that dots behind symbolic links do not lead out of it. */
    private static String nest(Posix fs) {
        StringBuilder path = new StringBuilder(".");
        for (int i = 0; i < NESTING; i++) {
            path.append("/nest");
            fs.mkdir(path.toString(), 0777);
        }
        return path.toString();
    }

    private void run(List<Step> steps) {
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            String one = outcome(first, 0, step);
            String two = outcome(second, 1, step);
            int number = i;
            assertEquals(one, two, () -> "step " + number + ": " + describe(step));
            settle(step);
        }
        assertEquals(String.join("\n", tree(first)), String.join("\n", tree(second)));
    }

    private static String describe(Step step) {
        return step + " " + path(step.path) + " " + path(step.other);
    }

    private static String path(int index) {
        return PATHS.get(Math.floorMod(index, PATHS.size()));
    }

    private String outcome(Posix door, int side, Step step) {
        try {
            return result(as(door, step.user), side, step);
        } catch (FsException e) {
            return e.errno().name();
        }
    }

    private static Posix as(Posix door, int user) {
        return switch (user) {
            case 1 -> door.as(Caller.of(Scene.ANN, Scene.ANNS, Scene.BOTH));
            case 2 -> door.as(Caller.of(Scene.BOB, Scene.BOBS, Scene.BOTH));
            default -> door.as(Caller.ROOT);
        };
    }

    /** The descriptors of a slot at both doors, and the user who has opened them. */
    private int[] slot(Step step) {
        return descriptors.computeIfAbsent(
                Math.floorMod(step.other, SLOTS), s -> new int[] {-1, -1, 0});
    }

    /** A closed slot is empty on both sides. */
    private void settle(Step step) {
        if (step.call == Call.CLOSE) {
            Arrays.fill(slot(step), 0, 2, -1);
        }
    }

    private String result(Posix fs, int side, Step step) {
        String path = path(step.path);
        int value = step.value;
        return switch (step.call) {
            case OPEN, CREATE -> open(fs, side, step);
            case CLOSE, WRITE, READ, FTRUNCATE, FSTAT, PUNCH, FLOCK ->
                    onDescriptor(as(fs, slot(step)[2]), slot(step)[side], step);
            case APPEND -> append(fs, path, value);
            case TRUNCATE -> done(() -> fs.truncate(path, value % 70_000));
            case MKDIR -> done(() -> fs.mkdir(path, mode(value)));
            case RMDIR -> done(() -> fs.rmdir(path));
            case UNLINK -> done(() -> fs.unlink(path));
            // Links of others' files are a matter of the sysctl fs.protected_hardlinks.
            case LINK -> done(() -> as(fs, 0).link(path, path(step.other)));
            case SYMLINK -> done(() -> fs.symlink(path(step.other), path));
            case READLINK -> fs.readlink(path);
            case RENAME -> done(() -> fs.rename(path, path(step.other), value % 3));
            case CHMOD -> done(() -> fs.chmod(path, mode(value)));
            case CHOWN -> done(() -> fs.lchown(path, IDS[value % 3], GIDS[value / 3 % 4]));
            case STAT -> show(fs.stat(path));
            case LSTAT -> show(fs.lstat(path));
            case LIST -> String.join(" ", fs.list(path));
            case ACCESS -> done(() -> fs.access(path, value & 7));
            case MKNOD -> done(() -> fs.mknod(path, special(value), mode(value), 0));
            case SET_XATTR, GET_XATTR, REMOVE_XATTR, LIST_XATTR -> attribute(fs, path, step);
        };
    }

    private static FileType special(int value) {
        return value % 3 == 0 ? FileType.SOCKET : FileType.FILE;
    }

    private static String attribute(Posix fs, String path, Step step) {
        String name = "user." + (char) ('a' + step.other % 3);
        byte[] value = Scene.bytes("v".repeat(step.value % 100));
        return switch (step.call) {
            case SET_XATTR -> done(() -> fs.setxattr(path, name, value, step.value % 3));
            case GET_XATTR -> Scene.text(fs.getxattr(path, name, 1000));
            case REMOVE_XATTR -> done(() -> fs.removexattr(path, name));
            default -> attributes(fs, path).toString();
        };
    }

    /** The names, without those that security modules of the machine add by themselves. */
    private static List<String> attributes(Posix fs, String path) {
        return fs.listxattr(path).stream()
                .filter(name -> name.startsWith("user."))
                .sorted()
                .toList();
    }

    private static int mode(int value) {
        return MODES[value % MODES.length];
    }

    private static String done(Runnable action) {
        action.run();
        return "done";
    }

    private String open(Posix fs, int side, Step step) {
        int[] slot = slot(step);
        if (slot[side] >= 0) {
            return "slot in use";
        }
        slot[2] = step.user;
        int access = step.value % 3;
        int flags =
                access
                        | (step.call == Call.CREATE ? Posix.O_CREAT : 0)
                        | (step.value % 5 == 0 ? Posix.O_TRUNC : 0)
                        | (step.value % 7 == 0 ? Posix.O_EXCL : 0)
                        | (step.value % 11 == 0 ? Posix.O_APPEND : 0)
                        | (step.value % 13 == 0 ? Posix.O_NOFOLLOW : 0)
                        | (step.value % 17 == 0 ? Posix.O_DIRECTORY : 0);
        // O_EXCL without O_CREAT and O_CREAT with O_DIRECTORY differ between kernels.
        int sound = step.call == Call.CREATE ? flags & ~Posix.O_DIRECTORY : flags & ~Posix.O_EXCL;
        slot[side] = fs.open(path(step.path), sound, mode(step.value));
        return "open";
    }

    private static String onDescriptor(Posix fs, int fd, Step step) {
        int offset = step.value * 37 % 60_000;
        return switch (step.call) {
            case CLOSE -> done(() -> fs.close(fd));
            case WRITE -> "" + fs.pwrite(fd, pattern(step.value), offset);
            case READ -> checksum(fs.pread(fd, 20_000, offset));
            case FTRUNCATE -> done(() -> fs.ftruncate(fd, offset));
            case FSTAT -> show(fs.fstat(fd));
            case PUNCH ->
                    done(
                            () ->
                                    fs.fallocate(
                                            fd,
                                            Posix.FALLOC_PUNCH_HOLE | Posix.FALLOC_KEEP_SIZE,
                                            offset,
                                            step.value + 1L));
            default -> done(() -> fs.flock(fd, Lock.Mode.CODES.all().get(step.value % 3), false));
        };
    }

    private static String append(Posix fs, String path, int value) {
        int fd = fs.open(path, Posix.O_WRONLY | Posix.O_APPEND, 0);
        try {
            return "" + fs.write(fd, pattern(value % 1000));
        } finally {
            fs.close(fd);
        }
    }

    private static byte[] pattern(int value) {
        byte[] bytes = new byte[value % 9000 + 1];
        Arrays.fill(bytes, (byte) (value % 255 + 1));
        return bytes;
    }

    private static String checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return bytes.length + " bytes, " + Long.toHexString(crc.getValue());
    }

    private static String show(Posix.Stat s) {
        long size = s.type() == FileType.DIRECTORY ? 0 : s.size();
        return "%s %o links %d owner %d:%d size %d"
                .formatted(s.type(), s.mode(), s.nlink(), s.uid(), s.gid(), size);
    }

    /** Everything below the working directory, one line each. */
    private static List<String> tree(Posix fs) {
        List<String> lines = new ArrayList<>();
        Map<Long, String> seen = new HashMap<>();
        walk(fs, ".", lines, seen);
        return lines;
    }

    private static void walk(Posix fs, String path, List<String> lines, Map<Long, String> seen) {
        Posix.Stat s = fs.lstat(path);
        String line = path + ": " + show(s);
        String twin = seen.putIfAbsent(s.ino(), path);
        if (twin != null) {
            lines.add(line + " same as " + twin);
            return;
        }
        if (s.type() == FileType.SYMLINK) {
            lines.add(line + " to " + fs.readlink(path));
            return;
        }
        lines.add(line + " " + attributes(fs, path) + contents(fs, path, s));
        if (s.type() == FileType.DIRECTORY) {
            for (String name : fs.list(path)) {
                walk(fs, path + "/" + name, lines, seen);
            }
        }
    }

    private static String contents(Posix fs, String path, Posix.Stat s) {
        if (s.type() != FileType.FILE) {
            return "";
        }
        int fd = fs.open(path, Posix.O_RDONLY, 0);
        try {
            byte[] bytes = fs.pread(fd, (int) s.size() + 1, 0);
            return " " + checksum(bytes);
        } finally {
            fs.close(fd);
        }
    }
}
