package io.cairn.cli.doctor;

import io.cairn.base.Wording;
import io.cairn.cli.option.IdentityOptions;
import io.cairn.cli.option.OwnDirectory;
import io.cairn.cluster.Endpoint;
import io.cairn.node.MasterWait;
import io.cairn.node.ProcessContext;
import io.cairn.node.Program;
import io.cairn.runtime.Release;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Collects the files of a diagnostics archive. Each one by itself: what cannot be had is noted and
 * the rest goes on. Everything goes through {@link Secrets}. Not thread-safe.
 */
final class Diagnostics {
    private static final int PROGRAM_LIMIT_S = 20;
    private static final Duration HTTP_LIMIT = Duration.ofSeconds(10);
    private static final int MAX_PROCESSES = 64;
    private static final int MAX_LOGS = 256;
    private static final long ASK_MS = 5_000;
    private static final String TOKEN_FILE = "admin.token";

    private final TarGzip archive;
    private final Path data;
    private final Secrets secrets;
    private final Consumer<String> progress;
    private final List<String> missing = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    /** Makes the text of one file. */
    interface Text {
        String get() throws IOException, InterruptedException;
    }

    /**
     * Writes to an archive.
     *
     * @param data the directory of {@code cairn up}
     * @param progress is told the name of each file before it is made
     */
    Diagnostics(TarGzip archive, Path data, Consumer<String> progress) {
        this.archive = archive;
        this.progress = progress;
        this.data = data;
        this.secrets = new Secrets(tokens(data));
    }

    private static List<String> tokens(Path data) {
        return Stream.of(data.resolve(TOKEN_FILE), data.resolve("master").resolve(TOKEN_FILE))
                .filter(Files::isReadable)
                .map(
                        file -> {
                            try {
                                return Files.readString(file);
                            } catch (IOException e) {
                                return "";
                            }
                        })
                .toList();
    }

    /** Collects everything; fails only when the archive itself cannot be written. */
    void collect(List<Endpoint> masters, List<Endpoint> doors, List<Path> logs)
            throws IOException, InterruptedException {
        add("versions.txt", Diagnostics::versions);
        add("environment.txt", Diagnostics::environment);
        add("doctor.json", () -> doctor(masters));
        if (masters.isEmpty()) {
            missing.add("status.json: no master known; give --masters HOST:PORT");
        } else {
            add("status.json", () -> status(masters));
        }
        for (Endpoint door : new LinkedHashSet<>(doors)) {
            String prefix = "services/" + fileName(door.toString()) + "/";
            add(prefix + "metrics.txt", () -> get(door, "/metrics"));
            add(prefix + "ready.json", () -> get(door, "/health/ready"));
        }
        settings();
        processes();
        logs(logs);
        if (Files.isExecutable(Path.of("/usr/bin/journalctl"))) {
            add(
                    "logs/journal.txt",
                    () -> program("journalctl", "--no-pager", "-n", "20000", "-u", "cairn-*"));
        }
        add("manifest.txt", this::manifest);
    }

    /** How many files were written. */
    int fileCount() {
        return names.size();
    }

    /** Sources that could not be read, with the reason. */
    List<String> missing() {
        return List.copyOf(missing);
    }

    /** Adds a file, or notes that it could not be had. */
    void add(String name, Text text) throws IOException, InterruptedException {
        progress.accept(name);
        byte[] bytes;
        try {
            bytes = secrets.mask(text.get()).getBytes(StandardCharsets.UTF_8);
        } catch (IOException | RuntimeException e) {
            missing.add(name + ": " + secrets.mask(Wording.of(e)));
            return;
        }
        archive.add(name, bytes);
        names.add(name);
    }

    private String manifest() {
        return "Files:\n  "
                + String.join("\n  ", names)
                + "\nNot there:\n"
                + missing.stream().map(m -> "  " + m + "\n").collect(Collectors.joining());
    }

    private static String versions() throws IOException {
        StringBuilder text = new StringBuilder();
        text.append("cairn    ").append(Release.text()).append('\n');
        text.append("java     ").append(Runtime.version()).append(", ");
        text.append(System.getProperty("java.vendor")).append('\n');
        text.append("kernel   ").append(Files.readString(Path.of("/proc/version")));
        Path release = Path.of("/etc/os-release");
        return text + (Files.isReadable(release) ? Files.readString(release) : "");
    }

