package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class CompilersTest {
    /** Field of proc_pid_stat(5), counted after the name, which is in parentheses. */
    private static final int NICE = 16;

    @Test
    void onlyTheSecondCompilerGivesWay() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try {
            Path stand = threadNamed(Compilers.SECOND, end);
            Path other = threadNamed("C1 CompilerThre", end);
            int before = nice(other);
            Compilers.giveWay();
            assertEquals(Compilers.NICE, nice(stand));
            assertEquals(before, nice(other));
        } finally {
            end.countDown();
        }
    }

    /** Starts a thread that Linux knows by this name; its directory in /proc. */
    private static Path threadNamed(String name, CountDownLatch end) throws Exception {
        CompletableFuture<Path> place = new CompletableFuture<>();
        Thread.ofPlatform()
                .name(name)
                .daemon()
                .start(
                        () -> {
                            try {
                                place.complete(Path.of("/proc/thread-self").toRealPath());
                                assertTrue(end.await(1, TimeUnit.MINUTES));
                            } catch (IOException | InterruptedException e) {
                                place.completeExceptionally(e);
                            }
                        });
        return place.get(10, TimeUnit.SECONDS);
    }

    private static int nice(Path task) throws IOException {
        String stat = Files.readString(task.resolve("stat"));
        return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[NICE]);
    }
}
