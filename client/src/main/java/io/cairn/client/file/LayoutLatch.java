package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.WaitCause;

/**
 * Keeps writers of a file out while its layout changes. Called with the lock of the inode held, on
 * which it waits: who passes finds the gate open until the lock is let go.
 */
final class LayoutLatch {
    private final Object lock;
    private final long timeoutMs;
    private boolean closed;

    LayoutLatch(Object lock, long timeoutMs) {
        this.lock = lock;
        this.timeoutMs = timeoutMs;
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Waits until the gate is open. Every change of the contents goes through here, so this is
     * where it ends if no caller wants it any more.
     */
    void pass() {
        PendingRequest.waited();
        long sinceNs = PendingRequest.waitClockNs();
        boolean open = Await.until(lock, () -> !closed, timeoutMs);
        PendingRequest.waitedFor(WaitCause.OTHERS, sinceNs);
        if (!open) {
            throw new FsException(Errno.ETIMEDOUT, "a change of the file's size takes too long");
        }
    }

    /** Waits until the gate is open, and closes it. */
    void close() {
        pass();
        closed = true;
    }

    /** Lets everybody in again. */
    void open() {
        closed = false;
        lock.notifyAll();
    }
}
