package io.cairn.seal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of classes are stored wrapped, and come out with the right master key alone. */
final class MasterKeyTest {
    private static final String DIGITS =
            "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";

    @TempDir private Path directory;

    private Path write(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static byte[] secret() {
        byte[] secret = new byte[MasterKey.KEY_BYTES];
        new Random(5).nextBytes(secret);
        return secret;
    }

    @Test
    void aWrappedKeyIsOpenedByItsMasterKeyAlone() throws Exception {
        Path file = write("key", DIGITS + "\n");
        WrappedKey wrapped = MasterKey.ofFile(file).wrap(7, secret(), new Random(1));
        Encoder out = new Encoder();
        wrapped.encode(out);
        WrappedKey read = WrappedKey.decode(new Decoder(out.toBytes()));
        assertEquals(wrapped, read);
        assertFalse(read.isDropped());
        MasterKey same = MasterKey.ofCommand("printf '%s' " + DIGITS);
        assertArrayEquals(secret(), same.unwrap(read));

        MasterKey other = new MasterKey(new byte[MasterKey.KEY_BYTES]);
        assertThrows(GeneralSecurityException.class, () -> other.unwrap(read));
        WrappedKey renamed = new WrappedKey(8, read.bytes());
        assertThrows(GeneralSecurityException.class, () -> same.unwrap(renamed));
        MasterKey both = other.after(same);
        assertArrayEquals(secret(), both.unwrap(read));
        WrappedKey again = both.wrap(7, both.unwrap(read), new Random(2));
        assertArrayEquals(secret(), other.unwrap(again), "the new one wraps");
        assertThrows(GeneralSecurityException.class, () -> same.unwrap(again));
        WrappedKey gone = WrappedKey.dropped(7);
        assertTrue(gone.isDropped());
        assertThrows(GeneralSecurityException.class, () -> same.unwrap(gone));
    }

    private static void refuses(String part, IOException thrown) {
        assertTrue(String.valueOf(thrown.getMessage()).contains(part), thrown.toString());
    }

    @Test
    void whatIsNoKeyIsRefusedWithAWord() throws Exception {
        Path empty = write("empty", "");
        refuses("openssl rand", assertThrows(IOException.class, () -> MasterKey.ofFile(empty)));
        Path longer = write("longer", DIGITS + "00");
        refuses("64", assertThrows(IOException.class, () -> MasterKey.ofFile(longer)));
        Path none = directory.resolve("none");
        refuses("none: no such", assertThrows(IOException.class, () -> MasterKey.ofFile(none)));
        Path open = write("open", DIGITS);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        refuses("chmod 600", assertThrows(IOException.class, () -> MasterKey.ofFile(open)));
        refuses("status 3", assertThrows(IOException.class, () -> MasterKey.ofCommand("exit 3")));
        refuses("64", assertThrows(IOException.class, () -> MasterKey.ofCommand("echo nothing")));
    }
}
