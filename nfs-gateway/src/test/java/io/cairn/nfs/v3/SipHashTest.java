package io.cairn.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class SipHashTest {
    /** The first vectors that the authors publish: key 00..0f, messages 00..(n-1). */
    @Test
    void vectorsOfTheAuthors() {
        byte[] key = new byte[16];
        byte[] message = new byte[16];
        for (int i = 0; i < 16; i++) {
            key[i] = (byte) i;
            message[i] = (byte) i;
        }
        SipHash hash = new SipHash(key);
        assertEquals(0x726fdb47dd0e0e31L, hash.of(message, 0));
        assertEquals(0x74f839c593dc67fdL, hash.of(message, 1));
        assertEquals(0x93f5f5799a932462L, hash.of(message, 8));
        assertEquals(0xa129ca6149be45e5L, hash.of(message, 15));
    }
}
