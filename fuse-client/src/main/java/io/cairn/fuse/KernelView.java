package io.cairn.fuse;

import io.cairn.fs.Attributes;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What the kernel has in its caches, remembered as fingerprints, so that opening a file drops
 * exactly what is stale: this is what makes close-to-open hold between mounts although the kernel
 * caches attributes and pages.
 *
 * <p>Two tables of fixed size, one slot per node number modulo their size; a later node displaces
 * an earlier one, which costs an invalidation and never leaves a stale cache. The contents of a
 * node are taken for unchanged when its version is the one at the last open: every commit gives a
 * new version, also one of this mount, so that pages which were written here are read once more by
 * the first open after the close. Thread-safe.
 */
final class KernelView {
    private static final int SLOTS = 1 << 16;

    private final AtomicLongArray attributes = new AtomicLongArray(SLOTS);
    private final AtomicLongArray contents = new AtomicLongArray(SLOTS);

    private static int slot(long node) {
        return (int) (mix(node) & (SLOTS - 1));
    }

    private static long mix(long value) {
        long h = value * 0x9e3779b97f4a7c15L;
        h ^= h >>> 32;
        h *= 0xd6e8feb86659fd93L;
        return h ^ (h >>> 32);
    }

    private static long fingerprint(Attributes a) {
        long h = mix(a.ino());
        h = mix(h ^ a.version());
        h = mix(h ^ a.size());
        h = mix(h ^ a.mtimeNs());
        return mix(h ^ a.ctimeNs()) | 1;
    }

    /** The kernel is about to be told these attributes. */
    void told(Attributes told) {
        attributes.set(slot(told.ino()), fingerprint(told));
    }

    /** Whether these attributes are the last that the kernel was told of the inode. */
    boolean knows(Attributes fresh) {
        return attributes.get(slot(fresh.ino())) == fingerprint(fresh);
    }

    /**
     * A file is being opened: whether the pages that the kernel may have of it are still right.
     *
     * @param node the kernel's number of the file
     * @param version the version that the open found
     */
    boolean keepsPages(long node, long version) {
        long print = mix(mix(node) ^ version) | 1;
        return contents.getAndSet(slot(node), print) == print;
    }
}
