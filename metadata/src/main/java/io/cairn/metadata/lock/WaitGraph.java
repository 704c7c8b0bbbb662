package io.cairn.metadata.lock;

import io.cairn.fs.Lock;
import io.cairn.metadata.lock.InodeLocks.Waiter;
import io.cairn.metadata.state.LockOwner;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The wait-for graph of POSIX locks: an edge leads from an owner with a waiting request to every
 * owner that holds a lock in its way, on whatever inode. Belongs to the apply thread.
 */
final class WaitGraph {
    private final Map<Long, InodeLocks> byInode;
    private final Map<LockOwner, List<Waiter>> waitersByOwner = new HashMap<>();

    WaitGraph(Map<Long, InodeLocks> byInode) {
        this.byInode = byInode;
    }

    void add(Waiter waiter) {
        if (waiter.lock().kind() == Lock.Kind.POSIX) {
            waitersByOwner.computeIfAbsent(waiter.owner(), o -> new ArrayList<>()).add(waiter);
        }
    }

    void remove(Waiter waiter) {
        List<Waiter> of = waitersByOwner.get(waiter.owner());
        if (of != null && of.remove(waiter) && of.isEmpty()) {
            waitersByOwner.remove(waiter.owner());
        }
    }

    /** Whether an owner that began to wait for a lock would, over others, wait for itself. */
    boolean wouldDeadlock(long ino, LockOwner owner, Lock wanted) {
        Set<LockOwner> seen = new HashSet<>();
        Deque<LockOwner> open = new ArrayDeque<>(blockers(ino, owner, wanted));
        while (!open.isEmpty()) {
            LockOwner next = open.pop();
            if (next.equals(owner)) {
                return true;
            }
            if (seen.add(next)) {
                for (Waiter waiter : waitersByOwner.getOrDefault(next, List.of())) {
                    open.addAll(blockers(waiter.ino(), next, waiter.lock()));
                }
            }
        }
        return false;
    }

    private List<LockOwner> blockers(long ino, LockOwner owner, Lock wanted) {
        InodeLocks locks = byInode.get(ino);
        return locks == null ? List.of() : locks.conflicting(owner, wanted);
    }
}
