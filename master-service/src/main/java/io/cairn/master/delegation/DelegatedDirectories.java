package io.cairn.master.delegation;

import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.Limits;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Which session has the right to make names in which directory alone, and the recalls under way.
 * Soft state of the leader. Thread-safe; never blocks.
 */
final class DelegatedDirectories {
    /** Directories that are delegated at a time. */
    static final int MAX_DIRECTORIES = 4096;

    /** Stands for all directories of a session, of which a new leader knows nothing. */
    static final long ANY = 0;

    /** A right that its session does not use for so long is taken back. */
    static final long IDLE_MS = 3000;

    /** A directory that others wanted is not delegated for so long. */
    static final long SHARED_MS = 5000;

    private static final long LOOK_MS = 500;
    private static final long ATTEMPT_MS = 5000;
    private static final long RETRY_MS = 200;

    /** A right of a session. Guarded by the table. */
    static final class Right {
        final long session;
        final long directory;

        /** When its session asked for it or made a file with it. */
        long usedMs;

        /** Whether the session may be told of it, or has been. */
        boolean isGiven;

        /** Whether it is taken just now, as its session is silent. */
        boolean isTaken;

        /** Completes when the session has it no more; null while nobody wants that. */
        @Nullable CompletableFuture<Void> recall;

        /** Of one that may be to any directory: what it may be, as far as somebody wanted that. */
        final Map<Long, Right> parts = new HashMap<>(0);

        Right(long session, long directory, long nowMs) {
            this.session = session;
            this.directory = directory;
            this.usedMs = nowMs;
        }
    }

    private final DelegationGate.Holders holders;
    private final LongConsumer taker;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Map<Long, Right> byDirectory = new LinkedHashMap<>();

    /** Of sessions that may have rights of the last term. */
    private final Map<Long, Right> ofLastTerm = new HashMap<>();

    /** Directories that were recalled for others, and until when they are not delegated. */
    private final Map<Long, Long> shared = new LinkedHashMap<>();

    /** How many requests wait for all rights: more would be given all the time. */
    private int waitingForAll;

    private volatile boolean isEmpty = true;
    private long lookedMs;

    /**
     * A table without rights.
     *
     * @param taker takes all rights of a session; called by the scheduler without locks held
     */
    DelegatedDirectories(
            DelegationGate.Holders holders, LongConsumer taker, Clock clock, Scheduler scheduler) {
        this.holders = holders;
        this.taker = taker;
        this.clock = clock;
        this.scheduler = scheduler;
    }

    /** Whether nobody has a right; asked for each request. */
    boolean isEmpty() {
        return isEmpty;
    }

    private void changed() {
        isEmpty = byDirectory.isEmpty() && ofLastTerm.isEmpty();
    }

    /** A session is about to get a right; false when it cannot. */
    boolean begin(long session, long directory) {
        List<Right> begun = new ArrayList<>(1);
        synchronized (this) {
            if (!ofLastTerm.isEmpty() || waitingForAll > 0 || isShared(directory)) {
                return false;
            }
            Right present = byDirectory.get(directory);
            if (present != null) {
                boolean isOwn = present.session == session && present.isGiven;
                if (!isOwn || present.recall != null || present.isTaken) {
                    return false;
                }
                // It has dropped the right by itself, and asks anew.
                present.isGiven = false;
                present.usedMs = clock.millis();
                return true;
            }
            if (byDirectory.size() < MAX_DIRECTORIES) {
                byDirectory.put(directory, new Right(session, directory, clock.millis()));
                changed();
                return true;
            }
            // The next one finds room: the eldest goes.
            Right eldest = byDirectory.values().iterator().next();
            if (eldest.isGiven && eldest.recall == null) {
                eldest.recall = new CompletableFuture<>();
                begun.add(eldest);
            }
        }
        begun.forEach(this::recall);
        return false;
    }

    /**
     * The log entry of {@link #begin} was applied, or was not.
     *
     * @return whether the session has the right: nobody wanted to recall it meanwhile
     */
    boolean give(long session, long directory, boolean isPossible) {
        CompletableFuture<Void> waiting = null;
        boolean isGiven = false;
        synchronized (this) {
            Right right = byDirectory.get(directory);
            if (right == null || right.session != session || right.isGiven) {
                return false;
            }
            waiting = right.recall;
            isGiven = isPossible && waiting == null;
            right.isGiven = isGiven;
            if (!isGiven) {
                byDirectory.remove(directory);
                changed();
            }
        }
        if (waiting != null) {
            waiting.complete(null);
        }
        return isGiven;
    }

