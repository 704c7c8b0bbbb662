package io.cairn.master;

import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Purges inodes that lost their last name and that nobody holds open.
 *
 * <p>A create that opens its file registers it only after it was applied. So an orphan is purged
 * only when every such create that was under way when the orphan was first seen has been
 * registered: {@link #begin} and {@link #end} bracket them.
 */
final class OrphanReaper {
    /** Orphans seen at once. */
    private static final int BATCH = 16_384;

    /** Batches that wait: more of a long list are seen while one is purged. */
    private static final int MAX_BATCHES = 4;

    /** Orphans purged in one entry of the log: clients' entries come between. */
    private static final int SLICE = 512;

    /**
     * An inode lives at least so long after its last name, for opens that began before, in
     * milliseconds.
     */
    private static final long OPENING_MS = 500;

    private final Supplier<Namespace> namespace;
    private final SessionTable sessions;
    private final LogWriter log;
    private final Clock clock;
    private final int batch;
    private final AtomicLong nextTicket = new AtomicLong();
    private final Set<Long> pending = new HashSet<>();

    /** Seen, and not begun; guarded by itself. */
    private final Deque<Batch> batches = new ArrayDeque<>();

    private volatile boolean submitting;
    private final AtomicLong term = new AtomicLong();

    /** Where to look next: many that are held open must not keep the others from being purged. */
    private long behindIno;

    /**
     * Orphans that may be purged a while after they were seen.
     *
     * @param ticket of the last create that was under way then
     */
    private record Batch(List<Long> inos, long ticket, long sinceMs) {}

    OrphanReaper(Supplier<Namespace> namespace, SessionTable sessions, LogWriter log, Clock clock) {
        this(namespace, sessions, log, clock, BATCH);
    }

    /**
     * A reaper.
     *
     * @param batch orphans seen at once
     */
    OrphanReaper(
            Supplier<Namespace> namespace,
            SessionTable sessions,
            LogWriter log,
            Clock clock,
            int batch) {
        this.clock = clock;
        this.namespace = namespace;
        this.sessions = sessions;
        this.log = log;
        this.batch = batch;
    }

    /** A create that opens its file is submitted. Returns a ticket for {@link #end}. */
    long begin() {
        long ticket = nextTicket.incrementAndGet();
        synchronized (pending) {
            pending.add(ticket);
        }
        return ticket;
    }

    /** That create has been registered, or has failed. */
    void end(long ticket) {
        synchronized (pending) {
            pending.remove(ticket);
        }
    }

    private boolean allEndedUpTo(long ticket) {
        synchronized (pending) {
            return pending.stream().allMatch(p -> p > ticket);
        }
    }

    /** Forgets what an earlier term saw. */
    void reset() {
        synchronized (batches) {
            batches.clear();
        }
        behindIno = 0;
        term.incrementAndGet();
        submitting = false;
    }

    /**
     * Looks for orphans, and purges those seen before. Called by one thread while this master
     * leads.
     */
    void tick() {
        if (!sessions.isComplete()) {
            return;
        }
        look();
        if (!submitting) {
            purgeNext(term.get());
        }
    }

    /** From the begin again only when all that was seen is done: nothing is seen twice. */
    private void look() {
        boolean idle;
        synchronized (batches) {
            if (batches.size() >= MAX_BATCHES) {
                return;
            }
            idle = batches.isEmpty() && !submitting;
        }
        if (behindIno == 0 && !idle) {
            return;
        }
        long ticket = nextTicket.get();
        long sinceMs = clock.millis();
        List<Long> seen = namespace.get().orphans(behindIno, batch);
        behindIno = seen.size() < batch ? 0 : seen.getLast();
        if (!seen.isEmpty()) {
            synchronized (batches) {
                batches.add(new Batch(seen, ticket, sinceMs));
            }
        }
    }

    private void purgeNext(long begun) {
        Batch next;
        synchronized (batches) {
            next = batches.peek();
            boolean isDue =
                    next != null
                            && clock.millis() - next.sinceMs >= OPENING_MS
                            && allEndedUpTo(next.ticket);
            if (!isDue || begun != term.get()) {
                return;
            }
            batches.remove();
            submitting = true;
        }
        purge(next.inos, 0, begun);
    }

    /** One entry after the other, while this master leads; what fails is found again. */
    private void purge(List<Long> seen, int from, long begun) {
        if (begun != term.get()) {
            return;
        }
        int at = from;
        long[] inos = {};
        while (inos.length == 0 && at < seen.size() && sessions.isComplete()) {
            int end = Math.min(at + SLICE, seen.size());
            inos =
                    seen.subList(at, end).stream()
                            .filter(ino -> !sessions.isOpen(ino))
                            .mapToLong(Long::longValue)
                            .toArray();
            at = end;
        }
        if (inos.length == 0) {
            submitting = false;
            purgeNext(begun);
            return;
        }
        int next = at;
        var _ =
                log.submit(new LeaderMutation.Purge(inos))
                        .whenComplete(
                                (reply, error) ->
                                        purge(seen, error == null ? next : seen.size(), begun));
    }
}
