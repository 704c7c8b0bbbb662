package io.cairn.metadata.content;

import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.util.List;

/**
 * How many entries of garbage there are: for operators, who see whether deleting keeps up. Guarded
 * by the lock of the {@link Namespace}.
 */
public final class GarbageCount {
    private long count;

    /** Counts those of a store. */
    public static GarbageCount load(Store store) {
        GarbageCount garbage = new GarbageCount();
        byte[] all = {};
        store.scan(
                Family.GC,
                all,
                all,
                (key, value) -> {
                    garbage.count++;
                    return true;
                });
        return garbage;
    }

    /** Takes the changes of a commit: an entry is put once and deleted once. */
    public void follow(List<Change> changes) {
        for (Change change : changes) {
            if (change.family() == Family.GC) {
                count += change.value() == null ? -1 : 1;
            }
        }
    }

    public long get() {
        return count;
    }
}
