package io.cairn.chunk.scrub;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.ServerContext;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the steps of a task of one disk, each when it is due. One step is under way at a time: a
 * disk that hangs keeps one thread. A step that fails is tried again later. Thread-safe.
 */
final class StepLoop {
    private static final Logger LOG = LoggerFactory.getLogger(StepLoop.class);

    /** The next step is looked for at least so often; before the first, and after a failure. */
    static final long TICK_MS = 500;

    private final ServerContext world;
    private final String failing;
    private final Path directory;
    private final Supplier<CompletableFuture<Void>> task;
    private volatile boolean stopped;
    private volatile long nextMs;

    @GuardedBy("this")
    private boolean running;

    @GuardedBy("this")
    private CompletableFuture<Void> step = Futures.DONE;

    /**
     * Not begun.
     *
     * @param directory that the task is about, for the log
     * @param failing what to log when a step fails
     * @param task runs a step on a thread of the disk, and says when the next one is due
     */
    StepLoop(
            ServerContext world,
            Path directory,
            String failing,
            Supplier<CompletableFuture<Void>> task) {
        this.world = world;
        this.directory = directory;
        this.failing = failing;
        this.task = task;
    }

    /** Begins, unless it has begun or is over. */
    synchronized void begin() {
        if (!running && !stopped) {
            running = true;
            later(TICK_MS);
        }
    }

    /** Begins no other step; done, never failed, when the one under way has ended. */
    synchronized CompletableFuture<Void> end() {
        stopped = true;
        return step.exceptionally(thrown -> null);
    }

    boolean isStopped() {
        return stopped;
    }

    /** When the next step is due, in milliseconds of the clock; 0 = now. */
    void dueAt(long wantedMs) {
        nextMs = wantedMs;
    }

    /** Milliseconds of the clock. */
    long nowMs() {
        return world.clock().millis();
    }

    private void later(long delayMs) {
        world.scheduler().schedule(this::tick, Math.clamp(delayMs, 1, TICK_MS));
    }

    private void tick() {
        if (stopped) {
            return;
        }
        long leftMs = nextMs - nowMs();
        if (leftMs > 0) {
            later(leftMs);
            return;
        }
        CompletableFuture<Void> begun;
        synchronized (this) {
            if (stopped) {
                return;
            }
            begun = Futures.guarded(task);
            step = begun;
        }
        Futures.finish(
                begun,
                (done, thrown) -> {
                    if (thrown != null) {
                        LOG.debug(
                                "{}: {}: {}",
                                directory,
                                failing,
                                Futures.failure(thrown).getMessage());
                        nextMs = nowMs() + TICK_MS;
                    }
                    later(nextMs - nowMs());
                });
    }
}
