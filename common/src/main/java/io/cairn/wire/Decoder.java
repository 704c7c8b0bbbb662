package io.cairn.wire;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.base.FsException;
import io.cairn.fs.Name;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a message from an array. Every method throws {@link
 * MalformedMessageException} when the bytes end too early or a length is impossible; nothing is
 * allocated before a length was checked against the bytes that are there. Not thread-safe.
 */
public final class Decoder {
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final byte[] array;
    private final int end;
    private int position;
    private int version = ProtocolRange.FIRST;

    /** Reads all of an array, which is not copied, and never changes its form. */
    public Decoder(byte[] array) {
        this(array, 0, array.length);
    }

    /** Reads all of an array, which is not copied, as this version of the protocol has it. */
    public Decoder(byte[] array, int version) {
        this(array, 0, array.length);
        this.version = version;
    }

    /** Reads a part of an array, which is not copied. */
    public Decoder(byte[] array, int offset, int length) {
        this.array = array;
        this.position = offset;
        this.end = offset + length;
    }

    /** The version of the protocol: a message reads what is younger as its default. */
    public int version() {
        return version;
    }

    /** Goes on in another version: a part of a message may tell its own. */
    public Decoder speaking(int newVersion) {
        version = newVersion;
        return this;
    }

    private int take(int bytes) {
        int at = position;
        if (bytes < 0 || bytes > end - at) {
            throw new MalformedMessageException(
                    bytes + " bytes wanted at " + at + ", message ends at " + end);
        }
        position = at + bytes;
        return at;
    }

    /** 0..255. */
    public int u8() {
        return array[take(1)] & 0xff;
    }

    /** A byte that must be 0 or 1. */
    public boolean bool() {
        int value = u8();
        if (value > 1) {
            throw new MalformedMessageException("boolean of value " + value);
        }
        return value == 1;
    }

    /** 32 bits. */
    public int i32() {
        return (int) INT.get(array, take(4));
    }

    /** 64 bits. */
    public long i64() {
        return (long) LONG.get(array, take(8));
    }

    /** Exactly {@code count} bytes, copied. */
    public byte[] raw(int count) {
        int at = take(count);
        return Arrays.copyOfRange(array, at, at + count);
    }

    /** A length and its bytes, copied. */
    public byte[] bytes() {
        return raw(i32());
    }

    /** A length and its bytes, not copied: a buffer from 0 to its limit over the same array. */
    public ByteBuffer view() {
        int count = i32();
        return ByteBuffer.wrap(array, take(count), count).slice();
    }

    /** Like {@link #bytes}; length -1 is null. */
    public byte @Nullable [] optionalBytes() {
        int count = i32();
        return count == -1 ? null : raw(count);
    }

    /** UTF-8 with a length. */
    public String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** A name, checked. */
    public Name name() {
        try {
            return Name.of(raw(u8()));
        } catch (FsException e) {
            throw new MalformedMessageException(String.valueOf(e.getMessage()));
        }
    }

    private int count(int elementBytes) {
        int count = i32();
        if (count < 0 || count > Limits.MAX_LIST || (long) count * elementBytes > end - position) {
            throw new MalformedMessageException("list of " + count + " elements at " + position);
        }
        return count;
    }

    /** A count and that many elements. */
    public <T> List<T> list(Function<Decoder, T> element) {
        int count = count(1);
        List<T> list = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            list.add(element.apply(this));
        }
        return list;
    }

    /** A count and that many 32-bit numbers. */
    public int[] ints() {
        int[] numbers = new int[count(4)];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i32();
        }
        return numbers;
    }

    /** A count and that many 64-bit numbers. */
    public long[] longs() {
        long[] numbers = new long[count(8)];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i64();
        }
        return numbers;
    }

    /** A presence byte and perhaps a value. */
    public <T> @Nullable T optional(Function<Decoder, T> reader) {
        return bool() ? reader.apply(this) : null;
    }

    /** An enum constant by its code. */
    public <T extends Coded> T coded(CodeTable<T> table) {
        return coded(table, u8());
    }

    /** The enum constant of a code that was read already. */
    public <T extends Coded> T coded(CodeTable<T> table, int code) {
        T constant = table.find(code);
        if (constant == null) {
            throw new MalformedMessageException("code " + code + " among " + table.all());
        }
        return constant;
    }

    /** Bytes not read yet. */
    public int remaining() {
        return end - position;
    }

    /** Offset in the array of the next byte. */
    public int position() {
        return position;
    }
}
