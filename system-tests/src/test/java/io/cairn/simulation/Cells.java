package io.cairn.simulation;

import java.nio.ByteBuffer;

/**
 * Contents that tell where they belong: files are written in cells of 256 bytes, and each cell
 * names who wrote it.
 *
 * <pre>
 * +-------+---------+---------+-----------------------------------------+
 * | tag 8 | index 4 | count 4 | 240 bytes that follow from tag and index |
 * +-------+---------+---------+-----------------------------------------+
 * </pre>
 *
 * Some words come several times, so that chunks become smaller when they are packed. A cell of
 * zeros was never written or was cut off: tag 0.
 */
final class Cells {
    static final int BYTES = 256;

    /** So many words of a cell in a row are the same. */
    private static final int RUN = 8;

    private Cells() {}

    /** What stands in a cell. */
    record Cell(long tag, int index, int count) {
        /** Nothing. */
        static final Cell ZERO = new Cell(0, 0, 0);
    }

    /** Bytes of {@code cells} cells of a tag, the first of which has the index {@code first}. */
    static ByteBuffer of(long tag, int first, int cells, int count) {
        ByteBuffer bytes = ByteBuffer.allocate(cells * BYTES);
        for (int i = 0; i < cells; i++) {
            put(bytes, tag, first + i, count);
        }
        return bytes.flip();
    }

    private static void put(ByteBuffer bytes, long tag, int index, int count) {
        bytes.putLong(tag).putInt(index).putInt(count);
        for (int i = 2; i < BYTES / Long.BYTES; i++) {
            bytes.putLong(filling(tag, index, i));
        }
    }

    private static long filling(long tag, int index, int at) {
        long h = (tag * 31 + index) * 0x9E3779B97F4A7C15L + at / RUN;
        return (h ^ (h >>> 29)) * 0xBF58476D1CE4E5B9L;
    }

    /**
     * What stands in a cell.
     *
     * @throws IllegalStateException when it is not one that was ever written: torn or mixed
     */
    static Cell read(ByteBuffer bytes, int cell) {
        int at = cell * BYTES;
        long tag = bytes.getLong(at);
        int index = bytes.getInt(at + 8);
        int count = bytes.getInt(at + 12);
        for (int i = 2; i < BYTES / Long.BYTES; i++) {
            long expected = tag == 0 ? 0 : filling(tag, index, i);
            if (bytes.getLong(at + i * Long.BYTES) != expected) {
                throw new IllegalStateException(
                        "torn cell " + cell + ": tag " + tag + ", index " + index + ", word " + i);
            }
        }
        return tag == 0 ? Cell.ZERO : new Cell(tag, index, count);
    }
}
