package io.cairn.verify.work;

import io.cairn.runtime.Clock;
import io.cairn.verify.history.PowerCuts;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Threads that work on all accesses, one operation after the other, until they are told. What they
 * know of acknowledgements lives here, outside of the cluster.
 */
public final class Workload implements AutoCloseable {
    /** The directory of everything; below a bare mountpoint it does not exist. */
    static final String ROOT = "verify";

    /** So long may a thread be in one operation when nothing is broken. */
    private static final int CALM_LIMIT_S = 60;

    private static final int PAUSE_MS = 10;

    /** So long an access may see the name that another one has renamed. */
    static final int BELIEF_MS = 1500;

    private final Clock clock;
    private final Findings findings;
    private final List<AccessPoint> accesses;
    private final List<Part> parts = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final ReentrantReadWriteLock running = new ReentrantReadWriteLock(true);
    private final AtomicLong numbers = new AtomicLong();
    private final PowerCuts cuts = new PowerCuts();
    private final long seed;
    private volatile boolean stopping;

    /** A kind of work, with what it remembers. */
    interface Part {
        /** Makes what all work needs. */
        void prepare() throws InterruptedException;

        /** Looks whether everything is as acknowledged; nobody works meanwhile. */
        void check(AccessPoint by);
    }

    /** One operation, again and again. */
    interface Step {
        void run() throws InterruptedException;
    }

    /** Nothing is started yet. */
    public Workload(List<AccessPoint> accesses, Clock clock, Findings findings, long seed) {
        this.accesses = List.copyOf(accesses);
        this.clock = clock;
        this.findings = findings;
        this.seed = seed;
    }

    Clock clock() {
        return clock;
    }

    Findings findings() {
        return findings;
    }

    /** Cuts of all power at once. */
    public PowerCuts cuts() {
        return cuts;
    }

    /** All ways to the files. */
    public List<AccessPoint> accesses() {
        return accesses;
    }

    AccessPoint any(Random random) {
        return accesses.get(random.nextInt(accesses.size()));
    }

    /** A number that no other write has. */
    long nextNumber() {
        return numbers.incrementAndGet();
    }

    /** A generator for one thread, from the seed. */
    Random random(String thread) {
        return new Random(seed * 1_000_003 + thread.hashCode());
    }

    /** Operations that succeeded so far. */
    public long operations() {
        return accesses.stream().mapToLong(AccessPoint::operations).sum();
    }

    /** Starts all work. */
    public void start() throws InterruptedException {
        AccessPoint first = accesses.getFirst();
        require(first.run(OperationKind.NAME, "mkdir", f -> f.createDirectory(ROOT)));
        for (AccessPoint each : accesses) {
            FileWork files = new FileWork(this, each);
            add(files, "files-" + each.name(), files::step);
            add(null, "blocks-" + each.name(), blocks(each));
        }
        NameWork names = new NameWork(this);
        add(names, "names", names::round);
        for (Part each : parts) {
            each.prepare();
        }
        threads.forEach(Thread::start);
    }

    private @Nullable BlockWork blocks;

    private Step blocks(AccessPoint access) {
        BlockWork work = blocks;
        if (work == null) {
            work = new BlockWork(this);
            blocks = work;
            parts.add(work);
        }
        BlockWork shared = work;
        Random random = random("blocks-" + access.name());
        return () -> shared.step(access, random);
    }

    private void add(@Nullable Part part, String name, Step step) {
        if (part != null) {
            parts.add(part);
        }
        Random random = random("pauses-" + name);
        threads.add(Thread.ofPlatform().daemon().name(name).unstarted(() -> repeat(step, random)));
    }

    private void repeat(Step step, Random random) {
        while (!stopping) {
            try {
                step.run();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                findings.violate("the verifier itself failed: " + e);
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(PAUSE_MS)));
        }
    }

    /** Does something while no check runs. */
    <T> T whileRunning(java.util.function.Supplier<T> operation) throws InterruptedException {
        running.readLock().lockInterruptibly();
        try {
            return operation.get();
        } finally {
            running.readLock().unlock();
        }
    }

    /** Fails when what all work needs could not be made. */
    static <T> T require(AccessPoint.Outcome<T> outcome) {
        if (!outcome.isDone()) {
            throw new IllegalStateException("the cluster does not work: " + outcome.error());
        }
        return outcome.get();
    }

    /**
     * Waits for operations under way, and then checks everything that was acknowledged, while
     * nobody works.
     */
    public void check(AccessPoint by) throws InterruptedException {
        if (!running.writeLock().tryLock(CALM_LIMIT_S, TimeUnit.SECONDS)) {
            findings.violate(
                    "operations do not end within "
                            + CALM_LIMIT_S
                            + " s although all is mended: "
                            + stuck());
            return;
        }
        try {
            Thread.sleep(BELIEF_MS);
            parts.forEach(each -> each.check(by));
        } finally {
            running.writeLock().unlock();
        }
    }

    private String stuck() {
        StringBuilder text = new StringBuilder();
        for (Thread each : threads) {
            for (StackTraceElement frame : each.getStackTrace()) {
                if (frame.getClassName().contains("Access")) {
                    text.append(each.getName()).append(" in ").append(frame.getMethodName());
                    text.append("; ");
                    break;
                }
            }
        }
        return text.toString();
    }

    /** Ends all work; operations under way may end, for a while. */
    @Override
    public void close() {
        stopping = true;
        try {
            for (Thread each : threads) {
                each.join(TimeUnit.SECONDS.toMillis(CALM_LIMIT_S));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
