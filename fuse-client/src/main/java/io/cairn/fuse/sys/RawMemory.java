package io.cairn.fuse.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Native memory by absolute address, in the byte order of the machine, without checks: the
 * structures of libfuse and of the kernel are read and written in place. An address must come from
 * libfuse, from the kernel or from an arena that is still open. Thread-safe as memory is.
 */
public final class RawMemory {
    /** The whole address space. */
    static final MemorySegment ALL = all();

    private RawMemory() {}

    @SuppressWarnings("restricted")
    private static MemorySegment all() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    public static byte getByte(long address) {
        return ALL.get(JAVA_BYTE, address);
    }

    public static void putByte(long address, int value) {
        ALL.set(JAVA_BYTE, address, (byte) value);
    }

    public static short getShort(long address) {
        return ALL.get(JAVA_SHORT_UNALIGNED, address);
    }

    public static void putShort(long address, int value) {
        ALL.set(JAVA_SHORT_UNALIGNED, address, (short) value);
    }

    public static int getInt(long address) {
        return ALL.get(JAVA_INT_UNALIGNED, address);
    }

    public static void putInt(long address, int value) {
        ALL.set(JAVA_INT_UNALIGNED, address, value);
    }

    public static long getLong(long address) {
        return ALL.get(JAVA_LONG_UNALIGNED, address);
    }

    public static void putLong(long address, long value) {
        ALL.set(JAVA_LONG_UNALIGNED, address, value);
    }

    /** A copy of some bytes. */
    public static byte[] getBytes(long address, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        MemorySegment.copy(ALL, JAVA_BYTE, address, bytes, 0, lengthBytes);
        return bytes;
    }

    public static void putBytes(long address, byte[] bytes) {
        MemorySegment.copy(bytes, 0, ALL, JAVA_BYTE, address, bytes.length);
    }

    public static void zero(long address, long lengthBytes) {
        ALL.asSlice(address, lengthBytes).fill((byte) 0);
    }

    /** Length of a NUL-terminated string, at most {@code limitBytes}. */
    public static int stringLength(long address, int limitBytes) {
        int length = 0;
        while (length < limitBytes && getByte(address + length) != 0) {
            length++;
        }
        return length;
    }

    /** A copy of a NUL-terminated string without the NUL. */
    public static byte[] getString(long address, int limitBytes) {
        return getBytes(address, stringLength(address, limitBytes));
    }

    /** A view as a buffer; valid as long as the memory is. */
    public static ByteBuffer buffer(long address, int lengthBytes) {
        return ALL.asSlice(address, lengthBytes).asByteBuffer();
    }
}
