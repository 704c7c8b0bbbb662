package io.cairn.metadata.lock;

import io.cairn.fs.Lock;

/**
 * A range of bytes that an owner has locked.
 *
 * @param mode SHARED or EXCLUSIVE
 * @param startByte first byte
 * @param endByte last byte, inclusive
 * @param pid process to report by F_GETLK
 * @param requestId the blocking request that set it, so that cancelling the request releases it; 0
 *     when it was not a blocking one
 */
public record LockRange(Lock.Mode mode, long startByte, long endByte, int pid, long requestId) {
    /** The range that a granted request sets. */
    static LockRange of(Lock lock, long requestId) {
        return new LockRange(lock.mode(), lock.startByte(), lock.endByte(), lock.pid(), requestId);
    }

    boolean overlaps(Lock lock) {
        return startByte <= lock.endByte() && lock.startByte() <= endByte;
    }

    /** Whether a lock of another owner cannot be granted because of this one. */
    boolean conflicts(Lock lock) {
        if (lock.kind() == Lock.Kind.SHARE) {
            return Lock.sharesConflict(pid, lock.pid());
        }
        return overlaps(lock)
                && (mode == Lock.Mode.EXCLUSIVE || lock.mode() == Lock.Mode.EXCLUSIVE);
    }

    LockRange withStart(long newStart) {
        return new LockRange(mode, newStart, endByte, pid, requestId);
    }

    LockRange withEnd(long newEnd) {
        return new LockRange(mode, startByte, newEnd, pid, requestId);
    }

    /** Whether {@code next}, which begins after this one, continues it. */
    boolean continuesIn(LockRange next) {
        return mode == next.mode
                && pid == next.pid
                && requestId == next.requestId
                && endByte != Lock.TO_END
                && endByte + 1 == next.startByte;
    }

    /** As the lock of its owner. */
    public Lock toLock(Lock.Kind kind, long owner) {
        return new Lock(kind, mode, owner, startByte, endByte, pid);
    }
}
