package io.cairn.fuse;

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
final class RawMemory {
    /** The whole address space. */
    static final MemorySegment ALL = all();

    private RawMemory() {}

    @SuppressWarnings("restricted")
    private static MemorySegment all() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    static byte getByte(long address) {
        return ALL.get(JAVA_BYTE, address);
    }

    static void putByte(long address, int value) {
        ALL.set(JAVA_BYTE, address, (byte) value);
    }

    static short getShort(long address) {
        return ALL.get(JAVA_SHORT_UNALIGNED, address);
    }

    static void putShort(long address, int value) {
        ALL.set(JAVA_SHORT_UNALIGNED, address, (short) value);
    }

    static int getInt(long address) {
        return ALL.get(JAVA_INT_UNALIGNED, address);
    }

    static void putInt(long address, int value) {
        ALL.set(JAVA_INT_UNALIGNED, address, value);
    }

    static long getLong(long address) {
        return ALL.get(JAVA_LONG_UNALIGNED, address);
    }

    static void putLong(long address, long value) {
        ALL.set(JAVA_LONG_UNALIGNED, address, value);
    }

    /** A copy of some bytes. */
    static byte[] getBytes(long address, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        MemorySegment.copy(ALL, JAVA_BYTE, address, bytes, 0, lengthBytes);
        return bytes;
    }

    static void putBytes(long address, byte[] bytes) {
        MemorySegment.copy(bytes, 0, ALL, JAVA_BYTE, address, bytes.length);
    }

    static void zero(long address, long lengthBytes) {
        ALL.asSlice(address, lengthBytes).fill((byte) 0);
    }

    /** Length of a NUL-terminated string, at most {@code limitBytes}. */
    static int stringLength(long address, int limitBytes) {
        int length = 0;
        while (length < limitBytes && getByte(address + length) != 0) {
            length++;
        }
        return length;
    }

    /** A copy of a NUL-terminated string without the NUL. */
    static byte[] getString(long address, int limitBytes) {
        return getBytes(address, stringLength(address, limitBytes));
    }

    /** A view as a buffer; valid as long as the memory is. */
    static ByteBuffer buffer(long address, int lengthBytes) {
        return ALL.asSlice(address, lengthBytes).asByteBuffer();
    }
}
