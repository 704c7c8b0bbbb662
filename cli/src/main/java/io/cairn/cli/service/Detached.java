package io.cairn.cli.service;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.Program;
import io.cairn.runtime.Deadline;
import io.cairn.runtime.OwnerOnly;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Starts this command once more as a process of its own session, with its output in a log file, and
 * waits until it says "ready".
 */
final class Detached {
    private Detached() {}

    /**
     * Starts and waits. Prints what the child printed up to its "ready", and at once that it waits.
     *
     * @param limitS how long it may take
     * @return 0, or the exit code of a child that failed, after printing its error
     */
    static int start(List<String> arguments, Path log, int limitS)
            throws IOException, InterruptedException {
        return start(arguments, log, limitS, "");
    }

    /**
     * The same.
     *
     * @param line what the process can read from its standard input; nothing when it is empty
     */
    static int start(List<String> arguments, Path log, int limitS, String line)
            throws IOException, InterruptedException {
        OwnerOnly.begin();
        Path directory = log.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        long begin = Files.exists(log) ? Files.size(log) : 0;
        Process child =
                new ProcessBuilder(command(arguments))
                        .redirectErrorStream(true)
                        .redirectInput(
                                line.isEmpty()
                                        ? ProcessBuilder.Redirect.from(new File("/dev/null"))
                                        : ProcessBuilder.Redirect.PIPE)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        if (!line.isEmpty()) {
            try (Writer input = child.outputWriter(StandardCharsets.UTF_8)) {
                input.write(line + "\n");
            }
        }
        Deadline end = Deadline.afterS(limitS);
        boolean told = false;
        while (true) {
            boolean alive = child.isAlive();
            List<String> lines = linesAfter(log, begin);
            if (!told && lines.stream().anyMatch(Detached::saysItWaits)) {
                lines.stream().filter(Detached::saysItWaits).forEach(System.err::println);
                told = true;
            }
            if (lines.stream().anyMatch(Detached::saysReady)) {
                lines.stream()
                        .filter(l -> isForPeople(l) && !saysItWaits(l))
                        .forEach(System.out::println);
                return ExitCode.OK;
            }
            if (!alive) {
                return reportFailure(child.exitValue(), lines, log);
            }
            if (end.isOver()) {
                child.destroy();
                throw new CommandException(
                        ExitCode.TEMPORARY,
                        "not ready within " + limitS + " s, stopped again; see " + log);
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static int reportFailure(int exitCode, List<String> lines, Path log) {
        List<String> errors =
                lines.stream().filter(l -> l.startsWith("cairn: ") && !saysItWaits(l)).toList();
        errors.forEach(System.err::println);
        if (errors.isEmpty()) {
            System.err.println("cairn: the process ended at once; see " + log);
        }
        return exitCode == 0 ? ExitCode.SOFTWARE : exitCode;
    }

    /** Lines of the log begin with a date, what is said to people with the name of the program. */
    private static boolean saysReady(String line) {
        return line.startsWith("cairn ") && line.contains(" ready");
    }

    private static boolean saysItWaits(String line) {
        return line.startsWith("cairn: waiting ");
    }

    /** Lines of the log begin with a date, or with a brace. */
    private static boolean isForPeople(String line) {
        return line.isEmpty() || (!Character.isDigit(line.charAt(0)) && line.charAt(0) != '{');
    }

    private static List<String> linesAfter(Path log, long begin) throws IOException {
        byte[] bytes = Files.readAllBytes(log);
        int from = (int) Math.min(begin, bytes.length);
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8)
                .lines()
                .toList();
    }

    private static List<String> command(List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            command.add("/usr/bin/setsid");
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Program.MAIN_CLASS);
        command.addAll(arguments);
        return command;
    }
}
