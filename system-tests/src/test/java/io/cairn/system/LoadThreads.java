package io.cairn.system;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that put a load on a mount, each one operation after the other, until they are told. */
final class LoadThreads implements AutoCloseable {
    private final boolean goesOnAfterErrors;
    private final List<Thread> threads = new ArrayList<>();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final AtomicInteger operations = new AtomicInteger();
    private final AtomicLong longestNs = new AtomicLong();
    private volatile boolean stopping;

    /** What a thread does again and again. */
    interface Operation {
        void run() throws IOException;
    }

    /**
     * @param goesOnAfterErrors whether a thread carries on after a failed operation (servers are
     *     killed) or ends (the mount itself is killed)
     */
    LoadThreads(boolean goesOnAfterErrors) {
        this.goesOnAfterErrors = goesOnAfterErrors;
    }

    /** Starts another thread. */
    void start(String name, Operation operation) {
        threads.add(Thread.ofPlatform().daemon().name(name).start(() -> repeat(operation)));
    }

    private void repeat(Operation operation) {
        while (!stopping) {
            long begunNs = System.nanoTime();
            try {
                operation.run();
                operations.incrementAndGet();
                longestNs.accumulateAndGet(System.nanoTime() - begunNs, Math::max);
            } catch (IOException e) {
                fail(e);
                if (!goesOnAfterErrors) {
                    return;
                }
                Poll.pause();
            }
        }
    }

    /** Notes what went wrong elsewhere. */
    void fail(IOException error) {
        failures.add(error.toString());
    }

    /** Operations that were acknowledged so far. */
    int operations() {
        return operations.get();
    }

    /** How long the longest of them took, in milliseconds. */
    long longestMs() {
        return TimeUnit.NANOSECONDS.toMillis(longestNs.get());
    }

    /** What went wrong, in the words of the system. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Ends the load; every thread stops within the client's own deadline. */
    void stop() throws InterruptedException {
        stopping = true;
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(60));
            if (thread.isAlive()) {
                throw new AssertionError(
                        thread.getName() + " hangs: " + List.of(thread.getStackTrace()));
            }
        }
    }

    @Override
    public void close() {
        try {
            stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
