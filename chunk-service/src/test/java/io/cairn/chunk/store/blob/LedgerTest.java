package io.cairn.chunk.store.blob;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.store.CrashDisk;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.LedgerEntry;
import io.cairn.chunk.store.format.LedgerEntry.Mark;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.wire.chunk.ChunkRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What there must be on a target, and how it is remembered. */
class LedgerTest {
    private static final int GROUP = 3;

    private final CrashDisk disk = new CrashDisk();
    private final TargetPaths paths = new TargetPaths(Path.of("/target"));
    private Ledger ledger = open(0);

    @BeforeEach
    void begin() throws IOException {
        disk.makeDirectories(paths.groups());
    }

    private Ledger open(int expected) {
        try {
            disk.makeDirectories(paths.ledger());
            return Ledger.open(disk, paths, expected);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static BlobKey key(int i) {
        return new BlobKey(GROUP, 1 + i / 3, i % 3);
    }

    private static LedgerEntry entry(int i, long sequence) {
        Mark mark = new Mark(7, sequence, i);
        return LedgerEntry.begun(key(i)).written(mark);
    }

    @Test
    void countsWhatPackedBlobsSave() throws IOException {
        int count = 1_000;
        for (int i = 0; i < count; i++) {
            ledger.note(entry(i, 1), 0);
            ledger.note(LedgerEntry.begun(key(i)).syncedAt(new Mark(7, 2, 5), 3), 0);
        }
        assertEquals(3L * 4096 * count, ledger.savedBytes());
        ledger.note(entry(0, 3), 0);
        ledger.remove(key(1));
        ledger.remove(key(1));
        long saved = 3L * 4096 * (count - 2);
        assertEquals(saved, ledger.savedBytes());
        ledger.close();
        ledger = open(1);
        ledger.forgetUnsynced();
        assertEquals(saved, ledger.savedBytes());
        LedgerEntry found = ledger.find(key(7));
        assertEquals(new LedgerEntry(key(7), new Mark(7, 2, 5), new Mark(7, 2, 5), 3), found);
    }

    /** As an earlier build leaves an entry that it has written to after it read it. */
    @Test
    void aSyncedLengthThatIsNoLengthIsUnknown() {
        ByteBuffer page = ByteBuffer.allocate(LedgerEntry.BYTES);
        new LedgerEntry(key(1), new Mark(7, 3, 9), new Mark(7, 2, -4)).encode(page);
        LedgerEntry read = LedgerEntry.decode(page, 0);
        assertEquals(new LedgerEntry(key(1), new Mark(7, 3, 9), new Mark(7, 2, -1)), read);
    }

    @Test
    void growsAndFindsEverythingAgain() throws IOException {
        int count = 20_000;
        long[] hints = new long[count];
        for (int i = 0; i < count; i++) {
            hints[i] = ledger.begin(LedgerEntry.begun(key(i)));
        }
        for (int i = 0; i < count; i++) {
            hints[i] = ledger.note(entry(i, 1), hints[i]);
            ledger.note(entry(i, 2), hints[i]);
        }
        for (int i = 0; i < count; i += 2) {
            ledger.remove(key(i));
        }
        ledger.close();
        ledger = open(1);
        for (int i = 0; i < count; i++) {
            assertEquals(i % 2 == 0 ? null : entry(i, 2), ledger.find(key(i)));
        }
        assertNull(ledger.find(new BlobKey(GROUP + 1, 1, 0)));
    }

    @Test
    void namesWhatIsMissing() throws IOException {
        for (int i = 0; i < 10; i++) {
            ledger.begin(i == 5 ? LedgerEntry.begun(key(i)) : entry(i, 1));
        }
        Set<BlobKey> present = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            if (i != 2 && i != 5 && i != 7) {
                present.add(key(i));
            }
        }
        assertEquals(List.of(key(2), key(7)), ledger.missing(GROUP, present));
        assertEquals(List.of(), ledger.missing(GROUP + 1, Set.of()));
    }

    @Test
    void namesTheChunksOfARange() throws IOException {
        for (int i = 0; i < 9; i++) {
            ledger.begin(i == 4 ? LedgerEntry.begun(key(i)) : entry(i, 1));
        }
        ChunkRange all = new ChunkRange(1, 0, Long.MAX_VALUE);
        assertEquals(List.of(0L, 1L, 2L), ledger.noted(GROUP, all, 3));
        assertEquals(List.of(0L, 1L), ledger.noted(GROUP, all, 2));
        assertEquals(List.of(1L), ledger.noted(GROUP, new ChunkRange(1, 1, 2), 9));
        assertEquals(List.of(0L, 2L), ledger.noted(GROUP, new ChunkRange(2, 0, 9), 9));
        assertEquals(List.of(), ledger.noted(GROUP, new ChunkRange(9, 0, 9), 9));
        assertEquals(List.of(), ledger.noted(GROUP + 1, all, 9));
    }

    @Test
    void onlyWhatWasSyncedCountsAfterALossOfPower() throws IOException {
        Mark synced = new Mark(7, 4, 100);
        LedgerEntry both =
                LedgerEntry.begun(key(1)).syncedAt(synced, 0).written(new Mark(7, 9, 200));
        ledger.begin(both);
        ledger.begin(entry(2, 3));
        ledger.forgetUnsynced();
        assertEquals(synced, present(ledger.find(key(1))).latest());
        assertEquals(Mark.NONE, present(ledger.find(key(2))).latest());
        assertEquals(List.of(key(1)), ledger.missing(GROUP, Set.of()));
    }

    private static LedgerEntry present(@Nullable LedgerEntry entry) {
        assertNotNull(entry);
        return entry;
    }

    @Test
    void aLossOfPowerLeavesForcedEntriesAndNoFalseOnes() throws IOException {
        Random random = new Random(5);
        for (int round = 1; round <= 20; round++) {
            for (int i = 0; i < 100; i++) {
                ledger.begin(entry(i, 2L * round));
            }
            ledger.force();
            for (int i = 0; i < 100; i++) {
                ledger.begin(entry(i, 2L * round + 1));
            }
            disk.losePower(random);
            ledger = open(1);
            for (int i = 0; i < 100; i++) {
                long sequence = present(ledger.find(key(i))).latest().sequence();
                assertTrue(sequence == 2L * round || sequence == 2L * round + 1);
            }
        }
    }

    @Test
    void aLedgerThatIsGoneOrCutIsRefused() throws IOException {
        ledger.begin(entry(1, 1));
        ledger.close();
        assertThrows(TargetException.class, () -> Ledger.open(disk, paths, 2));
        disk.makeDirectories(paths.group(8));
        assertThrows(TargetException.class, () -> Ledger.open(disk, paths, 1));
        disk.delete(paths.group(8));
        Ledger.open(disk, paths, 1).close();
        disk.open(paths.ledger(GROUP)).truncate(5000);
        TargetException cut =
                assertThrows(TargetException.class, () -> Ledger.open(disk, paths, 1));
        assertTrue(String.valueOf(cut.getMessage()).contains("/target/ledger/3 was cut"));
    }

    @Test
    void tellsWhatIsNotWhatWasWritten() {
        Mark expected = new Mark(5, 10, 100);
        assertNull(Ledger.objection(expected, expected));
        assertNull(Ledger.objection(Mark.NONE, Mark.NONE));
        assertNull(Ledger.objection(new Mark(5, 11, 7), expected));
        assertNull(Ledger.objection(new Mark(6, 1, 7), expected));
        assertNull(Ledger.objection(new Mark(5, 10, 3), new Mark(5, 10, -1)));
        assertNotNull(Ledger.objection(Mark.NONE, expected));
        assertNotNull(Ledger.objection(new Mark(5, 9, 100), expected));
        assertNotNull(Ledger.objection(new Mark(4, 99, 100), expected));
        assertNotNull(Ledger.objection(new Mark(5, 10, 99), expected));
    }

    @Test
    void anEntryIsFixed() {
        LedgerEntry entry =
                new LedgerEntry(
                        new BlobKey(3, 0x1122_3344L, 7), new Mark(5, 6, 100), new Mark(4, 2, 50));
        ByteBuffer out = ByteBuffer.allocate(LedgerEntry.BYTES);
        entry.encode(out);
        assertEquals(
                "00000003"
                        + "0000000011223344"
                        + "0000000000000007"
                        + "0000000000000005"
                        + "0000000000000006"
                        + "0000000000000004"
                        + "0000000000000002"
                        + "00000064"
                        + "00000032",
                HexFormat.of().formatHex(out.array()).substring(8));
        assertEquals(entry, LedgerEntry.decode(out, 0));
        out.put(30, (byte) 1);
        assertNull(LedgerEntry.decode(out, 0));
    }
}
