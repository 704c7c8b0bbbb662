package io.cairn.fuse;

import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that take requests from {@code /dev/fuse}. Each serves one request at a time and may
 * block in the filesystem; when the last idle thread takes a request, another one is started, up to
 * a limit. Threads that wait for a lock of somebody else do not count, they have a limit of their
 * own. The loop ends when the kernel says that the mount is gone. Thread-safe.
 */
final class RequestLoop {
    private static final Logger LOG = LoggerFactory.getLogger(RequestLoop.class);

    /** Threads that may wait for locks at the same time; more are refused with ENOLCK. */
    static final int MAX_LOCK_WAITS = 1000;

    private static final int LEAST_THREADS = 8;
    private static final int INTERRUPT = 36;

    private final Driver driver;
    private final LockWaits waits;
    private final long rootIno;
    private final Runnable whenEnded;
    private final int fewThreads;
    private final int maxThreads;
    private final List<LoopThread> threads = new ArrayList<>();
    private int started;
    private final AtomicInteger idle = new AtomicInteger();
    private int lockWaits;
    private volatile boolean over;

    /**
     * A loop that is not started.
     *
     * @param whenEnded runs on every loop thread that ends because the mount is gone
     */
    RequestLoop(Driver driver, MountState state, Runnable whenEnded) {
        this.driver = driver;
        this.waits = state.waits();
        this.rootIno = state.rootIno();
        this.whenEnded = whenEnded;
        this.maxThreads = state.options().threads();
        int cores = Runtime.getRuntime().availableProcessors();
        this.fewThreads = Math.min(maxThreads, Math.max(LEAST_THREADS, 2 * cores));
    }

    /** The directory that is the root of the mount. */
    long rootIno() {
        return rootIno;
    }

    /** Starts the threads that are always there. */
    synchronized void start() {
        for (int i = 0; i < fewThreads; i++) {
            startThread();
        }
    }

    private void startThread() {
        started++;
        idle.incrementAndGet();
        LoopThread thread = new LoopThread(this, "fuse-" + started, driver);
        threads.add(thread);
        thread.start();
    }

    /** The life of a thread. */
    void run(LoopThread thread) {
        while (!over) {
            long length = Libc.read(driver.fd(), thread.buffer(), driver.bufferBytes());
            if (length > 0) {
                busy();
                serve(thread, (int) length);
                if (!idleAgain()) {
                    return;
                }
            } else if (!isWorthRepeating((int) -length)) {
                over = true;
            }
        }
    }

    /** ENOENT: the request was interrupted before it was read. */
    private static boolean isWorthRepeating(int errno) {
        return switch (errno) {
            case Libc.ENOENT, Libc.EINTR, Libc.EAGAIN -> true;
            case 0, Libc.ENODEV, Libc.ECONNABORTED -> false;
            default -> {
                LOG.error("reading from /dev/fuse failed with error {}; the mount ends", errno);
                yield false;
            }
        };
    }

    private void serve(LoopThread thread, int lengthBytes) {
        try {
            if (thread.opcode() == INTERRUPT) {
                waits.interrupt(RawMemory.getLong(thread.arguments()));
            } else {
                driver.serve(thread, lengthBytes);
            }
        } catch (Throwable e) {
            LOG.error("a request of type {} was not answered", thread.opcode(), e);
        }
    }

    private void busy() {
        if (idle.decrementAndGet() == 0) {
            grow();
        }
    }

    private synchronized void grow() {
        if (idle.get() == 0 && threads.size() - lockWaits < maxThreads && !over) {
            startThread();
        }
    }

    /** Whether the thread goes on; when there are far too many idle ones it ends. */
    private boolean idleAgain() {
        if (idle.get() >= 2 * fewThreads) {
            return false;
        }
        idle.incrementAndGet();
        return true;
    }

    /**
     * The calling loop thread is going to wait for a lock: another one takes its place.
     *
     * @throws FsException ENOLCK when too many wait already
     */
    synchronized void beginLockWait() {
        if (lockWaits == MAX_LOCK_WAITS) {
            throw new FsException(
                    Errno.ENOLCK, MAX_LOCK_WAITS + " requests wait for locks already");
        }
        lockWaits++;
        grow();
    }

    /** The wait is over. */
    synchronized void endLockWait() {
        lockWaits--;
    }

    /** A thread has left {@link #run}. */
    void ended(LoopThread thread) {
        synchronized (this) {
            threads.remove(thread);
        }
        if (over) {
            whenEnded.run();
        }
    }

    /** Interrupts the threads that are still at work after the mount is gone. */
    void interrupt() {
        for (LoopThread thread : copy()) {
            thread.interrupt();
        }
    }

    private synchronized List<LoopThread> copy() {
        return List.copyOf(threads);
    }

    /** How many threads there are. */
    synchronized int threadCount() {
        return threads.size();
    }

    /** Waits for all threads; whether they ended in time. */
    boolean join(long timeoutMs) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        for (LoopThread thread : copy()) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            thread.join(Math.max(1, leftMs));
        }
        return threadCount() == 0;
    }
}
