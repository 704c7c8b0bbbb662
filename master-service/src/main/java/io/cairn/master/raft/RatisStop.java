package io.cairn.master.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog;
import org.apache.ratis.util.AwaitToRun;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops Ratis in bounded time.
 *
 * <p>Ratis 3.3.0 may wait for itself. It closes its log with the lock of the log held, and waits
 * meanwhile for the thread that drops old entries from the cache, which may wait for that lock. So
 * that thread is ended before. Ratis keeps it to itself, hence the look at a private field: a
 * version without that field fails as soon as a master starts.
 */
final class RatisStop {
    /** Ratis needs a second, or some on a busy machine. */
    static final long LIMIT_MS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(RatisStop.class);
    private static final VarHandle EVICTION = eviction();

    private final RaftServer server;
    private final RaftServer.Division division;
    private final MasterDirectory directory;

    RatisStop(RaftServer server, RaftServer.Division division, MasterDirectory directory) {
        this.server = server;
        this.division = division;
        this.directory = directory;
    }

    private static VarHandle eviction() {
        try {
            return MethodHandles.privateLookupIn(SegmentedRaftLog.class, MethodHandles.lookup())
                    .findVarHandle(SegmentedRaftLog.class, "cacheEviction", AwaitToRun.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Stops it, then frees the directory. What could not be written, on a full disk perhaps, is in
     * the log.
     *
     * @param limitMs how long Ratis may take
     * @throws IllegalStateException when it takes longer. Its threads may go on using the
     *     directory, which only the end of the process frees.
     */
    void within(long limitMs) {
        try {
            await(limitMs);
        } catch (IOException e) {
            tell(e);
        }
        try {
            directory.close();
        } catch (IOException | UncheckedIOException e) {
            tell(e);
        }
    }

    private void tell(Exception error) {
        LOG.warn("{} is not closed as it should be: {}", directory.raft(), error.toString());
    }

    private void await(long limitMs) throws IOException {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        Thread stopping =
                Thread.ofPlatform().name("log-stop").daemon().start(() -> complete(stopped));
        try {
            stopped.get(limitMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case UncheckedIOException failure -> throw failure.getCause();
                case null, default -> throw new IllegalStateException(e.getCause());
            }
        } catch (TimeoutException e) {
            IllegalStateException hangs =
                    new IllegalStateException("Ratis did not stop within " + limitMs + " ms");
            hangs.setStackTrace(stopping.getStackTrace());
            throw hangs;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while Ratis stopped", e);
        }
    }

    /** Null when it could not be opened: of that Ratis tells in no other way. */
    private @Nullable RaftLog log() {
        try {
            return division.getRaftLog();
        } catch (IllegalStateException e) {
            return null;
        }
    }

    private void complete(CompletableFuture<Void> stopped) {
        try {
            RaftLog log = log();
            if (log != null) {
                ((AwaitToRun) EVICTION.get((SegmentedRaftLog) log)).close();
            }
            server.close();
            // A server whose port was taken counts as never started, and closes nothing.
            division.close();
            stopped.complete(null);
        } catch (IOException | RuntimeException | Error e) {
            stopped.completeExceptionally(e);
        }
    }
}
