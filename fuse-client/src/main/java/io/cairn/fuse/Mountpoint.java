package io.cairn.fuse;

import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.sys.MountException;
import io.cairn.fuse.sys.MountException.Category;
import io.cairn.fuse.sys.MountTable;
import io.cairn.os.MountCalls;
import io.cairn.runtime.Deadline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The directory that a filesystem is mounted on: whether it will do, and how to leave it. */
final class Mountpoint {
    private static final Logger LOG = LoggerFactory.getLogger(Mountpoint.class);
    private static final Path DEVICE = Path.of("/dev/fuse");
    private static final long PROBE_MS = 3000;
    private static final long COMMAND_MS = 10_000;

    private final Path path;

    private Mountpoint(Path path) {
        this.path = path;
    }

    /** The path, absolute and without symbolic links. */
    Path path() {
        return path;
    }

    /**
     * Checks that something can be mounted here; removes what a killed predecessor left.
     *
     * @throws MountException with the remedy
     */
    static Mountpoint prepare(Path given, boolean nonEmpty) {
        requireDevice();
        Path absolute = given.toAbsolutePath().normalize();
        repairStale(absolute);
        Mountpoint mountpoint = new Mountpoint(realDirectory(absolute));
        MountTable.Entry mounted = MountTable.find(mountpoint.path);
        if (mounted != null) {
            throw new MountException(
                    Category.MOUNTPOINT,
                    "%s already has %s (%s) mounted on it; unmount it first: umount %s"
                            .formatted(given, mounted.source(), mounted.type(), given));
        }
        if (!nonEmpty) {
            mountpoint.requireEmpty();
        }
        return mountpoint;
    }

    private static void requireDevice() {
        if (MountCalls.access(DEVICE, MountCalls.F_OK) != 0) {
            throw new MountException(
                    Category.UNAVAILABLE,
                    "/dev/fuse is missing; load the module (modprobe fuse), in a container start"
                            + " it with --device /dev/fuse --cap-add SYS_ADMIN");
        }
        if (MountCalls.access(DEVICE, MountCalls.R_OK | MountCalls.W_OK) != 0) {
            throw new MountException(
                    Category.PERMISSION,
                    "/dev/fuse cannot be opened by this user; run as root, or let users mount:"
                            + " chmod 666 /dev/fuse");
        }
    }

    /** A mount whose process is gone answers ENOTCONN to everything: take it away. */
    private static void repairStale(Path absolute) {
        for (int i = 0; i < 16; i++) {
            int result = probe(absolute);
            if (result == -MountCalls.ECONNABORTED) {
                // The kernel was taking the dead process out just now.
                continue;
            }
            if (result != -MountCalls.ENOTCONN) {
                return;
            }
            LOG.info(
                    "{} is a dead mount of a process that was killed; unmounting it first",
                    absolute);
            Mountpoint stale = new Mountpoint(absolute);
            if (!stale.detach()) {
                throw new MountException(
                        Category.PERMISSION,
                        "%s is a dead mount and cannot be removed; run: umount -l %s"
                                .formatted(absolute, absolute));
            }
        }
    }

    /**
     * statfs(2) with a deadline, because a mount whose process hangs does not answer. Attributes
     * would not do: the kernel knows those of a dead mount for a while.
     */
    private static int probe(Path path) {
        try {
            return answer(() -> MountCalls.statfs(path), path, PROBE_MS);
        } catch (TimeoutException e) {
            throw new MountException(
                    Category.MOUNTPOINT,
                    "%s does not answer within %d s: a hanging mount; run: umount -l %s"
                            .formatted(path, PROBE_MS / 1000, path));
        }
    }

    /** The result of access(2) on a path that may be on a mount. */
    static int answer(Path path, long timeoutMs) throws TimeoutException {
        return answer(() -> MountCalls.access(path, MountCalls.F_OK), path, timeoutMs);
    }

    private static int answer(IntSupplier call, Path path, long timeoutMs) throws TimeoutException {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .name("fuse-probe")
                .start(() -> result.complete(call.getAsInt()));
        try {
            return result.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MountException(Category.SYSTEM, "interrupted while looking at " + path, e);
        } catch (ExecutionException e) {
            throw new MountException(Category.SYSTEM, "cannot look at " + path, e);
        }
    }

