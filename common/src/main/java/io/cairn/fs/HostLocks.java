package io.cairn.fs;

import io.cairn.base.FsException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Locks of machines that are no clients of the filesystem but come through a gateway (NLM). They
 * belong to the machine, not to the gateway: they are kept when the gateway ends, may be released
 * through any other one, and conflict with the locks of clients of the same kind. Only waiting is
 * bound to a gateway: when its session ends, its requests that wait are forgotten, what was granted
 * is not. Blocks; thread-safe.
 *
 * <p>All operations fail with {@link FsException}: ESTALE when the inode is gone, ENOLCK when a
 * limit is reached, EINVAL for impossible arguments, ETIMEDOUT when the cluster stayed away.
 */
public interface HostLocks {
    /** The outcome of a request. */
    enum Outcome {
        GRANTED,
        /** Refused: another owner holds a lock in the way. */
        CONFLICT,
        /** Waits; {@link Listener#granted} tells when it has been granted. */
        QUEUED,
        /** Refused: it would wait for itself. */
        DEADLOCK
    }

    /** Hears of requests that waited. Called on event loops; must not block. */
    interface Listener {
        /** A request that waited was granted, perhaps one of somebody else. May get lost. */
        void granted(long requestId);

        /** Requests that waited may have been forgotten: all of them should be repeated. */
        void interrupted();
    }

    /** A lock of another owner that would conflict with a wanted one, or null. */
    @Nullable Lock test(LockHost host, long ino, Lock wanted);

    /** Sets, changes or removes a lock without waiting: GRANTED or CONFLICT. */
    Outcome set(HostContact from, long ino, Lock lock);

    /**
     * Asks for a lock and waits in line when it cannot be had: GRANTED, QUEUED or DEADLOCK.
     * Repeating a request under its number changes nothing, before and after it was granted.
     *
     * @param requestId from {@link #newRequestId}
     */
    Outcome enqueue(HostContact from, long ino, Lock lock, long requestId);

    /** A number for a request, which nobody else has. */
    long newRequestId();

    /** Takes a request back; a lock that was granted to it is released. Idempotent. */
    void cancel(LockHost host, long ino, long requestId);

    /**
     * Releases all locks of a machine and forgets what it waits for. Idempotent.
     *
     * @param exceptState unless the locks were taken in this state of the machine; 0 for whatever
     *     state
     */
    void release(LockHost host, int exceptState);

    /** All machines that hold locks or wait for some. */
    List<HostRecord> hosts();

    /** Those of them at one address. */
    List<HostRecord> hosts(String address);

    /**
     * Gives us the next state number for telling machines that a lock service begins anew: odd, and
     * larger than all that were given before, by whichever gateway.
     */
    int takeState();

    /** Tells from now on who hears of requests that waited; there is one listener. */
    void listen(Listener listener);
}
