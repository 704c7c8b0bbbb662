package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.KnownMasters;
import io.cairn.net.Callee;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Asks all masters at once which of them leads, until one does. A master that is silent keeps
 * nobody waiting: the others are asked again and again meanwhile. Who leads is who answers a query
 * that only a leader answers, so the word of a deposed one is not needed.
 *
 * <p>Each master is asked again after an eighth of the time that the search has lasted: soon after
 * an election is over, and seldom while there is nobody to find. Thread-safe; the listener is
 * called without locks held.
 */
final class LeaderSearch {
    /** Hears of the search. */
    interface Listener {
        /** This one leads; the search is over. */
        void found(Connection leader);

        /** This one does not lead, or does not answer. */
        void failed(Endpoint at, FsException error, long nextTryMs);
    }

    private static final long LEAST_PAUSE_MS = 10;
    private static final long LONGEST_PAUSE_MS = 1_000;

    /** A master that refuses a password would soon refuse to look at any. */
    private static final long REFUSED_PAUSE_MS = 10_000;

    /** At first, a silent master is asked anew after this time. */
    private static final long LEAST_PATIENCE_MS = 1_000;

    /** Masters are named by masters; more than this are not believed. */
    private static final int MAX_MASTERS = 64;

    private final ClientSettings settings;
    private final Transport transport;
    private final Clock clock;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final ClientRuntime runtime;
    private final Handler handler;
    private final Listener listener;

    // Guarded by this.
    private final KnownMasters known;

    @GuardedBy("this")
    private final Set<Endpoint> masters;

    @GuardedBy("this")
    private final Set<Endpoint> asked = new HashSet<>();

    @GuardedBy("this")
    private final Map<Endpoint, Connection> connections = new HashMap<>();

    @GuardedBy("this")
    private boolean running;

    @GuardedBy("this")
    private long number;

    @GuardedBy("this")
    private boolean outage;

    private long sinceMs;

    /**
     * Does not search yet.
     *
     * @param handler hears what the leader asks over the connection that is found
     */
    LeaderSearch(
            ClientSettings settings,
            Transport transport,
            ClientRuntime runtime,
            Handler handler,
            Listener listener) {
        this.settings = settings;
        this.transport = transport;
        this.clock = runtime.clock();
        this.scheduler = runtime.scheduler();
        this.random = runtime.random();
        this.runtime = runtime;
        this.handler = handler;
        this.listener = listener;
        this.known = new KnownMasters(settings.masters());
        this.masters = new LinkedHashSet<>(known.list());
    }

    /** The leader tells where all masters are: those that are gone need not be asked. */
    void learn(List<Endpoint> all) {
        synchronized (this) {
            known.learn(all);
            masters.clear();
            masters.addAll(known.list());
        }
        runtime.hearers().masters().accept(all);
    }

    /** Searches, unless it does already; {@code except} need not be asked. */
    void begin(@Nullable Endpoint except) {
        List<Endpoint> more = new ArrayList<>();
        long search;
        long pauseMs;
        synchronized (this) {
            if (!running) {
                running = true;
                number++;
            }
            // Whoever was found and lost again does not lead very well.
            pauseMs = outage ? pauseMs() : 0;
            if (!outage) {
                outage = true;
                sinceMs = clock.millis();
            }
            search = number;
            for (Endpoint each : masters) {
                if (!each.equals(except) && asked.add(each)) {
                    more.add(each);
                }
            }
        }
        more.forEach(each -> askLater(each, search, pauseMs));
    }

    /** A leader answers: the next search begins with short pauses. Ends this one. */
    void succeeded() {
        synchronized (this) {
            outage = false;
        }
        end();
    }

    /** Searches no more. Idempotent. */
    void end() {
        List<Connection> useless;
        synchronized (this) {
            running = false;
            number++;
            asked.clear();
            useless = new ArrayList<>(connections.values());
            connections.clear();
        }
        useless.forEach(Connection::close);
    }

    /** Under the lock. */
    private long pauseMs() {
        long lastedMs = clock.millis() - sinceMs;
        long pauseMs = Math.clamp(lastedMs / 8, LEAST_PAUSE_MS, LONGEST_PAUSE_MS);
        synchronized (random) {
            return pauseMs - random.nextLong(pauseMs / 2);
        }
    }

    private void askLater(Endpoint master, long search, long pauseMs) {
        if (pauseMs == 0) {
            ask(master, search);
        } else {
            scheduler.schedule(() -> ask(master, search), pauseMs);
        }
    }

    private void ask(Endpoint master, long search) {
        Connection open;
        long patienceMs;
        synchronized (this) {
            if (search != number) {
                return;
            }
            open = connections.get(master);
            patienceMs =
                    Math.min(
                            settings.attemptTimeoutMs(),
                            Math.max(LEAST_PATIENCE_MS, clock.millis() - sinceMs));
        }
        if (open != null && open.isOpen()) {
            ask(open, search, patienceMs);
            return;
        }
        Promises.whenDone(
                transport.connect(Callee.master(master), handler, patienceMs),
                (connection, failure) -> {
                    if (connection == null) {
                        failed(master, search, Await.failure(failure));
                    } else if (keeps(connection, search)) {
                        ask(connection, search, patienceMs);
                    } else {
                        connection.close();
                    }
                });
    }

    private synchronized boolean keeps(Connection connection, long search) {
        if (search == number) {
            connections.put(connection.remote(), connection);
        }
        return search == number;
    }

    /** Only a leader takes a login, too. */
    private void ask(Connection connection, long search, long patienceMs) {
        PasswordLogin login = runtime.login();
        if (login == null) {
            askUsage(connection, search, patienceMs);
            return;
        }
        Promises.whenDone(
                login.over(connection, patienceMs, runtime.threads(), random),
                (_, failure) -> {
                    if (failure == null) {
                        askUsage(connection, search, patienceMs);
                    } else {
                        failed(connection.remote(), search, Await.failure(failure));
                    }
                });
    }

    private void askUsage(Connection connection, long search, long patienceMs) {
        Promises.whenDone(
                connection.call(
                        Message.of(v -> MasterRequest.query(0, new Query.GetUsage(), v)),
                        patienceMs),
                (message, failure) -> {
                    if (message == null) {
                        failed(connection.remote(), search, Await.failure(failure));
                    } else {
                        message.release();
                        found(connection, search);
                    }
                });
    }

    private void found(Connection leader, long search) {
        synchronized (this) {
            if (search != number) {
                return;
            }
            connections.remove(leader.remote());
        }
        end();
        listener.found(leader);
    }

    private void failed(Endpoint master, long search, FsException error) {
        long pauseMs;
        Endpoint named = error.errno() == Errno.NOT_LEADER ? endpoint(error.getMessage()) : null;
        Connection silent = null;
        synchronized (this) {
            if (search != number) {
                return;
            }
            pauseMs = error.errno() == Errno.EACCES ? REFUSED_PAUSE_MS : pauseMs();
            if (error.errno() == Errno.ETIMEDOUT) {
                silent = connections.remove(master);
            }
            if (named != null
                    && (masters.size() >= MAX_MASTERS
                            || !masters.add(named)
                            || !asked.add(named))) {
                named = null;
            }
        }
        if (silent != null) {
            silent.close();
        }
        listener.failed(master, error, pauseMs);
        scheduler.schedule(() -> ask(master, search), pauseMs);
        if (named != null) {
            ask(named, search);
        }
    }

    private static @Nullable Endpoint endpoint(@Nullable String text) {
        try {
            return text == null || text.isEmpty() ? null : Endpoint.parse(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