    private static Path realDirectory(Path absolute) {
        if (!Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
            throw new MountException(
                    Category.MOUNTPOINT,
                    "mountpoint %s does not exist; create it: mkdir -p %s"
                            .formatted(absolute, absolute));
        }
        if (!Files.isDirectory(absolute)) {
            throw new MountException(
                    Category.MOUNTPOINT,
                    "mountpoint %s is not a directory; name a directory".formatted(absolute));
        }
        try {
            return absolute.toRealPath();
        } catch (IOException e) {
            throw new MountException(
                    Category.PERMISSION,
                    "mountpoint %s cannot be reached: %s; check the permissions of its parents"
                            .formatted(absolute, e.getMessage()),
                    e);
        }
    }

    private void requireEmpty() {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            if (entries.iterator().hasNext()) {
                throw new MountException(
                        Category.MOUNTPOINT,
                        "mountpoint %s is not empty; choose an empty directory, or -o nonempty"
                                .formatted(path));
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new MountException(
                    Category.PERMISSION,
                    "mountpoint %s cannot be listed: %s; check its permissions"
                            .formatted(path, e.getMessage()),
                    e);
        }
    }

    /** Whether something is mounted here now. */
    boolean isMounted() {
        return MountTable.find(path) != null;
    }

    /** Raises the read-ahead of the kernel, where the user may. */
    void setReadAhead(int kib) {
        MountTable.Entry entry = MountTable.find(path);
        if (entry == null || kib == 0) {
            return;
        }
        Path file = Path.of("/sys/class/bdi", entry.device(), "read_ahead_kb");
        try {
            Files.write(file, Integer.toString(kib).getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            LOG.info("read-ahead of {} stays as it is: {}", path, e.toString());
        }
    }

    /**
     * Has the kernel follow no symbolic links here: libfuse 2 knows no word for that.
     *
     * @throws MountException when it refuses
     */
    void setNoSymlinks(MountOptions options) {
        List<String> words = new ArrayList<>(List.of("remount", "bind"));
        words.addAll(options.kernelFlags());
        if (options.readOnly()) {
            words.add("ro");
        }
        List<String> command =
                List.of("mount", "-i", "-o", String.join(",", words), path.toString());
        if (!run(command)) {
            throw new MountException(
                    MountCalls.isRoot() ? Category.SYSTEM : Category.PERMISSION,
                    "nosymfollow cannot be set on %s; it takes root, Linux 5.10 and util-linux 2.38"
                            .formatted(path));
        }
    }

    /**
     * Unmounts: politely for a while, then by aborting what is still in use.
     *
     * @param patienceMs how long it is only asked for
     * @return whether nothing is mounted here afterwards
     */
    boolean unmount(long patienceMs) {
        Deadline end = Deadline.afterMs(patienceMs);
        while (isMounted()) {
            if (tryUnmount()) {
                return true;
            }
            if (end.isOver()) {
                LOG.warn("{} is still in use; unmounting it by force", path);
                return force();
            }
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return force();
            }
        }
        return true;
    }

    private boolean tryUnmount() {
        int result = MountCalls.umount(path, 0);
        if (result == -MountCalls.EPERM) {
            return command("-u");
        }
        return result == 0 || result == -MountCalls.EINVAL;
    }

    /** Fails all requests in flight, then takes the mount out of the tree. */
    private boolean force() {
        abortConnection();
        int result = MountCalls.umount(path, MountCalls.MNT_FORCE | MountCalls.MNT_DETACH);
        return result == 0 || !isMounted() || detach();
    }

    private boolean detach() {
        return MountCalls.umount(path, MountCalls.MNT_DETACH) == 0 || command("-u", "-z");
    }

    /** The replacement of MNT_FORCE for a user without privileges. */
    private void abortConnection() {
        MountTable.Entry entry = MountTable.find(path);
        if (entry == null || MountCalls.isRoot()) {
            return;
        }
        String minor = entry.device().substring(entry.device().indexOf(':') + 1);
        Path file = Path.of("/sys/fs/fuse/connections", minor, "abort");
        try {
            Files.write(file, new byte[] {'1'});
        } catch (IOException e) {
            LOG.info("cannot abort the connection of {}: {}", path, e.toString());
        }
    }

    private boolean command(String... flags) {
        for (String program : List.of("fusermount3", "fusermount")) {
            List<String> words = new ArrayList<>(List.of(program));
            words.addAll(List.of(flags));
            words.add(path.toString());
            if (run(words)) {
                return true;
            }
        }
        return false;
    }

    private static boolean run(List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        try {
            Process process = builder.start();
            if (!process.waitFor(COMMAND_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException e) {
            LOG.debug("{} cannot be started: {}", words.getFirst(), e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }
}
