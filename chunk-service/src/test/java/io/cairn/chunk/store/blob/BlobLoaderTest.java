package io.cairn.chunk.store.blob;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.store.CrashDisk;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.StoreSettings;
import io.cairn.chunk.store.blob.IntentLogFile.Contents;
import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.IntentRecord.Kind;
import io.cairn.chunk.store.format.LedgerEntry;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.chunk.store.seal.Keyring;
import io.cairn.chunk.store.seal.TargetSeals;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What is made of a blob file of which parts are of the last write, and parts of the one before.
 */
class BlobLoaderTest {
    private static final int LOG2 = 16;
    private static final int CHUNK = 1 << LOG2;
    private static final int BLOCK = 4096;
    private static final int TABLE = CHUNK + 2 * BlobHeader.PAGE_BYTES;
    private static final BlobKey KEY = new BlobKey(3, 9, 0);
    private static final Map<BlobKey, Kind> INTENT = Map.of(KEY, Kind.INTENT);

    private final CrashDisk disk = new CrashDisk();
    private final TargetPaths paths = new TargetPaths(Path.of("/target"));

    /** The file after the first write, which was synced, and after the second one. */
    private byte[] first = {};

    private byte[] second = {};
    private long identity;

    /** Blocks 0 to 3 are written and synced; then 1 and 2 again. */
    @BeforeEach
    void write() throws Exception {
        StoreSettings settings = new StoreSettings(0, 16, 16, new Random(7), Clock.system());
        StorageTarget target = StorageTarget.open(disk, paths.root(), settings);
        identity = target.identity();
        ChunkAddress chunk = new ChunkAddress(3, 5, 9, 0, LOG2);
        write(target, chunk, 1, 0, 4);
        target.flush(chunk);
        first = contents();
        write(target, chunk, 2, 1, 2);
        second = contents();
        disk.kill();
    }

    private static void write(
            StorageTarget target, ChunkAddress chunk, long sequence, int block, int count) {
        byte[] bytes = new byte[count * BLOCK];
        new Random(sequence).nextBytes(bytes);
        ByteBuffer data = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        int offset = block * BLOCK;
        AlignedWrite write = target.align(chunk, offset, data, Crc32c.ofPieces(data, offset));
        target.write(chunk, sequence, write);
    }

