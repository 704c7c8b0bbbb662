package io.cairn.testkit.posix;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process as Linux sees it for files: a thread with its own table of descriptors (hence its own
 * identity as owner of fcntl locks), its own working directory and umask. The table starts as a
 * copy of the JVM's, so that classes can be loaded; the JVM never sees what is opened here. All
 * calls of a process run on its thread, one at a time.
 *
 * <p>For another caller the thread changes its credentials around the one system call, by raw
 * system calls, since those of glibc would change the whole JVM. Must be started by the superuser
 * to do that.
 */
final class NativeProcess implements AutoCloseable {
    private static final int CLONE_FS = 0x200;
    private static final int CLONE_FILES = 0x400;
    private static final long CALL_TIMEOUT_S = 60;
    private static final int MAX_GROUPS = 65_536;

    private final ExecutorService thread;
    private final String directory;
    private final CredentialCalls credentials = CredentialCalls.ofMachine();
    private final int[] groups;

    /** Descriptors to close at the end; touched by the thread of the process only. */
    private final Set<Integer> descriptors = new TreeSet<>();

    /** Numbers of the raw system calls. */
    private record CredentialCalls(long setgroups, long setresuid, long setresgid) {
        static CredentialCalls ofMachine() {
            String machine = System.getProperty("os.arch");
            return switch (machine) {
                case "amd64" -> new CredentialCalls(116, 117, 119);
                case "aarch64" -> new CredentialCalls(159, 147, 149);
                default -> throw new IllegalStateException("unknown machine " + machine);
            };
        }
    }

    /** A process in a directory, given by its absolute path in bytes. */
    NativeProcess(String directory) {
        this.directory = directory;
        this.thread =
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().daemon().name("process " + directory).factory());
        this.groups = onThread(() -> enter(directory));
    }

    /** Whether this process has an effective capability, by its number in capabilities(7). */
    static boolean hasCapability(int number) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("CapEff:")) {
                    long bits = Long.parseUnsignedLong(line.substring(7).strip(), 16);
                    return (bits >>> number & 1) != 0;
                }
            }
            throw new IllegalStateException("no CapEff in /proc/self/status");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int[] enter(String directory) {
        try (Arena arena = Arena.ofConfined()) {
            check(Libc.UNSHARE.call(CLONE_FS | CLONE_FILES), "unshare");
            check(Libc.UMASK.call(0), "umask");
            check(Libc.CHDIR.call(cString(arena, directory)), directory);
            MemorySegment list = arena.allocate(ValueLayout.JAVA_INT, MAX_GROUPS);
            long count = check(Libc.GETGROUPS.call(MAX_GROUPS, list), "getgroups");
            return list.asSlice(0, count * 4).toArray(ValueLayout.JAVA_INT);
        }
    }

    String directory() {
        return directory;
    }

    /**
     * Makes one call as {@code caller}.
     *
     * @param arguments Integer, Long, MemorySegment; a String becomes a C string, a byte array a
     *     buffer with its bytes
     * @throws FsException the errno of the call
     */
    long call(Caller caller, Libc function, Object... arguments) {
        return onThread(
                () -> {
                    try (Arena arena = Arena.ofConfined()) {
                        Object[] plain = new Object[arguments.length];
                        for (int i = 0; i < plain.length; i++) {
                            plain[i] = plain(arena, arguments[i]);
                        }
                        long result = callAs(caller, function, plain);
                        track(function, arguments, result);
                        return check(result, function.name());
                    }
                });
    }

    private static Object plain(Arena arena, Object argument) {
        return switch (argument) {
            case String text -> cString(arena, text);
            case byte[] bytes -> arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            default -> argument;
        };
    }

    private static MemorySegment cString(Arena arena, String text) {
        MemorySegment segment = arena.allocate(text.length() + 1L);
        MemorySegment.copy(
                text.getBytes(StandardCharsets.ISO_8859_1),
                0,
                segment,
                ValueLayout.JAVA_BYTE,
                0,
                text.length());
        return segment;
    }

    private void track(Libc function, Object[] arguments, long result) {
        if (result >= 0 && (function == Libc.OPEN || function == Libc.DUP)) {
            descriptors.add((int) result);
        } else if (function == Libc.CLOSE) {
            descriptors.remove((Integer) arguments[0]);
        }
    }

    private long callAs(Caller caller, Libc function, Object[] arguments) {
        if (caller.uid() == 0 && caller.gid() == 0 && caller.groups().length == 0) {
            return function.call(arguments);
        }
        become(caller.groups(), caller.gid(), caller.uid());
        try {
            return function.call(arguments);
        } finally {
            check(Libc.SYSCALL_IDS.call(credentials.setresuid, 0, 0, 0), "setresuid");
            become(groups, 0, 0);
        }
    }

    /** Takes on ids; the saved user stays root, so that there is a way back. */
    private void become(int[] newGroups, int gid, int uid) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(4L * Math.max(1, newGroups.length));
            MemorySegment.copy(newGroups, 0, list, ValueLayout.JAVA_INT, 0, newGroups.length);
            long count = newGroups.length;
            check(Libc.SYSCALL_GROUPS.call(credentials.setgroups, count, list), "setgroups");
            check(Libc.SYSCALL_IDS.call(credentials.setresgid, gid, gid, 0), "setresgid");
            check(Libc.SYSCALL_IDS.call(credentials.setresuid, uid, uid, 0), "setresuid");
        }
    }

    private static long check(long result, String what) {
        // Pointers of mmap are negative neither in user space; errno never exceeds 4095.
        if (result >= 0 || result < -4095) {
            return result;
        }
        Errno errno = Errno.ofNumber((int) -result);
        if (errno == null) {
            throw new IllegalStateException(what + ": errno " + -result + " has no name in Errno");
        }
        throw new FsException(errno, what + ": " + errno.text());
    }

    private <T> T onThread(Callable<T> action) {
        try {
            return thread.submit(action).get(CALL_TIMEOUT_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FsException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "a system call hangs in " + directory + " for " + CALL_TIMEOUT_S + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in a system call", e);
        }
    }

    @Override
    public void close() {
        if (thread.isShutdown()) {
            return;
        }
        onThread(
                () -> {
                    for (int fd : descriptors) {
                        check(Libc.CLOSE.call(fd), "close");
                    }
                    descriptors.clear();
                    return true;
                });
        thread.shutdown();
    }
}
