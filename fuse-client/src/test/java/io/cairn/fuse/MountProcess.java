package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A child JVM that runs {@link MountedModel}: what a test may kill, and may map files of. */
final class MountProcess implements AutoCloseable {
    private final Process process;
    private final Path directory;

    private MountProcess(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
    }

    /** Mounts a fresh model; returns when it is mounted. */
    static MountProcess start(Path directory, String options, int maxLinks) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process =
                new ProcessBuilder(
                                List.of(
                                        java,
                                        "-Xmx1g",
                                        "--enable-native-access=ALL-UNNAMED",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        MountedModel.class.getName(),
                                        directory.toString(),
                                        options,
                                        Integer.toString(maxLinks)))
                        .redirectErrorStream(true)
                        .start();
        MountProcess mount = new MountProcess(process, directory);
        BufferedReader output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = output.readLine();
        while (line != null && !line.equals("mounted")) {
            System.out.println("child: " + line);
            line = output.readLine();
        }
        assertEquals("mounted", line, "the child could not mount");
        Thread.ofPlatform()
                .daemon()
                .start(() -> output.lines().forEach(text -> System.out.println("child: " + text)));
        return mount;
    }

    /** Where it is mounted. */
    Path directory() {
        return directory;
    }

    /** kill -9: leaves a dead mount. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends the process and whatever is left of the mount. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Mounts.clean(directory);
    }
}
