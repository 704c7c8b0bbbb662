package io.cairn.nfs.lock;

/**
 * How callbacks are made. Immutable.
 *
 * @param portmapPort where client machines have their port mapper
 * @param timeoutMs how long to wait for a connection, and for an answer
 * @param retryMs how long after a failed try the next one is made
 * @param tries how often a grant is told before the lock is given up, and a notice before it is
 * @param repeatMs how often a request that waits is repeated, should its grant have got lost
 */
public record LockPace(int portmapPort, int timeoutMs, long retryMs, int tries, long repeatMs) {
    /** The port mapper's own port; a lock is given up after two minutes. */
    public static final LockPace STANDARD = new LockPace(111, 5000, 15_000, 8, 30_000);
}
