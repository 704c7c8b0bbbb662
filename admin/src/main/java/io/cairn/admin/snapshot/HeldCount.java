package io.cairn.admin.snapshot;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Pool;
import io.cairn.master.MasterService;
import io.cairn.metadata.snapshot.HeldSpace;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.state.StoredState;
import io.cairn.runtime.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The space that snapshots hold, counted again and again while there are any: every minute at most,
 * and so seldom that the counts take a hundredth of the time. {@link #tick} is for one thread at a
 * time, the rest is thread-safe.
 */
public final class HeldCount implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeldCount.class);
    private static final long PAUSE_MS = 60_000;
    private static final long SHARE = 100;

    /** Files of snapshots that are read at most, for a few seconds of work. */
    private static final long MAX_RECORDS = 1_000_000;

    private final MasterService master;
    private final Clock clock;
    private final Executor workers;
    private CompletableFuture<Void> count = CompletableFuture.completedFuture(null);
    private long term = -1;

    private volatile long nextMs;
    private volatile @Nullable Long bytes;
    private volatile boolean closed;

    /**
     * Nothing is counted yet.
     *
     * @param workers runs what reads the state
     */
    public HeldCount(MasterService master, Clock clock, Executor workers) {
        this.master = master;
        this.clock = clock;
        this.workers = workers;
    }

    /**
     * What all snapshots hold and no file has any more, with all copies, in bytes, as last counted;
     * 0 without snapshots; null while it is not known, or too much to count.
     */
    public @Nullable Long bytes() {
        return isAny() ? bytes : Long.valueOf(0);
    }

    private boolean isAny() {
        return master.namespace().snapshots().stream().anyMatch(SnapshotRecord::isLive);
    }

    /** Begins to count when it is time: this master leads in a term. */
    public void tick(long newTerm) {
        if (!count.isDone()) {
            return;
        }
        boolean isAny = isAny();
        if (newTerm != term || !isAny) {
            // What was counted of dropped snapshots says nothing about the next one.
            term = newTerm;
            bytes = null;
            nextMs = 0;
        }
        if (!isAny || clock.millis() < nextMs) {
            return;
        }
        try {
            count = CompletableFuture.runAsync(this::count, workers);
        } catch (RejectedExecutionException e) {
            LOG.debug("The admin API closes", e);
        }
    }

    private void count() {
        long beganMs = clock.millis();
        try {
            HeldSpace.Outcome found = of(master, MAX_RECORDS, () -> closed);
            bytes = found.isComplete() ? Long.valueOf(found.totalBytes()) : null;
        } catch (RuntimeException e) {
            LOG.warn("The space of snapshots cannot be counted now: {}", e.toString());
        }
        long nowMs = clock.millis();
        nextMs = nowMs + Math.max(PAUSE_MS, SHARE * (nowMs - beganMs));
    }

    /** Ends a count that runs. */
    @Override
    public void close() {
        closed = true;
    }

    /**
     * Counts now, in one state though mutations go on meanwhile.
     *
     * @param stop whether to end before all is read
     */
    static HeldSpace.Outcome of(MasterService master, long maxRecords, BooleanSupplier stop) {
        ClusterMap map = master.namespace().clusterMap();
        try (StoredState state = master.namespace().snapshot()) {
            return new HeldSpace(state, id -> copies(map, id), maxRecords).count(stop);
        }
    }

    private static int copies(ClusterMap map, int poolId) {
        Pool pool = map.pool(poolId);
        return pool == null ? 1 : pool.replicas();
    }
}
