package io.cairn.chunk;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/** Requests and payload bytes held at a time; beyond them none are taken. Thread-safe. */
final class Budget {
    private final int maxRequests;
    private final long maxBytes;

    @GuardedBy("this")
    private int requests;

    @GuardedBy("this")
    private long bytes;

    Budget(int maxRequests, long maxBytes) {
        this.maxRequests = maxRequests;
        this.maxBytes = maxBytes;
    }

    /** Takes a request in, if there is room; one alone is always taken. */
    synchronized boolean take(int payloadBytes) {
        if (requests > 0 && (requests >= maxRequests || bytes + payloadBytes > maxBytes)) {
            return false;
        }
        requests++;
        bytes += payloadBytes;
        return true;
    }

    /** A request that was taken in is done. */
    synchronized void give(int payloadBytes) {
        requests--;
        bytes -= payloadBytes;
    }

    /** Requests taken in and not done. */
    synchronized int requests() {
        return requests;
    }
}
