package io.cairn.metadata.lock;

import io.cairn.fs.Lock;
import io.cairn.metadata.state.LockOwner;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All locks of one inode: the holders of each, and the waiting requests in their order. In memory,
 * on the apply thread; {@link LockTable} keeps it in step with the store.
 */
public final class InodeLocks {
    /**
     * A request that waits.
     *
     * @param ticket its place: lower ones came earlier
     * @param asker the session that asked, which hears when it is granted; it is the owner's unless
     *     that is a machine
     */
    record Waiter(long ino, long ticket, LockOwner owner, long requestId, Lock lock, long asker) {
        boolean involves(long holder) {
            return owner.session() == holder || asker == holder;
        }
    }

    /** A held lock that is in the way of another one. */
    record Conflict(LockOwner owner, Lock lock) {}

    private final Map<Lock.Kind, NavigableMap<LockOwner, LockRanges>> held =
            new EnumMap<>(Lock.Kind.class);
    private final NavigableMap<Long, Waiter> waiting = new TreeMap<>();

    public InodeLocks() {
        for (Lock.Kind kind : Lock.Kind.values()) {
            held.put(kind, new TreeMap<>());
        }
    }

    /** The locks of an owner. */
    LockRanges ranges(Lock.Kind kind, LockOwner owner) {
        return holders(kind).getOrDefault(owner, LockRanges.NONE);
    }

    public void setRanges(Lock.Kind kind, LockOwner owner, LockRanges ranges) {
        if (ranges.isEmpty()) {
            holders(kind).remove(owner);
        } else {
            holders(kind).put(owner, ranges);
        }
    }

    /** All holders of a kind. */
    NavigableMap<LockOwner, LockRanges> holders(Lock.Kind kind) {
        NavigableMap<LockOwner, LockRanges> holders = held.get(kind);
        if (holders == null) {
            throw new IllegalStateException("no locks of kind " + kind);
        }
        return holders;
    }

    /** The holders of a kind that belong to one session. */
    NavigableMap<LockOwner, LockRanges> holdersOf(Lock.Kind kind, long session) {
        return holders(kind)
                .subMap(new LockOwner(session, 0), true, new LockOwner(session, -1), true);
    }

    /** A lock of somebody else that is in the way, or null. */
    public @Nullable Conflict conflict(LockOwner owner, Lock wanted) {
        for (Map.Entry<LockOwner, LockRanges> holder : holders(wanted.kind()).entrySet()) {
            if (!holder.getKey().equals(owner)) {
                LockRange range = holder.getValue().conflict(wanted);
                if (range != null) {
                    Lock lock = range.toLock(wanted.kind(), holder.getKey().owner());
                    return new Conflict(holder.getKey(), lock);
                }
            }
        }
        return null;
    }

    /** Everybody whose locks are in the way. */
    List<LockOwner> conflicting(LockOwner owner, Lock wanted) {
        return holders(wanted.kind()).entrySet().stream()
                .filter(e -> !e.getKey().equals(owner) && e.getValue().conflict(wanted) != null)
                .map(Map.Entry::getKey)
                .toList();
    }

    void add(Waiter waiter) {
        waiting.put(waiter.ticket(), waiter);
    }

    void remove(Waiter waiter) {
        waiting.remove(waiter.ticket());
    }

    /** Those who wait, in order of arrival. */
    Collection<Waiter> waiters() {
        return waiting.values();
    }

    /** The waiting request of a session or machine with an id, or null. */
    @Nullable Waiter waiter(long session, long requestId) {
        for (Waiter waiter : waiting.values()) {
            if (waiter.owner().session() == session && waiter.requestId() == requestId) {
                return waiter;
            }
        }
        return null;
    }

    /** Whether a session holds or awaits anything here. */
    boolean involves(long session) {
        for (Lock.Kind kind : Lock.Kind.values()) {
            if (!holdersOf(kind, session).isEmpty()) {
                return true;
            }
        }
        return waiting.values().stream().anyMatch(w -> w.involves(session));
    }

    boolean isEmpty() {
        return waiting.isEmpty() && held.values().stream().allMatch(Map::isEmpty);
    }
}
