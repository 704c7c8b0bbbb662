package io.cairn.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.jr.ob.JSON;

final class BenchCommandTest {
    @TempDir private Path directory;

    private record Outcome(int code, String text, List<Exception> errors) {}

    /** Runs it as the command line does, and keeps the exception that it ended with. */
    private Outcome bench(String... arguments) {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        List<Exception> errors = new ArrayList<>();
        try {
            CommandLine line = new CommandLine(new BenchCommand());
            line.setExecutionExceptionHandler(
                    (thrown, _, _) -> {
                        errors.add(thrown);
                        return ExitCode.SOFTWARE;
                    });
            int code = line.execute(arguments);
            return new Outcome(code, bytes.toString(StandardCharsets.UTF_8), errors);
        } finally {
            System.setOut(before);
        }
    }

    private String[] small(String... more) {
        return Stream.concat(
                        Stream.of(
                                directory.toString(),
                                "--quick",
                                "--size=4M",
                                "--files=8",
                                "--threads=1,2",
                                "--disk=" + directory),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    @Test
    void measuresAndLeavesNothing() throws IOException {
        Path page = Files.createTempDirectory(directory, "page").resolve("bench.html");
        Outcome outcome = bench(small("--json", "--html=" + page));
        assertEquals(ExitCode.OK, outcome.code());

        Map<String, Object> document = JSON.std.mapFrom(outcome.text());
        List<Map<String, Object>> figures = figures(document);
        assertTrue(figures.stream().allMatch(each -> value(each) > 0), outcome.text());
        for (String group :
                List.of(
                        "this machine",
                        "a file for each thread",
                        "one file for all threads",
                        "names",
                        "small files",
                        "dd and cp")) {
            assertTrue(figures.stream().anyMatch(each -> group.equals(each.get("group"))), group);
        }
        assertEquals(
                12, figures.stream().filter(each -> "names".equals(each.get("group"))).count());
        assertTrue(Files.readString(page).contains("cp within the mount"));
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(List.of(page.getParent()), left.toList());
        }
    }

    @Test
    void comparesWithAnEarlierRun() throws IOException {
        Path earlier = directory.resolve("earlier.json");
        Files.writeString(
                earlier,
                """
                {"format": "cairn-bench-1", "figures": [
                  {"group": "names", "name": "create, 1 thread", "unit": "1/s", "value": 1e-3}]}
                """);
        Outcome outcome = bench(small("--compare=" + earlier));
        String line =
                outcome.text()
                        .lines()
                        .filter(each -> each.contains("create, 1 "))
                        .findFirst()
                        .orElse("");
        assertTrue(line.endsWith("times before"), outcome.text());
        assertTrue(outcome.text().lines().filter(each -> each.contains("before")).count() == 1);
    }

    @Test
    void refusesWhatItCannotUse() throws IOException {
        Path other = Files.writeString(directory.resolve("other.json"), "{\"a\": 1}");
        assertRefused("cairn bench --json", small("--compare=" + other));
        assertRefused("--threads", small("--threads=0"));
        assertRefused("--size", directory.toString(), "--size=1");
        assertRefused("is not a directory", directory.resolve("none").toString());
    }

    private void assertRefused(String word, String... arguments) {
        List<Exception> errors = bench(arguments).errors();
        assertEquals(1, errors.size());
        CommandException refused = assertInstanceOf(CommandException.class, errors.getFirst());
        assertTrue(String.valueOf(refused.getMessage()).contains(word), refused.getMessage());
        assertEquals(ExitCode.USAGE, refused.exitCode());
    }

    private static double value(Map<String, Object> figure) {
        return figure.get("value") instanceof Number number ? number.doubleValue() : -1;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> figures(Map<String, Object> document) {
        return (List<Map<String, Object>>) Objects.requireNonNull(document.get("figures"));
    }
}
