package io.cairn.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.testkit.posix.Posix;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * A theme of the contract. Each {@link Case} gets an instance with a process in a fresh directory
 * that everybody may write to (mode 0777, of root), and ends with all its descriptors closed.
 */
public class Scene {
    /** A case of the contract: a method without parameters, named for its claim. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Case {
        /** The capabilities that the door must have for the case to exist. */
        Posix.Capability[] needs() default {};

        /** Whether the case needs {@link Posix#reachableLinks}. */
        boolean reachesLinkMax() default false;
    }

    /** Two users and their groups, known to nobody else on the machine. */
    public static final int ANN = 60_001;

    public static final int BOB = 60_002;
    public static final int ANNS = 60_011;
    public static final int BOBS = 60_012;

    /** A group that both are in. */
    public static final int BOTH = 60_020;

    /** A time long ago: 2001-09-09, with nanoseconds. */
    static final long PAST = 1_000_000_000_123_456_789L;

    private static final long TICK_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    /** The superuser in the fresh directory. */
    final Posix fs;

    Scene(Posix fs) {
        this.fs = fs;
    }

    /** The same process as Ann, who is in ANNS and BOTH. */
    Posix ann() {
        return fs.as(Caller.of(ANN, ANNS, BOTH));
    }

    /** The same process as Bob, who is in BOBS and BOTH. */
    Posix bob() {
        return fs.as(Caller.of(BOB, BOBS, BOTH));
    }

    /** Asserts that an action fails with exactly this error. */
    static void fails(Errno errno, Runnable action) {
        FsException e = assertThrows(FsException.class, action::run);
        assertEquals(errno, e.errno(), e.getMessage());
    }

    /**
     * Waits until the clock of the filesystem gives later times than any it gave before. The first
     * change takes up the latest time given to any file, the others go beyond.
     */
    void tick() {
        String probe = "../" + FileSystemContract.PROBE;
        fs.chmod(probe, 0600);
        long before = fs.stat(probe).ctimeNs();
        long start = System.nanoTime();
        do {
            assertTrue(System.nanoTime() - start < TICK_TIMEOUT_NS, "the clock stands still");
            fs.chmod(probe, 0600);
        } while (fs.stat(probe).ctimeNs() <= before);
    }

    /**
     * Asserts which times of a path move when an action runs: {@code times} holds {@code a}, {@code
     * m} and {@code c} for those that must; the others must stay.
     */
    void moves(String times, String path, Runnable action) {
        moves(times, path, path, action);
    }

    /** The same for what has another path afterwards. */
    void moves(String times, String path, String pathAfter, Runnable action) {
        Posix.Stat before = fs.lstat(path);
        tick();
        action.run();
        Posix.Stat after = fs.lstat(pathAfter);
        assertEquals(
                times,
                (after.atimeNs() > before.atimeNs() ? "a" : "")
                        + (after.mtimeNs() > before.mtimeNs() ? "m" : "")
                        + (after.ctimeNs() > before.ctimeNs() ? "c" : ""),
                () -> path + " before: " + before + ", after: " + after);
    }

    /** Bytes of a text. */
    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    public static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Makes a file with contents. */
    void put(String path, String contents) {
        int fd = fs.open(path, Posix.O_CREAT | Posix.O_WRONLY | Posix.O_TRUNC, 0644);
        assertEquals(contents.length(), fs.write(fd, bytes(contents)));
        fs.close(fd);
    }

    /** The contents of a file of at most 1 MiB. */
    String get(String path) {
        int fd = fs.open(path, Posix.O_RDONLY, 0);
        String contents = text(fs.pread(fd, 1 << 20, 0));
        fs.close(fd);
        return contents;
    }

    /** Asserts that nothing has this path. */
    void isAbsent(String path) {
        fails(Errno.ENOENT, () -> fs.lstat(path));
    }

    static String repeat(char c, int length) {
        return String.valueOf(c).repeat(length);
    }
}
