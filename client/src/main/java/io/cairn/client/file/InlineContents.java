package io.cairn.client.file;

import io.cairn.client.chunk.Zeros;
import io.cairn.wire.master.ContentMutation.Patch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The contents of a small file that lives in its inode, with what this client has written and not
 * yet told the master. Guarded by the lock of its inode.
 */
final class InlineContents {
    private byte[] bytes;

    /** Whether others read the array, too: it is replaced before the next write. */
    private boolean shared = true;

    private BitSet dirty = new BitSet();
    private BitSet telling = new BitSet();

    /** The contents as the master has them, in an array that nobody changes. */
    InlineContents(byte[] master) {
        bytes = master;
    }

    /** Writes all remaining bytes of the source. */
    void write(int offset, ByteBuffer source) {
        int length = source.remaining();
        boolean grows = bytes.length < offset + length;
        if (grows || shared) {
            int room = grows ? Math.max(offset + length, 2 * bytes.length) : bytes.length;
            bytes = Arrays.copyOf(bytes, room);
            shared = false;
        }
        source.get(bytes, offset, length);
        dirty.set(offset, offset + length);
    }

    /** Makes a range zeros. */
    void zero(int offset, int length) {
        write(offset, ByteBuffer.allocate(length));
    }

    /** Copies a range into a buffer, zeros beyond what is stored. */
    void read(int offset, int length, ByteBuffer target) {
        int stored = Math.clamp((long) bytes.length - offset, 0, length);
        target.put(bytes, offset, stored);
        ByteBuffer rest = target.slice(target.position(), length - stored);
        Zeros.fill(rest);
        target.position(target.position() + length - stored);
    }

    /** The contents up to a size, as a copy. */
    byte[] copy(int size) {
        return Arrays.copyOf(bytes, size);
    }

    boolean isDirty() {
        return !dirty.isEmpty() || !telling.isEmpty();
    }

    /** The bytes written by this client: one bit per byte. */
    BitSet written() {
        BitSet all = (BitSet) dirty.clone();
        all.or(telling);
        return all;
    }

    /** Whether nobody wrote some of the bytes between what the master has and the end. */
    boolean hasGap(int masterBytes, long end) {
        return masterBytes < end && written().nextClearBit(masterBytes) < end;
    }

    /** Takes what was written since the last time, to be told to the master. */
    List<Patch> beginTelling() {
        if (telling.isEmpty()) {
            telling = dirty;
        } else {
            telling.or(dirty);
        }
        dirty = new BitSet();
        List<Patch> patches = new ArrayList<>(1);
        for (int from = telling.nextSetBit(0); from >= 0; ) {
            int to = telling.nextClearBit(from);
            patches.add(new Patch(from, part(from, to)));
            from = telling.nextSetBit(to);
        }
        return patches;
    }

    /** A range, in an array that is not changed any more. */
    private byte[] part(int from, int to) {
        if (from == 0 && to == bytes.length) {
            shared = true;
            return bytes;
        }
        return Arrays.copyOfRange(bytes, from, to);
    }

    /** The bytes that were being told are told, or are to be forgotten. */
    void told() {
        telling = new BitSet();
    }

    /** Bytes written at and beyond an offset are forgotten: they were cut off. */
    void cut(int from) {
        dirty.clear(from, Math.max(from, dirty.length()));
        telling.clear(from, Math.max(from, telling.length()));
    }

    /** The master has other contents: keeps what was written here on top of them. */
    void rebase(byte[] master) {
        BitSet mine = written();
        byte[] merged = Arrays.copyOf(master, Math.max(master.length, mine.length()));
        for (int from = mine.nextSetBit(0); from >= 0; ) {
            int to = mine.nextClearBit(from);
            System.arraycopy(bytes, from, merged, from, to - from);
            from = mine.nextSetBit(to);
        }
        bytes = merged;
        shared = false;
    }
}
