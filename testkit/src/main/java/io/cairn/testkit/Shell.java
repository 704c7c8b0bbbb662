package io.cairn.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs shell scripts as a person would type them. */
public final class Shell {
    private Shell() {}

    /**
     * Runs a script with {@code sh -eu} in a directory; fails with its output unless it exits 0.
     */
    public static String run(Path directory, String script) throws Exception {
        return run(directory, script, 120);
    }

    public static String run(Path directory, String script, int limitSeconds) throws Exception {
        Path output = Files.createTempFile("shell", ".out");
        try {
            Process process =
                    new ProcessBuilder("sh", "-euc", script)
                            .directory(directory.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            boolean ended = process.waitFor(limitSeconds, TimeUnit.SECONDS);
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new AssertionError(
                        "not finished after "
                                + limitSeconds
                                + " s: "
                                + script
                                + "\n"
                                + Files.readString(output));
            }
            String text = Files.readString(output);
            assertEquals(0, process.exitValue(), () -> script + "\nfailed:\n" + text);
            return text;
        } finally {
            Files.deleteIfExists(output);
        }
    }
}
