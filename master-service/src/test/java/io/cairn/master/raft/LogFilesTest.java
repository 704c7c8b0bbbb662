package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.master.store.MemoryDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments as Ratis writes them, and what crashes and bad disks make of them. */
class LogFilesTest {
    private static final int PREALLOCATED_BYTES = 64 << 10;
    private static final int ENTRY_BYTES = 3000;
    private static final int RECORD_BYTES = 2 + ENTRY_BYTES + 4;
    private static final int HEADER_BYTES = 8;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    @Test
    void aNewMasterHasNoLog() throws IOException {
        new LogFiles(directory.resolve("absent")).prepare(-1, -1);
        new LogFiles(directory).prepare(-1, -1);
    }

    /** Ratis writes it over the old one, and may find no room then. */
    @Test
    void anEmptyListOfMembersTellsNothing() throws IOException {
        Path members = Files.createFile(directory.resolve("raft-meta.conf"));
        assertNull(new LogFiles(directory).members());
        assertFalse(Files.exists(members));
    }

    @Test
    void aWholeLogIsLeftAlone() throws IOException {
        closed(0, 9);
        byte[] open = segment(5);
        Path file = open(10, open);
        new LogFiles(directory).prepare(14, -1);
        assertEquals(PREALLOCATED_BYTES, Files.size(file));
        assertNull(new LogFiles(directory).findDamage());
    }

    @Test
    void aSegmentThatWasNotBegunIsRatisBusiness() throws IOException {
        closed(0, 9);
        open(10, new byte[100]);
        new LogFiles(directory).prepare(9, -1);
    }

    /** kill -9 inside write(2), or a power cut: the rest is still zero, or the file ends. */
    @Test
    void anEntryThatWasCutOffIsRemoved() throws IOException {
        byte[] whole = segment(3);
        int last = HEADER_BYTES + 2 * RECORD_BYTES;
        for (int cut = last + 1; cut < last + RECORD_BYTES - 4; cut += 97) {
            byte[] torn = whole.clone();
            Arrays.fill(torn, cut, torn.length, (byte) 0);
            Path file = open(10, torn);
            new LogFiles(directory).prepare(11, 9);
            assertEquals(last, Files.size(file), "cut at " + cut);

            Files.write(file, Arrays.copyOf(torn, cut));
            new LogFiles(directory).prepare(11, 9);
            assertEquals(last, Files.size(file), "file ends at " + cut);
        }
    }

    /** A power cut: the disk wrote the sectors in its own order. */
    @Test
    void anEntryWithASectorThatWasNotWrittenIsRemoved() throws IOException {
        byte[] whole = segment(3);
        int last = HEADER_BYTES + 2 * RECORD_BYTES;
        for (int sector = (last / 512) * 512; sector < last + RECORD_BYTES; sector += 512) {
            byte[] torn = whole.clone();
            int from = Math.max(sector, last);
            Arrays.fill(torn, from, Math.min(sector + 512, last + RECORD_BYTES), (byte) 0);
            Path file = open(10, torn);
            new LogFiles(directory).prepare(11, 9);
            assertEquals(last, Files.size(file), "sector at " + sector);
        }
    }

    @Test
    void aDamagedEntryIsRefusedByName() throws IOException {
        byte[] whole = segment(3);
        for (int at = 0; at < HEADER_BYTES + 3 * RECORD_BYTES; at += 53) {
            byte[] bad = whole.clone();
            bad[at] ^= 0x10;
            Path file = open(10, bad);
            IOException error =
                    assertThrows(IOException.class, () -> new LogFiles(directory).prepare(-1, 9));
            assertTrue(String.valueOf(error.getMessage()).contains(file.toString()));
            assertEquals(PREALLOCATED_BYTES, Files.size(file), "changed");
            assertNotNull(new LogFiles(directory).findDamage());
        }
    }

    @Test
    void whatTheStoreHoldsIsNeverCutOff() throws IOException {
        byte[] torn = segment(3);
        Arrays.fill(torn, HEADER_BYTES + 2 * RECORD_BYTES + 9, torn.length, (byte) 0);
        open(10, torn);
        assertThrows(IOException.class, () -> new LogFiles(directory).prepare(12, 9));
    }

    @Test
    void aDamagedClosedSegmentIsFoundByName() throws IOException {
        Path file = closed(0, 4);
        closed(5, 9);
        byte[] bytes = Files.readAllBytes(file);
        bytes[HEADER_BYTES + RECORD_BYTES + 100] ^= 1;
        Files.write(file, bytes);
        String damage = new LogFiles(directory).findDamage();
        assertTrue(damage != null && damage.contains(file.toString()), damage);
    }

    @Test
    void gapsAreRefused() throws IOException {
        closed(0, 4);
        closed(6, 9);
        assertThrows(IOException.class, () -> new LogFiles(directory).prepare(3, -1));
        assertDoesNotThrow(() -> new LogFiles(directory).prepare(9, 5));
    }

    @Test
    void theLogMustJoinTheCheckpoint() throws IOException {
        closed(5, 9);
        assertThrows(IOException.class, () -> new LogFiles(directory).prepare(3, 3));
        assertThrows(IOException.class, () -> new LogFiles(directory).prepare(-1, -1));
        assertDoesNotThrow(() -> new LogFiles(directory).prepare(9, 4));
    }

    @Test
    void aStoreAheadOfTheLogIsRefused() throws IOException {
        closed(0, 9);
        assertThrows(IOException.class, () -> new LogFiles(directory).prepare(10, 4));
        assertDoesNotThrow(() -> new LogFiles(directory).prepare(10, 10));
    }

    private Path closed(long first, long last) throws IOException {
        int entries = (int) (last - first + 1);
        byte[] bytes = Arrays.copyOf(segment(entries), HEADER_BYTES + entries * RECORD_BYTES);
        return Files.write(directory.resolve("log_" + first + "-" + last), bytes);
    }

    private Path open(long first, byte[] bytes) throws IOException {
        return Files.write(directory.resolve("log_inprogress_" + first), bytes);
    }

    private static byte[] segment(int entries) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("RaftLog1".getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < entries; i++) {
            ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES);
            record.put((byte) (0x80 | (ENTRY_BYTES & 0x7f))).put((byte) (ENTRY_BYTES >> 7));
            byte[] body = new byte[ENTRY_BYTES];
            Arrays.fill(body, (byte) (i + 1));
            record.put(body);
            CRC32C crc = new CRC32C();
            crc.update(record.array(), 0, record.position());
            record.putInt((int) crc.getValue());
            out.writeBytes(record.array());
        }
        return Arrays.copyOf(out.toByteArray(), PREALLOCATED_BYTES);
    }
}
