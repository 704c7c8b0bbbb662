package io.cairn.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The path behind symbolic links, found without touching some mounts, which may not answer. Links
 * in these mounts are taken as names.
 */
final class RealPath {
    /** As in the kernel; behind more than these, links are taken as names. */
    private static final int MOST_LINKS = 40;

    private RealPath() {}

    /**
     * Follows links.
     *
     * @param untouched where the mounts are, without links
     */
    static Path of(Path given, List<Path> untouched) {
        Path at = Path.of("/");
        Deque<Path> rest = new ArrayDeque<>();
        given.toAbsolutePath().forEach(rest::add);
        int links = 0;
        while (!rest.isEmpty()) {
            Path next = at.resolve(rest.pop()).normalize();
            boolean mayTouch = links < MOST_LINKS && untouched.stream().noneMatch(next::startsWith);
            Path target = mayTouch ? target(next) : null;
            if (target == null) {
                at = next;
                continue;
            }
            links++;
            at = target.isAbsolute() ? Path.of("/") : at;
            for (int i = target.getNameCount() - 1; i >= 0; i--) {
                rest.push(target.getName(i));
            }
        }
        return at;
    }

    /** Where a link leads; null when it is none. */
    private static @Nullable Path target(Path path) {
        try {
            return Files.isSymbolicLink(path) ? Files.readSymbolicLink(path) : null;
        } catch (IOException e) {
            return null;
        }
    }
}
