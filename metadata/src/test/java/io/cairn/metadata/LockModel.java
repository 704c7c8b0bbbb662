package io.cairn.metadata;

import io.cairn.fs.Lock;
import io.cairn.metadata.state.Notice;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Reply.LockOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Locks as a table of single bytes: who holds each byte of each file, and how. Ranges, splitting
 * and merging do not occur. The last byte stands for everything behind it.
 */
final class LockModel {
    static final int BYTES = 16;

    private record Owner(long session, long owner) {}

    private record Cell(Lock.Mode mode, long requestId) {}

    private record Place(long ino, Lock.Kind kind, int at) {}

    private record Waiter(long ino, Owner owner, long requestId, Lock lock, long asker) {}

    private final Map<Place, Map<Owner, Cell>> cells = new HashMap<>();
    private final List<Waiter> waiters = new ArrayList<>();
    final List<Notice> notices = new ArrayList<>();

    private static int last(Lock lock) {
        return lock.kind() == Lock.Kind.POSIX
                ? (int) Math.min(lock.endByte(), BYTES - 1)
                : BYTES - 1;
    }

    private static int first(Lock lock) {
        return lock.kind() == Lock.Kind.POSIX ? (int) lock.startByte() : 0;
    }

    private Map<Owner, Cell> cell(long ino, Lock.Kind kind, int at) {
        return cells.computeIfAbsent(new Place(ino, kind, at), p -> new HashMap<>());
    }

    private Set<Owner> conflicts(long ino, Owner owner, Lock lock) {
        Set<Owner> found = new HashSet<>();
        for (int at = first(lock); at <= last(lock); at++) {
            cell(ino, lock.kind(), at)
                    .forEach(
                            (other, cell) -> {
                                boolean strong =
                                        cell.mode == Lock.Mode.EXCLUSIVE
                                                || lock.mode() == Lock.Mode.EXCLUSIVE;
                                if (strong && !other.equals(owner)) {
                                    found.add(other);
                                }
                            });
        }
        return found;
    }

    private void assign(long ino, Owner owner, Lock lock, long requestId) {
        for (int at = first(lock); at <= last(lock); at++) {
            if (lock.mode() == Lock.Mode.UNLOCK) {
                cell(ino, lock.kind(), at).remove(owner);
            } else {
                cell(ino, lock.kind(), at).put(owner, new Cell(lock.mode(), requestId));
            }
        }
    }

    private boolean holds(long ino, Lock.Kind kind, Owner owner, long requestId) {
        for (int at = 0; at < BYTES; at++) {
            Cell cell = cell(ino, kind, at).get(owner);
            if (cell != null && (requestId == 0 || cell.requestId == requestId)) {
                return true;
            }
        }
        return false;
    }

    private void removeAll(long ino, Lock.Kind kind, Owner owner) {
        for (int at = 0; at < BYTES; at++) {
            cell(ino, kind, at).remove(owner);
        }
    }

    private boolean wouldDeadlock(Owner owner, Set<Owner> blockers) {
        Set<Owner> reached = new HashSet<>(blockers);
        boolean grows = true;
        while (grows) {
            Set<Owner> next = new HashSet<>(reached);
            for (Waiter waiter : waiters) {
                if (waiter.lock.kind() == Lock.Kind.POSIX && reached.contains(waiter.owner)) {
                    next.addAll(conflicts(waiter.ino, waiter.owner, waiter.lock));
                }
            }
            grows = next.size() > reached.size();
            reached = next;
        }
        return reached.contains(owner);
    }

    private void recall(long ino, Lock.Kind kind, Set<Owner> holders) {
        if (kind == Lock.Kind.APPEND) {
            holders.forEach(
                    h ->
                            notices.add(
                                    new Notice(
                                            h.session, new Push.RecallLock(ino, kind, h.owner))));
        }
    }

    /** A request of a session for itself. */
    LockOutcome set(long session, long ino, Lock lock, boolean queue, long request) {
        return set(new long[] {session, session}, ino, lock, queue, request);
    }

