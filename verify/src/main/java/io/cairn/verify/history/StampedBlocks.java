package io.cairn.verify.history;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * Contents that tell where each of their blocks belongs: every block of 4 KiB begins with the
 * number of the write that it is of and its place in it, and the rest follows from both.
 *
 * <pre>
 *   0        8        12                          4096
 *   +--------+--------+---------------------------+
 *   | write  | place  | random bytes by the seed  |
 *   +--------+--------+---------------------------+
 * </pre>
 */
public final class StampedBlocks {
    /** Bytes of a block. */
    public static final int BLOCK = 4096;

    private static final int HEADER = 12;

    private StampedBlocks() {}

    /** So many bytes of a write. */
    public static byte[] contents(long write, int lengthBytes) {
        byte[] all = new byte[lengthBytes];
        for (int at = 0; at < lengthBytes; at += BLOCK) {
            byte[] block = block(write, at / BLOCK);
            System.arraycopy(block, 0, all, at, Math.min(BLOCK, lengthBytes - at));
        }
        return all;
    }

    /** One block of a write. */
    public static byte[] block(long write, int place) {
        ByteBuffer block = ByteBuffer.allocate(BLOCK);
        byte[] filler = new byte[BLOCK - HEADER];
        new Random(write * 31 + place).nextBytes(filler);
        return block.putLong(write).putInt(place).put(filler).array();
    }

    /** The number of the write that a block says that it is of. */
    public static long writeOf(byte[] block) {
        return block.length < Long.BYTES ? 0 : ByteBuffer.wrap(block).getLong();
    }

    /** Whose contents these are, for people. */
    public static String describe(byte[] contents) {
        StringBuilder text = new StringBuilder(contents.length + " bytes");
        for (int at = 0; at + HEADER <= contents.length; at += BLOCK) {
            int length = Math.min(BLOCK, contents.length - at);
            ByteBuffer header = ByteBuffer.wrap(contents, at, length);
            long write = header.getLong();
            int place = header.getInt();
            boolean whole =
                    ByteBuffer.wrap(contents, at, length)
                            .equals(ByteBuffer.wrap(block(write, place), 0, length));
            text.append(at == 0 ? ": " : ", ")
                    .append(whole ? "write " + write + " block " + place : words(contents, at));
        }
        return text.toString();
    }

    private static String words(byte[] contents, int at) {
        int end = Math.min(at + BLOCK, contents.length);
        for (int i = at; i < end; i++) {
            if (contents[i] != 0) {
                return "a torn or foreign block";
            }
        }
        return "zeros";
    }
}
