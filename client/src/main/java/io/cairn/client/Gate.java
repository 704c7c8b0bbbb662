package io.cairn.client;

import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.runtime.Attendant;

/**
 * Keeps writers of a file out while its layout changes. Waits on the monitor of the inode, which it
 * takes itself: who holds it finds the gate open from {@link #pass} on until he lets it go.
 */
final class Gate {
    private static final long STEP_MS = 100;

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

    /** Waits until the gate is open. */
    void pass() {
        synchronized (lock) {
            if (closed) {
                await();
            }
        }
    }

    private void await() {
        Attendant.aboutToWait();
        boolean interrupted = false;
        for (long leftMs = timeoutMs; closed && leftMs > 0; leftMs -= STEP_MS) {
            try {
                lock.wait(STEP_MS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (closed) {
            throw new FsException(Errno.ETIMEDOUT, "a change of the file's size takes too long");
        }
    }

    /** Waits until the gate is open, and closes it. */
    void close() {
        synchronized (lock) {
            pass();
            closed = true;
        }
    }

    /** Lets everybody in again. */
    void open() {
        synchronized (lock) {
            closed = false;
            lock.notifyAll();
        }
    }
}
