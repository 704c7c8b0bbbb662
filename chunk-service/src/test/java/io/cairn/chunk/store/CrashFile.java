package io.cairn.chunk.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The bytes of a file on a {@link CrashDisk}: what programs see, and what is on the medium. Every
 * version that a page had since the last sync may have reached the medium.
 */
final class CrashFile {
    static final int PAGE = 4096;
    private static final int SECTOR = 512;
    private static final byte[] HOLE = new byte[PAGE];

    private final Map<Long, byte[]> pages = new TreeMap<>();
    private final Map<Long, byte[]> durable = new TreeMap<>();
    private final Map<Long, List<byte[]>> dirty = new TreeMap<>();
    private long size;
    private long durableSize;

    long size() {
        return size;
    }

    int pageCount() {
        return pages.size();
    }

    boolean hasPage(long page) {
        return pages.containsKey(page);
    }

    byte[] page(long page) {
        return pages.getOrDefault(page, HOLE);
    }

    /** Changes a part of one page. */
    void write(long offset, byte[] bytes, int from, int count) {
        long page = offset / PAGE;
        byte[] next = page(page).clone();
        System.arraycopy(bytes, from, next, (int) (offset % PAGE), count);
        put(page, next);
        size = Math.max(size, offset + count);
    }

    private void put(long page, byte[] next) {
        pages.put(page, next);
        dirty.computeIfAbsent(page, p -> new ArrayList<>()).add(next);
    }

    /** Zeros a range; whole pages of it become holes. */
    void punch(long offset, long length) {
        long end = Math.min(offset + length, size);
        for (long at = offset; at < end; ) {
            long page = at / PAGE;
            long stop = Math.min(end, (page + 1) * PAGE);
            if (at % PAGE == 0 && stop == (page + 1) * PAGE) {
                if (pages.remove(page) != null) {
                    dirty.computeIfAbsent(page, p -> new ArrayList<>()).add(HOLE);
                }
            } else if (hasPage(page)) {
                byte[] next = page(page).clone();
                Arrays.fill(next, (int) (at % PAGE), (int) (stop - page * PAGE), (byte) 0);
                put(page, next);
            }
            at = stop;
        }
    }

    void truncate(long newSize) {
        if (newSize < size) {
            punch(newSize, size - newSize);
            pages.keySet().removeIf(page -> page * PAGE >= newSize);
        }
        size = newSize;
    }

    void force() {
        for (long page : dirty.keySet()) {
            if (pages.containsKey(page)) {
                durable.put(page, pages.get(page));
            } else {
                durable.remove(page);
            }
        }
        dirty.clear();
        durableSize = size;
    }

    /** What a failed sync does: the pages count as clean but are not on the medium. */
    void failForce() {
        dirty.clear();
    }

    /** Leaves of what was not synced some sectors of some versions. */
    void losePower(Random random) {
        int bias = random.nextInt(4);
        for (Map.Entry<Long, List<byte[]>> entry : dirty.entrySet()) {
            byte[] old = durable.getOrDefault(entry.getKey(), HOLE);
            byte[] left = pick(random, bias, old, entry.getValue());
            if (random.nextInt(8) == 0) {
                byte[] other = pick(random, bias, old, entry.getValue());
                left = left.clone();
                for (int at = 0; at < PAGE; at += SECTOR) {
                    if (random.nextBoolean()) {
                        System.arraycopy(other, at, left, at, SECTOR);
                    }
                }
            }
            durable.put(entry.getKey(), left);
        }
        long left = random.nextBoolean() || size < durableSize ? size : durableSize;
        durable.keySet().removeIf(page -> page * PAGE >= left);
        size = left;
        durableSize = left;
        pages.clear();
        pages.putAll(durable);
        dirty.clear();
    }

    /** Bias 0 keeps nothing, 1 all, others anything. */
    private static byte[] pick(Random random, int bias, byte[] old, List<byte[]> versions) {
        if (bias == 0) {
            return old;
        }
        if (bias == 1) {
            return versions.get(versions.size() - 1);
        }
        int i = random.nextInt(versions.size() + 1);
        return i == versions.size() ? old : versions.get(i);
    }
}
