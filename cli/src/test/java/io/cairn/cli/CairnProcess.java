package io.cairn.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@code cairn} command as a process of its own, its output in a file. Killed when closed. */
final class CairnProcess implements AutoCloseable {
    private final Process process;
    private final Path output;

    private CairnProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts {@code cairn ARGUMENTS}; standard output and error go to {@code output}, which is
     * appended to.
     */
    static CairnProcess start(Path output, List<String> arguments) {
        return start(output, arguments, Map.of());
    }

    static CairnProcess start(
            Path output, List<String> arguments, Map<String, String> environment) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.add("-Xmx512m");
        command.add("-XX:+UseSerialGC");
        command.add("-XX:-UsePerfData");
        command.add("-Dlogback.configurationFile=logback.xml");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add("io.cairn.cli.Cairn");
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().keySet().removeIf(name -> name.startsWith("CAIRN_"));
        builder.environment().putAll(environment);
        try {
            return new CairnProcess(builder.start(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command to its end. */
    static Result run(Path directory, String... arguments) throws Exception {
        Path output = Files.createTempFile(directory, "command", ".out");
        try (CairnProcess process = start(output, List.of(arguments))) {
            int code = process.awaitExit(60);
            return new Result(code, process.output());
        }
    }

    /** How a command ended. */
    record Result(int exitCode, String output) {}

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits until the output matches; fails with the output when the process ends or the time is
     * over.
     */
    Matcher await(String regex, int limitSeconds) throws InterruptedException {
        Pattern pattern = Pattern.compile(regex);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        while (true) {
            boolean alive = process.isAlive();
            Matcher matcher = pattern.matcher(output());
            if (matcher.find()) {
                return matcher;
            }
            if (!alive || System.nanoTime() > end) {
                throw new AssertionError(
                        (alive
                                        ? "no '" + regex + "' within " + limitSeconds + " s"
                                        : "process ended")
                                + "; output:\n"
                                + output());
            }
            Poll.pause();
        }
    }

    int awaitExit(int limitSeconds) throws InterruptedException {
        if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
            throw new AssertionError("still running after " + limitSeconds + " s:\n" + output());
        }
        return process.exitValue();
    }

    /** {@code kill -9}, and waits for the end. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(20, TimeUnit.SECONDS);
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
