package io.cairn.master.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.master.store.FormatException.Fault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FormatFileTest {
    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private Path file;

    @BeforeEach
    void setUp() {
        file = directory.resolve("FORMAT");
    }

    @Test
    void anEmptyDirectoryIsTaken() throws IOException {
        assertEquals(0, FormatFile.open(directory, "m1").clusterId());
        assertEquals(0, FormatFile.open(directory, "m1").clusterId());
    }

    @Test
    void theClusterIsAdoptedOnce() throws IOException {
        FormatFile format = FormatFile.open(directory, "m1");
        format.adopt(0x1234);
        format.adopt(0x1234);
        FormatFile again = FormatFile.open(directory, "m1");
        assertEquals(0x1234, again.clusterId());
        FormatException error = assertThrows(FormatException.class, () -> again.adopt(0x9999));
        assertEquals(Fault.FOREIGN, error.fault());
        assertEquals(0x1234, FormatFile.open(directory, "m1").clusterId());
    }

    @Test
    void anotherMastersDirectoryIsForeign() throws IOException {
        FormatFile.open(directory, "m1").adopt(7);
        assertFault(Fault.FOREIGN, "m2");
    }

    @Test
    void aDirectoryOfSomethingElseIsForeign() throws IOException {
        Files.writeString(directory.resolve("thesis.tex"), "");
        FormatException error =
                assertThrows(FormatException.class, () -> FormatFile.open(directory, "m1"));
        assertEquals(Fault.FOREIGN, error.fault());
        assertTrue(String.valueOf(error.getMessage()).contains("thesis.tex"), error.getMessage());
    }

    @Test
    void aCrashWhileTheFileWasWrittenIsNothing() throws IOException {
        Files.write(directory.resolve("FORMAT.new"), new byte[5]);
        Files.write(directory.resolve("LOCK"), new byte[0]);
        assertEquals(0, FormatFile.open(directory, "m1").clusterId());
    }

    @Test
    void versionsAreToldApart() throws IOException {
        FormatFile.open(directory, "m1");
        setVersion(FormatFile.VERSION + 1);
        assertFault(Fault.TOO_NEW, "m1");
        setVersion(0);
        assertFault(Fault.TOO_OLD, "m1");
    }

    @Test
    void everyDamagedByteIsNoticed() throws IOException {
        FormatFile.open(directory, "m1").adopt(5);
        byte[] good = Files.readAllBytes(file);
        for (int at = 0; at < good.length; at++) {
            byte[] bad = good.clone();
            bad[at] ^= 1;
            Files.write(file, bad);
            // A version that became huge cannot be told from one of the far future.
            boolean future = at >= 8 && at < 11;
            assertFault(future ? Fault.TOO_NEW : Fault.CORRUPT, "m1");
        }
        for (int length = 0; length < good.length; length++) {
            Files.write(file, Arrays.copyOf(good, length));
            assertFault(Fault.CORRUPT, "m1");
        }
    }

    private void assertFault(Fault fault, String master) {
        FormatException error =
                assertThrows(FormatException.class, () -> FormatFile.open(directory, master));
        assertEquals(fault, error.fault(), error.getMessage());
        assertTrue(String.valueOf(error.getMessage()).contains(file.toString()));
    }

    private void setVersion(int version) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        buffer.putInt(8, version);
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length - 4);
        buffer.putInt(bytes.length - 4, (int) crc.getValue());
        Files.write(file, bytes);
    }
}
