package io.cairn.fuse.loop;

import io.cairn.fs.Name;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which file the kernel was told to be behind a name: a hint for {@link ReplacedFiles}, good enough
 * to be wrong at times. Two tables of fixed size, a slot for each name modulo their size; a later
 * name displaces an earlier one. Thread-safe.
 */
public final class SeenNames {
    private static final int SLOTS = 1 << 16;

    private final AtomicLongArray prints = new AtomicLongArray(SLOTS);
    private final AtomicLongArray inodes = new AtomicLongArray(SLOTS);

    private static long print(long parentIno, Name name) {
        return name.cookie() ^ parentIno * 0x9e3779b97f4a7c15L;
    }

    private static int slot(long print) {
        return (int) (print ^ print >>> 32) & (SLOTS - 1);
    }

    /** The name leads to this inode. */
    public void put(long parentIno, Name name, long ino) {
        long print = print(parentIno, name);
        int slot = slot(print);
        inodes.set(slot, ino);
        prints.set(slot, print);
    }

    /** The name leads nowhere; where it led, or 0 when that is not known. */
    public long remove(long parentIno, Name name) {
        long ino = find(parentIno, name);
        if (ino != 0) {
            prints.set(slot(print(parentIno, name)), 0);
        }
        return ino;
    }

    /** The inode behind the name, or 0 when that is not known. */
    public long find(long parentIno, Name name) {
        long print = print(parentIno, name);
        int slot = slot(print);
        return prints.get(slot) == print ? inodes.get(slot) : 0;
    }
}
