package io.cairn.fuse.loop;

import io.cairn.fs.Attributes;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The attributes that the kernel has, remembered as fingerprints. So opening a file makes it forget
 * exactly the stale ones. Together with {@link KernelPages} this makes close-to-open hold between
 * mounts although the kernel caches attributes and pages.
 *
 * <p>The kernel ignores an answer when another one for the same inode was taken since it asked: of
 * two that cross, with different attributes, nobody here knows which it took. So attributes that
 * differ from those before are not known to it before it was made to forget them, which makes it
 * ignore whatever is on its way.
 *
 * <p>A table of fixed size, one slot per node number modulo its size; a later node displaces an
 * earlier one, which costs a notice and never leaves a stale cache. Thread-safe.
 */
public final class KernelView {
    private static final int SLOTS = 1 << 16;
    private static final int SET_IDS = 06000;
    private static final int MAX_PRIVILEGED = 10_000;

    /** The part of a fingerprint that tells inodes apart that have a slot in common. */
    private static final long INODE_BITS = 0xffffL << 48;

    /** Of a slot: the kernel may have taken these attributes, or the ones before. */
    private static final long DOUBT = 2;

    private final AtomicLongArray attributes = new AtomicLongArray(SLOTS);

    /** The files that the kernel was told to be set-uid or set-gid. */
    private final Set<Long> privileged = ConcurrentHashMap.newKeySet();

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
        h = mix(h ^ a.ctimeNs());
        return (mix(a.ino()) & INODE_BITS) | (h & ~INODE_BITS & ~DOUBT) | 1;
    }

    private static boolean isOfOneInode(long slot, long print) {
        return slot != 0 && ((slot ^ print) & INODE_BITS) == 0;
    }

    /** The contents of replies under way, by the thread that makes them: slots and fingerprints. */
    private final ThreadLocal<Telling> telling = ThreadLocal.withInitial(Telling::new);

    private static final class Telling {
        long[] pairs = new long[16];
        int length;

        void add(long slot, long print) {
            if (length == pairs.length) {
                pairs = Arrays.copyOf(pairs, 2 * length);
            }
            pairs[length++] = slot;
            pairs[length++] = print;
        }
    }

    /** The kernel is about to be told these attributes by this thread: until then it knows none. */
    public void tells(Attributes told) {
        if (isPrivileged(told)) {
            if (privileged.size() < MAX_PRIVILEGED) {
                privileged.add(told.ino());
            }
        } else if (!privileged.isEmpty()) {
            privileged.remove(told.ino());
        }
        int slot = slot(told.ino());
        long print = fingerprint(told);
        long now = attributes.updateAndGet(slot, before -> telling(before, print));
        if (now == 0) {
            telling.get().add(slot, print);
        }
    }

    private static long telling(long before, long print) {
        if (before == print) {
            return print;
        }
        return isOfOneInode(before, print) ? print | DOUBT : 0;
    }

    /** The reply of this thread was sent, or was not. */
    public void told(boolean sent) {
        Telling told = telling.get();
        for (int i = 0; sent && i < told.length; i += 2) {
            long print = told.pairs[i + 1];
            attributes.updateAndGet((int) told.pairs[i], before -> told(before, print));
        }
        told.length = 0;
    }

    private static long told(long before, long print) {
        return before != print && isOfOneInode(before, print) ? print | DOUBT : print;
    }

    /** The kernel is about to be made to forget the attributes of an inode. */
    public void forgets(long ino) {
        attributes.set(slot(ino), 0);
    }

    private static boolean isPrivileged(Attributes inode) {
        return inode.isFile() && (inode.mode() & SET_IDS) != 0;
    }

    /** Whether the kernel honours set-uid or set-gid of a file that has neither any more. */
    public boolean honours(Attributes fresh) {
        return !privileged.isEmpty() && !isPrivileged(fresh) && privileged.contains(fresh.ino());
    }

    /** Whether the kernel has these attributes of the inode, and no others. */
    public boolean knows(Attributes fresh) {
        return attributes.get(slot(fresh.ino())) == fingerprint(fresh);
    }
}
