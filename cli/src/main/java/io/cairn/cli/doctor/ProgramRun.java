package io.cairn.cli.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a program of the machine ended.
 *
 * @param exitCode what it ended with
 * @param output the end of what it printed, its errors too
 */
public record ProgramRun(int exitCode, String output) {
    /** Of the output of a program, or of a log, the last bytes that are kept. */
    static final int MAX_TEXT_BYTES = 8 << 20;

    /**
     * Runs a program to its end; null when it takes longer than it may, and is stopped.
     *
     * @throws IOException when there is no such program
     */
    public static @Nullable ProgramRun of(List<String> command, int limitS)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("cairn-program", null);
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            if (!process.waitFor(limitS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return null;
            }
            return new ProgramRun(process.exitValue(), end(output));
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** The end of a file. */
    static String end(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            in.skipNBytes(Math.max(0, Files.size(file) - MAX_TEXT_BYTES));
            return new String(in.readNBytes(MAX_TEXT_BYTES), StandardCharsets.UTF_8);
        }
    }
}
