package io.cairn.master;

import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation;
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
    private static final int BATCH = 16_384;

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
    private final AtomicLong nextTicket = new AtomicLong();
    private final Set<Long> pending = new HashSet<>();
    private List<Long> candidates = List.of();
    private long candidatesTicket;
    private long candidatesSinceMs;
    private volatile boolean submitting;
    private final AtomicLong term = new AtomicLong();

    /** Where to look next: many that are held open must not keep the others from being purged. */
    private long behindIno;

    OrphanReaper(Supplier<Namespace> namespace, SessionTable sessions, LogWriter log, Clock clock) {
        this.clock = clock;
        this.namespace = namespace;
        this.sessions = sessions;
        this.log = log;
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
        candidates = List.of();
        term.incrementAndGet();
        submitting = false;
    }

    /**
     * Looks for orphans, and purges those seen before. Called by one thread while this master
     * leads.
     */
    void tick() {
        if (submitting || !sessions.isComplete()) {
            return;
        }
        if (!candidates.isEmpty()) {
            boolean settled = clock.millis() - candidatesSinceMs >= OPENING_MS;
            if (!settled || !allEndedUpTo(candidatesTicket)) {
                return;
            }
            List<Long> seen = candidates;
            candidates = List.of();
            purge(seen, 0, term.get());
            return;
        }
        candidatesTicket = nextTicket.get();
        candidatesSinceMs = clock.millis();
        candidates = namespace.get().orphans(behindIno, BATCH);
        behindIno = candidates.size() < BATCH ? 0 : candidates.getLast();
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
        submitting = inos.length > 0;
        if (submitting) {
            int next = at;
            var _ =
                    log.submit(new LeaderMutation.Purge(inos))
                            .whenComplete(
                                    (reply, error) ->
                                            purge(seen, error == null ? next : seen.size(), begun));
        }
    }
}
