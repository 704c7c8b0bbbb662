package io.cairn.system;

import io.cairn.testkit.OwnPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Masters, chunk servers and mounts, each a process of its own, that a test may kill and start
 * again.
 */
public final class ProcessCluster implements AutoCloseable {
    private static final OwnPorts PORTS = new OwnPorts(new Random());

    private final Path directory;
    private final Path data;
    private final int replicas;
    private final Map<String, List<String>> commands = new LinkedHashMap<>();
    private final Map<String, CairnProcess> processes = new LinkedHashMap<>();
    private final List<Path> mountpoints = new ArrayList<>();
    private final List<String> masters = new ArrayList<>();
    private final List<String> doors = new ArrayList<>();
    private final Spawner spawner = new Spawner();

    ProcessCluster(Path directory, int replicas) throws IOException {
        this(directory, directory, replicas);
    }

    /** A cluster whose masters and chunk servers keep their data elsewhere. */
    ProcessCluster(Path directory, Path data, int replicas) throws IOException {
        this.directory = directory;
        this.data = data;
        this.replicas = replicas;
    }

    static int freePort() {
        return PORTS.next();
    }

    /** Starts masters m1..mN, with more options if there are any. */
    void startMasters(int count, int expectedServers, String... more) throws Exception {
        List<String> raft = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            String door = "127.0.0.1:" + freePort();
            doors.add(door);
            raft.add("m" + i + "=" + door);
            masters.add("127.0.0.1:" + freePort());
        }
        for (int i = 1; i <= count; i++) {
            List<String> words = new ArrayList<>();
            Collections.addAll(
                    words,
                    "master",
                    "--id",
                    "m" + i,
                    "--data",
                    data.resolve("m" + i).toString(),
                    "--listen",
                    masters.get(i - 1),
                    "--raft",
                    String.join(",", raft),
                    "--found",
                    "--replicas",
                    String.valueOf(replicas),
                    "--expect-servers",
                    String.valueOf(expectedServers),
                    "--admin",
                    "127.0.0.1:0");
            Collections.addAll(words, more);
            commands.put("m" + i, List.copyOf(words));
            start("m" + i);
        }
    }

    /**
     * Starts one more master, which joins the cluster by these addresses of masters.
     *
     * @return it, as {@code cairn admin masters add} wants it
     */
    String join(String name, String doors) {
        String self = name + "=127.0.0.1:" + freePort();
        commands.put(
                name,
                List.of(
                        "master",
                        "--id",
                        name,
                        "--data",
                        data.resolve(name).toString(),
                        "--listen",
                        "127.0.0.1:" + freePort(),
                        "--raft",
                        self,
                        "--join",
                        doors,
                        "--admin",
                        "127.0.0.1:0"));
        start(name);
        return self;
    }

    /** Where clients reach a master that was started here. */
    String clientAddress(String master) {
        List<String> command = commands.getOrDefault(master, List.of());
        return command.get(command.indexOf("--listen") + 1);
    }

    /** Where the masters of the beginning talk to each other. */
    String doors() {
        return String.join(",", doors);
    }

    /** Starts chunk servers c1..cN. */
    void startChunkServers(int count) throws Exception {
        for (int i = 1; i <= count; i++) {
            startChunkServer("c" + i);
        }
    }

    /** Starts a chunk server with some options besides. */
    void startChunkServer(String name, String... options) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "chunk",
                                "--id",
                                name,
                                "--data",
                                data.resolve(name).toString(),
                                "--listen",
                                "127.0.0.1:" + freePort(),
                                "--masters",
                                masters()));
        command.addAll(List.of(options));
        commands.put(name, command);
        start(name);
    }

    /** Runs a command of the admin API against the first master; what it prints. */
    String cairn(String... words) throws Exception {
        String address = process("m1").await("admin on (\\S+)", 60).group(1);
        List<String> command = new ArrayList<>(List.of(words));
        command.addAll(List.of("--api", "http://" + address));
        command.addAll(List.of("--token-file", awaitFirstToken().toString()));
        CommandResult result = CommandResult.of(command);
        if (result.code() != 0) {
            throw new AssertionError(command + ": " + result.errors() + result.out());
        }
        return result.out();
    }

    /** Mounts at {@code DIRECTORY/NAME} and waits until it answers. */
    Path mount(String name) throws Exception {
        return mount(name, "");
    }

    /** The same for a directory of the cluster, {@code :/DIR}, with more arguments. */
    Path mount(String name, String subdirectory, String... arguments) throws Exception {
        for (Map.Entry<String, CairnProcess> each : processes.entrySet()) {
            if (each.getKey().startsWith("m") && each.getValue().isAlive()) {
                each.getValue().await(CairnProcess.READY, 60);
            }
        }
        return mountFrom(name, masters() + subdirectory, arguments);
    }

    /** The same of a source, such as {@code HOST:PORT:/DIR}. */
    Path mountFrom(String name, String source, String... arguments) throws Exception {
        Path mountpoint = directory.resolve(name);
        Files.createDirectories(mountpoint);
        mountpoints.add(mountpoint);
        List<String> command = new ArrayList<>(List.of("mount", source));
        command.addAll(List.of(mountpoint.toString(), "--foreground"));
        command.addAll(List.of(arguments));
        commands.put(name, command);
        start(name);
        process(name).await(CairnProcess.READY, 60);
        return mountpoint;
    }

    /** Waits until the first token of the admin API counts; the file in which a master put it. */
    Path awaitFirstToken() {
        Pattern told = Pattern.compile(CairnProcess.FIRST_TOKEN + "\n");
        List<Path> files = new ArrayList<>();
        Poll.until(
                "the first token",
                60,
                () -> {
                    for (CairnProcess each : processes.values()) {
                        told.matcher(each.output())
                                .results()
                                .forEach(line -> files.add(Path.of(line.group(1))));
                    }
                    return !files.isEmpty();
                });
        return files.getFirst();
    }

    String masters() {
        return String.join(",", masters);
    }

    Path directory() {
        return directory;
    }

    /** The words that a member was started with. */
    List<String> command(String name) {
        return commands.getOrDefault(name, List.of());
    }

    /** Starts a member with another command than before. */
    CairnProcess start(String name, String... command) {
        commands.put(name, List.of(command));
        return start(name);
    }

    /** Starts a member by name, again if it was there before. */
    CairnProcess start(String name) {
        CairnProcess old = processes.get(name);
        if (old != null && old.isAlive()) {
            throw new IllegalStateException(name + " runs already");
        }
        keepOldLog(name);
        CairnProcess process = spawner.start(log(name), commands.getOrDefault(name, List.of()));
        processes.put(name, process);
        return process;
    }

    /** So that a member's log tells of its present life only. */
    private void keepOldLog(String name) {
        try {
            if (Files.exists(log(name))) {
                Files.move(
                        log(name),
                        directory.resolve(name + ".old"),
                        StandardCopyOption.REPLACE_EXISTING);
            }
            Files.createFile(log(name));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** {@code kill -9}. */
    void kill(String name) {
        process(name).kill();
    }

    CairnProcess process(String name) {
        CairnProcess process = processes.get(name);
        if (process == null) {
            throw new IllegalArgumentException("no member " + name);
        }
        return process;
    }

    Path log(String name) {
        return directory.resolve(name + ".log");
    }

    /** Whether all groups that a server has a part in have all their copies, as it knows. */
    boolean isWhole(String server) throws IOException {
        return Files.readAllLines(log(server)).stream()
                .filter(line -> line.contains("groups of this server"))
                .reduce((earlier, later) -> later)
                .orElse("")
                .endsWith("incomplete: 0");
    }

    /** What all members logged, for the message of a failed test. */
    String logs() throws IOException {
        StringBuilder text = new StringBuilder();
        for (String name : processes.keySet()) {
            List<String> lines = Files.readAllLines(log(name));
            text.append("--- ").append(name).append('\n');
            lines.subList(Math.max(0, lines.size() - 15), lines.size())
                    .forEach(l -> text.append(l).append('\n'));
        }
        return text.toString();
    }

    @Override
    public void close() {
        for (Path mountpoint : mountpoints) {
            unmount(mountpoint);
        }
        processes.values().forEach(CairnProcess::close);
        spawner.close();
        for (Path mountpoint : mountpoints) {
            unmount(mountpoint);
        }
    }

    /** Unmounts whatever is there, lazily; no error when nothing is. */
    public static void unmount(Path mountpoint) {
        try {
            Process process =
                    new ProcessBuilder("umount", "-l", mountpoint.toString())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
