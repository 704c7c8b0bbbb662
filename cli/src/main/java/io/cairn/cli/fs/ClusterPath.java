package io.cairn.cli.fs;

import io.cairn.base.Printable;
import io.cairn.base.Wording;
import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.api.ByteText;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path in the cluster, out of what a command was given: a path on a mount of this machine is
 * translated, any other absolute path is one in the cluster already.
 *
 * @param text absolute, in the cluster; bytes as {@link ByteText}
 * @param localIno the inode number that this machine sees; null when it is not on a mount
 */
public record ClusterPath(String text, @Nullable Long localIno) {
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

    /** Finds out; fails with USAGE for a relative path that is not on a mount. */
    static ClusterPath of(String given) {
        Path local = local(given);
        if (local == null) {
            return unspeakable(given);
        }
        MountedPath mounted = onMount(local);
        if (mounted != null) {
            return new ClusterPath(mounted.path(), ino(local));
        }
        if (!given.startsWith("/")) {
            throw notHere(given);
        }
        return new ClusterPath(given, null);
    }

    /** The same for something that may not be there any more. */
    static ClusterPath removed(String given) {
        Path local = local(given);
        MountedPath mounted = local == null ? null : onMount(local);
        if (mounted != null) {
            return new ClusterPath(mounted.path(), null);
        }
        if (local != null && !given.startsWith("/")) {
            throw notHere(given);
        }
        return local == null ? unspeakable(given) : new ClusterPath(given, null);
    }

    private static CommandException notHere(String given) {
        return new CommandException(
                ExitCode.USAGE,
                "'"
                        + given
                        + "' is not on a Cairn mount here; give its path in the cluster, which"
                        + " begins with '/'");
    }

    /**
     * The same for a command that can do without the API; for who has no token, a path that is on
     * no mount is a mistake.
     */
    public static ClusterPath of(String given, ApiOptions options) {
        ClusterPath place = of(given);
        if (place.localIno == null && !options.hasToken() && local(given) != null) {
            MountedPath.of(Path.of(given));
        }
        return place;
    }

    /** Whether it is to be looked at through the mount here. */
    boolean isHere(ApiOptions options) {
        return localIno != null && !options.isApiGiven();
    }

    /** The path on this machine; null when Java has no word for it. */
    private static @Nullable Path local(String given) {
        try {
            return ByteText.isText(given) ? Path.of(given).toAbsolutePath().normalize() : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** A path that cannot be looked up on mounts here, so it must be one in the cluster. */
    private static ClusterPath unspeakable(String given) {
        MountedPath mounted;
        try {
            mounted = MountedPath.find(Files.readAllLines(MOUNTS), given);
        } catch (IOException e) {
            mounted = null;
        }
        if (mounted != null || !given.startsWith("/")) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "'"
                            + Printable.of(given)
                            + "' is not text in this locale and cannot be looked up on mounts; give"
                            + " its path in the cluster, which begins with '/'");
        }
        return new ClusterPath(given, null);
    }

    private static @Nullable MountedPath onMount(Path local) {
        try {
            List<String> mounts = Files.readAllLines(MOUNTS);
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
                    ExitCode.NO_INPUT, local + " cannot be found: " + Wording.of(e), e);
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
        Object ino = options.look(text).document().get("ino");
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
