package io.cairn.cli.service;

import io.cairn.node.Closing;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * Runs a service until the process is told to end (SIGTERM, SIGINT) or the service ends itself,
 * then closes it. The exit code after a signal is the JVM's: 128 plus the number of the signal.
 */
final class Shutdown {
    /** A mount without its cluster tells what it could not store within this time. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    private final CountDownLatch ended = new CountDownLatch(1);

    /** The service has ended of itself: {@link #await} returns. */
    void end() {
        ended.countDown();
    }

    /** Waits for the end; {@code service} is closed before this returns or the JVM exits. */
    void await(Closing service) throws InterruptedException {
        Thread hook = new Thread(() -> closeInTime(service, CLOSE_LIMIT, System.err), "shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        ended.await();
        service.close();
    }

    /** Closes a service, or says what it hangs on. */
    static void closeInTime(Closing service, Duration limit, PrintStream errors) {
        Thread closer = new Thread(service::close, "close");
        closer.setDaemon(true);
        closer.start();
        try {
            if (!closer.join(limit)) {
                errors.printf(
                        "cairn: not everything stopped within %d s; ending anyway%n",
                        limit.toSeconds());
                tellWhoCloses(errors);
                errors.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What hangs may be on another thread, which the closing one waits for. */
    private static void tellWhoCloses(PrintStream errors) {
        for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
            if (Stream.of(each.getValue()).anyMatch(at -> at.getMethodName().equals("close"))) {
                errors.printf("  thread %s%n", each.getKey().getName());
                Stream.of(each.getValue()).forEach(at -> errors.printf("    at %s%n", at));
            }
        }
    }
}
