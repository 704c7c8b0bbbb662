package io.cairn.fuse.loop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fuse.sys.Opcode;
import io.cairn.fuse.sys.RawMemory;
import io.cairn.os.MountCalls;
import io.cairn.runtime.Deadline;
import io.cairn.runtime.PollLoop;
import io.cairn.runtime.Stopwatch;
import io.cairn.runtime.Tuning;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that take requests from {@code /dev/fuse}. One of them, the reader, reads, and serves
 * what it read itself: a process that asks for one thing after the other is served without waking
 * another thread, which costs more than most requests. Before the reader waits for anything it
 * hands its place over to the idle thread that worked last, and one that forgets is relieved by
 * {@link ReaderWatch}. When nothing is to be read it looks for the {@link PollLoop answers} to what
 * was begun, so that many requests are under way without a thread for each. A thread that has
 * handed over takes waiting requests when it is done, before it rests. When no thread is idle
 * another one is started, up to a limit. Threads that wait for a lock of somebody else do not
 * count, they have a limit of their own. The loop ends when the kernel says that the mount is gone.
 * Thread-safe.
 */
public final class RequestLoop {
    private static final Logger LOG = LoggerFactory.getLogger(RequestLoop.class);

    /** Threads that may wait for locks at the same time; more are refused with ENOLCK. */
    static final int MAX_LOCK_WAITS = 1000;

    /**
     * Threads that may wait for the cluster beyond those that serve. Requests that nobody has read
     * the kernel itself gives up when their process is killed.
     */
    private static final int MAX_STUCK = 256;

    private static final int LEAST_THREADS = 8;

    /** Requests in a row after which it looks for answers all the same. */
    private static final int REQUESTS_BEFORE_ANSWERS = 16;

    private static final int SLEEP_MS = 1000;
    private static final long RELEASES_S = 1;
    private static final long RELEASES_LOOK_NS = TimeUnit.MICROSECONDS.toNanos(100);

    /** Requests with more contents than this take long enough to serve others beside them. */
    private static final int BULKY_BYTES = 32 << 10;

    private final Driver driver;
    private final LockWaits waits;
    private final SignalledRequests signalled;
    private final PollLoop polled;
    private final Tuning tuning = Tuning.here();
    private final long rootIno;
    private final Runnable whenEnded;
    private final int fewThreads;
    private final int maxThreads;
    private final ReaderWatch watch;
    private final KernelNotices notices;

    /** Null while all threads are at work and no more may be started. */
    private volatile @Nullable LoopThread reader;

    private volatile boolean over;

    /** Used by the reader only. */
    private int requestsInARow;

    // Guarded by this.
    @GuardedBy("this")
    private final List<LoopThread> threads = new ArrayList<>();

    @GuardedBy("this")
    private final Deque<LoopThread> idle = new ArrayDeque<>();

    @GuardedBy("this")
    private int started;

    @GuardedBy("this")
    private int lockWaits;

    /** Threads that wait for the cluster for a while, by the last look. */
    @GuardedBy("this")
    private int stuck;

    /**
     * A loop that is not started.
     *
     * @param whenEnded runs on every loop thread that ends because the mount is gone
     */
    public RequestLoop(Driver driver, MountState state, Runnable whenEnded) {
        this.driver = driver;
        this.notices = new KernelNotices(driver.fd());
        this.waits = state.waits();
        this.signalled = driver.signalled();
        this.polled = state.polled();
        this.rootIno = state.rootIno();
        this.whenEnded = whenEnded;
        this.watch = new ReaderWatch(this, polled);
        this.maxThreads = state.options().threads();
        int cores = Runtime.getRuntime().availableProcessors();
        this.fewThreads = Math.min(maxThreads, Math.max(LEAST_THREADS, 2 * cores));
    }

    /** The directory that is the root of the mount. */
    long rootIno() {
        return rootIno;
    }

    /** Starts to serve. */
    public synchronized void start() {
        int error = MountCalls.setNonBlocking(driver.fd());
        if (error < 0) {
            throw new IllegalStateException("fcntl on /dev/fuse failed with error " + -error);
        }
        polled.enter();
        reader = startThread();
        watch.start();
    }

    private synchronized LoopThread startThread() {
        started++;
        LoopThread thread = new LoopThread(this, "fuse-" + started, driver);
        threads.add(thread);
        thread.start();
        return thread;
    }