    private boolean isShared(long directory) {
        Long untilMs = shared.get(directory);
        return untilMs != null && clock.millis() - untilMs < 0;
    }

    private void share(long directory) {
        shared.remove(directory);
        shared.put(directory, clock.millis() + SHARED_MS);
        if (shared.size() > MAX_DIRECTORIES) {
            shared.remove(shared.keySet().iterator().next());
        }
    }

    /** A session has made a file in a directory. */
    synchronized void used(long session, long directory) {
        Right right = byDirectory.get(directory);
        if (right != null && right.session == session) {
            right.usedMs = clock.millis();
        }
    }

    /** Takes rights back that are not used any more; for the tick. */
    void tick() {
        List<Right> begun = new ArrayList<>(0);
        synchronized (this) {
            long nowMs = clock.millis();
            if (byDirectory.isEmpty() || nowMs - lookedMs < LOOK_MS) {
                return;
            }
            lookedMs = nowMs;
            for (Right right : byDirectory.values()) {
                boolean isIdle = nowMs - right.usedMs >= IDLE_MS;
                if (isIdle && right.isGiven && right.recall == null) {
                    right.recall = new CompletableFuture<>();
                    begun.add(right);
                }
            }
        }
        begun.forEach(this::recall);
    }

    /** A new term: sessions that have reserved numbers may have rights to any directory. */
    void reset(Collection<Long> sessions) {
        List<CompletableFuture<Void>> over = new ArrayList<>();
        List<Right> begun = new ArrayList<>();
        synchronized (this) {
            byDirectory.values().forEach(right -> add(over, right));
            for (Right right : ofLastTerm.values()) {
                add(over, right);
                right.parts.values().forEach(part -> add(over, part));
            }
            byDirectory.clear();
            ofLastTerm.clear();
            for (long session : sessions) {
                Right right = new Right(session, ANY, clock.millis());
                right.isGiven = true;
                right.recall = new CompletableFuture<>();
                ofLastTerm.put(session, right);
                begun.add(right);
            }
            changed();
        }
        over.forEach(each -> each.complete(null));
        begun.forEach(this::recall);
    }

    private static void add(List<CompletableFuture<Void>> over, Right right) {
        if (right.recall != null) {
            over.add(right.recall);
        }
    }

    /**
     * Recalls what others have of the directories of a request.
     *
     * @param session whose request it is; 0 for the leader
     * @param isRemoval whether it takes a name away. The session may have answered it already, and
     *     answers a recall when this is done. So this waits for what others have of its directories
     *     alone: two sessions that wait for all that the other one has would wait for each other.
     * @return completes when they have it no more; null when they have nothing. Until then nobody
     *     gets a right if it waits for all of them.
     */
    @Nullable CompletableFuture<Void> recall(long session, Touched touched, boolean isRemoval) {
        if (isEmpty || touched.isNothing()) {
            return null;
        }
        List<CompletableFuture<Void>> waits = new ArrayList<>();
        List<Right> begun = new ArrayList<>();
        synchronized (this) {
            boolean isRecalled = isRemoval && ofLastTerm.containsKey(session);
            for (Right right : ofLastTerm.values()) {
                if (isRecalled) {
                    wantParts(session, right, touched, waits, begun);
                } else {
                    want(session, right, waits, begun);
                }
            }
            if (touched.isAnything()) {
                byDirectory.values().forEach(right -> want(session, right, waits, begun));
            } else {
                for (long ino : touched.inos()) {
                    Right right = byDirectory.get(ino);
                    want(session, right, waits, begun);
                    if (right != null && right.session != session) {
                        share(ino);
                    }
                }
            }
            waitingForAll += touched.isAnything() && !waits.isEmpty() ? 1 : 0;
        }
        begun.forEach(this::recall);
        if (waits.isEmpty()) {
            return null;
        }
        CompletableFuture<Void> all =
                CompletableFuture.allOf(waits.toArray(CompletableFuture<?>[]::new));
        return touched.isAnything() ? all.whenComplete((_, _) -> waitedForAll()) : all;
    }

    private synchronized void waitedForAll() {
        waitingForAll--;
    }

