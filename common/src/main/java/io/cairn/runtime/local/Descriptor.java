package io.cairn.runtime.local;

import io.cairn.os.SystemCalls;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file descriptor that several threads use. It is closed when the last use ends after {@link
 * #close}, so that its number can never mean another file under a thread that is at work.
 */
final class Descriptor implements AutoCloseable {
    /** A system call on the descriptor. */
    interface Use {
        /** Its result, or the negated error number. */
        long on(int fd);
    }

    private static final int EBADF = 9;
    private static final SystemCalls CALLS = new SystemCalls();

    private final int fd;
    private final AtomicInteger uses = new AtomicInteger(1);
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Takes over an open descriptor. */
    Descriptor(int fd) {
        this.fd = fd;
    }

    /** The result of a call, or the negated error number; -EBADF when it is closed. */
    long use(Use call) {
        int count;
        do {
            count = uses.get();
            if (count == 0 || closed.get()) {
                return -EBADF;
            }
        } while (!uses.compareAndSet(count, count + 1));
        try {
            return call.on(fd);
        } finally {
            end();
        }
    }

    private void end() {
        if (uses.decrementAndGet() == 0) {
            int _ = CALLS.close(fd);
        }
    }

    /** Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            end();
        }
    }
}
