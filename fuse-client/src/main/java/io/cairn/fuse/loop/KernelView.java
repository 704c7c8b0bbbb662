package io.cairn.fuse.loop;

import io.cairn.fs.Attributes;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

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
 * <p>It also ignores an answer when it was made to forget since it asked, and then goes on with the
 * size that it had: a reader beside others could find an old end of the file. So it is made to
 * forget once, and may keep nothing of the inode for a second after the last open that found it
 * changed again. Until then nobody has to make it forget again.
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

    private static final int INODE_BIT_COUNT = 16;

    /** Of a slot: the kernel may have taken these attributes, or the ones before. */
    private static final long DOUBT = 2;

    private static final long QUIET_MS = 1_000;
    private static final int LOCKS = 64;

    private final LongSupplier nanoTime;
    private final AtomicLongArray attributes = new AtomicLongArray(SLOTS);

    /** By slot: the attributes for which the kernel was made to forget others. */
    private final AtomicLongArray changed = new AtomicLongArray(SLOTS);

    /** Held while the kernel is made to forget, so that no other open is answered before. */
    private final Object[] forgetting = new Object[LOCKS];

    /** The files that the kernel was told to be set-uid or set-gid. */
    private final Set<Long> privileged = ConcurrentHashMap.newKeySet();

    /**
     * Of a kernel that was told nothing yet.
     *
     * @param nanoTime a clock that never goes back, in nanoseconds
     */
    public KernelView(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        Arrays.setAll(forgetting, _ -> new Object());
    }

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

    /**
     * Of a slot: the kernel keeps nothing of an inode, and may not until a time. Even, as no
     * fingerprint is; each time has another one, so that who has read an old one changes nothing.
     */
    private static long forgotten(long ino, long untilMs) {
        return (mix(ino) & INODE_BITS) | ((untilMs << 2) & ~INODE_BITS) | DOUBT;
    }

    private static boolean isForgotten(long slot) {
        return (slot & 1) == 0 && slot != 0;
    }

    private static boolean isForgotten(long slot, long ino) {
        return isForgotten(slot) && isOfOneInode(slot, mix(ino));
    }

    private boolean isQuiet(long mark) {
        long untilMs = (mark << INODE_BIT_COUNT) >> (INODE_BIT_COUNT + 2);
        long nowMs = (nowMs() << (INODE_BIT_COUNT + 2)) >> (INODE_BIT_COUNT + 2);
        return untilMs - nowMs > 0;
    }

    private long nowMs() {
        return nanoTime.getAsLong() / 1_000_000;
    }

    private static boolean isOfOneInode(long slot, long print) {
        return slot != 0 && ((slot ^ print) & INODE_BITS) == 0;
    }

    /** The contents of replies under way, by the thread that makes them: slots and fingerprints. */
    private final ThreadLocal<Telling> telling = ThreadLocal.withInitial(Telling::new);

    private static final class Telling {
        long[] pairs = new long[16];
        int length;
        boolean anyway;

        void add(long slot, long print) {
            if (length == pairs.length) {
                pairs = Arrays.copyOf(pairs, 2 * length);
            }
            pairs[length++] = slot;
            pairs[length++] = print;
        }
    }

    /**
     * The kernel is about to be told these attributes by this thread: until then it knows none.
     *
     * @return whether it may keep them for some time; else only for the call that asked
     */
    public boolean tells(Attributes told) {
        return tells(told, false);
    }

    /**
     * The same for an answer that the kernel takes although it was made to forget since it asked:
     * that of a change of attributes.
     */
    public boolean tellsOfChange(Attributes told) {
        return tells(told, true);
    }

    private boolean tells(Attributes told, boolean anyway) {
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
        boolean mayKeep = !isForgotten(now);
        if (now == 0 || (anyway && mayKeep)) {
            telling.get().add(slot, print);
            telling.get().anyway |= anyway;
        }
        return mayKeep;
    }

    private long telling(long before, long print) {
        if (before == print) {
            return print;
        }
        if (!isOfOneInode(before, print)) {
            return 0;
        }
        if (isForgotten(before)) {
            return isQuiet(before) ? before : 0;
        }
        return print | DOUBT;
    }

    /** The reply of this thread was sent, or was not. */
    public void told(boolean sent) {
        Telling told = telling.get();
        for (int i = 0; sent && i < told.length; i += 2) {
            long print = told.pairs[i + 1];
            boolean anyway = told.anyway;
            attributes.updateAndGet((int) told.pairs[i], before -> told(before, print, anyway));
        }
        told.length = 0;
        told.anyway = false;
    }

    private static long told(long before, long print, boolean anyway) {
        if (isForgotten(before)) {
            return anyway ? 0 : before;
        }
        return before != print && isOfOneInode(before, print) ? print | DOUBT : print;
    }

    /**
     * Makes sure that the kernel has these attributes of an inode or asks for them. To be called
     * before an open is answered.
     *
     * @param forget makes the kernel forget the attributes of the inode with this number; called
     *     when it may have others
     */
    public void refresh(Attributes fresh, LongConsumer forget) {
        if (knows(fresh)) {
            return;
        }
        int slot = slot(fresh.ino());
        synchronized (forgetting[slot % LOCKS]) {
            boolean isNews = changed.getAndSet(slot, fingerprint(fresh)) != fingerprint(fresh);
            if (!isNews && isForgotten(attributes.get(slot), fresh.ino())) {
                return;
            }
            long mark = forgotten(fresh.ino(), nowMs() + QUIET_MS);
            if (!isForgotten(attributes.getAndSet(slot, mark), fresh.ino())) {
                forget.accept(fresh.ino());
            }
        }
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