    /** The life of a thread. */
    void run(LoopThread thread) {
        while (awaitTurn(thread)) {
            int length = 0;
            if (reader == thread) {
                polled.own();
            }
            while (!over && (reader == thread || length > 0)) {
                length = reader == thread ? receive(thread) : read(thread);
                if (length > 0) {
                    watch.wake();
                    serve(thread, length);
                    thread.end();
                    if (reader != thread) {
                        polled.flush();
                    }
                } else if (!isWorthRepeating(-length)) {
                    endAll();
                }
            }
        }
    }

    /** The next request, or the negated error number; EAGAIN after a while without one. */
    @SuppressWarnings("ThreadPriorityCheck") // Correct without it, but others may want to run.
    private int receive(LoopThread thread) {
        int length = read(thread);
        if (length != -MountCalls.EAGAIN) {
            if (++requestsInARow % REQUESTS_BEFORE_ANSWERS == 0) {
                polled.poll();
            }
            return length;
        }
        requestsInARow = 0;
        Stopwatch quiet = Stopwatch.begin();
        do {
            if (polled.expected() > 0 && polled.poll()) {
                quiet = polled.expected() <= 1 ? Stopwatch.begin() : quiet;
            } else {
                Thread.yield();
            }
            length = read(thread);
            if (length != -MountCalls.EAGAIN) {
                return length;
            }
        } while (quiet.passedNs() < lookNs());
        // An answer may have led to another request.
        polled.flush();
        while (MountCalls.awaitEither(driver.fd(), polled.descriptor(), SLEEP_MS) == 0
                && reader == thread
                && !over) {
            // Nobody asks for anything; answers may be late.
            polled.poll();
        }
        polled.poll();
        return reader == thread ? read(thread) : -MountCalls.EAGAIN;
    }

    /**
     * Longer for the only answer that is to come: its asker asks for more at once. Where several
     * ask, others have work for the processor, and what comes together is cheaper.
     */
    private long lookNs() {
        return polled.expected() == 1 ? tuning.answerNs() : tuning.nextRequestNs();
    }

    private int read(LoopThread thread) {
        thread.begin();
        int length = (int) MountCalls.read(driver.fd(), thread.buffer(), driver.bufferBytes());
        if (length <= 0) {
            thread.end();
            return length;
        }
        thread.received();
        if (thread.opcode() != Opcode.RELEASE) {
            thread.noRelease();
        }
        return length;
    }

    /** Whether another thread may be serving the last close of a file. */
    boolean hasReleases(LoopThread self) {
        return copy().stream().anyMatch(other -> other != self && other.mayRelease());
    }

    /**
     * Waits, not long, for the releases that other threads are serving now: the kernel tells of the
     * last close of a file after close(2) has returned, so that what follows may overtake it.
     *
     * @return whether there were any
     */
    boolean awaitReleases(LoopThread self) {
        boolean any = false;
        Deadline end = Deadline.afterS(RELEASES_S);
        for (LoopThread other : copy()) {
            long request = other.request();
            while (other != self
                    && other.mayRelease()
                    && other.request() == request
                    && !end.isOver()) {
                any = true;
                handOver(self);
                LockSupport.parkNanos(this, RELEASES_LOOK_NS);
            }
        }
        return any;
    }

    /** ENOENT: the request was interrupted before it was read. */
    private static boolean isWorthRepeating(int errno) {
        return switch (errno) {
            case MountCalls.ENOENT, MountCalls.EINTR, MountCalls.EAGAIN -> true;
            case 0, MountCalls.ENODEV, MountCalls.ECONNABORTED -> false;
            default -> {
                LOG.error("reading from /dev/fuse failed with error {}; the mount ends", errno);
                yield false;
            }
        };
    }

    private void serve(LoopThread thread, int lengthBytes) {
        try {
            if (thread.opcode() == Opcode.INTERRUPT) {
                long request = RawMemory.getLong(thread.arguments());
                signalled.interrupt(request, copy());
                waits.interrupt(request);
                return;
            }
            if (lengthBytes > BULKY_BYTES || isCopy(thread.opcode())) {
                handOver(thread);
            } else if (isBulkyRead(thread)) {
                glance(thread);
            }
            Request request = thread.errand();
            if (request != null) {
                request.run(() -> driver.serve(thread, lengthBytes));
            }
        } catch (Throwable e) {
            LOG.error("a request of type {} was not answered", thread.opcode(), e);
        }
    }