    /** A request of a session (the second number) for a session or machine (the first one). */
    LockOutcome set(long[] of, long ino, Lock lock, boolean queue, long request) {
        long session = of[0];
        Owner owner = new Owner(session, lock.owner());
        long requestId = queue ? request : 0;
        if (lock.mode() == Lock.Mode.UNLOCK) {
            assign(ino, owner, lock, 0);
            grant(ino);
            return LockOutcome.GRANTED;
        }
        if (requestId != 0) {
            if (holds(ino, lock.kind(), owner, requestId)) {
                return LockOutcome.GRANTED;
            }
            for (Waiter waiter : waiters) {
                if (waiter.ino == ino
                        && waiter.owner.session == session
                        && waiter.requestId == requestId) {
                    Lock.Kind kind = waiter.lock.kind();
                    recall(ino, kind, conflicts(ino, waiter.owner, waiter.lock));
                    return LockOutcome.QUEUED;
                }
            }
        }
        Set<Owner> blockers = conflicts(ino, owner, lock);
        if (blockers.isEmpty()) {
            assign(ino, owner, lock, requestId);
            grant(ino);
            return LockOutcome.GRANTED;
        }
        if (!queue) {
            return LockOutcome.CONFLICT;
        }
        if (lock.kind() == Lock.Kind.POSIX && wouldDeadlock(owner, blockers)) {
            return LockOutcome.DEADLOCK;
        }
        waiters.add(new Waiter(ino, owner, requestId, lock, of[1]));
        if (lock.kind() == Lock.Kind.FLOCK && holds(ino, Lock.Kind.FLOCK, owner, 0)) {
            removeAll(ino, Lock.Kind.FLOCK, owner);
            grant(ino);
        }
        recall(ino, lock.kind(), blockers);
        return LockOutcome.QUEUED;
    }

    private void grant(long ino) {
        boolean again = true;
        while (again) {
            again = false;
            for (Waiter waiter : List.copyOf(waiters)) {
                if (waiter.ino == ino && conflicts(ino, waiter.owner, waiter.lock).isEmpty()) {
                    waiters.remove(waiter);
                    assign(ino, waiter.owner, waiter.lock, waiter.requestId);
                    notices.add(
                            new Notice(waiter.asker, new Push.LockGranted(ino, waiter.requestId)));
                    Lock.Kind kind = waiter.lock.kind();
                    if (waiters.stream().anyMatch(w -> w.ino == ino && w.lock.kind() == kind)) {
                        recall(ino, kind, Set.of(waiter.owner));
                    }
                    again = true;
                }
            }
        }
    }

    LockOutcome test(long session, long ino, Lock lock) {
        return conflicts(ino, new Owner(session, lock.owner()), lock).isEmpty()
                ? LockOutcome.GRANTED
                : LockOutcome.CONFLICT;
    }

    void cancel(long session, long ino, long requestId) {
        waiters.removeIf(
                w -> w.ino == ino && w.owner.session == session && w.requestId == requestId);
        cells.forEach(
                (place, holders) -> {
                    if (place.ino == ino) {
                        holders.entrySet()
                                .removeIf(
                                        e ->
                                                e.getKey().session == session
                                                        && e.getValue().requestId == requestId);
                    }
                });
        grant(ino);
    }

    void release(long session, long ino, Lock.Kind kind, long owner) {
        removeAll(ino, kind, new Owner(session, owner));
        grant(ino);
    }

    void endSession(long session) {
        waiters.removeIf(w -> w.owner.session == session || w.asker == session);
        Map<Long, Set<Owner>> touched = new TreeMap<>();
        cells.forEach(
                (place, holders) ->
                        holders.keySet().stream()
                                .filter(o -> o.session == session)
                                .forEach(
                                        o ->
                                                touched.computeIfAbsent(
                                                                place.ino, i -> new HashSet<>())
                                                        .add(o)));
        // One inode after the other: what is granted on one may not depend on the next.
        for (long ino : new TreeSet<>(touched.keySet())) {
            for (Lock.Kind kind : Lock.Kind.values()) {
                touched.getOrDefault(ino, Set.of()).forEach(o -> removeAll(ino, kind, o));
            }
            grant(ino);
        }
    }

    /** Whether a session or machine holds anything or waits. */
    boolean involves(long session) {
        return waiters.stream().anyMatch(w -> w.owner.session == session)
                || cells.values().stream()
                        .flatMap(holders -> holders.keySet().stream())
                        .anyMatch(owner -> owner.session == session);
    }

    void drop(long ino) {
        waiters.removeIf(w -> w.ino == ino);
        cells.keySet().removeIf(place -> place.ino == ino);
    }
}
