package io.cairn.master.raft;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Looks into masters' directories and damages what is there. */
final class TestFiles {
    private static final Pattern SEGMENT = Pattern.compile("log_(?:inprogress_)?(\\d+).*");

    private TestFiles() {}

    /** The directory of a master's log. */
    static Path current(Path master) throws IOException {
        try (Stream<Path> files = Files.list(master.resolve("raft"))) {
            return files.filter(Files::isDirectory).findFirst().orElseThrow().resolve("current");
        }
    }

    /** The segments of a master's log, oldest first. */
    static List<Path> segments(Path master) throws IOException {
        try (Stream<Path> files = Files.list(current(master))) {
            return files.filter(file -> first(file) >= 0)
                    .sorted(Comparator.comparingLong(TestFiles::first))
                    .toList();
        }
    }

    /** Index of the first entry in a master's log. */
    static long firstInLog(Path master) throws IOException {
        return first(segments(master).getFirst());
    }

    private static long first(Path segment) {
        Matcher name = SEGMENT.matcher(segment.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    /** The names of a master's checkpoints. */
    static List<String> checkpoints(Path master) {
        try (Stream<Path> files = Files.list(master.resolve("checkpoints"))) {
            return files.map(file -> file.getFileName().toString()).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Some table of a master's database. */
    static Path table(Path master) throws IOException {
        try (Stream<Path> files = Files.list(master.resolve("db"))) {
            return files.filter(file -> file.toString().endsWith(".sst")).findFirst().orElseThrow();
        }
    }

    /** Changes a byte. */
    static void damage(Path file, long at) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.seek(at);
            int old = access.read();
            access.seek(at);
            access.write(old ^ 0x55);
        }
    }

    /** Copies everything below a directory into another. */
    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.skip(1).toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }
}
