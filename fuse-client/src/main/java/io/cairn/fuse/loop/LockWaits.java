package io.cairn.fuse.loop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.RecentEntries;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import java.util.HashMap;
import java.util.Map;

/**
 * The threads that wait for a lock of another owner, by the number of the request that they serve.
 * A lock is waited for as long as it takes, as fcntl(2) says, in slices; what ends the wait early
 * is the interruption of the request by a signal, or the end of the mount: EINTR. Thread-safe.
 */
public final class LockWaits {
    /** One wait within the filesystem; then it is asked again. */
    private static final long SLICE_MS = 600_000;

    /** Interruptions that overtook their request. */
    private static final int MAX_EARLY = 64;

    private final FileSystem fileSystem;

    @GuardedBy("this")
    private final Map<Long, Thread> waiting = new HashMap<>();

    @GuardedBy("this")
    private final Map<Long, Boolean> early = new RecentEntries<>(MAX_EARLY);

    @GuardedBy("this")
    private boolean closed;

    LockWaits(FileSystem fileSystem) {
        this.fileSystem = fileSystem;
    }

    /**
     * Waits for a lock on the calling thread.
     *
     * @param request number of the request, for {@link #interrupt}
     * @throws FsException EINTR when interrupted; what the filesystem says
     */
    void await(long request, long ino, Lock lock) {
        begin(request);
        try {
            while (true) {
                try {
                    fileSystem.setLock(ino, lock, SLICE_MS);
                    return;
                } catch (FsException e) {
                    if (e.errno() != Errno.EINTR || isOver(request)) {
                        throw e;
                    }
                }
            }
        } finally {
            end(request);
        }
    }

    private synchronized void begin(long request) {
        if (closed || early.remove(request) != null) {
            throw new FsException(Errno.EINTR);
        }
        waiting.put(request, Thread.currentThread());
    }

    private synchronized boolean isOver(long request) {
        return closed || !waiting.containsKey(request);
    }

    private synchronized void end(long request) {
        waiting.remove(request);
        // An interruption that came too late must not hit the next request of this thread.
        Thread.interrupted();
    }

    /** The kernel reports that the process behind a request got a signal. */
    synchronized void interrupt(long request) {
        Thread thread = waiting.remove(request);
        if (thread == null) {
            early.put(request, true);
        } else {
            thread.interrupt();
        }
    }

    /** Ends all waits, now and later. */
    public synchronized void close() {
        closed = true;
        waiting.values().forEach(Thread::interrupt);
        waiting.clear();
    }
}
