package io.cairn.nfs.rpc;

import io.netty.buffer.ByteBuf;

/**
 * Reads XDR (RFC 4506) from a buffer. Lengths are checked against the limit of the item and against
 * what is left before anything is allocated; every failure is an {@link XdrException}. For one
 * thread.
 */
public final class XdrReader {
    private final ByteBuf in;

    /** Reads from the buffer's reader index on; the buffer stays the caller's. */
    public XdrReader(ByteBuf in) {
        this.in = in;
    }

    private void require(int bytes) {
        if (in.readableBytes() < bytes) {
            throw new XdrException(bytes + " bytes wanted, " + in.readableBytes() + " left");
        }
    }

    /** Bytes that are not read yet. */
    public int leftBytes() {
        return in.readableBytes();
    }

    /** A 32-bit integer, signed or not (RFC 4506, 4.1 and 4.2). */
    public int i32() {
        require(4);
        return in.readInt();
    }

    /** An unsigned 32-bit integer. */
    public long u32() {
        return i32() & 0xffff_ffffL;
    }

    /** A 64-bit integer, signed or not (4.5). */
    public long i64() {
        require(8);
        return in.readLong();
    }

    /** A boolean: 0 or 1, nothing else (4.4). */
    public boolean bool() {
        int value = i32();
        if (value != 0 && value != 1) {
            throw new XdrException("boolean " + value);
        }
        return value == 1;
    }

    /** An enumeration whose values are {@code 0..last} (4.3). */
    public int choice(int last) {
        int value = i32();
        if (value < 0 || value > last) {
            throw new XdrException("value " + value + " of an enumeration up to " + last);
        }
        return value;
    }

    /** Opaque data of a fixed length (4.9). */
    public byte[] fixed(int bytes) {
        require(bytes);
        byte[] data = new byte[bytes];
        in.readBytes(data);
        skipPadding(bytes);
        return data;
    }

    /** Opaque data or a string of variable length (4.10, 4.11). */
    public byte[] opaque(int maxBytes) {
        return fixed(length(maxBytes));
    }

    /**
     * Opaque data as a view into the record, which lives as long as the record. The padding of the
     * last item may be missing.
     */
    public ByteBuf slice(int maxBytes) {
        int bytes = length(maxBytes);
        require(bytes);
        ByteBuf data = in.readSlice(bytes);
        in.skipBytes(Math.min(padding(bytes), in.readableBytes()));
        return data;
    }

    private int length(int maxBytes) {
        int bytes = i32();
        if (bytes < 0 || bytes > maxBytes) {
            throw new XdrException(
                    "length " + Integer.toUnsignedString(bytes) + "; the limit is " + maxBytes);
        }
        return bytes;
    }

    private void skipPadding(int bytes) {
        int padding = padding(bytes);
        require(padding);
        in.skipBytes(padding);
    }

    static int padding(int bytes) {
        return -bytes & 3;
    }
}
