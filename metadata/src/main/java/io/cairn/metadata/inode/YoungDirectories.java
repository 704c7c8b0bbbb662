package io.cairn.metadata.inode;

import io.cairn.fs.Name;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Set;

/**
 * The names of directories that were made since this master began, by their cookies: a name whose
 * cookie is not here is not in the store, and need not be looked for there. That is what most new
 * names meet, as when a tree is copied. Removed names stay, which costs a look. Bounded: when there
 * are too many, the directory that was made first is forgotten. Belongs to the apply thread.
 */
final class YoungDirectories {
    private static final int MAX_NAMES = 1 << 16;

    private final int maxNames;
    private final LinkedHashMap<Long, Set<Long>> cookies = new LinkedHashMap<>();

    /** Names, and one for each directory. */
    private int count;

    YoungDirectories() {
        this(MAX_NAMES);
    }

    YoungDirectories(int maxNames) {
        this.maxNames = maxNames;
    }

    /** A directory was made; it is empty. */
    void made(long ino) {
        cookies.put(ino, new HashSet<>());
        count++;
        limit();
    }

    /** A directory got a name. */
    void put(long ino, Name name) {
        Set<Long> known = cookies.get(ino);
        if (known != null && known.add(name.cookie())) {
            count++;
            limit();
        }
    }

    /** Whether a directory is known not to have a name. */
    boolean lacks(long ino, Name name) {
        Set<Long> known = cookies.get(ino);
        return known != null && !known.contains(name.cookie());
    }

    /** A directory was removed. */
    void removed(long ino) {
        Set<Long> known = cookies.remove(ino);
        if (known != null) {
            count -= 1 + known.size();
        }
    }

    private void limit() {
        while (count > maxNames) {
            removed(cookies.firstEntry().getKey());
        }
    }
}
