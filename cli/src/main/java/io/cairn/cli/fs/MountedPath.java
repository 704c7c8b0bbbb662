package io.cairn.cli.fs;

import io.cairn.base.Wording;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.Source;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path on a Cairn mount, and what the mount is of: found in {@code /proc/self/mountinfo}
 * (proc(5)).
 *
 * @param source the cluster and the directory of it that is mounted
 * @param path the path within the cluster, absolute
 */
public record MountedPath(Source source, String path) {
    private static final String PREFIX = "cairn:";

    /**
     * Looks a path up; fails with NO_INPUT when it does not exist, with USAGE when it is not on
     * Cairn.
     */
    static MountedPath of(Path given) {
        Path path = given.toAbsolutePath().normalize();
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandException(ExitCode.NO_INPUT, path + " does not exist");
        }
        try {
            Path parent = path.getParent();
            Path name = path.getFileName();
            Path real = parent == null || name == null ? path : parent.toRealPath().resolve(name);
            MountedPath found =
                    find(Files.readAllLines(Path.of("/proc/self/mountinfo")), real.toString());
            if (found == null) {
                throw new CommandException(
                        ExitCode.USAGE,
                        path + " is not on a Cairn mount; 'findmnt -t fuse.cairn' lists them");
            }
            return found;
        } catch (IOException e) {
            throw new CommandException(ExitCode.OS_ERROR, path + ": " + Wording.of(e), e);
        }
    }

    /** The innermost mount above a path, if it is one of ours. */
    static @Nullable MountedPath find(List<String> mountinfo, String path) {
        MountedPath found = null;
        int longest = -1;
        for (String line : mountinfo) {
            String[] fields = line.split(" ", -1);
            String point = unescape(fields[4]);
            boolean above = point.equals("/") || path.equals(point) || path.startsWith(point + "/");
            if (!above || point.length() < longest) {
                continue;
            }
            longest = point.length();
            found = ofMount(line, point, path);
        }
        return found;
    }

    /** Whether a line of the table is one of our mounts at exactly this path. */
    public static boolean isMount(String line, String path) {
        return unescape(line.split(" ", -1)[4]).equals(path) && ofMount(line, path, path) != null;
    }

    private static @Nullable MountedPath ofMount(String line, String point, String path) {
        String[] tail = line.substring(line.indexOf(" - ") + 3).split(" ", -1);
        String source = unescape(tail[1]);
        if (!tail[0].equals("fuse.cairn") || !source.startsWith(PREFIX)) {
            return null;
        }
        Source mounted = Source.parse(source.substring(PREFIX.length()));
        String below = point.equals("/") ? path : path.substring(point.length());
        String base = mounted.subdirectory().equals("/") ? "" : mounted.subdirectory();
        String within = base + below;
        return new MountedPath(mounted, within.isEmpty() ? "/" : within);
    }

    /** Space, tab, newline and backslash stand as three octal digits. */
    private static String unescape(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\\' && i + 3 < text.length()) {
                plain.append((char) Integer.parseInt(text.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                plain.append(text.charAt(i));
            }
        }
        return plain.toString();
    }

    /** The path as bytes. */
    byte[] bytes() {
        return path.getBytes(StandardCharsets.UTF_8);
    }
}
