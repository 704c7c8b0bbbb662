package io.cairn.nfs.lock;

import io.cairn.base.FsException;
import io.cairn.fs.HostLocks;
import io.cairn.fs.HostRecord;
import io.cairn.nfs.lock.BlockedLocks.Threads;
import io.cairn.nfs.lock.HostCalls.Callee;
import io.cairn.nfs.lock.HostCalls.NoAnswer;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells machines with locks that the lock service at an address of ours begins anew: when the
 * gateway starts, and when it gets an address that another one had. They then repeat what they wait
 * for, which the gateway before has forgotten, and claim again what they hold, which they still
 * have. A machine that does not hear of it loses nothing; it repeats its requests anyway, only
 * later.
 *
 * <p>A machine knows us by the address it called, which is in its record: that is the name under
 * which it is told. Thread-safe.
 */
final class RestartNotices implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RestartNotices.class);
    private static final long LOOK_MS = 5000;
    private static final int PARALLEL = 16;

    private final HostLocks locks;
    private final HostCalls calls;
    private final LockPace pace;
    private final Threads threads;
    private final Supplier<Set<String>> addresses;
    private Set<String> known = Set.of();
    private volatile int state = 1;
    private volatile boolean closed;

    /** A machine to be told, so many times so far. */
    private record Notice(HostRecord host, int state, int tries) {}

    /**
     * Does nothing before {@link #begin}.
     *
     * @param addresses the addresses of this machine now, as text
     */
    RestartNotices(
            HostLocks locks,
            HostCalls calls,
            LockPace pace,
            Threads threads,
            Supplier<Set<String>> addresses) {
        this.locks = locks;
        this.calls = calls;
        this.pace = pace;
        this.threads = threads;
        this.addresses = addresses;
    }

    /** Begins to look; once, and not before those who are told find us at our port. */
    void begin() {
        run(this::look);
    }

    /** Our state number. */
    int state() {
        return state;
    }

    private void run(Runnable work) {
        try {
            threads.workers().execute(work);
        } catch (RejectedExecutionException e) {
            LOG.debug("The gateway is closing");
        }
    }

    private synchronized void look() {
        if (closed) {
            return;
        }
        Set<String> now = addresses.get();
        Set<String> fresh = new HashSet<>(now);
        fresh.removeAll(known);
        try {
            if (!fresh.isEmpty()) {
                tellOf(fresh);
            }
            known = now;
        } catch (FsException e) {
            LOG.debug("The machines with locks cannot be told now: {}", e.getMessage());
        }
        threads.scheduler().schedule(() -> run(this::look), LOOK_MS);
    }

    private void tellOf(Set<String> fresh) {
        List<HostRecord> concerned =
                locks.hosts().stream()
                        .filter(host -> fresh.contains(host.contact().server()))
                        .toList();
        if (concerned.isEmpty()) {
            return;
        }
        int next = locks.takeState();
        state = next;
        LOG.info("Telling {} machines with locks that their server is back", concerned.size());
        Queue<Notice> open = new ConcurrentLinkedQueue<>();
        concerned.forEach(host -> open.add(new Notice(host, next, 0)));
        for (int i = 0; i < PARALLEL; i++) {
            run(() -> tellAll(open));
        }
    }

    private void tellAll(Queue<Notice> open) {
        Notice next = open.poll();
        while (next != null && !closed) {
            tell(next);
            next = open.poll();
        }
    }

    private void tell(Notice notice) {
        HostRecord host = notice.host;
        String server = host.contact().server();
        try {
            Callee callee =
                    new Callee(
                            InetAddress.ofLiteral(host.contact().host().address()),
                            InetAddress.ofLiteral(server),
                            NsmProgram.NUMBER,
                            NsmProgram.VERSION);
            byte[] name = server.getBytes(StandardCharsets.US_ASCII);
            calls.call(
                    callee, NsmProcedure.NOTIFY.code(), out -> out.opaque(name).i32(notice.state));
        } catch (IllegalArgumentException e) {
            LOG.warn("A machine with locks has an address that is none: {}", host);
        } catch (NoAnswer e) {
            LOG.debug("{} is not told: {}", host.contact().host(), e.getMessage());
            if (notice.tries + 1 < pace.tries()) {
                Notice again = new Notice(host, notice.state, notice.tries + 1);
                threads.scheduler().schedule(() -> run(() -> tell(again)), pace.retryMs());
            }
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
