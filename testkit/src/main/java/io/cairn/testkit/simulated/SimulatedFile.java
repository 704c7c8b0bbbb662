package io.cairn.testkit.simulated;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a simulated file, twice: what processes see, and what is on the medium. Pages
 * that are absent are holes. A page array that both know is never written to.
 */
final class SimulatedFile {
    static final int PAGE_BYTES = 4096;
    private static final int SECTOR_BYTES = 512;

    private final Map<Long, byte[]> seen = new HashMap<>();
    private final Map<Long, byte[]> stored = new HashMap<>();
    private final Set<Long> unsynced = new HashSet<>();
    private long sizeBytes;
    private long storedSizeBytes;
    private long modifiedMs = -1;
    private int names;
    private int opens;

    long sizeBytes() {
        return sizeBytes;
    }

    /** Bytes that the pages take. */
    long allocatedBytes() {
        return (long) seen.size() * PAGE_BYTES;
    }

    /** When it was changed last, by the wall clock; -1 when that is not known. */
    long modifiedMs() {
        return modifiedMs;
    }

    /** It is changed at a time, by the wall clock. */
    void modified(long wallMs) {
        modifiedMs = wallMs;
    }

    void addNames(int count) {
        names += count;
    }

    void addOpens(int count) {
        opens += count;
    }

    /** The process that had it open is gone. */
    void forgetOpens() {
        opens = 0;
    }

    /** Whether neither a name nor an open file leads here. */
    boolean isGone() {
        return names <= 0 && opens <= 0;
    }

    /** Whether writing there takes a page more. */
    boolean isHole(long page) {
        return !seen.containsKey(page);
    }

    /** Copies bytes out; all within the size. */
    void read(long offsetBytes, byte[] target, int at, int count) {
        long from = offsetBytes;
        int left = count;
        while (left > 0) {
            int inPage = (int) (from % PAGE_BYTES);
            int piece = Math.min(left, PAGE_BYTES - inPage);
            byte[] page = seen.get(from / PAGE_BYTES);
            int to = at + count - left;
            if (page == null) {
                Arrays.fill(target, to, to + piece, (byte) 0);
            } else {
                System.arraycopy(page, inPage, target, to, piece);
            }
            from += piece;
            left -= piece;
        }
    }

    /** Writes within one page. */
    void writePage(long page, int inPage, byte[] source, int at, int count) {
        System.arraycopy(source, at, writable(page), inPage, count);
        sizeBytes = Math.max(sizeBytes, page * PAGE_BYTES + inPage + count);
    }

    @SuppressWarnings("ReferenceEquality") // The same array, not equal bytes.
    private byte[] writable(long page) {
        byte[] bytes = seen.get(page);
        if (bytes == null) {
            bytes = new byte[PAGE_BYTES];
            seen.put(page, bytes);
        } else if (bytes == stored.get(page)) {
            bytes = bytes.clone();
            seen.put(page, bytes);
        }
        unsynced.add(page);
        return bytes;
    }

    /** Zeros a range; whole pages become holes. */
    void zero(long offsetBytes, long endBytes) {
        long end = Math.min(endBytes, sizeBytes);
        for (long page = offsetBytes / PAGE_BYTES; page * PAGE_BYTES < end; page++) {
            if (isHole(page) || offsetBytes >= end) {
                continue;
            }
            int from = (int) Math.max(0, offsetBytes - page * PAGE_BYTES);
            int to = (int) Math.min(PAGE_BYTES, end - page * PAGE_BYTES);
            if (from == 0 && (to == PAGE_BYTES || end == sizeBytes)) {
                seen.remove(page);
                unsynced.add(page);
            } else {
                Arrays.fill(writable(page), from, to, (byte) 0);
            }
        }
    }

    void truncate(long newSizeBytes) {
        if (newSizeBytes < sizeBytes) {
            zero(newSizeBytes, sizeBytes);
        }
        sizeBytes = newSizeBytes;
    }

    /** Everything seen is on the medium now. */
    void sync() {
        for (long page : unsynced) {
            byte[] bytes = seen.get(page);
            if (bytes == null) {
                stored.remove(page);
            } else {
                stored.put(page, bytes);
            }
        }
        unsynced.clear();
        storedSizeBytes = sizeBytes;
    }

    /** As Linux does after a failed write-back: the pages count as clean, but are not stored. */
    void syncInVain() {
        unsynced.clear();
    }

    /** How much of what was not synced survives a power loss. */
    enum Survival {
        NOTHING,
        EVERYTHING,
        SOME
    }

    /** The power was lost: from now on, what is on the medium is what is seen. */
    void crash(Survival survival, boolean tearing, Random random) {
        for (long page : new TreeSet<>(unsynced)) {
            byte[] survivor = survivor(page, survival, tearing, random);
            if (survivor == null) {
                stored.remove(page);
            } else {
                stored.put(page, survivor);
            }
        }
        boolean newSize =
                survival == Survival.EVERYTHING
                        || (survival == Survival.SOME && random.nextBoolean());
        if (newSize) {
            storedSizeBytes = sizeBytes;
        }
        unsynced.clear();
        sizeBytes = storedSizeBytes;
        seen.clear();
        seen.putAll(stored);
        opens = 0;
        cutBeyondSize();
    }

    private void cutBeyondSize() {
        seen.keySet().removeIf(page -> page * PAGE_BYTES >= sizeBytes);
        stored.keySet().retainAll(seen.keySet());
        long last = sizeBytes / PAGE_BYTES;
        byte[] edge = seen.get(last);
        if (edge != null) {
            byte[] cut = edge.clone();
            Arrays.fill(cut, (int) (sizeBytes % PAGE_BYTES), PAGE_BYTES, (byte) 0);
            seen.put(last, cut);
            stored.put(last, cut);
        }
    }

    private byte @Nullable [] survivor(
            long page, Survival survival, boolean tearing, Random random) {
        byte[] before = stored.get(page);
        byte[] after = seen.get(page);
        if (survival != Survival.SOME) {
            return survival == Survival.EVERYTHING ? after : before;
        }
        if (tearing && before != null && after != null && random.nextInt(8) == 0) {
            byte[] torn = before.clone();
            int cut = SECTOR_BYTES * random.nextInt(PAGE_BYTES / SECTOR_BYTES + 1);
            System.arraycopy(after, 0, torn, 0, cut);
            return torn;
        }
        return random.nextBoolean() ? after : before;
    }

    /** Whether a page is on the medium as it is seen. */
    boolean isStored(long page) {
        return !unsynced.contains(page);
    }

    /** Turns one bit over, on the medium and for those who read. */
    void flip(long offsetBytes, int bit) {
        long page = offsetBytes / PAGE_BYTES;
        int at = (int) (offsetBytes % PAGE_BYTES);
        for (Map<Long, byte[]> pages : List.of(seen, stored)) {
            byte[] bytes = pages.get(page);
            if (bytes != null) {
                byte[] bad = bytes.clone();
                bad[at] ^= (byte) (1 << bit);
                pages.put(page, bad);
            }
        }
    }
}
