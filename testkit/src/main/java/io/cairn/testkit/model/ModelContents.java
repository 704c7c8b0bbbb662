package io.cairn.testkit.model;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sparse bytes of one file of the model: pages that were never written are holes and read as
 * zeros. Not thread-safe: {@link ModelFileSystem} serialises. The length lives in {@link
 * ModelNode}; bytes at and after the length are always zero here, so that extending shows zeros.
 */
final class ModelContents {
    /** Granularity of holes in bytes. */
    static final int PAGE_BYTES = 4096;

    private static final byte[] ZEROS = new byte[PAGE_BYTES];

    private final TreeMap<Long, byte[]> pages = new TreeMap<>();

    /** Bytes of all pages that are not holes. */
    long usedBytes() {
        return (long) pages.size() * PAGE_BYTES;
    }

    /** Fills {@code target} from {@code offset}; holes give zeros. */
    void read(long offset, ByteBuffer target) {
        long at = offset;
        while (target.hasRemaining()) {
            int inPage = (int) (at % PAGE_BYTES);
            int length = Math.min(PAGE_BYTES - inPage, target.remaining());
            target.put(pages.getOrDefault(at / PAGE_BYTES, ZEROS), inPage, length);
            at += length;
        }
    }

    /** Stores the remaining bytes of {@code source} at {@code offset}. */
    void write(long offset, ByteBuffer source) {
        long at = offset;
        while (source.hasRemaining()) {
            int inPage = (int) (at % PAGE_BYTES);
            int length = Math.min(PAGE_BYTES - inPage, source.remaining());
            source.get(writablePage(at / PAGE_BYTES), inPage, length);
            at += length;
        }
    }

    /** Makes {@code length} bytes from {@code offset} read as zeros; whole pages become holes. */
    void zero(long offset, long length) {
        long end = offset + length;
        long firstWhole = Math.ceilDiv(offset, (long) PAGE_BYTES);
        long endWhole = end / PAGE_BYTES;
        if (firstWhole >= endWhole) {
            zeroInside(offset, Math.min(end, firstWhole * PAGE_BYTES));
            zeroInside(Math.max(offset, firstWhole * PAGE_BYTES), end);
            return;
        }
        zeroInside(offset, firstWhole * PAGE_BYTES);
        pages.subMap(firstWhole, endWhole).clear();
        zeroInside(endWhole * PAGE_BYTES, end);
    }

    private void zeroInside(long from, long to) {
        if (from < to && pages.containsKey(from / PAGE_BYTES)) {
            int start = (int) (from % PAGE_BYTES);
            byte[] page = writablePage(from / PAGE_BYTES);
            Arrays.fill(page, start, start + (int) (to - from), (byte) 0);
        }
    }

    /** Drops everything at and after {@code length}. */
    void truncate(long length) {
        pages.tailMap(Math.ceilDiv(length, (long) PAGE_BYTES), true).clear();
        long pageEnd = Math.ceilDiv(length, (long) PAGE_BYTES) * PAGE_BYTES;
        zeroInside(length, pageEnd);
    }

    /** Gives every page of the range a place, so that it is no hole. */
    void allocate(long offset, long length) {
        long end = Math.ceilDiv(offset + length, (long) PAGE_BYTES);
        for (long page = offset / PAGE_BYTES; page < end; page++) {
            pages.putIfAbsent(page, ZEROS);
        }
    }

    /** Bytes that {@link #allocate} or {@link #write} of the range would newly use. */
    long missingBytes(long offset, long length) {
        if (length == 0) {
            return 0;
        }
        long first = offset / PAGE_BYTES;
        long end = Math.ceilDiv(offset + length, (long) PAGE_BYTES);
        return (end - first - pages.subMap(first, end).size()) * PAGE_BYTES;
    }

    /** The first offset at or after {@code offset} and below {@code size} with data, or -1. */
    long nextData(long offset, long size) {
        Map.Entry<Long, byte[]> page = pages.ceilingEntry(offset / PAGE_BYTES);
        if (page == null) {
            return -1;
        }
        long found = Math.max(offset, page.getKey() * PAGE_BYTES);
        return found < size ? found : -1;
    }

    /** The first hole at or after {@code offset}; the end of the file counts as one. */
    long nextHole(long offset, long size) {
        long page = offset / PAGE_BYTES;
        while (pages.containsKey(page)) {
            page++;
        }
        return Math.min(size, Math.max(offset, page * PAGE_BYTES));
    }

    /** The page to change in place; the shared page of zeros is told by its identity. */
    @SuppressWarnings("ReferenceEquality")
    private byte[] writablePage(long page) {
        byte[] bytes = pages.get(page);
        if (bytes == null || bytes == ZEROS) {
            bytes = new byte[PAGE_BYTES];
            pages.put(page, bytes);
        }
        return bytes;
    }
}
