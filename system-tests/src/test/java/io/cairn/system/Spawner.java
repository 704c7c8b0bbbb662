package io.cairn.system;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Starts processes on behalf of a test, from a process that has no file of a mount open. A process
 * that is started inherits all open files of its parent for a moment and closes them, and to close
 * a file on a mount is to flush it. A test that starts a dead master again would wait for that very
 * master.
 */
final class Spawner implements AutoCloseable {
    private static final String SEPARATOR = "\t";

    private final Process process;
    private final BufferedWriter requests;
    private final BufferedReader pids;

    Spawner() throws IOException {
        process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx64m",
                                "-XX:TieredStopAtLevel=1",
                                ClassArchive.property(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Spawner.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        requests =
                new BufferedWriter(
                        new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        pids =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts {@code cairn ARGUMENTS} with its output in a file. */
    synchronized CairnProcess start(Path output, List<String> arguments) {
        try {
            requests.write(output + SEPARATOR + String.join(SEPARATOR, arguments));
            requests.newLine();
            requests.flush();
            String pid = pids.readLine();
            if (pid == null) {
                throw new IllegalStateException("the spawner has ended");
            }
            return CairnProcess.adopt(Long.parseLong(pid), output);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The process: reads an output file and arguments from each line and answers with a pid. */
    public static void main(String[] none) throws IOException {
        List<CairnProcess> started = new ArrayList<>();
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<String> words = Arrays.asList(line.split(SEPARATOR, -1));
            CairnProcess child =
                    CairnProcess.start(Path.of(words.get(0)), words.subList(1, words.size()));
            started.add(child);
            System.out.println(child.pid());
        }
        started.forEach(CairnProcess::close);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
