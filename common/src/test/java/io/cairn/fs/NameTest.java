package io.cairn.fs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NameTest {
    private static final long COOKIE_OF_A = 0x415154ac54df672dL;
    private static final long COOKIE_OF_LONG = 0x4c682b3177b2b75fL;

    private static Errno refusal(byte[] bytes) {
        return assertThrows(FsException.class, () -> Name.of(bytes)).errno();
    }

    @Test
    void namesAreBytes() {
        byte[] bytes = {(byte) 0xff, 'a', (byte) 0x80};
        Name name = Name.of(bytes);
        assertArrayEquals(bytes, name.bytes());
        assertEquals(3, name.length());
        assertEquals(name, Name.of(bytes.clone()));
        assertEquals(name.hashCode(), Name.of(bytes.clone()).hashCode());
        assertNotEquals(name, Name.of("a"));
        assertEquals("\u00e4", Name.of("\u00e4").toString());
    }

    @Test
    void impossibleNamesAreRefused() {
        assertEquals(Errno.EINVAL, refusal(new byte[0]));
        assertEquals(Errno.EINVAL, refusal(new byte[] {'.'}));
        assertEquals(Errno.EINVAL, refusal(new byte[] {'.', '.'}));
        assertEquals(Errno.EINVAL, refusal(new byte[] {'a', '/'}));
        assertEquals(Errno.EINVAL, refusal(new byte[] {0}));
        byte[] longest = new byte[Name.MAX_BYTES];
        Arrays.fill(longest, (byte) 'x');
        assertEquals(255, Name.of(longest).length());
        assertEquals(Errno.ENAMETOOLONG, refusal(new byte[256]));
        assertEquals("...", Name.of("...").toString());
        assertEquals(".a", Name.of(".a").toString());
    }

    @Test
    void orderIsThatOfUnsignedBytes() {
        Name[] sorted = {Name.of("a"), Name.of("aa"), Name.of("b"), Name.of(new byte[] {-1})};
        Name[] shuffled = {sorted[3], sorted[1], sorted[2], sorted[0]};
        Arrays.sort(shuffled);
        assertArrayEquals(sorted, shuffled);
    }

    /** Part of the on-disk format. */
    @Test
    void cookiesNeverChange() {
        Set<Long> cookies = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            long cookie = Name.of("file" + i).cookie();
            assertTrue(cookie >= 16);
            cookies.add(cookie);
        }
        assertEquals(100_000, cookies.size());
        assertEquals(COOKIE_OF_A, Name.of("a").cookie());
        assertEquals(COOKIE_OF_LONG, Name.of("a longer name with blanks.txt").cookie());
    }

    @Test
    void errorsHaveTheirNumbers() {
        for (Errno errno : Errno.values()) {
            assertEquals(errno, Errno.ofNumber(errno.number()));
            assertEquals(errno.number() < 2000, errno.isPosix());
        }
        assertEquals(2, Errno.ENOENT.number());
        assertEquals(110, Errno.ETIMEDOUT.number());
        assertEquals(null, Errno.ofNumber(12345));
    }
}
