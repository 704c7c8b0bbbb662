package io.cairn.cli.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The processes that use a mount, as proc(5) tells: by working directory, root, open or mapped
 * files. Links are read and not followed, so that a mount that does not answer is no obstacle. Of
 * other users' processes only root is told.
 */
final class MountUsers {
    private static final Path PROC = Path.of("/proc");

    private MountUsers() {}

    /** Such as {@code bash (pid 4711: working directory /mnt/cairn/a)}, by pid. */
    static List<String> of(Path mountpoint) {
        List<String> users = new ArrayList<>();
        try (Stream<Path> entries = Files.list(PROC)) {
            entries.map(p -> String.valueOf(p.getFileName()))
                    .filter(name -> name.matches("[0-9]+"))
                    .map(Long::valueOf)
                    .filter(pid -> pid != ProcessHandle.current().pid())
                    .sorted()
                    .forEach(
                            pid -> {
                                String use = use(PROC.resolve(pid.toString()), mountpoint);
                                if (use != null) {
                                    users.add(name(pid) + " (pid " + pid + ": " + use + ")");
                                }
                            });
        } catch (IOException | UncheckedIOException e) {
            return users;
        }
        return users;
    }

    private static String name(long pid) {
        try {
            return Files.readString(PROC.resolve(pid + "/comm")).strip();
        } catch (IOException e) {
            return "a process";
        }
    }

    private static @Nullable String use(Path process, Path mountpoint) {
        String directory = link(process.resolve("cwd"), mountpoint);
        if (directory != null) {
            return "working directory " + directory;
        }
        Set<String> files = new LinkedHashSet<>();
        for (String each : List.of("root", "exe")) {
            add(files, link(process.resolve(each), mountpoint));
        }
        for (String each : List.of("fd", "map_files")) {
            try (Stream<Path> links = Files.list(process.resolve(each))) {
                links.forEach(link -> add(files, link(link, mountpoint)));
            } catch (IOException | UncheckedIOException e) {
                // It has ended, or is somebody else's.
            }
        }
        return files.isEmpty()
                ? null
                : files.iterator().next()
                        + (files.size() > 1 ? " and " + (files.size() - 1) + " more" : "");
    }

    private static void add(Set<String> files, @Nullable String file) {
        if (file != null) {
            files.add(file);
        }
    }

    /** Where a link points, if that is on the mount. */
    private static @Nullable String link(Path link, Path mountpoint) {
        try {
            String to = Files.readSymbolicLink(link).toString();
            boolean isThere = to.equals(mountpoint.toString()) || to.startsWith(mountpoint + "/");
            return isThere ? to : null;
        } catch (IOException e) {
            return null;
        }
    }
}
