package io.cairn.client;

import io.cairn.fs.Attributes;
import io.cairn.fs.Name;
import io.cairn.runtime.Clock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Attributes and names that the master told not long ago. Thread-safe, bounded, never blocks.
 *
 * <p>Of two attributes of an inode the one with the higher version wins, so a late answer never
 * replaces a younger one. Names have no version: whoever looks a name up takes the {@link #stamp}
 * of the directory before, and the answer is kept only if the stamp is the same still; every change
 * of the directory by this client, and every push about it, gives it another one.
 */
final class MetadataCache {
    private static final int MAX_INODES = 200_000;
    private static final int MAX_DIRECTORIES = 20_000;
    private static final int MAX_NAMES_PER_DIRECTORY = 20_000;

    private static final int MAX_GONE = 10_000;

    private record Known(Attributes attributes, long untilMs) {}

    private record Child(long ino, long untilMs) {}

    private static final class Directory {
        final ConcurrentHashMap<Name, Child> children = new ConcurrentHashMap<>();
        volatile long stamp;

        Directory(long stamp) {
            this.stamp = stamp;
        }
    }

    private final Clock clock;
    private final long ttlMs;
    private final long negativeTtlMs;
    private final AtomicLong stamps = new AtomicLong();
    private final ConcurrentHashMap<Long, Known> inodes = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, Directory> directories = new ConcurrentHashMap<>();
    private final Set<Long> gone = ConcurrentHashMap.newKeySet();

    MetadataCache(Clock clock, long ttlMs) {
        this.clock = clock;
        this.ttlMs = ttlMs;
        this.negativeTtlMs = Math.min(ttlMs, ClientSettings.MAX_NEGATIVE_TTL_MS);
    }

    /** Attributes that are young enough, or null. */
    @Nullable Attributes attributes(long ino) {
        Known known = inodes.get(ino);
        return known == null || clock.millis() - known.untilMs >= 0 ? null : known.attributes;
    }

    /** What the master said. */
    void put(Attributes attributes) {
        if (ttlMs == 0) {
            return;
        }
        if (inodes.size() >= MAX_INODES) {
            inodes.clear();
        }
        Known fresh = new Known(attributes, clock.millis() + ttlMs);
        Known before = inodes.put(attributes.ino(), fresh);
        if (before != null && before.attributes.version() > attributes.version()) {
            inodes.replace(attributes.ino(), fresh, before);
        }
    }

    /** What the master said, if it said something. */
    void putIfKnown(@Nullable Attributes attributes) {
        if (attributes != null) {
            put(attributes);
        }
    }

    /** To be taken before a name is looked up. */
    long stamp(long parentIno) {
        return ttlMs == 0 ? 0 : directory(parentIno).stamp;
    }

    private Directory directory(long ino) {
        Directory known = directories.get(ino);
        if (known != null) {
            return known;
        }
        if (directories.size() >= MAX_DIRECTORIES) {
            directories.clear();
        }
        return directories.computeIfAbsent(ino, _ -> new Directory(stamps.incrementAndGet()));
    }

    /**
     * The inode of a name: above 0 when it is known, 0 when it is known to be absent, -1 when
     * nothing is known.
     */
    long child(long parentIno, Name name) {
        Directory directory = directories.get(parentIno);
        Child child = directory == null ? null : directory.children.get(name);
        if (child == null || clock.millis() - child.untilMs >= 0 || isGone(child.ino)) {
            return -1;
        }
        return child.ino;
    }

    /** A name was looked up; {@code ino} 0 when it is absent. */
    void putChild(long parentIno, Name name, long ino, long stamp) {
        if (ttlMs == 0) {
            return;
        }
        Directory directory = directory(parentIno);
        if (directory.stamp != stamp) {
            return;
        }
        if (directory.children.size() >= MAX_NAMES_PER_DIRECTORY) {
            directory.children.clear();
        }
        Child child = new Child(ino, clock.millis() + (ino == 0 ? negativeTtlMs : ttlMs));
        directory.children.put(name, child);
        if (directory.stamp != stamp) {
            directory.children.remove(name, child);
        }
    }

    /** This client gave a name to an inode, or with 0 took it away. */
    void changeChild(long parentIno, Name name, long ino) {
        if (ttlMs == 0) {
            return;
        }
        Directory directory = directory(parentIno);
        long stamp = stamps.incrementAndGet();
        directory.stamp = stamp;
        putChild(parentIno, name, ino, stamp);
    }

    /** Nothing is known of a name any more. */
    void forgetChild(long parentIno, Name name) {
        if (ttlMs != 0) {
            Directory directory = directory(parentIno);
            directory.stamp = stamps.incrementAndGet();
            directory.children.remove(name);
        }
    }

    private boolean isGone(long ino) {
        return !gone.isEmpty() && gone.contains(ino);
    }

    /** An inode has lost its last name: whatever name is remembered for it is wrong. */
    void gone(long ino) {
        if (gone.size() >= MAX_GONE) {
            gone.clear();
            directories.clear();
        }
        gone.add(ino);
        inodes.remove(ino);
    }

    /** The attributes of an inode may have changed. */
    void forgetAttributes(long ino) {
        inodes.remove(ino);
    }

    /** Everything about an inode may have changed. */
    void forget(long ino) {
        inodes.remove(ino);
        directories.remove(ino);
    }

    /** Everything may have changed. */
    void clear() {
        inodes.clear();
        directories.clear();
    }
}
