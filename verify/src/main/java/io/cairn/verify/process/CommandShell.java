package io.cairn.verify.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A shell that is started before any mount is there, and starts all other processes. A process that
 * the verifier started itself would inherit its open files for a moment and close them. To close a
 * file of a mount is to flush it: that would wait for the very servers that are to be started.
 *
 * <p>The shell is the leader of a session of its own, so that an interrupt from the terminal ends
 * the verifier first. When the verifier is gone, however it ended, the shell reads the end of its
 * input, kills what it has started and unmounts what was mounted. Thread-safe: one command at a
 * time.
 */
public final class CommandShell implements AutoCloseable {
    private static final String END = "end-of-command";

    private final BufferedWriter commands;
    private final BufferedReader answers;
    private final Process process;

    /**
     * What is to be done when the input ends. Processes that were stopped die of KILL, too; mounts
     * are unmounted in the reverse order, since images lie below one another's directories.
     */
    private static final String SCRIPT =
            """
            PATH=$PATH:/sbin:/usr/sbin; children=; places=
            cleanup() {
              kill -9 $children 2>/dev/null; wait
              for place in $places; do umount -l "$place" 2>/dev/null; done
            }
            trap cleanup EXIT
            trap : INT TERM HUP
            """;

    /** How a command ended. */
    public record Answer(int code, String output) {}

    /** Starts it. */
    public CommandShell() throws IOException {
        process = new ProcessBuilder(List.of("setsid", "sh")).redirectErrorStream(true).start();
        commands = process.outputWriter();
        answers = process.inputReader();
        run(SCRIPT);
    }

    /** A text as one word of a command. */
    public static String quote(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** Words as one command. */
    public static String quote(List<String> words) {
        return words.stream().map(CommandShell::quote).collect(Collectors.joining(" "));
    }

    /** Runs a command to its end; what it said, errors too. */
    public synchronized Answer run(String command) throws IOException {
        commands.write(command + "\necho\necho " + END + " $?\n");
        commands.flush();
        StringBuilder said = new StringBuilder();
        while (true) {
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("the shell has ended: " + said);
            }
            if (line.startsWith(END)) {
                return new Answer(
                        Integer.parseInt(line.substring(END.length() + 1)),
                        said.toString().strip());
            }
            said.append(line).append('\n');
        }
    }

    /**
     * Runs a command that has to succeed.
     *
     * @throws IOException with what it said
     */
    public String require(String command) throws IOException {
        Answer answer = run(command);
        if (answer.code != 0) {
            throw new IOException(command + ": " + answer.output);
        }
        return answer.output;
    }

    /** Starts a command in the background; its number. Output is appended to a file. */
    public long start(List<String> command, String log) throws IOException {
        return Long.parseLong(
                require(
                        quote(command)
                                + " </dev/null >>"
                                + quote(log)
                                + " 2>&1 & children=\"$children $!\"; echo $!"));
    }

    /** {@code kill -9}, and waits for the end. */
    public void kill(long pid) throws IOException {
        run("kill -9 " + pid + " 2>/dev/null; wait " + pid + " 2>/dev/null");
    }

    /** Sends a signal. */
    public void signal(long pid, String name) throws IOException {
        run("kill -" + name + " " + pid);
    }

    /** Remembers a place where something is mounted. */
    public void mounted(String place) throws IOException {
        run("places=" + quote(place) + "\" $places\"");
    }

    /** Ends everything that it has started. */
    @Override
    public void close() {
        try {
            commands.close();
            process.waitFor();
        } catch (IOException e) {
            process.destroy();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
