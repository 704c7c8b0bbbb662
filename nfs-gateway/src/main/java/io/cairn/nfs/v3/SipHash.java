package io.cairn.nfs.v3;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of 64 bits that nobody can compute
 * without the key. Immutable.
 */
final class SipHash {
    private final long key0;
    private final long key1;

    /** A hash with a key of 16 bytes. */
    SipHash(byte[] key) {
        ByteBuffer words = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
        key0 = words.getLong(0);
        key1 = words.getLong(8);
    }

    /** The hash of the first bytes of an array. */
    long of(byte[] message, int length) {
        State s = new State(key0, key1);
        ByteBuffer words = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        int whole = length & ~7;
        for (int i = 0; i < whole; i += 8) {
            s.compress(words.getLong(i));
        }
        long last = (long) length << 56;
        for (int i = whole; i < length; i++) {
            last |= (message[i] & 0xffL) << (8 * (i - whole));
        }
        s.compress(last);
        return s.end();
    }

    private static final class State {
        private long v0;
        private long v1;
        private long v2;
        private long v3;

        State(long key0, long key1) {
            v0 = key0 ^ 0x736f6d6570736575L;
            v1 = key1 ^ 0x646f72616e646f6dL;
            v2 = key0 ^ 0x6c7967656e657261L;
            v3 = key1 ^ 0x7465646279746573L;
        }

        void compress(long word) {
            v3 ^= word;
            round();
            round();
            v0 ^= word;
        }

        long end() {
            v2 ^= 0xff;
            for (int i = 0; i < 4; i++) {
                round();
            }
            return v0 ^ v1 ^ v2 ^ v3;
        }

        private void round() {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
    }
}
