package io.cairn.fuse.loop;

import io.cairn.runtime.PollLoop;
import io.cairn.runtime.Stopwatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the reader of a {@link RequestLoop}: one that is busy with the same request for two
 * looks in a row is relieved, whatever it waits for, so that nobody else waits with it. Looks every
 * two milliseconds, and sleeps while nothing happens. Looks for answers itself while no reader
 * does. Ten times a second it looks after {@link SignalledRequests those who wait}, while there are
 * any.
 */
final class ReaderWatch {
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int LOOKS_BEFORE_SLEEP = 50;

    /** A process that is killed while it waits for the cluster is let go within two of these. */
    private static final long SLOW_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RequestLoop loop;
    private final PollLoop polled;
    private final Thread thread;
    private volatile boolean asleep;

    ReaderWatch(RequestLoop loop, PollLoop polled) {
        this.loop = loop;
        this.polled = polled;
        thread = Thread.ofPlatform().daemon().name("fuse-watch").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** A request was taken, or the loop is over. By any thread. */
    void wake() {
        if (asleep) {
            asleep = false;
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        LoopThread last = null;
        long lastRequest = 0;
        int quietLooks = 0;
        Stopwatch looked = Stopwatch.begin();
        while (!loop.isOver()) {
            LoopThread reader = loop.reader();
            long request = reader == null ? 0 : reader.request();
            boolean same = reader == last && request == lastRequest;
            if (reader != null && same && isServing(request)) {
                loop.handOver(reader);
            }
            boolean expecting = polled.expected() > 0 || reader == null;
            if (expecting && same) {
                polled.poll();
            }
            quietLooks = same && !isServing(request) && !expecting ? quietLooks + 1 : 0;
            last = reader;
            lastRequest = request;
            if (looked.passedNs() >= SLOW_LOOK_NS) {
                loop.look();
                looked = Stopwatch.begin();
            }
            if (quietLooks < LOOKS_BEFORE_SLEEP) {
                LockSupport.parkNanos(this, LOOK_NS);
            } else {
                sleep(reader, request);
                quietLooks = 0;
            }
        }
    }

    private static boolean isServing(long request) {
        return (request & 1) == 1;
    }

    /** Until the next request. One that was taken meanwhile is seen here or wakes this thread. */
    private void sleep(@Nullable LoopThread reader, long request) {
        asleep = true;
        while (asleep && !loop.isOver() && !isTaken(reader, request)) {
            if (loop.look()) {
                LockSupport.parkNanos(this, SLOW_LOOK_NS);
            } else {
                LockSupport.park(this);
            }
        }
        asleep = false;
    }

    private boolean isTaken(@Nullable LoopThread reader, long request) {
        return loop.reader() != reader || (reader != null && reader.request() != request);
    }
}