    /**
     * A lone process has its bytes sooner when no other thread is woken for nothing; that was
     * measured to be otherwise for writes. struct fuse_read_in: fh +0, offset +8, size +16.
     */
    private static boolean isBulkyRead(LoopThread thread) {
        return thread.opcode() == Opcode.READ
                && RawMemory.getInt(thread.arguments() + 16) > BULKY_BYTES;
    }

    /** It may be at work for long without a wait. */
    private static boolean isCopy(@Nullable Opcode opcode) {
        return opcode == Opcode.COPY_FILE_RANGE || opcode == Opcode.COPY_FILE_RANGE_64;
    }

    /** Makes another thread the reader if this one is. */
    void handOver(LoopThread thread) {
        if (reader != thread) {
            return;
        }
        LoopThread next;
        synchronized (this) {
            if (reader != thread) {
                return;
            }
            next = nextReader();
            reader = next;
        }
        polled.flush();
        LockSupport.unpark(next);
    }

    /** Makes another thread the reader if this one is and a request waits. */
    void glance(LoopThread thread) {
        if (reader == thread && MountCalls.awaitReadable(driver.fd(), 0) != 0) {
            handOver(thread);
        }
    }

    private synchronized @Nullable LoopThread nextReader() {
        LoopThread next = idle.pollFirst();
        int others = Math.max(lockWaits, Math.min(stuck, MAX_STUCK));
        if (next == null && threads.size() - others < maxThreads && !over) {
            next = startThread();
        }
        return next;
    }

    /** Waits to become the reader; false when the thread should end. */
    private boolean awaitTurn(LoopThread thread) {
        synchronized (this) {
            if (reader == null) {
                reader = thread;
            }
            if (reader != thread) {
                if (idle.size() >= fewThreads) {
                    return false;
                }
                idle.addFirst(thread);
            }
        }
        while (reader != thread && !over) {
            LockSupport.park(this);
            // What was meant for the last request.
            boolean _ = Thread.interrupted();
        }
        return !over;
    }

    private void endAll() {
        over = true;
        watch.wake();
        polled.leave();
        copy().forEach(LockSupport::unpark);
    }

    /**
     * Lets processes go that got a signal, and has somebody read requests also when many wait.
     *
     * @return whether anything is under way
     */
    boolean look() {
        List<LoopThread> all = copy();
        int waiting = signalled.look(all);
        LoopThread next = null;
        synchronized (this) {
            stuck = waiting;
            if (reader == null) {
                next = nextReader();
                reader = next;
            }
        }
        LockSupport.unpark(next);
        return waiting > 0 || signalled.isWaiting() || all.stream().anyMatch(LoopThread::isBusy);
    }

    /** The thread that reads, or serves what it read and has not handed over. */
    @Nullable LoopThread reader() {
        return reader;
    }

    boolean isOver() {
        return over;
    }

    /**
     * The calling loop thread is going to wait for a lock: another one takes its place.
     *
     * @throws FsException ENOLCK when too many wait already
     */
    void beginLockWait(LoopThread thread) {
        if (!beginsLockWait(thread, MAX_LOCK_WAITS)) {
            throw new FsException(
                    Errno.ENOLCK, MAX_LOCK_WAITS + " requests wait for locks already");
        }
    }

    private boolean beginsLockWait(LoopThread thread, int most) {
        LoopThread next = null;
        synchronized (this) {
            if (lockWaits >= most) {
                return false;
            }
            lockWaits++;
            if (reader == null) {
                next = nextReader();
                reader = next;
            }
        }
        LockSupport.unpark(next);
        handOver(thread);
        return true;
    }

    /**
     * Makes the kernel drop the pages of a file. That waits for reads under way, which other
     * threads have to answer: as a wait for a lock it takes none of them their place.
     */
    void dropPages(LoopThread thread, long node) {
        boolean _ = beginsLockWait(thread, Integer.MAX_VALUE);
        try {
            notices.dropPages(node);
        } finally {
            endLockWait();
        }
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
    public void interrupt() {
        for (LoopThread thread : copy()) {
            thread.interrupt();
        }
    }

    private synchronized List<LoopThread> copy() {
        return List.copyOf(threads);
    }

    /** How many threads there are. */
    public synchronized int threadCount() {
        return threads.size();
    }

    /** Waits for all threads; whether they ended in time. */
    public boolean join(long timeoutMs) throws InterruptedException {
        Deadline end = Deadline.afterMs(timeoutMs);
        for (LoopThread thread : copy()) {
            thread.join(Math.max(1, end.leftMs()));
        }
        return threadCount() == 0;
    }
}
