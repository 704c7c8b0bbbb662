package io.cairn.chunk.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.runtime.Clock;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.DirectRequest;
import java.util.function.LongConsumer;

/**
 * The right to serve, given by the leader of the masters with every answered heartbeat. It counts
 * from the time the heartbeat was <em>sent</em>, so that it ends here before the leader, who counts
 * from the arrival, thinks it has ended. Thread-safe.
 */
public final class Lease {
    private static final long LENGTH_BEFORE_THE_FIRST_MS = 3_000;

    private final Clock clock;
    private volatile long endNs;
    private volatile long readEndNs;
    private volatile boolean given;

    @GuardedBy("this")
    private boolean ended;

    private volatile long lengthMs = LENGTH_BEFORE_THE_FIRST_MS;
    private LongConsumer shown = _ -> {};

    public Lease(Clock clock) {
        this.clock = clock;
    }

    /**
     * Shows others until when this server may tell what is here ({@link #allowsReads}): a time of
     * {@link Clock#nanoTime}, or {@link DirectRequest#NO_LEASE}.
     */
    public synchronized void showTo(LongConsumer others) {
        shown = others;
        show();
    }

    private void show() {
        shown.accept(given ? readEndNs : DirectRequest.NO_LEASE);
    }

    /**
     * A heartbeat sent at a time ({@link Clock#nanoTime}) was answered. Length 0: the master lets
     * the lease end.
     */
    public synchronized void renew(long sentNs, long newLengthMs) {
        if (newLengthMs <= 0 || ended) {
            return;
        }
        long end = sentNs + newLengthMs * 1_000_000;
        if (!given || end - endNs > 0) {
            endNs = end;
            readEndNs = sentNs + Limits.readLeaseMs(newLengthMs) * 1_000_000;
            lengthMs = newLengthMs;
            given = true;
            show();
        }
    }

    /** Ends it at once and for good: an answer that is under way renews nothing. */
    public synchronized void end() {
        given = false;
        ended = true;
        show();
    }

    /** Whether this server may serve now. */
    public boolean runs() {
        return given && clock.nanoTime() - endNs < 0;
    }

    /**
     * Whether this server may tell clients now what is here. Others may write without a server that
     * they cannot reach soon after that right has ended, when the lease itself still runs.
     */
    public boolean allowsReads() {
        return given && clock.nanoTime() - readEndNs < 0;
    }

    /** NOT_READY unless this server may serve now. */
    public void check() {
        if (!runs()) {
            throw new FsException(
                    Errno.NOT_READY, "this chunk server has no lease from a master at the moment");
        }
    }

    /** Length of a lease in milliseconds, as the leader last told it. */
    public long lengthMs() {
        return lengthMs;
    }
}
