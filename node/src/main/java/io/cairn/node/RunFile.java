package io.cairn.node;

import io.cairn.runtime.file.Durable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/**
 * Facts of a running {@code cairn up} for others: {@code DIR/run.json}, there from the moment
 * everything answers until it stops. A file left behind by a killed process is recognised by its
 * pid and start time.
 *
 * @param pid the process
 * @param startedMs when that process started, milliseconds since the epoch
 * @param master where clients connect
 * @param admin the admin address
 * @param secure whether it speaks HTTPS
 * @param mount the mountpoint, or null
 */
public record RunFile(
        long pid,
        long startedMs,
        String master,
        String admin,
        boolean secure,
        @Nullable String mount) {
    private static final String NAME = "run.json";

    /** For this process. */
    public static RunFile own(String master, String admin, boolean secure, @Nullable String mount) {
        return new RunFile(
                ProcessHandle.current().pid(),
                started(ProcessHandle.current()),
                master,
                admin,
                secure,
                mount);
    }

    private static long started(ProcessHandle process) {
        return process.info().startInstant().map(i -> i.toEpochMilli()).orElse(0L);
    }

    /** The running process of a data directory, or null when there is none. */
    public static @Nullable RunFile read(Path directory) {
        try {
            Map<String, Object> map = JSON.std.mapFrom(Files.readString(directory.resolve(NAME)));
            RunFile file =
                    new RunFile(
                            ((Number) map.getOrDefault("pid", 0)).longValue(),
                            ((Number) map.getOrDefault("startedMs", 0)).longValue(),
                            String.valueOf(map.get("master")),
                            String.valueOf(map.get("admin")),
                            Boolean.TRUE.equals(map.get("secure")),
                            map.get("mount") == null ? null : String.valueOf(map.get("mount")));
            return file.process() == null ? null : file;
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException | JacksonException | ClassCastException e) {
            throw new CommandException(
                    ExitCode.DATA,
                    directory.resolve(NAME) + " is damaged; remove it if nothing runs",
                    e);
        }
    }

    /** {@code http://HOST:PORT} of the admin API. */
    public String api() {
        return (secure ? "https://" : "http://") + admin;
    }

    /** The process, or null when it has ended. */
    public @Nullable ProcessHandle process() {
        return ProcessHandle.of(pid)
                .filter(p -> p.isAlive() && Math.abs(started(p) - startedMs) < 1000)
                .filter(p -> !isZombie(p.pid()))
                .orElse(null);
    }

    /** Whether it has ended, and the first process of its container does not care (proc(5)). */
    private static boolean isZombie(long pid) {
        try {
            Path status = Path.of("/proc", String.valueOf(pid), "stat");
            // Its name stands before, as it is.
            String line = Files.readString(status, StandardCharsets.ISO_8859_1);
            return line.startsWith(") Z", line.lastIndexOf(')'));
        } catch (IOException e) {
            return false;
        }
    }

    /** Writes the file, atomically. */
    public void write(Path directory) throws IOException {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("pid", pid);
        map.put("startedMs", startedMs);
        map.put("master", master);
        map.put("admin", admin);
        map.put("secure", secure);
        if (mount != null) {
            map.put("mount", mount);
        }
        byte[] contents = (JSON.std.asString(map) + "\n").getBytes(StandardCharsets.UTF_8);
        Durable.replace(directory.resolve(NAME), contents);
    }

    /** Removes the file. */
    public static void delete(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(NAME));
    }
}
