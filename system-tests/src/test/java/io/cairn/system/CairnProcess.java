package io.cairn.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A {@code cairn} command as a process of its own, its output in a file. Killed when closed. */
public final class CairnProcess implements AutoCloseable {
    /** The line by which a service says that it answers; lines of the log begin with a date. */
    public static final String READY = "(?m)^cairn .*ready";

    /** What says that the first token of the admin API counts, and in which file it is. */
    static final String FIRST_TOKEN =
            "the first token of the admin API, of role admin, is in (\\S+)";

    /** What every JVM with Cairn is started with. */
    static final List<String> COMMON_OPTIONS =
            List.of(
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-XX:-UsePerfData",
                    "-Dlogback.configurationFile=logback.xml");

    private final ProcessHandle process;
    private final @Nullable Process child;
    private final Path output;

    private CairnProcess(ProcessHandle process, @Nullable Process child, Path output) {
        this.process = process;
        this.child = child;
        this.output = output;
    }

    /** A process that a {@link Spawner} started: its exit code is not known. */
    static CairnProcess adopt(long pid, Path output) {
        ProcessHandle handle =
                ProcessHandle.of(pid)
                        .orElseThrow(
                                () -> new IllegalStateException("process " + pid + " has ended"));
        return new CairnProcess(handle, null, output);
    }

    /**
     * Starts {@code cairn ARGUMENTS}; standard output and error go to {@code output}, which is
     * appended to.
     */
    public static CairnProcess start(Path output, List<String> arguments) {
        return start(output, arguments, Map.of());
    }

    public static CairnProcess start(
            Path output, List<String> arguments, Map<String, String> environment) {
        return start(output, List.of(), arguments, environment);
    }

    /** The same behind a command that becomes it, such as {@code nsenter}. */
    public static CairnProcess start(
            Path output,
            List<String> prefix,
            List<String> arguments,
            Map<String, String> environment) {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(COMMON_OPTIONS);
        command.add("-Xmx512m");
        command.add("-XX:+UseSerialGC");
        // Several share the processors of a test machine; the second compiler takes more than it
        // gives in so short a life.
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(ClassArchive.options());
        command.add("io.cairn.cli.Cairn");
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().keySet().removeIf(name -> name.startsWith("CAIRN_"));
        builder.environment().putAll(environment);
        try {
            Process child = builder.start();
            return new CairnProcess(child.toHandle(), child, output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command to its end. */
    public static Result run(Path directory, String... arguments) throws Exception {
        Path output = Files.createTempFile(directory, "command", ".out");
        try (CairnProcess process = start(output, List.of(arguments))) {
            int code = process.awaitExit(100);
            return new Result(code, process.output());
        }
    }

    /** How a command ended. */
    public record Result(int exitCode, String output) {}

    public long pid() {
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
     * over. Of a process that runs, only whole lines count: it may be writing the last one.
     */
    public Matcher await(String regex, int limitSeconds) throws InterruptedException {
        Pattern pattern = Pattern.compile(regex);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        while (true) {
            boolean alive = process.isAlive();
            String output = output();
            int whole = alive ? output.lastIndexOf('\n') + 1 : output.length();
            Matcher matcher = pattern.matcher(output.substring(0, whole));
            if (matcher.find()) {
                return matcher;
            }
            if (!alive || System.nanoTime() > end) {
                throw new AssertionError(
                        (alive
                                        ? "no '" + regex + "' within " + limitSeconds + " s"
                                        : "no '" + regex + "', process ended" + exitCode())
                                + "; output:\n"
                                + output);
            }
            Poll.pause();
        }
    }

    /**
     * Waits until the first token of the admin API counts, as a master or a whole cluster says. Its
     * file is there before that.
     */
    void awaitFirstToken() throws InterruptedException {
        await(FIRST_TOKEN, 60);
    }

    /** With what a process ended that was started directly, for the message of a failed test. */
    private String exitCode() {
        Process started = child;
        return started == null || started.isAlive() ? "" : " with " + started.exitValue();
    }

    /** Waits for the end; the exit code, for a process started directly. */
    int awaitExit(int limitSeconds) throws InterruptedException {
        Process started = child;
        if (started == null) {
            throw new IllegalStateException("the exit code of an adopted process is not known");
        }
        if (!started.waitFor(limitSeconds, TimeUnit.SECONDS)) {
            throw new AssertionError("still running after " + limitSeconds + " s:\n" + output());
        }
        return started.exitValue();
    }

    /** {@code kill -9}, and waits for the end. */
    void kill() {
        process.destroyForcibly();
        Poll.until("end of process " + pid(), 60, () -> !process.isAlive());
    }

    /** {@code kill -SIGNAL}. */
    void signal(String signal) throws Exception {
        ProcessBuilder kill = new ProcessBuilder("kill", "-" + signal, "" + pid());
        if (kill.start().waitFor() != 0) {
            throw new IllegalStateException("process " + pid() + " takes no " + signal);
        }
        if (signal.equals("STOP")) {
            // The kernel stops the threads one after the other; until then they answer.
            Poll.until("process " + pid() + " stops", 60, () -> stands(pid()));
        }
    }

    /** Whether all threads of a process are stopped, see proc_pid_stat(5). */
    private static boolean stands(long pid) throws IOException {
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
            for (Path thread : threads) {
                String stat = Files.readString(thread.resolve("stat"));
                if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
        }
        return true;
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    @Override
    public void close() {
        kill();
    }
}
