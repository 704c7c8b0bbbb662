package io.cairn.cli.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The machine as its files tell: everything below one root, so that a test can make up {@code
 * /proc}, {@code /sys} and {@code /dev}. Immutable.
 *
 * @param root where these files are; {@code /} for the machine itself
 * @param searchPath the directories of {@code PATH}, below the root
 */
public record Machine(Path root, List<String> searchPath) {
    /** The machine that this process runs on. */
    public static Machine own() {
        String path = System.getenv("PATH");
        return new Machine(
                Path.of("/"),
                List.of((path == null ? "/usr/bin:/bin:/usr/sbin:/sbin" : path).split(":")));
    }

    /** A file by its absolute name. */
    public Path file(String name) {
        return root.resolve(name.startsWith("/") ? name.substring(1) : name);
    }

    /** The contents of a small text file without the white space around, or null. */
    public @Nullable String read(String name) {
        try {
            return Files.readString(file(name), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return null;
        }
    }

    /** The lines of a text file; none when it cannot be read. */
    public List<String> lines(String name) {
        String text = read(name);
        return text == null ? List.of() : text.lines().toList();
    }

    /** Whether a program is on the search path. */
    public boolean hasProgram(String name) {
        return searchPath.stream()
                .filter(directory -> !directory.isBlank())
                .anyMatch(directory -> Files.isExecutable(file(directory + "/" + name)));
    }
}
