package io.cairn.verify.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** One process of the cluster, which may be killed and started again. Thread-safe. */
public final class Member {
    /** The line by which a service says that it answers; lines of the log begin with a date. */
    private static final Pattern READY = Pattern.compile("(?m)^cairn .*ready");

    private final Role role;
    private final String name;
    private final List<String> command;
    private final Path log;
    private final CommandShell shell;
    private long pid;
    private long logBegin;

    Member(Role role, String name, List<String> command, Path log, CommandShell shell) {
        this.role = role;
        this.name = name;
        this.command = List.copyOf(command);
        this.log = log;
        this.shell = shell;
    }

    public Role role() {
        return role;
    }

    /** Its name, such as {@code m1}. */
    public String name() {
        return name;
    }

    /** Where its output goes. */
    public Path log() {
        return log;
    }

    /** The number of the process. */
    public synchronized long pid() {
        return pid;
    }

    /** Starts it, again when it was there before; with more arguments this time. */
    public synchronized void start(String... more) throws IOException {
        logBegin = Files.exists(log) ? Files.size(log) : 0;
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(more));
        pid = shell.start(all, log.toString());
    }

    /** {@code kill -9}, and waits for the end. */
    public void kill() throws IOException {
        shell.kill(pid());
    }

    /** Sends a signal, such as {@code STOP}. */
    public void signal(String signal) throws IOException {
        shell.signal(pid(), signal);
    }

    /** Whether the process is there and no zombie. */
    public boolean isAlive() {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid() + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether it has said that it answers since it was started last. */
    public boolean isReady() throws IOException {
        return READY.matcher(said()).find();
    }

    /** What it has said since it was started last. */
    public String said() throws IOException {
        try {
            byte[] all = Files.readAllBytes(log);
            int from;
            synchronized (this) {
                from = (int) Math.min(logBegin, all.length);
            }
            return new String(all, from, all.length - from, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
