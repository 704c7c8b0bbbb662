package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.runtime.Errand;

/**
 * Keeps writers of a file out while its layout changes. Waits on the monitor of the inode, which it
 * takes itself: who holds it finds the gate open from {@link #pass} on until he lets it go.
 */
public final class Gate {
    private final Object lock;
    private final long timeoutMs;
    private boolean closed;

    Gate(Object lock, long timeoutMs) {
        this.lock = lock;
        this.timeoutMs = timeoutMs;
    }

    boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    /**
     * Waits until the gate is open. Whatever changes the contents goes through here, so this is
     * where it ends if nobody wants it any more.
     */
    void pass() {
        Errand.waited();
        synchronized (lock) {
            if (!Await.until(lock, () -> !closed, timeoutMs)) {
                throw new FsException(
                        Errno.ETIMEDOUT, "a change of the file's size takes too long");
            }
        }
    }

    /** Waits until the gate is open, and closes it. */
    public void close() {
        synchronized (lock) {
            pass();
            closed = true;
        }
    }

    /** Lets everybody in again. */
    public void open() {
        synchronized (lock) {
            closed = false;
            lock.notifyAll();
        }
    }
}
