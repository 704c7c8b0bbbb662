package io.cairn.master;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.master.access.MountAdmission;
import io.cairn.master.access.MountClient;
import io.cairn.master.access.MountRule;
import io.cairn.master.access.OpenCounts;
import io.cairn.master.delegation.DelegationGate;
import io.cairn.net.Connection;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The leader's soft state of sessions: leases, connections, and which inodes each holds open.
 * Begins anew with every term: sessions then have a full lease to tell what they hold open, and
 * until the last of them has done so or expired nothing may be purged ({@link #isComplete}).
 * Thread-safe.
 */
final class SessionTable implements MountAdmission.Sessions, DelegationGate.Holders {
    private final Clock clock;
    private final long leaseMs;
    private final Map<Long, Live> sessions = new HashMap<>();
    private final Map<Long, Integer> openCounts = new HashMap<>();

    @GuardedBy("this")
    private final Set<Long> reserved = new HashSet<>();

    @GuardedBy("this")
    private final Map<Long, Still> still = new HashMap<>();

    /** Whose sessions are being opened, counted by the limits of mount rules. */
    private final List<MountClient> opening = new ArrayList<>();

    /** Those that have not told in this term what they hold open: it may be anything. */
    private final Map<Long, CompletableFuture<Void>> unheard = new HashMap<>();

    @GuardedBy("this")
    private long termBeganMs;

    private volatile long term = -1;

    /** Hears of each session that ends in this term. */
    volatile LongConsumer ends = _ -> {};

    /** While the contents of an inode move, for a session and until a moment. */
    private record Still(long session, long endMs) {}

    private static final class Live {
        long renewedMs;
        long operations;
        boolean expiring;
        @Nullable Connection connection;
        @Nullable MountClient client;
        final OpenCounts open = new OpenCounts();
    }

    /**
     * A table without sessions.
     *
     * @param clock stands still while this process does: who cannot renew its lease then keeps it
     */
    SessionTable(Clock clock, long leaseMs) {
        this.clock = clock;
        this.leaseMs = leaseMs;
    }

    @Override
    public long leaseMs() {
        return leaseMs;
    }

    /** The wall clock, which sessions are told so that all times come from it. */
    long wallNs() {
        return clock.wallNs();
    }

    /**
     * A new term: only these sessions exist, with a full lease, and have told nothing yet.
     *
     * @return the connections of the last term: who still has one does not know of the new one
     */
    synchronized Set<Connection> reset(long newTerm, Collection<Long> known) {
        Set<Connection> old = connections();
        sessions.clear();
        unheard.clear();
        openCounts.clear();
        reserved.clear();
        still.clear();
        termBeganMs = clock.millis();
        for (long session : known) {
            live(session);
        }
        term = newTerm;
        return old;
    }

    /** The term that {@link #reset} began last, or -1: sessions of another are not known here. */
    long term() {
        return term;
    }

    private Live live(long session) {
        return sessions.computeIfAbsent(
                session,
                s -> {
                    Live live = new Live();
                    live.renewedMs = clock.millis();
                    unheard.put(s, new CompletableFuture<>());
                    return live;
                });
    }

    /** Whether a session exists and has not ended. */
    @Override
    public synchronized boolean isLive(long session) {
        return sessions.containsKey(session);
    }

    /** A session was opened in this term: it holds nothing open. */
    synchronized void opened(long session) {
        live(session);
        unheard.remove(session);
    }

    /** A session ended. Who hears of it has locks of its own, and is told without the lock. */
    void closed(long session) {
        forget(session);
        ends.accept(session);
    }

    private synchronized void forget(long session) {
        Live live = sessions.remove(session);
        unheard.remove(session);
        still.values().removeIf(each -> each.session == session);
        if (live != null) {
            live.open.drain(this::uncount);
        }
    }

    /**
     * Renews a lease and binds the connection; a reconnected session's list of open inodes replaces
     * the old one.
     *
     * @throws FsException NOT_READY when it does not say that it is reconnected, and this term has
     *     not heard it: it takes the last term to go on
     */
    void keepAlive(long session, Connection connection, boolean reconnected, long[] openInos) {
        CompletableFuture<Void> heard = renew(session, connection, reconnected, openInos);
        if (heard != null) {
            // Without the lock: answers wait for it.
            heard.complete(null);
        }
    }

    private synchronized @Nullable CompletableFuture<Void> renew(
            long session, Connection connection, boolean reconnected, long[] openInos) {
        Live live = live(session);
        if (!reconnected && unheard.containsKey(session)) {
            throw new FsException(
                    Errno.NOT_READY, "session " + session + " has to tell what it holds open");
        }
        live.renewedMs = clock.millis();
        live.connection = connection;
        if (!reconnected) {
            return null;
        }
        live.open.drain(this::uncount);
        for (long ino : openInos) {
            count(live, ino);
        }
        return unheard.remove(session);
    }

    /** Completes when a session has told in this term what it holds open, if it ever does. */
    synchronized CompletableFuture<Void> heard(long session) {
        CompletableFuture<Void> heard = unheard.get(session);
        return heard == null ? CompletableFuture.completedFuture(null) : heard;
    }

    /** The other sessions that have not told yet: what each {@link #heard} is. */
    synchronized List<CompletableFuture<Void>> othersUnheard(long session) {
        List<CompletableFuture<Void>> others = new ArrayList<>();
        unheard.forEach(
                (other, heard) -> {
                    if (other != session) {
                        others.add(heard);
                    }
                });
        return others;
    }

    /**
     * Completes with {@link #heard}, or when nobody can believe the last term any more.
     *
     * @param believesMs how long after the beginning of this term somebody may
     */
    CompletableFuture<Void> untilHeard(
            CompletableFuture<Void> heard, long believesMs, Scheduler scheduler) {
        long waitMs = believesMs - termAgeMs();
        if (waitMs <= 0) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> told = new CompletableFuture<>();
        Scheduler.Timer end = scheduler.schedule(() -> told.complete(null), waitMs);
        var _ =
                heard.thenRun(
                        () -> {
                            end.cancel();
                            told.complete(null);
                        });
        return told;
    }

    private synchronized long termAgeMs() {
        return clock.millis() - termBeganMs;
    }

    /** Any request of a session shows that it lives. */
    synchronized void touch(long session) {
        Live live = sessions.get(session);
        if (live != null) {
            live.renewedMs = clock.millis();
            live.operations++;
        }
    }

    /** The same, unless the session is another client's: see {@link #isOf}. */
    synchronized boolean touch(long session, MountClient client) {
        boolean isOwn = isOf(session, client);
        if (isOwn) {
            touch(session);
        }
        return isOwn;
    }

    /**
     * Whether a session is of this client, who opened it; true for one that there is not. In a new
     * term nobody knows who opened it: it is learnt from its next request.
     */
    synchronized boolean isOf(long session, MountClient client) {
        Live live = sessions.get(session);
        if (live == null) {
            return true;
        }
        MountClient known = live.client;
        if (known == null) {
            live.client = client;
        } else if (!known.equals(client) && !known.owner().equals(client.owner())) {
            return false;
        }
        return true;
    }

    @Override
    public synchronized boolean holds(long session, long ino) {
        Live live = sessions.get(session);
        return live != null && live.open.holds(ino);
    }

    @Override
    public synchronized @Nullable MountRule begin(MountClient client, List<MountRule> rules) {
        for (MountRule rule : rules) {
            if (rule.sessions() > 0 && count(rule) >= rule.sessions()) {
                return rule;
            }
        }
        opening.add(client);
        return null;
    }

    private long count(MountRule rule) {
        long open =
                sessions.values().stream()
                        .map(live -> live.client)
                        .filter(client -> client != null && rule.isFor(client))
                        .count();
        return open + opening.stream().filter(rule::isFor).count();
    }

    /** A session that {@link #begin} let begin was opened, or was not. */
    synchronized void begun(MountClient client) {
        opening.remove(client);
    }

    /** How many requests came from each session in this term. */
    synchronized Map<Long, Long> operations() {
        Map<Long, Long> counts = new HashMap<>();
        sessions.forEach((session, live) -> counts.put(session, live.operations));
        return counts;
    }

    /** For how long nothing has come from a session; much for one that has ended. */
    @Override
    public synchronized long silentMs(long session) {
        Live live = sessions.get(session);
        return live == null ? Long.MAX_VALUE : clock.millis() - live.renewedMs;
    }

    /** Whether a session may hold one more inode open: ENOMEM when it may not. */
    synchronized void requireRoomToOpen(long session) {
        Live live = sessions.get(session);
        if (live != null) {
            live.open.requireRoom();
        }
    }

    /**
     * The session holds an inode open once more.
     *
     * @throws FsException NOT_READY while the inode is {@link #reserve reserved} or held still
     */
    synchronized void open(long session, long ino) {
        Still held = still.get(ino);
        if (held != null && held.session != session && clock.millis() - held.endMs < 0) {
            throw new FsException(Errno.NOT_READY, "the contents of inode " + ino + " move");
        }
        if (reserved.contains(ino)) {
            throw new FsException(Errno.NOT_READY, "inode " + ino + " gets a new object just now");
        }
        count(live(session), ino);
    }

    /** Nobody but a session opens an inode for some ms; 0 ends that: false when it was over. */
    synchronized boolean holdStill(long session, long ino, long ms) {
        long nowMs = clock.millis();
        still.values().removeIf(each -> nowMs - each.endMs >= 0);
        Still present = still.get(ino);
        if (present != null && present.session != session) {
            return false;
        }
        if (ms == 0) {
            return still.remove(ino) != null;
        }
        still.put(ino, new Still(session, nowMs + ms));
        return true;
    }

    /**
     * Those of some inodes that no session holds open; no session can open them until they are
     * free.
     */
    synchronized List<Long> reserve(List<Long> inos) {
        List<Long> free = inos.stream().filter(ino -> !openCounts.containsKey(ino)).toList();
        reserved.addAll(free);
        return free;
    }

    /** Reserved inodes can be opened again. */
    synchronized void free(List<Long> inos) {
        inos.forEach(reserved::remove);
    }

    /** The inodes that a session holds open; null when it has not told that in this term. */
    synchronized @Nullable List<Long> opens(long session) {
        Live live = sessions.get(session);
        return live == null || unheard.containsKey(session) ? null : List.copyOf(live.open.inos());
    }

    private void count(Live live, long ino) {
        live.open.add(ino);
        openCounts.merge(ino, 1, Integer::sum);
    }

    private void uncount(long ino, int count) {
        openCounts.computeIfPresent(ino, (i, all) -> all <= count ? null : all - count);
    }

    /** The session holds these inodes open one time less each. */
    synchronized void release(long session, long[] inos) {
        Live live = sessions.get(session);
        if (live == null) {
            return;
        }
        for (long ino : inos) {
            if (live.open.remove(ino)) {
                uncount(ino, 1);
            }
        }
    }

    /** The sessions but one that hold an inode open, or may do so. */
    synchronized List<Long> othersWithOpen(long session, long ino) {
        Integer all = openCounts.get(ino);
        Live own = sessions.get(session);
        int mine = own == null ? 0 : own.open.of(ino);
        if (unheard.isEmpty() && (all == null || all <= mine)) {
            return List.of();
        }
        List<Long> others = new ArrayList<>();
        sessions.forEach(
                (other, live) -> {
                    boolean mayHold = live.open.holds(ino) || unheard.containsKey(other);
                    if (other != session && mayHold) {
                        others.add(other);
                    }
                });
        return others;
    }

    /** Whether any session holds an inode open. */
    synchronized boolean isOpen(long ino) {
        return openCounts.containsKey(ino);
    }

    /** Whether every session has told in this term what it holds open. */
    synchronized boolean isComplete() {
        return unheard.isEmpty();
    }

    /**
     * Sessions whose lease has ended and that were not returned before. A quarter later than the
     * client thinks: what it sent before the end has arrived when others get its locks.
     */
    synchronized List<Long> expire() {
        List<Long> expired = new ArrayList<>();
        long now = clock.millis();
        sessions.forEach(
                (session, live) -> {
                    if (!live.expiring && now - live.renewedMs > leaseMs + leaseMs / 4) {
                        live.expiring = true;
                        expired.add(session);
                    }
                });
        return expired;
    }

    /** The end of an expired session could not be logged: try again later. */
    synchronized void retryExpiry(long session) {
        Live live = sessions.get(session);
        if (live != null) {
            live.expiring = false;
        }
    }

    /** The connection of a session, or null. */
    @Override
    public synchronized @Nullable Connection connection(long session) {
        Live live = sessions.get(session);
        return live == null ? null : live.connection;
    }

    /** A connection ended; whether a session has now none. */
    synchronized boolean disconnected(Connection connection) {
        boolean isMissed = false;
        for (Live live : sessions.values()) {
            if (connection.equals(live.connection)) {
                live.connection = null;
                isMissed = true;
            }
        }
        return isMissed;
    }

    /** All connections bound to a session. */
    synchronized Set<Connection> connections() {
        Set<Connection> connections = new LinkedHashSet<>();
        for (Live live : sessions.values()) {
            if (live.connection != null) {
                connections.add(live.connection);
            }
        }
        return connections;
    }

    /** The facts of a session, or null when it has ended; for operators. */
    synchronized @Nullable SessionFacts facts(long session) {
        Live live = sessions.get(session);
        if (live == null) {
            return null;
        }
        Connection connection = live.connection;
        return new SessionFacts(
                connection == null ? null : connection.remote(),
                live.client,
                clock.millis() - live.renewedMs,
                live.open.all());
    }

    /** Number of open inodes per session, for operators. */
    synchronized int openCount(long session) {
        Live live = sessions.get(session);
        return live == null ? 0 : live.open.size();
    }
}
