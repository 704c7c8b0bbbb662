package io.cairn.runtime;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The compilers of the JVM, which share the processors with the service that they compile. The
 * first one (C1) is quick and its work is wanted at once. The second one (C2) takes seconds, and
 * for as long nothing is wrong with what the first one made.
 */
public final class Compilers {
    private static final Logger LOG = LoggerFactory.getLogger(Compilers.class);
    private static final Path TASKS = Path.of("/proc/self/task");

    /** What Linux keeps of HotSpot's name of the thread, 15 bytes. */
    static final String SECOND = "C2 CompilerThre";

    /**
     * A third of the weight of others (sched(7)). Not less: what a compiler holds when others push
     * it aside, the whole service waits for. One that ran only on an idle processor was seen to
     * stop a master for as long as other processes kept the processors busy.
     */
    static final int NICE = 5;

    private Compilers() {}

    /**
     * Lets the second compiler have less processor time than others, from now on (setpriority of
     * its threads; on Linux the nice value belongs to a thread). Threads that the JVM adds later
     * are not reached: start it with {@code -XX:-UseDynamicNumberOfCompilerThreads}. Where it
     * cannot be done all works as before.
     */
    public static void giveWay() {
        SystemCalls calls = new SystemCalls();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                if (isSecond(task)) {
                    int thread = Integer.parseInt(task.getFileName().toString());
                    int result = calls.setThreadNice(thread, NICE);
                    if (result < 0) {
                        LOG.debug("setpriority of thread {}: error {}", thread, -result);
                    }
                }
            }
        } catch (IOException e) {
            LOG.debug("{} cannot be listed", TASKS, e);
        }
    }

    private static boolean isSecond(Path task) {
        try {
            return Files.readString(task.resolve("comm")).strip().equals(SECOND);
        } catch (IOException e) {
            return false; // it has ended
        }
    }
}
