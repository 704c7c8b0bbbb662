package io.cairn.runtime;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes daemon platform threads named {@code prefix-1}, {@code prefix-2} and so on. An exception
 * that one of them does not catch is logged. Thread-safe.
 */
public final class DaemonThreads implements ThreadFactory {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonThreads.class);

    private final String prefix;
    private final AtomicInteger count = new AtomicInteger();

    /** Threads whose names begin with a prefix that says whose they are. */
    public DaemonThreads(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public Thread newThread(Runnable task) {
        return Thread.ofPlatform()
                .daemon()
                .name(prefix + "-" + count.incrementAndGet())
                .uncaughtExceptionHandler(
                        (thread, error) -> LOG.error("Thread {} ended", thread.getName(), error))
                .unstarted(task);
    }
}
