package io.cairn.metadata.inode;

import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The numbers of the inodes without a name, the lowest of them in memory. The leader asks for them
 * several times a second, and they come and go: a store on disk would step over every one that has
 * gone lately to find those that are there. When there are very many, the higher ones are only in
 * the store. Guarded by the lock of the {@link Namespace}.
 */
public final class OrphanIndex {
    /** How many are in memory at most, some megabytes. */
    private static final int MOST = 1 << 16;

    /** A refill reads this part of them at once: one commit takes a few milliseconds more. */
    private static final int REFILL_PARTS = 8;

    private static final byte[] ALL = {};

    private final NavigableSet<Long> inos = new TreeSet<>();
    private final Store store;
    private final int most;
    private long count;

    /** All below are in memory, those from here on are not. */
    private long bound = Long.MAX_VALUE;

    private OrphanIndex(Store store, int most) {
        this.store = store;
        this.most = most;
    }

    /** The orphans of a store. */
    public static OrphanIndex load(Store store) {
        return load(store, MOST);
    }

    /**
     * The orphans of a store.
     *
     * @param most how many of them are in memory at most, 8 or more
     */
    static OrphanIndex load(Store store, int most) {
        OrphanIndex index = new OrphanIndex(store, most);
        store.scan(
                Family.ORPHAN,
                ALL,
                ALL,
                (key, value) -> {
                    index.count++;
                    if (index.inos.size() < most) {
                        index.inos.add(Keys.numberAt(key, 0));
                    } else if (index.bound == Long.MAX_VALUE) {
                        index.bound = Keys.numberAt(key, 0);
                    }
                    return true;
                });
        return index;
    }

    /** Takes the changes of a commit, which are in the store by now. */
    public void follow(List<Change> changes) {
        for (Change change : changes) {
            if (change.family() == Family.ORPHAN) {
                follow(Keys.numberAt(change.key(), 0), change.value() != null);
            }
        }
        if (bound != Long.MAX_VALUE && inos.size() < most / 2) {
            refill();
        }
    }

    private void follow(long ino, boolean isOrphan) {
        if (ino >= bound) {
            count += isOrphan ? 1 : -1;
        } else if (isOrphan) {
            count += inos.add(ino) ? 1 : 0;
            if (inos.size() > most) {
                shrink();
            }
        } else {
            count -= inos.remove(ino) ? 1 : 0;
        }
    }

    private void shrink() {
        while (inos.size() > most - most / 4) {
            bound = inos.removeLast();
        }
    }

    private void refill() {
        List<Long> next = stored(bound, most / REFILL_PARTS + 1);
        if (next.size() <= most / REFILL_PARTS) {
            bound = Long.MAX_VALUE;
            inos.addAll(next);
            count = inos.size();
        } else {
            bound = next.removeLast();
            inos.addAll(next);
        }
    }

    private List<Long> stored(long fromIno, int max) {
        List<Long> found = new ArrayList<>();
        store.scan(
                Family.ORPHAN,
                ALL,
                Keys.of(fromIno),
                (key, value) -> found.add(Keys.numberAt(key, 0)) && found.size() < max);
        return found;
    }

    /**
     * How many there are. While not all are in memory, one that got and lost its name in the same
     * entry of the log may count as one less.
     */
    public long count() {
        return count;
    }

    /** Those after a number, in order, at most {@code max}; a copy. */
    public List<Long> after(long ino, int max) {
        List<Long> found = new ArrayList<>(inos.tailSet(ino, false).stream().limit(max).toList());
        if (found.size() < max && bound != Long.MAX_VALUE && ino != Long.MAX_VALUE) {
            found.addAll(stored(Math.max(bound, ino + 1), max - found.size()));
        }
        return found;
    }
}