    private static void want(
            long session,
            @Nullable Right right,
            List<CompletableFuture<Void>> waits,
            List<Right> begun) {
        if (right == null || right.session == session) {
            return;
        }
        CompletableFuture<Void> recall = right.recall;
        if (recall == null) {
            recall = new CompletableFuture<>();
            right.recall = recall;
            if (right.isGiven) {
                begun.add(right);
            }
        }
        waits.add(recall);
    }

    /** As {@link #want}, of what a right to any directory may be to those of a request. */
    private void wantParts(
            long session,
            Right right,
            Touched touched,
            List<CompletableFuture<Void>> waits,
            List<Right> begun) {
        if (right.session == session) {
            return;
        }
        for (long ino : touched.inos()) {
            Right part = right.parts.get(ino);
            if (part == null) {
                part = new Right(right.session, ino, right.usedMs);
                part.isGiven = true;
                right.parts.put(ino, part);
            }
            if (part.recall == null || !part.recall.isDone()) {
                want(session, part, waits, begun);
            }
        }
    }

    /** Whether a session has the right to a directory, or may have it of the last term. */
    synchronized boolean isHolder(long session, long directory) {
        Right right = byDirectory.get(directory);
        return right != null && right.session == session || ofLastTerm.containsKey(session);
    }

    /**
     * The rights of a session that is silent; until {@link #taken} nobody gets them.
     *
     * @return none when it is not silent any more
     */
    synchronized List<Right> beginTaking(long session) {
        if (!isSilent(session)) {
            return List.of();
        }
        List<Right> all = new ArrayList<>(1);
        byDirectory.values().stream()
                .filter(right -> right.session == session && right.isGiven && !right.isTaken)
                .forEach(all::add);
        Right any = ofLastTerm.get(session);
        if (any != null && !any.isTaken) {
            all.add(any);
        }
        all.forEach(right -> right.isTaken = true);
        return all;
    }

    /** They are nobody's any more, or that could not be logged. */
    void taken(List<Right> rights, boolean isLogged) {
        if (isLogged) {
            rights.forEach(this::over);
            return;
        }
        synchronized (this) {
            rights.forEach(right -> right.isTaken = false);
        }
    }

    private boolean isSilent(long session) {
        return holders.silentMs(session) >= Limits.RIGHT_TAKEN_MS;
    }

    /**
     * Until the session has answered, is silent or has ended; one that goes on without an answer is
     * passed by.
     */
    private void recall(Right right) {
        tell(right, clock.millis() + 2 * holders.leaseMs());
    }

    private synchronized boolean isOver(Right right) {
        CompletableFuture<Void> recall = right.recall;
        return recall != null && recall.isDone();
    }

    private void tell(Right right, long untilMs) {
        if (isOver(right)) {
            return;
        }
        if (!holders.isLive(right.session) || clock.millis() - untilMs >= 0) {
            over(right);
            return;
        }
        if (isSilent(right.session)) {
            // Not here: the gate may be held.
            scheduler.execute(() -> taker.accept(right.session));
            scheduler.schedule(() -> tell(right, untilMs), RETRY_MS);
            return;
        }
        Connection connection = holders.connection(right.session);
        if (connection == null) {
            scheduler.schedule(() -> tell(right, untilMs), RETRY_MS);
            return;
        }
        Message push =
                Message.of(v -> MasterRequest.push(new Push.RecallNames(right.directory), v));
        var _ =
                connection
                        .call(push, attemptMs(right.session))
                        .whenComplete(
                                (answer, failure) -> {
                                    if (failure == null) {
                                        answer.release();
                                        over(right);
                                    } else {
                                        scheduler.schedule(() -> tell(right, untilMs), RETRY_MS);
                                    }
                                });
    }

    /** No longer than until the session would be silent. */
    private long attemptMs(long session) {
        long leftMs = Limits.RIGHT_TAKEN_MS - holders.silentMs(session);
        return Math.clamp(leftMs, RETRY_MS, ATTEMPT_MS);
    }

    private void over(Right right) {
        List<CompletableFuture<Void>> over = new ArrayList<>(1);
        synchronized (this) {
            byDirectory.remove(right.directory, right);
            ofLastTerm.remove(right.session, right);
            add(over, right);
            right.parts.values().forEach(part -> add(over, part));
            changed();
        }
        over.forEach(each -> each.complete(null));
    }

    /** How many directories are delegated. */
    synchronized int size() {
        return byDirectory.size();
    }
}