    private static String environment() {
        return new TreeMap<>(System.getenv())
                .entrySet().stream()
                        .filter(e -> e.getKey().startsWith("CAIRN_"))
                        .map(e -> e.getKey() + "=" + e.getValue() + "\n")
                        .collect(Collectors.joining());
    }

    private String doctor(List<Endpoint> masters) throws IOException, InterruptedException {
        List<Path> directories = Files.exists(data) ? List.of(data) : List.of();
        return DoctorCommand.json(
                new Examination()
                        .run(
                                new Examination.Scope(
                                        EnumSet.allOf(Role.class),
                                        directories,
                                        List.of(),
                                        masters)));
    }

    private static String status(List<Endpoint> masters) throws InterruptedException {
        try (ProcessContext world = IdentityOptions.worldOfCommand()) {
            return new MasterProbe(world.transport(), MasterWait.errors()).status(masters, ASK_MS);
        }
    }

    private static String get(Endpoint door, String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + door + path))
                        .timeout(HTTP_LIMIT)
                        .build();
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(HTTP_LIMIT).build()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    /** The settings of installed services and of those that run. */
    private void settings() throws IOException, InterruptedException {
        Set<Path> files = new LinkedHashSet<>();
        for (ProcessHandle process : cairnProcesses()) {
            List<String> arguments = List.of(commandLine(process).split("\0"));
            int option = arguments.indexOf("--config");
            if (option >= 0 && option + 1 < arguments.size()) {
                files.add(Path.of(arguments.get(option + 1)));
            }
        }
        Path directory = Path.of("/etc/cairn");
        if (Files.isDirectory(directory)) {
            try (Stream<Path> entries = Files.list(directory)) {
                entries.filter(p -> p.toString().endsWith(".yaml"))
                        .limit(MAX_LOGS)
                        .forEach(files::add);
            }
        }
        for (Path file : files) {
            add("settings/" + fileName(file.toString()), () -> Files.readString(file));
        }
    }

    /** Command lines and threads of the Cairn processes on this machine. */
    private void processes() throws IOException, InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        for (ProcessHandle process : cairnProcesses()) {
            String prefix = "processes/" + process.pid() + "/";
            add(prefix + "command.txt", () -> commandLine(process).replace('\0', '\n'));
            for (String what : List.of("Thread.print", "GC.heap_info", "VM.flags")) {
                add(
                        prefix + what + ".txt",
                        () -> program(jcmd, String.valueOf(process.pid()), what));
            }
        }
    }

    private static List<ProcessHandle> cairnProcesses() {
        return ProcessHandle.allProcesses()
                .filter(p -> p.pid() != ProcessHandle.current().pid())
                .filter(Diagnostics::isCairn)
                .limit(MAX_PROCESSES)
                .toList();
    }

    /** Not a shell or a tracer that has the same words among its arguments. */
    private static boolean isCairn(ProcessHandle process) {
        return process.info().command().filter(c -> c.endsWith("/java")).isPresent()
                && commandLine(process).contains("\0" + Program.MAIN_CLASS + "\0");
    }

    /** Arguments, each ended by a zero byte; empty when they may not be seen. */
    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(
                    Path.of("/proc", String.valueOf(process.pid()), "cmdline"),
                    StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    private void logs(List<Path> given) throws IOException, InterruptedException {
        Set<Path> files = new LinkedHashSet<>(given);
        files.add(data.resolve("cairn.log"));
        for (Path directory : List.of(data.resolve("log"), OwnDirectory.path().resolve("log"))) {
            if (Files.isDirectory(directory)) {
                try (Stream<Path> entries = Files.list(directory)) {
                    entries.filter(Files::isRegularFile).limit(MAX_LOGS).forEach(files::add);
                }
            }
        }
        for (Path file : files) {
            if (given.contains(file) || Files.exists(file)) {
                add("logs/" + fileName(file.toString()), () -> ProgramRun.end(file));
            }
        }
    }

    /** The output of a program, its errors too. */
    private static String program(String... command) throws IOException, InterruptedException {
        ProgramRun run = ProgramRun.of(List.of(command), PROGRAM_LIMIT_S);
        if (run == null) {
            throw new IOException("no end after " + PROGRAM_LIMIT_S + " s");
        }
        return run.output();
    }

    /** Anything as one name in the archive, the end of it where it is too long. */
    private static String fileName(String text) {
        String name = text.replaceAll("[^A-Za-z0-9._-]+", "_");
        return name.substring(Math.max(0, name.length() - 60));
    }
}
