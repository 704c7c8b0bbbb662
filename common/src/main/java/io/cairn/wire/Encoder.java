package io.cairn.wire;

import io.cairn.fs.Name;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the fields of a message into a growing array, for a reader that understands one version of
 * the protocol. Not thread-safe.
 */
public final class Encoder {
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** Most messages are not longer. */
    public static final int EXPECTED_BYTES = 128;

    private final int version;
    private byte[] array;
    private int length;

    /** An empty encoder of what never changes. */
    public Encoder() {
        this(EXPECTED_BYTES);
    }

    /** An empty encoder of what never changes, with room for {@code expectedBytes}. */
    public Encoder(int expectedBytes) {
        this(expectedBytes, ProtocolRange.FIRST);
    }

    private Encoder(int expectedBytes, int version) {
        this.version = version;
        array = new byte[expectedBytes];
    }

    /** An empty encoder for a reader that understands this version of the protocol. */
    public static Encoder speaking(int version) {
        return speaking(version, EXPECTED_BYTES);
    }

    /** The same, with room for {@code expectedBytes}. */
    public static Encoder speaking(int version, int expectedBytes) {
        return new Encoder(expectedBytes, version);
    }

    /** Forgets what was written and keeps the room for it. */
    public Encoder clear() {
        length = 0;
        return this;
    }

    /** The version of the protocol: a message leaves out what is younger. */
    public int version() {
        return version;
    }

    private int claim(int bytes) {
        int at = length;
        if (array.length - at < bytes) {
            // Behind long contents some short fields follow.
            int enough = at + bytes + EXPECTED_BYTES;
            array = Arrays.copyOf(array, Math.max(array.length * 2, enough));
        }
        length = at + bytes;
        return at;
    }

    /** The low 8 bits. */
    public Encoder u8(int value) {
        int at = claim(1);
        array[at] = (byte) value;
        return this;
    }

    /** One byte, 0 or 1. */
    public Encoder bool(boolean value) {
        return u8(value ? 1 : 0);
    }

    /** 32 bits. */
    public Encoder i32(int value) {
        int at = claim(4);
        INT.set(array, at, value);
        return this;
    }

    /** 64 bits. */
    public Encoder i64(long value) {
        int at = claim(8);
        LONG.set(array, at, value);
        return this;
    }

    /** Bytes as they are, without a length. */
    public Encoder raw(byte[] bytes, int offset, int count) {
        int at = claim(count);
        System.arraycopy(bytes, offset, array, at, count);
        return this;
    }

    /** A 32-bit length and the bytes. */
    public Encoder bytes(byte[] bytes) {
        return i32(bytes.length).raw(bytes, 0, bytes.length);
    }

    /** A 32-bit length and all bytes of a buffer with an array, up to its limit. */
    public Encoder bytes(ByteBuffer bytes) {
        return i32(bytes.limit()).raw(bytes.array(), bytes.arrayOffset(), bytes.limit());
    }

    /** Length -1 for null, else like {@link #bytes}. */
    public Encoder optionalBytes(byte @Nullable [] bytes) {
        return bytes == null ? i32(-1) : bytes(bytes);
    }

    /** UTF-8 with a length. */
    public Encoder text(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** One byte of length and the bytes of the name. */
    public Encoder name(Name name) {
        return u8(name.length()).raw(name.bytes(), 0, name.length());
    }

    /** A count and the elements. */
    public <T> Encoder list(List<T> list, BiConsumer<Encoder, T> element) {
        i32(list.size());
        for (T each : list) {
            element.accept(this, each);
        }
        return this;
    }

    /** A count and the numbers. */
    public Encoder ints(int[] numbers) {
        i32(numbers.length);
        int at = claim(4 * numbers.length);
        for (int number : numbers) {
            INT.set(array, at, number);
            at += 4;
        }
        return this;
    }

    /** A count and the numbers. */
    public Encoder longs(long[] numbers) {
        i32(numbers.length);
        int at = claim(8 * numbers.length);
        for (long number : numbers) {
            LONG.set(array, at, number);
            at += 8;
        }
        return this;
    }

    /** A presence byte and, unless null, the value. */
    public <T> Encoder optional(@Nullable T value, BiConsumer<Encoder, T> writer) {
        if (value == null) {
            return u8(0);
        }
        u8(1);
        writer.accept(this, value);
        return this;
    }

    /** Bytes written so far. */
    public int length() {
        return length;
    }

    /** A copy of what was written, for an encoder that is used again. */
    public byte[] copy() {
        return Arrays.copyOf(array, length);
    }

    /** The written bytes; nothing more may be written. */
    public byte[] toBytes() {
        return array.length == length ? array : Arrays.copyOf(array, length);
    }
}
