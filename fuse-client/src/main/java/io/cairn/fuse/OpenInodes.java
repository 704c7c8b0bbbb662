package io.cairn.fuse;

import java.util.concurrent.ConcurrentHashMap;

/**
 * How often each inode is open in this mount, and whether anybody took a POSIX lock on it: closing
 * any descriptor of a file drops the locks that its process has on it, so every close would have to
 * ask the cluster if this did not know better. Thread-safe.
 */
final class OpenInodes {
    private record Use(int count, boolean locked) {}

    private final ConcurrentHashMap<Long, Use> uses = new ConcurrentHashMap<>();

    /** One more descriptor. */
    void opened(long ino) {
        uses.compute(
                ino,
                (key, use) -> use == null ? new Use(1, false) : new Use(use.count + 1, use.locked));
    }

    /** One descriptor less; whether it was the last. */
    boolean closed(long ino) {
        Use left =
                uses.computeIfPresent(
                        ino,
                        (key, use) -> use.count == 1 ? null : new Use(use.count - 1, use.locked));
        return left == null;
    }

    /** Somebody asked for a POSIX lock. */
    void locked(long ino) {
        uses.computeIfPresent(ino, (key, use) -> new Use(use.count, true));
    }

    /** Whether there may be POSIX locks. */
    boolean isLocked(long ino) {
        Use use = uses.get(ino);
        return use != null && use.locked;
    }

    /** Whether any descriptor is open. */
    boolean isOpen(long ino) {
        return uses.containsKey(ino);
    }
}
