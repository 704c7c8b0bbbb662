package io.cairn.nfs.lock;

import io.cairn.fs.HostContact;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.nfs.lock.HostCalls.Callee;
import io.cairn.nfs.rpc.RpcCall;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A lock request that waits, or whose client was not told yet that it was granted. */
final class BlockedLock {
    /** The identity of a request. */
    record Key(LockHost host, long ino, Lock lock) {}

    /**
     * A request as it came.
     *
     * @param from the machine
     * @param wire the lock in the words of the client
     * @param asMessage whether the client speaks by messages, so that it is told by one
     */
    record Request(HostContact from, WireLock wire, long ino, Lock lock, boolean asMessage) {
        Key key() {
            return new Key(from.host(), ino, lock);
        }
    }

    private enum Phase {
        WAITING,
        /** The client knows that it has the lock. */
        TOLD,
        /** Nobody wants it any more. */
        CANCELLED
    }

    private final Request request;
    private final long id;
    private final Callee callee;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);

    /** When it was last asked for at the master, in milliseconds of the clock. */
    volatile long askedMs;

    /** Whether it was granted and the client is being told. */
    volatile boolean granted;

    private final AtomicInteger tries = new AtomicInteger();

    /** Whether the client may have heard of it without our knowing. */
    volatile boolean mayBeKnown;

    BlockedLock(Request request, long id, RpcCall call) {
        this.request = request;
        this.id = id;
        this.callee =
                new Callee(
                        call.peer().getAddress(),
                        call.local().getAddress(),
                        NlmProgram.NUMBER,
                        NlmProgram.VERSION);
    }

    Request request() {
        return request;
    }

    /** The number of the request at the master; also the cookie of callbacks. */
    long id() {
        return id;
    }

    Callee callee() {
        return callee;
    }

    /** How often telling the client was tried, this time included. */
    int begunTry() {
        return tries.incrementAndGet();
    }

    int tries() {
        return tries.get();
    }

    /** The client knows; false when the request was cancelled before. */
    boolean tell() {
        return phase.compareAndSet(Phase.WAITING, Phase.TOLD) || phase.get() == Phase.TOLD;
    }

    /** Ends the request; false when the client knew before that it has the lock. */
    boolean cancel() {
        return phase.compareAndSet(Phase.WAITING, Phase.CANCELLED);
    }

    boolean isCancelled() {
        return phase.get() == Phase.CANCELLED;
    }

    boolean isOver() {
        return phase.get() != Phase.WAITING;
    }
}
