package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Clock;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells in the log that no master answers, in two lines: its beginning and its end. The attempts
 * between them are for who debugs, and so is what is over within half a second: a master that has
 * just become the leader is nothing to worry about. Thread-safe.
 */
final class Outage {
    private static final Logger LOG = LoggerFactory.getLogger(Outage.class);

    /** A shorter outage is not told. */
    private static final long GRACE_MS = 500;

    @GuardedBy("this")
    private final List<Endpoint> masters;

    private final Clock clock;

    @GuardedBy("this")
    private boolean lasts;

    @GuardedBy("this")
    private boolean told;

    @GuardedBy("this")
    private long sinceMs;

    @GuardedBy("this")
    private boolean refused;

    Outage(List<Endpoint> masters, Clock clock) {
        this.masters = masters;
        this.clock = clock;
    }

    /** An attempt failed. */
    synchronized void failed(Endpoint at, FsException error, long nextTryMs) {
        long nowMs = clock.millis();
        if (!lasts) {
            lasts = true;
            sinceMs = nowMs;
        }
        boolean refusal = error.errno() == Errno.WRONG_CLUSTER && !refused;
        refused |= refusal;
        // An attempt that ran out of time has lasted by itself.
        boolean begins = !told && (nowMs - sinceMs >= GRACE_MS || error.errno() == Errno.ETIMEDOUT);
        if (!begins && !refusal) {
            LOG.debug("master {} {}; next try in {} ms", at, reason(at, error), nextTryMs);
            return;
        }
        told = true;
        if (error.errno() == Errno.WRONG_CLUSTER) {
            LOG.error("master {} {}", at, reason(at, error));
        } else if (begins) {
            LOG.warn("waiting for masters {}: master {} {}", masters, at, reason(at, error));
        }
    }

    /** A master leads and knows the session. */
    synchronized void ended(Endpoint at) {
        if (told) {
            LOG.warn("master {} answers, after {} ms without", at, clock.millis() - sinceMs);
        }
        lasts = false;
        told = false;
        refused = false;
    }

    /** The fault of a master, to follow its name. */
    static String reason(Endpoint at, FsException error) {
        String message = String.valueOf(error.getMessage());
        return switch (error.errno()) {
            case WRONG_CLUSTER -> "and this client do not go together: " + message;
            case NOT_LEADER ->
                    message.isEmpty()
                            ? "knows no leader"
                            : message.equals(at.toString())
                                    ? "is not ready to lead yet"
                                    : "does not lead, but " + message;
            case EACCES -> "refuses this client: " + message;
            default -> "does not answer: " + message;
        };
    }
}
