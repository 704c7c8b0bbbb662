package io.cairn.cli;

import io.cairn.cli.api.ApiRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path in the cluster, out of what a command was given: a path on a mount of this machine is
 * translated, any other absolute path is one in the cluster already.
 *
 * @param text absolute, in the cluster
 * @param localIno the inode number that this machine sees; null when it is not on a mount
 */
record ClusterPath(String text, @Nullable Long localIno) {
    /** Finds out; fails with USAGE for a relative path that is not on a mount. */
    static ClusterPath of(String given) {
        Path local = Path.of(given).toAbsolutePath().normalize();
        MountedPath mounted = onMount(local);
        if (mounted != null) {
            return new ClusterPath(mounted.path(), ino(local));
        }
        if (!given.startsWith("/")) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "'"
                            + given
                            + "' is not on a Cairn mount here; give its path in the cluster, which"
                            + " begins with '/'");
        }
        return new ClusterPath(given, null);
    }

    private static @Nullable MountedPath onMount(Path local) {
        try {
            List<String> mounts = Files.readAllLines(Path.of("/proc/self/mountinfo"));
            Path parent = local.getParent();
            Path name = local.getFileName();
            Path real =
                    parent != null && name != null && Files.isDirectory(parent)
                            ? parent.toRealPath().resolve(name)
                            : local;
            return MountedPath.find(mounts, real.toString());
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable Long ino(Path local) {
        try {
            Object ino = Files.getAttribute(local, "unix:ino", LinkOption.NOFOLLOW_LINKS);
            return ino instanceof Long number ? number : null;
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.NO_INPUT, local + " cannot be found: " + e.getMessage(), e);
        }
    }

    /**
     * Makes sure that the API administers what this machine has mounted, before something is
     * changed there; fails with CONFIG when it does not.
     */
    ClusterPath checked(ApiOptions options) {
        if (localIno == null) {
            return this;
        }
        Object ino = options.ask(ApiRequest.of("GET /files/{path}", text)).document().get("ino");
        if (!String.valueOf(localIno).equals(ino)) {
            throw new CommandException(
                    ExitCode.CONFIG,
                    text
                            + " is inode "
                            + localIno
                            + " on the mount here but "
                            + ino
                            + " at the API: that is another cluster; see --api");
        }
        return this;
    }
}
