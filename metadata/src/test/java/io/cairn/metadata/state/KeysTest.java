package io.cairn.metadata.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class KeysTest {
    @Property
    void keysSortLikeTheirNumbers(@ForAll long a, @ForAll long b) {
        assertEquals(
                Integer.signum(Long.compareUnsigned(a, b)),
                Integer.signum(Arrays.compareUnsigned(Keys.of(a), Keys.of(b))));
        assertEquals(
                Integer.signum(Long.compareUnsigned(a, b)),
                Integer.signum(Arrays.compareUnsigned(Keys.of(7, a), Keys.of(7, b))));
        assertEquals(a, Keys.numberAt(Keys.of(a, b), 0));
        assertEquals(b, Keys.numberAt(Keys.of(a, b), 8));
    }

    @Test
    void layoutOfKeysIsFixed() {
        assertEquals("0000000000000102", HexFormat.of().formatHex(Keys.of(0x102)));
        Name name = Name.of("ab");
        byte[] dentry = Keys.dentry(5, name);
        assertEquals(
                "0000000000000005" + HexFormat.of().toHexDigits(name.cookie()) + "6162",
                HexFormat.of().formatHex(dentry));
        assertEquals(name, Keys.nameOf(dentry));
        assertEquals(
                "000000000000000500010000000000000003ffffffffffffffff",
                HexFormat.of().formatHex(Keys.held(5, Lock.Kind.FLOCK, new LockOwner(3, -1))));
        assertEquals(
                "0000000000000005010000000000000009", HexFormat.of().formatHex(Keys.waiting(5, 9)));
        assertEquals(
                "0000000000000005" + "6162",
                HexFormat.of().formatHex(Keys.xattr(5, new byte[] {'a', 'b'})));
    }

    @Test
    void heldAndWaitingLocksAreTold() {
        byte[] held = Keys.held(5, Lock.Kind.POSIX, new LockOwner(1, 2));
        assertTrue(Keys.isHeld(held));
        assertTrue(!Keys.isHeld(Keys.waiting(5, 1)));
        byte[] prefix = Keys.heldPrefix(5, Lock.Kind.POSIX);
        assertArrayEquals(prefix, Arrays.copyOf(held, prefix.length));
    }

    @Test
    void aNewerFormatIsRefused() {
        byte[] value = {Keys.FORMAT + 1, 0, 0};
        IllegalStateException e =
                assertThrows(
                        IllegalStateException.class, () -> Keys.open(Store.Family.INODE, value));
        assertTrue(String.valueOf(e.getMessage()).contains("INODE"), e.getMessage());
    }
}