    private byte[] contents() throws IOException {
        try (DiskFile file = disk.open(paths.blob(KEY))) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.readAll(bytes, 0);
            return bytes.array();
        }
    }

    private void put(byte[] from, int start, int end) throws IOException {
        try (DiskFile file = disk.open(paths.blob(KEY))) {
            file.write(ByteBuffer.wrap(Arrays.copyOfRange(from, start, end)), start);
        }
    }

    private BlobContext shelf(Map<BlobKey, Kind> named, boolean kept) throws IOException {
        Contents contents = new Contents(named, Map.of(), true, 7, 0);
        IntentLogFile file = new IntentLogFile(disk, paths, 42, 7, () -> 0);
        IntentLog log = new IntentLog(file, contents);
        BlobContext.Books books =
                new BlobContext.Books(
                        log,
                        Ledger.open(disk, paths, 0),
                        kept,
                        identity,
                        TargetSeals.open(disk, paths, new Keyring(null), new Random(1)));
        SpaceGauge space = new SpaceGauge(disk, paths.root(), 0);
        return new BlobContext(disk, paths, books, space, new TargetMeter(Clock.system()));
    }

    private LoadedBlob load(Map<BlobKey, Kind> named) throws IOException {
        return new BlobLoader(shelf(named, false)).load(KEY, true);
    }

    private static void is(Condition condition, LoadedBlob loaded) throws IOException {
        assertEquals(condition, loaded.condition(), loaded.reason());
        loaded.close();
    }

    private static void isAt(long sequence, LoadedBlob loaded) throws IOException {
        is(Condition.GOOD, loaded);
        LoadedBlob.Blocks blocks = loaded.blocks();
        assertNotNull(blocks);
        assertEquals(sequence, blocks.header().version().sequence());
        assertEquals(blocks.header().version().tableSum(), blocks.map().sum());
    }

    @Test
    void aWholeFileIsGoodWhoeverNamesIt() throws IOException {
        isAt(2, load(INTENT));
        isAt(2, load(Map.of()));
        put(first, 0, first.length);
        isAt(1, load(INTENT));
    }

    @Test
    void nothingIsAbsent() throws IOException {
        disk.delete(paths.blob(KEY));
        is(Condition.ABSENT, load(INTENT));
    }

    @Test
    void aWriteWhoseDataIsThereIsCompleted() throws IOException {
        put(first, TABLE, first.length);
        isAt(2, load(INTENT));
        byte[] table = Arrays.copyOfRange(contents(), TABLE, second.length);
        assertArrayEquals(Arrays.copyOfRange(second, TABLE, second.length), table);
    }

    @Test
    void aWriteOfWhichNothingIsThereIsUndone() throws IOException {
        put(first, 0, CHUNK);
        put(first, TABLE, first.length);
        isAt(1, load(INTENT));
        // It is so on the disk, too.
        isAt(1, load(Map.of()));
    }

    @Test
    void aWriteOfWhichAPartIsThereIsInDoubt() throws IOException {
        put(first, 2 * BLOCK, 3 * BLOCK);
        put(first, TABLE, first.length);
        LoadedBlob loaded = load(INTENT);
        assertNotNull(loaded.whole());
        assertEquals(1, loaded.whole().sequence());
        is(Condition.DOUBTFUL, loaded);
    }

    @Test
    void whatNobodyNamesCannotHaveBeenCutOff() throws IOException {
        put(first, 2 * BLOCK, 3 * BLOCK);
        put(first, TABLE, first.length);
        is(Condition.DAMAGED, load(Map.of()));
    }

    @Test
    void aTableThatIsLostIsRestoredWhenTheHeaderProvesIt() throws IOException {
        put(new byte[second.length], TABLE, second.length);
        isAt(2, load(INTENT));
        assertArrayEquals(second, contents());
    }

    @Test
    void withoutAHeaderItIsDamaged() throws IOException {
        put(new byte[second.length], CHUNK, TABLE);
        is(Condition.DAMAGED, load(INTENT));
        is(Condition.DAMAGED, load(Map.of()));
    }

    /** Log and ledger lost their records with the power, but the file itself knows of the sync. */
    @Test
    void withoutAHeaderAFileThatWasSyncedIsDamaged() throws IOException {
        put(new byte[second.length], CHUNK, CHUNK + BLOCK / 2);
        put(new byte[second.length], CHUNK + BLOCK, TABLE);
        for (Map<BlobKey, Kind> named : List.of(Map.of(KEY, Kind.NEW), Map.<BlobKey, Kind>of())) {
            BlobContext shelf = shelf(named, false);
            shelf.ledger.remove(KEY);
            is(Condition.DAMAGED, new BlobLoader(shelf).load(KEY, true));
            shelf.ledger.begin(LedgerEntry.begun(KEY));
            is(Condition.DAMAGED, new BlobLoader(shelf).load(KEY, true));
        }
    }

    /** Power was lost right after the first write, before log and ledger were on the disk. */
    @Test
    void withoutAHeaderAndUnknownItWasNeverWritten() throws IOException {
        withoutAHeaderItWasNeverWritten(false);
    }

    /** The same, and the disk had what the ledger said before the write. */
    @Test
    void withoutAHeaderAndOnlyBegunItWasNeverWritten() throws IOException {
        withoutAHeaderItWasNeverWritten(true);
    }

    private void withoutAHeaderItWasNeverWritten(boolean begun) throws IOException {
        for (boolean kept : new boolean[] {false, true}) {
            for (int bytes : new int[] {second.length, 100}) {
                BlobKey unknown = new BlobKey(3, 9, 1);
                disk.makeDirectories(paths.directory(unknown));
                try (DiskFile file = disk.openOrCreate(paths.blob(unknown))) {
                    file.truncate(bytes);
                }
                BlobContext shelf = shelf(Map.of(), kept);
                if (begun) {
                    shelf.ledger.begin(LedgerEntry.begun(unknown));
                }
                int before = disk.list(paths.quarantine()).size();
                is(Condition.ABSENT, new BlobLoader(shelf).load(unknown, false));
                assertFalse(disk.exists(paths.blob(unknown)));
                assertEquals(before + 1, disk.list(paths.quarantine()).size());
                assertNull(shelf.log.kind(unknown));
            }
        }
    }

    @Test
    void aFenceLasts() throws IOException {
        is(Condition.FENCED, load(Map.of(KEY, Kind.FENCE)));
    }

    @Test
    void aFlippedBitIsDoubtOnlyAfterALossOfPower() throws IOException {
        byte[] flipped = second.clone();
        flipped[17] ^= 1;
        put(flipped, 0, BLOCK);
        is(Condition.DOUBTFUL, load(INTENT));
        for (Map<BlobKey, Kind> named : List.of(INTENT, Map.<BlobKey, Kind>of())) {
            BlobContext kept = shelf(named, true);
            is(Condition.GOOD, new BlobLoader(kept).load(KEY, true));
            assertTrue(kept.troubles.containsKey(KEY), "reading it fails at the reader");
        }
        is(Condition.GOOD, new BlobLoader(shelf(Map.of(), true)).load(KEY, false));
    }
}
