package io.cairn.fuse.loop;

import io.cairn.fuse.sys.KernelProtocol;
import io.cairn.fuse.sys.ProcessStatus;
import io.cairn.os.MountCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Lets processes go that wait for the cluster and get a signal: their request is answered EINTR. A
 * process that is being killed is let go at once. A process that got another signal is let go when
 * it has waited for a second. Programs that are signalled all the time (timers, the scheduler of
 * Go) must see no errors of a filesystem that works. The kernel does not say which signal it was,
 * and says nothing of a process that closes its files because it was killed: so {@code /proc} is
 * asked. Thread-safe.
 */
public final class SignalledRequests {
    private static final long KILLED_NS = TimeUnit.MILLISECONDS.toNanos(150);
    private static final long SIGNALLED_NS = TimeUnit.SECONDS.toNanos(1);

    private final int fd;
    private final Map<Long, Request> later = new ConcurrentHashMap<>();

    /**
     * Nobody waits yet.
     *
     * @param fd of {@code /dev/fuse}
     */
    public SignalledRequests(int fd) {
        this.fd = fd;
    }

    /** A request waits without a thread. */
    public void add(Request request) {
        later.put(request.unique(), request);
    }

    /** It does not any more. */
    public void remove(Request request) {
        later.remove(request.unique());
    }

    /** The kernel says that the process of a request got a signal. */
    void interrupt(long unique, Collection<LoopThread> threads) {
        Request request = later.get(unique);
        if (request != null) {
            request.interrupt();
        }
        for (LoopThread thread : threads) {
            Request served = thread.errand();
            if (served != null && served.unique() == unique) {
                served.interrupt();
            }
        }
    }

    /**
     * Lets those go that should.
     *
     * @return how many of the threads have waited for a while
     */
    int look(Collection<LoopThread> threads) {
        int stuck = 0;
        for (LoopThread thread : threads) {
            Request request = thread.errand();
            if (request != null && request.ageNs() >= KILLED_NS) {
                stuck++;
                look(request);
            }
        }
        later.values().forEach(this::look);
        return stuck;
    }

    /** Whether any request waits without a thread. */
    boolean isWaiting() {
        return !later.isEmpty();
    }

    private void look(Request request) {
        long ageNs = request.ageNs();
        if (ageNs < KILLED_NS || !request.mayFail() || !request.isWaiting()) {
            return;
        }
        boolean lost = request.isInterrupted() && ageNs >= SIGNALLED_NS;
        if ((lost || ProcessStatus.isKilled(request.process())) && request.cancel()) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment reply = arena.allocate(KernelProtocol.OUT_HEADER_BYTES, 8);
                KernelProtocol.send(fd, reply.address(), request.unique(), -MountCalls.EINTR, 0);
            }
        }
    }
}
