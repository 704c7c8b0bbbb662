package io.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A directory for the data of a benchmark: in {@code /dev/shm}, so that no disk is measured by
 * accident.
 */
final class Scratch {
    private Scratch() {}

    static Path create() throws IOException {
        Path shm = Path.of("/dev/shm");
        return Files.isDirectory(shm)
                ? Files.createTempDirectory(shm, "cairn-bench")
                : Files.createTempDirectory("cairn-bench");
    }

    static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
