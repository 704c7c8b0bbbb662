package io.cairn.master.access;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.wire.Limits;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The inodes that one session holds open, each with how often. A client keeps to {@link
 * Limits#MAX_OPEN} by itself; one that does not is refused, for else it could fill the memory of
 * the master. Not thread-safe: the table of sessions guards it.
 */
public final class OpenCounts {
    private final Map<Long, Integer> counts = new HashMap<>();
    private long total;

    /** Refuses one more with ENOMEM when there are as many as a session may have. */
    public void requireRoom() {
        if (total >= Limits.MAX_OPEN) {
            throw new FsException(
                    Errno.ENOMEM,
                    "this session holds %d files open; close some".formatted(Limits.MAX_OPEN));
        }
    }

    /** An inode is held open, or once more. */
    public void add(long ino) {
        counts.merge(ino, 1, Integer::sum);
        total++;
    }

    /** An inode is held open once less; false when it was not. */
    public boolean remove(long ino) {
        Integer count = counts.get(ino);
        if (count == null) {
            return false;
        }
        total--;
        if (count == 1) {
            counts.remove(ino);
        } else {
            counts.put(ino, count - 1);
        }
        return true;
    }

    /** Takes all out, and tells what they were. */
    public void drain(BiConsumer<Long, Integer> was) {
        counts.forEach(was);
        counts.clear();
        total = 0;
    }

    /** Whether an inode is held open. */
    public boolean holds(long ino) {
        return counts.containsKey(ino);
    }

    /** How often an inode is held open; 0 when it is not. */
    public int of(long ino) {
        Integer count = counts.get(ino);
        return count == null ? 0 : count;
    }

    /** How many inodes there are. */
    public int size() {
        return counts.size();
    }

    /** The inodes, as they are now. */
    public Set<Long> inos() {
        return Set.copyOf(counts.keySet());
    }

    /** Each inode with how often it is held open, as it is now. */
    public Map<Long, Integer> all() {
        return new TreeMap<>(counts);
    }
}
