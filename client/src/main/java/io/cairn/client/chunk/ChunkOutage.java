package io.cairn.client.chunk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.FsException;
import io.cairn.runtime.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells in the log that requests wait for chunk servers, in two lines however many there are: the
 * first that has waited for a while, and when none does any more. Thread-safe.
 */
final class ChunkOutage {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkOutage.class);

    /** A request that has waited so long is told of, in milliseconds. */
    static final long PATIENCE_MS = 5000;

    private final Clock clock;

    @GuardedBy("this")
    private int waiting;

    @GuardedBy("this")
    private long sinceMs;

    ChunkOutage(Clock clock) {
        this.clock = clock;
    }

    /** A request has waited for long; to be ended with {@link #end}. */
    synchronized void begin(ChunkPlace place, FsException last) {
        if (waiting++ == 0) {
            sinceMs = clock.millis();
            LOG.warn("waiting for chunk servers, first for {}: {}", place, last.getMessage());
        }
    }

    /** It waits no more, whatever came of it. */
    synchronized void end() {
        if (--waiting == 0) {
            LOG.warn(
                    "nobody waits for chunk servers any more, after {} ms",
                    clock.millis() - sinceMs + PATIENCE_MS);
        }
    }
}
