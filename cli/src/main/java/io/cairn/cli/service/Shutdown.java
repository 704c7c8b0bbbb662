package io.cairn.cli.service;

import io.cairn.node.Closing;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs a service until the process is told to end (SIGTERM, SIGINT) or the service ends itself,
 * then closes it. The exit code after a signal is the JVM's: 128 plus the number of the signal.
 */
final class Shutdown {
    /** A mount without its cluster tells what it could not store within this time. */
    private static final long CLOSE_LIMIT_S = 30;

    private final CountDownLatch ended = new CountDownLatch(1);

    /** The service has ended of itself: {@link #await} returns. */
    void end() {
        ended.countDown();
    }

    /** Waits for the end; {@code service} is closed before this returns or the JVM exits. */
    void await(Closing service) throws InterruptedException {
        Thread hook = new Thread(() -> closeInTime(service), "shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        ended.await();
        service.close();
    }

    private static void closeInTime(Closing service) {
        Thread closer = new Thread(service::close, "close");
        closer.setDaemon(true);
        closer.start();
        try {
            if (!closer.join(java.time.Duration.ofSeconds(CLOSE_LIMIT_S))) {
                System.err.println(
                        "cairn: not everything stopped within "
                                + CLOSE_LIMIT_S
                                + " s; ending anyway");
                TimeUnit.MILLISECONDS.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
