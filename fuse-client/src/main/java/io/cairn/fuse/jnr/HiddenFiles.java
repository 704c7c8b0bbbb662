package io.cairn.fuse.jnr;

import io.cairn.fs.Name;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files that were unlinked while open. libfuse 2 knows files by path only, so before it unlinks an
 * open one it renames it to {@code .fuse_hidden} and 16 hexadecimal digits, and unlinks that after
 * the last close. Cairn knows files by inode: it unlinks for real at once and keeps the hidden name
 * as an alias of the inode, in memory. No listing shows the alias, the directory can be removed,
 * and the link count is the true one, while every call on the open file still finds its way.
 *
 * <p>The names are unique within a mount. Thread-safe.
 */
public final class HiddenFiles {
    private static final byte[] PREFIX = ".fuse_hidden".getBytes(StandardCharsets.US_ASCII);
    private static final int LENGTH = PREFIX.length + 16;

    private final Map<Name, Long> aliases = new ConcurrentHashMap<>();

    /** Whether libfuse may have made this name. */
    public static boolean isHiddenName(Name name) {
        return name.length() == LENGTH
                && Arrays.equals(name.bytes(), 0, PREFIX.length, PREFIX, 0, PREFIX.length);
    }

    /** The name leads to this inode from now on. */
    public void add(Name name, long ino) {
        aliases.put(name, ino);
    }

    /** The name leads nowhere; whether it led somewhere. */
    public boolean remove(Name name) {
        return isHiddenName(name) && aliases.remove(name) != null;
    }

    /** The inode has no open file any more. */
    public void removeInode(long ino) {
        if (!aliases.isEmpty()) {
            aliases.values().remove(ino);
        }
    }

    /** The inode behind a hidden name, or 0. */
    public long ino(Name name) {
        if (aliases.isEmpty() || !isHiddenName(name)) {
            return 0;
        }
        Long ino = aliases.get(name);
        return ino == null ? 0 : ino;
    }
}
