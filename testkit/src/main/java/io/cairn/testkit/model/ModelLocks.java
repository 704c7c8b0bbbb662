package io.cairn.testkit.model;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Lock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The lock table of the model. Has its own monitor; a waiting thread holds nothing else.
 *
 * <p>A POSIX lock of an owner replaces the owner's locks on the bytes it covers; locks of the other
 * kinds replace all of the owner's. Deadlocks are looked for among POSIX owners only, as fcntl(2)
 * does.
 */
final class ModelLocks {
    private final Map<Long, List<Lock>> held = new HashMap<>();

    /** Waiting owners (POSIX), and for whom. */
    private final Map<Long, Set<Long>> waiting = new HashMap<>();

    synchronized @Nullable Lock test(long ino, Lock wanted) {
        List<Lock> conflicts = conflicts(ino, wanted);
        return conflicts.isEmpty() ? null : conflicts.get(0);
    }

    synchronized void set(long ino, Lock lock, long waitMs) {
        long deadlineNs = System.nanoTime() + waitMs * 1_000_000;
        if (lock.kind() != Lock.Kind.POSIX && lock.mode() != Lock.Mode.UNLOCK) {
            convert(ino, lock);
        }
        try {
            List<Lock> conflicts = conflicts(ino, lock);
            while (!conflicts.isEmpty()) {
                wait(remainingMs(lock, conflicts, waitMs, deadlineNs));
                conflicts = conflicts(ino, lock);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "interrupted while waiting for a lock", e);
        } finally {
            waiting.remove(lock.owner());
        }
        apply(ino, lock);
        notifyAll();
    }

    /** flock(2): changing a lock's mode drops the old one first when the new one must wait. */
    private void convert(long ino, Lock lock) {
        boolean others = !conflicts(ino, lock).isEmpty();
        boolean had =
                locks(ino)
                        .removeIf(
                                l ->
                                        others
                                                && l.kind() == lock.kind()
                                                && l.owner() == lock.owner());
        if (had) {
            notifyAll();
        }
    }

    /** How long to wait on; throws when there is no use in it. */
    private long remainingMs(Lock lock, List<Lock> conflicts, long waitMs, long deadlineNs) {
        if (waitMs == 0) {
            throw new FsException(Errno.EAGAIN, "locked by another owner");
        }
        if (lock.kind() == Lock.Kind.POSIX) {
            Set<Long> blockers = new HashSet<>();
            conflicts.forEach(l -> blockers.add(l.owner()));
            if (leadsTo(blockers, lock.owner(), new HashSet<>())) {
                throw new FsException(Errno.EDEADLK, "waiting would never end");
            }
            waiting.put(lock.owner(), blockers);
        }
        long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0) {
            throw new FsException(Errno.EINTR, "lock not granted in " + waitMs + " ms");
        }
        return leftMs;
    }

    private boolean leadsTo(Set<Long> owners, long sought, Set<Long> seen) {
        for (long owner : owners) {
            if (owner == sought) {
                return true;
            }
            if (seen.add(owner) && leadsTo(waiting.getOrDefault(owner, Set.of()), sought, seen)) {
                return true;
            }
        }
        return false;
    }

    synchronized void release(long ino, Lock.Kind kind, long owner) {
        locks(ino).removeIf(l -> l.kind() == kind && l.owner() == owner);
        notifyAll();
    }

    /** Forgets an inode that is gone. */
    synchronized void forget(long ino) {
        held.remove(ino);
        notifyAll();
    }

    private List<Lock> locks(long ino) {
        return held.computeIfAbsent(ino, i -> new ArrayList<>());
    }

    private List<Lock> conflicts(long ino, Lock wanted) {
        if (wanted.mode() == Lock.Mode.UNLOCK) {
            return List.of();
        }
        return locks(ino).stream()
                .filter(l -> l.kind() == wanted.kind() && l.owner() != wanted.owner())
                .filter(l -> l.overlaps(wanted))
                .filter(l -> excludes(l, wanted))
                .sorted((a, b) -> Long.compare(a.startByte(), b.startByte()))
                .toList();
    }

    private static boolean excludes(Lock one, Lock other) {
        if (one.kind() == Lock.Kind.SHARE) {
            return Lock.sharesConflict(one.pid(), other.pid());
        }
        return one.mode() == Lock.Mode.EXCLUSIVE || other.mode() == Lock.Mode.EXCLUSIVE;
    }

    /** How many inodes an owner has locked, for each kind. */
    synchronized int heldBy(long owner) {
        int count = 0;
        for (List<Lock> of : held.values()) {
            count +=
                    (int)
                            of.stream()
                                    .filter(l -> l.owner() == owner)
                                    .map(Lock::kind)
                                    .distinct()
                                    .count();
        }
        return count;
    }

    private void apply(long ino, Lock lock) {
        List<Lock> next = new ArrayList<>();
        Lock merged = lock;
        for (Lock old : locks(ino)) {
            boolean mine = old.kind() == lock.kind() && old.owner() == lock.owner();
            if (!mine) {
                next.add(old);
            } else if (lock.kind() == Lock.Kind.POSIX) {
                if (old.mode() == lock.mode() && touches(old, merged)) {
                    merged =
                            range(
                                    lock,
                                    Math.min(old.startByte(), merged.startByte()),
                                    Math.max(old.endByte(), merged.endByte()));
                } else {
                    addRemains(next, old, lock);
                }
            }
        }
        if (lock.mode() != Lock.Mode.UNLOCK) {
            next.add(merged);
        }
        next.sort((a, b) -> Long.compare(a.startByte(), b.startByte()));
        held.put(ino, next);
    }

    private static boolean touches(Lock a, Lock b) {
        return (a.endByte() == Lock.TO_END || a.endByte() + 1 >= b.startByte())
                && (b.endByte() == Lock.TO_END || b.endByte() + 1 >= a.startByte());
    }

    private static void addRemains(List<Lock> next, Lock old, Lock cut) {
        if (!old.overlaps(cut)) {
            next.add(old);
            return;
        }
        if (old.startByte() < cut.startByte()) {
            next.add(range(old, old.startByte(), cut.startByte() - 1));
        }
        if (old.endByte() > cut.endByte()) {
            next.add(range(old, cut.endByte() + 1, old.endByte()));
        }
    }

    private static Lock range(Lock lock, long start, long end) {
        return new Lock(lock.kind(), lock.mode(), lock.owner(), start, end, lock.pid());
    }
}
