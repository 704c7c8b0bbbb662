package io.cairn.metadata.inode;

import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The numbers of the inodes without a name, in memory. The leader asks for them several times a
 * second, and they come and go: a store on disk would step over every one that has gone lately to
 * find those that are there. Guarded by the lock of the {@link Namespace}.
 */
public final class OrphanIndex {
    private final NavigableSet<Long> inos = new TreeSet<>();

    /** The orphans of a store. */
    public static OrphanIndex load(Store store) {
        OrphanIndex index = new OrphanIndex();
        byte[] all = {};
        store.scan(Family.ORPHAN, all, all, (key, value) -> index.inos.add(Keys.numberAt(key, 0)));
        return index;
    }

    /** Takes the changes of a commit. */
    public void follow(List<Change> changes) {
        for (Change change : changes) {
            if (change.family() == Family.ORPHAN) {
                long ino = Keys.numberAt(change.key(), 0);
                if (change.value() == null) {
                    inos.remove(ino);
                } else {
                    inos.add(ino);
                }
            }
        }
    }

    /** How many there are. */
    public long count() {
        return inos.size();
    }

    /** Those after a number, in order, at most {@code max}; a copy. */
    public List<Long> after(long ino, int max) {
        return inos.tailSet(ino, false).stream().limit(max).toList();
    }
}
