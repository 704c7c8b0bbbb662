package io.cairn.system;

import io.cairn.base.Sha256;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * What processes of tests start from: jars of the compiled modules, and what a JVM learned from
 * them in a rehearsal, as the launcher does it for its users. A JVM learns nothing from
 * directories, and without it most of a start is loading classes. It is made once for a state of
 * the class path, by the first of the test JVMs that needs it. Where it cannot be made, processes
 * start from the class path of the test.
 */
final class ClassArchive {
    private static final int REHEARSAL_LIMIT_SECONDS = 300;

    /** Written last, so that a rehearsal in vain is not tried again by every test JVM. */
    private static final String DONE = "done";

    private static final String CACHE = "aot";
    private static final String TOLD = "cairn.test.archive";
    private static final FileTime JAR_TIME = FileTime.fromMillis(0);

    /** Nothing when there is no archive. */
    private static final List<String> OPTIONS = toldOrOpen();

    private ClassArchive() {}

    /** The options of a JVM that runs {@code io.cairn.cli.Cairn} in a process of a test. */
    static List<String> options() {
        return OPTIONS.isEmpty() ? classPath(testClassPath()) : OPTIONS;
    }

    /** For a process that has {@code options()} of the same class path and need not look again. */
    static String property() {
        return "-D" + TOLD + "=" + String.join("\n", OPTIONS);
    }

    private static List<String> toldOrOpen() {
        String told = System.getProperty(TOLD);
        if (told == null) {
            return open();
        }
        return told.isEmpty() ? List.of() : List.of(told.split("\n", -1));
    }

    private static List<String> classPath(String path) {
        return List.of("-cp", path);
    }

    private static String testClassPath() {
        return Objects.requireNonNull(System.getProperty("java.class.path"));
    }

    private static List<String> open() {
        Path all =
                Path.of(Objects.requireNonNull(System.getProperty("cairn.root")))
                        .resolve("system-tests/target/class-archives");
        try {
            List<Path> entries = entries();
            Path archive = all.resolve(key(entries));
            Files.createDirectories(all);
            try (FileChannel lock =
                            FileChannel.open(
                                    all.resolve("lock"),
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.WRITE);
                    var _ = lock.lock()) {
                if (!Files.exists(archive.resolve(DONE))) {
                    try (Stream<Path> found = Files.list(all)) {
                        for (Path old : found.filter(Files::isDirectory).toList()) {
                            deleteTree(old);
                        }
                    }
                    make(archive, entries);
                }
            }
            Path cache = archive.resolve(CACHE);
            if (!Files.exists(cache)) {
                return List.of();
            }
            List<String> options = new ArrayList<>(classPath(jars(archive, entries)));
            options.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:disable"));
            return options;
        } catch (IOException | UncheckedIOException e) {
            System.err.println("no archive of classes: " + e);
            return List.of();
        }
    }

    /** The class path without the tests themselves: the program must not need them. */
    private static List<Path> entries() {
        return Stream.of(testClassPath().split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(path -> !path.endsWith("test-classes") && Files.exists(path))
                .toList();
    }

    private static String key(List<Path> entries) throws IOException {
        MessageDigest digest = Sha256.digest();
        add(digest, Runtime.version() + " " + System.getProperty("java.home"));
        for (Path entry : entries) {
            for (Path file : files(entry)) {
                add(digest, file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return HexFormat.of().formatHex(digest.digest(), 0, 8);
    }

    private static void add(MessageDigest digest, String line) {
        digest.update((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static List<Path> files(Path entry) throws IOException {
        try (Stream<Path> found = Files.walk(entry)) {
            return found.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void make(Path archive, List<Path> entries) throws IOException {
        Files.createDirectories(archive);
        for (int i = 0; i < entries.size(); i++) {
            if (Files.isDirectory(entries.get(i))) {
                writeJar(entries.get(i), jar(archive, i));
            }
        }
        rehearse(archive, jars(archive, entries));
        Files.createFile(archive.resolve(DONE));
    }

    private static Path jar(Path archive, int index) {
        return archive.resolve(index + ".jar");
    }

    private static String jars(Path archive, List<Path> entries) {
        List<String> path = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            Path entry = entries.get(i);
            path.add((Files.isDirectory(entry) ? jar(archive, i) : entry).toString());
        }
        return String.join(File.pathSeparator, path);
    }

    private static void writeJar(Path directory, Path jar) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar));
                Stream<Path> found = Files.walk(directory)) {
            out.setLevel(Deflater.BEST_SPEED);
            for (Path path : found.sorted().toList()) {
                if (path.equals(directory)) {
                    continue;
                }
                boolean isDirectory = Files.isDirectory(path);
                String name = directory.relativize(path) + (isDirectory ? "/" : "");
                out.putNextEntry(new ZipEntry(name).setLastModifiedTime(JAR_TIME));
                if (!isDirectory) {
                    Files.copy(path, out);
                }
                out.closeEntry();
            }
        }
    }

    /** Leaves the cache in the archive, or nothing but a log. */
    private static void rehearse(Path archive, String classPath) throws IOException {
        Path scratch = Files.createTempDirectory("cairn-rehearsal");
        Path made = archive.resolve("made");
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx1g",
                                // Only this collector's JVM keeps objects for the next ones.
                                "-XX:+UseG1GC",
                                "-XX:AOTCacheOutput=" + made));
        command.addAll(CairnProcess.COMMON_OPTIONS);
        command.addAll(classPath(classPath));
        command.addAll(
                List.of("io.cairn.cli.Cairn", "rehearse", "--short", "--data", scratch.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectOutput(archive.resolve("rehearsal.log").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("CAIRN_"));
        Process process = builder.start();
        try {
            if (process.waitFor(REHEARSAL_LIMIT_SECONDS, TimeUnit.SECONDS)
                    && process.exitValue() == 0
                    && Files.exists(made)) {
                Files.move(made, archive.resolve(CACHE), StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            ProcessCluster.unmount(scratch.resolve("mnt"));
            deleteTree(scratch);
        }
    }

    private static void deleteTree(Path directory) throws IOException {
        try (Stream<Path> found = Files.walk(directory)) {
            for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
