package io.cairn.metadata.state;

import io.cairn.cluster.Inode;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Decoded inodes as they were committed last, to spare reading and decoding them again. Direct
 * mapped: an inode has one slot, which the last one put keeps.
 *
 * <p>Thread-safe. It stays true because an inode is put only by the thread that commits, during the
 * commit, or by a reader that has just read it from the store while no commit can run. Inodes with
 * long inline contents stay out, so that a full cache holds {@value #SLOTS} x {@value
 * #MAX_INLINE_BYTES} bytes of contents at most.
 */
public final class InodeCache {
    static final int SLOTS = 1 << 14;
    static final int MAX_INLINE_BYTES = 4096;

    private final AtomicReferenceArray<@Nullable Inode> slots = new AtomicReferenceArray<>(SLOTS);

    /** The inode, if it is here. */
    public @Nullable Inode get(long ino) {
        Inode inode = slots.getAcquire(slot(ino));
        return inode != null && inode.ino() == ino ? inode : null;
    }

    /** Puts the newest state of an inode. */
    public void put(Inode inode) {
        byte[] inline = inode.inline();
        if (inline != null && inline.length > MAX_INLINE_BYTES) {
            remove(inode.ino());
        } else {
            slots.setRelease(slot(inode.ino()), inode);
        }
    }

    /** Forgets an inode. */
    void remove(long ino) {
        if (get(ino) != null) {
            slots.setRelease(slot(ino), null);
        }
    }

    /** Numbers are given consecutively, so that the low bits spread them best. */
    private static int slot(long ino) {
        return (int) ino & (SLOTS - 1);
    }
}
