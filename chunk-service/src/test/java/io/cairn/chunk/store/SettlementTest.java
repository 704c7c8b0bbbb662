package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.BLOCK;
import static io.cairn.chunk.store.StoreWorld.CHUNK;
import static io.cairn.chunk.store.StoreWorld.bytes;
import static io.cairn.chunk.store.StoreWorld.chunk;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlockRange;
import io.cairn.verify.fault.BlobDamage;
import io.cairn.wire.chunk.ChunkAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A loss of power took unsynced writes, no other copy is left, and something else is damaged: what
 * was not synced is taken as it stands, what was synced is never given a new checksum.
 */
class SettlementTest {
    private static final ChunkAddress A = chunk(0x77, 0);
    private static final ChunkAddress OTHER = chunk(0x177, 0);
    private static final int BLOCKS = 10;
    private static final int SEEDS = 60;

    /** Its header does not fit into one sector, so a loss of power may tear it. */
    private static final ChunkAddress LARGE = new ChunkAddress(StoreWorld.GROUP, 5, 0x277, 0, 24);

    /** The first sector of the header tells of blocks before this one. */
    private static final int FAR = 3100;

    private CrashDisk disk = new CrashDisk();
    private StoreWorld world;

    /** What each block may hold. */
    private final List<List<byte[]>> allowed = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        disk = new CrashDisk();
        world = new StoreWorld(disk, Path.of("/target"));
        allowed.clear();
        for (int i = 0; i < CHUNK / BLOCK; i++) {
            allowed.add(new ArrayList<>(List.of(new byte[BLOCK])));
        }
    }

    private void write(int block, int count, long seed) {
        byte[] data = bytes(seed, count * BLOCK);
        world.write(A, block * BLOCK, data);
        for (int i = 0; i < count; i++) {
            allowed.get(block + i).add(Arrays.copyOfRange(data, i * BLOCK, (i + 1) * BLOCK));
        }
    }

    private void flush() {
        world.target().flush(A);
        allowed.replaceAll(versions -> new ArrayList<>(List.of(versions.getLast())));
    }

    private void losePower(long seed) throws Exception {
        disk.losePower(new Random(seed));
        world.reopen();
    }

    private void settle() {
        settle(A);
    }

    private void settle(ChunkAddress used) {
        world.stat(used); // What the log does not name is looked at when it is used.
        for (BlobKey each : world.target().doubtful()) {
            try {
                world.target().settle(each, 6);
            } catch (FsException e) {
                assertEquals(Errno.EIO, e.errno());
            }
        }
    }

    /** Blocks that cannot be read; -1 when none can. Every other one holds what it may hold. */
    private List<Integer> bad(String what) {
        BlockRange range;
        try {
            range = world.target().read(A, 0, CHUNK);
        } catch (FsException e) {
            assertEquals(Errno.EIO, e.errno(), what);
            return List.of(-1);
        }
        int[] crcs = StoreWorld.blockCrcs(range.blocks());
        List<Integer> bad = new ArrayList<>();
        for (int i = 0; i < CHUNK / BLOCK; i++) {
            byte[] seen = new byte[BLOCK];
            if (i < crcs.length) {
                int length = Math.min(BLOCK, range.blocks().limit() - i * BLOCK);
                range.blocks().get(i * BLOCK, seen, 0, length);
            }
            if (i < crcs.length && crcs[i] != range.crcs()[i]) {
                bad.add(i);
            } else {
                check(i, seen, what);
            }
        }
        return bad;
    }

    /** Blocks of {@link #LARGE} from {@link #FAR} on that do not match their checksums. */
    private List<Integer> badFar(int count) {
        BlockRange range = world.target().read(LARGE, FAR * BLOCK, count * BLOCK);
        int[] crcs = StoreWorld.blockCrcs(range.blocks());
        List<Integer> bad = new ArrayList<>();
        for (int i = 0; i < crcs.length; i++) {
            if (crcs[i] != range.crcs()[i]) {
                bad.add(i);
            }
        }
        return bad;
    }

    private void writeFar(int block, int count, long seed) {
        world.write(LARGE, (FAR + block) * BLOCK, bytes(seed, count * BLOCK));
    }

    /** Each sector is one that was written: power loss may tear a block. */
    private void check(int block, byte[] seen, String what) {
        for (int at = 0; at < BLOCK; at++) {
            byte is = seen[at];
            int byteOf = at;
            assertTrue(
                    allowed.get(block).stream().anyMatch(data -> data[byteOf] == is),
                    () -> what + ": byte " + byteOf + " of block " + block + " is wrong");
        }
    }

    private void flip(int block) {
        disk.flip(world.path(A), block * (long) BLOCK + 77);
    }

    @Test
    void aSyncedBlockKeepsItsChecksum() throws Exception {
        int unsettled = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            open();
            write(0, BLOCKS, seed);
            flush();
            write(3, 2, seed + 1000);
            write(BLOCKS, 2, seed + 2000);
            losePower(seed);
            flip(7);
            // Whatever the store has found when it was opened.
            disk.kill();
            world.reopen();
            unsettled += world.target().doubtful().size();
            settle();
            assertEquals(List.of(7), bad("seed " + seed), "seed " + seed);
            assertTrue(!world.target().doubtful().isEmpty(), "it is told");
            losePower(seed);
            settle();
            assertEquals(List.of(7), bad("seed " + seed + " again"));
        }
        assertTrue(unsettled > SEEDS / 2, "only " + unsettled + " were in doubt");
    }

    /** Blocks of intervals before: what was changed then is synced now. */
    @Test
    void aLaterSyncCoversWhatWasChangedBefore() throws Exception {
        for (long seed = 1; seed <= SEEDS; seed++) {
            open();
            write(0, BLOCKS, seed);
            flush();
            for (int block = 2; block < 8; block++) {
                write(block, 1, seed + block * 1000L);
                flush();
            }
            write(1, 1, seed + 50_000);
            losePower(seed);
            flip(4);
            disk.kill();
            world.reopen();
            settle();
            assertEquals(List.of(4), bad("seed " + seed), "seed " + seed);
        }
    }

    /** A block that is overwritten and synced again and again, and others beside it. */
    @Test
    void aBlockThatIsOverwrittenAgainAndAgainIsTakenAndNoOther() throws Exception {
        int unsettled = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            open();
            write(0, BLOCKS, seed);
            flush();
            for (int i = 0; i < 5; i++) {
                write(2, 1, seed + i * 1000L);
                flush();
            }
            write(5, 1, seed + 8000);
            flush();
            write(2, 1, seed + 9000);
            losePower(seed);
            flip(5);
            disk.kill();
            world.reopen();
            unsettled += world.target().doubtful().size();
            settle();
            assertEquals(List.of(5), bad("seed " + seed), "seed " + seed);
        }
        assertTrue(unsettled > SEEDS / 2, "only " + unsettled + " were in doubt");
    }

    /** When it has not been overwritten for a while it is as any other. */
    @Test
    void aBlockThatWasOverwrittenOftenOnceKeepsItsChecksum() throws Exception {
        for (long seed = 1; seed <= SEEDS; seed++) {
            open();
            write(0, BLOCKS, seed);
            flush();
            for (int i = 0; i < 5; i++) {
                write(2, 1, seed + i * 1000L);
                flush();
            }
            for (int i = 0; i < 40; i++) {
                write(3 + i % 5, 1, seed + i * 1001L);
                flush();
            }
            write(9, 1, seed + 9000);
            losePower(seed);
            flip(2);
            disk.kill();
            world.reopen();
            settle();
            assertEquals(List.of(2), bad("seed " + seed), "seed " + seed);
        }
    }

    /** What is overwritten again and again costs one sync each time: of the blob. */
    @Test
    void aHotBlockCostsOneSyncEachTime() throws Exception {
        write(0, BLOCKS, 1);
        flush();
        for (int i = 0; i < 3; i++) {
            write(4, 1, i);
            flush();
        }
        long before = disk.syncs();
        for (int i = 0; i < 100; i++) {
            write(4, 1, i);
            flush();
        }
        assertEquals(100, disk.syncs() - before);
        // A log that is appended to in small pieces.
        int at = BLOCKS * BLOCK;
        long begun = disk.syncs();
        for (int i = 0; i < 200; i++, at += 100) {
            world.write(A, at, bytes(i, 100));
            world.target().flush(A);
        }
        long syncs = disk.syncs() - begun;
        assertTrue(syncs < 200 + 3 * 7, syncs + " syncs");
    }

    /** A write that was cut off was settled: the holes that it did not reach held nothing then. */
    @Test
    void aHoleThatASettledWriteDidNotReachIsTakenWhenItIsWritten() throws Exception {
        BlobKey key = BlobKey.of(A);
        for (long seed = 1; seed <= SEEDS; seed++) {
            open();
            write(0, 2, seed);
            flush();
            byte[] half = bytes(seed + 1000, 4 * BLOCK);
            disk.stopAfter(3); // The log, the header, the data.
            assertThrows(CrashDisk.Stop.class, () -> world.write(A, 4 * BLOCK, half));
            disk.kill();
            world.reopen();
            assertEquals(List.of(key), world.target().doubtful(), "seed " + seed);
            world.target().settle(key, A.epoch());
            for (int block = 4; block < 6; block++) {
                int from = (block - 4) * BLOCK;
                allowed.set(block, List.of(Arrays.copyOfRange(half, from, from + BLOCK)));
            }
            write(6, 1, seed + 2000);
            losePower(seed);
            flip(4);
            disk.kill();
            world.reopen();
            settle();
            assertEquals(List.of(4), bad("seed " + seed), "seed " + seed);
        }
    }

    /** Power is lost while it is settled what a first loss has left. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSettlementThatIsCutOffIsDoneAgain(boolean isSynced) throws Exception {
        int cutOff = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            for (int changes = 1; changes <= 6; changes++) {
                open();
                writeFar(0, 2, seed);
                if (isSynced) {
                    world.target().flush(LARGE);
                }
                writeFar(4, 4, seed + 1000);
                losePower(seed);
                world.stat(LARGE);
                if (world.target().doubtful().isEmpty()) {
                    break;
                }
                cutOff += settleAndLosePower(changes, seed);
                settle(LARGE);
                if (isSynced || world.stat(LARGE).sequence() > 0) {
                    assertEquals(List.of(), badFar(8), "seed " + seed + ", changes " + changes);
                }
            }
        }
        assertTrue(cutOff > SEEDS / 2, "only " + cutOff + " were cut off");
    }

    /** Loses power at a change of the disk within a settlement; 1 if it was not complete. */
    private int settleAndLosePower(int changes, long seed) throws Exception {
        int cutOff = 0;
        disk.stopAfter(changes);
        try {
            world.target().settle(BlobKey.of(LARGE), A.epoch());
        } catch (CrashDisk.Stop stop) {
            cutOff = 1;
        }
        losePower(seed * 100 + changes);
        return cutOff;
    }

    /** Only a header that was synced has the other one overwritten. */
    @Test
    void theHeaderBesideATornOneTellsWhatWasSynced() throws Exception {
        for (long seed = 1; seed <= 5 * SEEDS; seed++) {
            open();
            writeFar(0, 2, seed);
            world.target().flush(LARGE);
            writeFar(8, 2, seed + 1000);
            world.target().flush(LARGE);
            writeFar(4, 2, seed + 2000);
            losePower(seed);
            disk.flip(world.path(LARGE), (FAR + 1) * (long) BLOCK + 77);
            disk.kill();
            world.reopen();
            settle(LARGE);
            assertEquals(List.of(1), badFar(10), "seed " + seed);
        }
    }

    /** Nothing of it was promised. */
    @Test
    void whatWasNeverSyncedIsTakenAsItStands() throws Exception {
        for (long seed = 1; seed <= SEEDS; seed++) {
            open();
            write(0, BLOCKS, seed);
            losePower(seed);
            if (!disk.holds(world.path(A)) || disk.sizeOf(world.path(A)) < CHUNK) {
                continue;
            }
            flip(7);
            disk.kill();
            world.reopen();
            settle();
            for (byte[] each : List.copyOf(allowed.get(7))) {
                byte[] flipped = each.clone();
                flipped[77] = (byte) ~flipped[77];
                allowed.get(7).add(flipped);
            }
            List<Integer> bad = bad("seed " + seed);
            assertTrue(bad.isEmpty() || bad.equals(List.of(-1)), "seed " + seed + ": " + bad);
        }
    }

    /** The twelve ways, each beside unsynced writes. */
    @Test
    void noDamageIsTakenForAnUnsyncedWrite() throws Exception {
        for (BlobDamage damage : BlobDamage.values()) {
            for (long seed = 1; seed <= 12; seed++) {
                open();
                write(0, BLOCKS, seed);
                flush();
                ByteBuffer earlier = BlobDamage.contents(disk, world.path(A));
                write(0, BLOCKS, seed + 500);
                world.write(OTHER, 0, bytes(seed, BLOCKS * BLOCK));
                world.target().flush(OTHER);
                flush();
                world.restart();
                write(3, 2, seed + 1000);
                losePower(seed);
                disk.kill();
                BlobDamage.Means means =
                        new BlobDamage.Means(
                                CHUNK,
                                7 * BLOCK + 99,
                                earlier::duplicate,
                                () -> BlobDamage.contents(disk, world.path(OTHER)));
                damage.strike(disk, world.path(A), means);
                world.reopen();
                settle();
                bad(damage + ", seed " + seed);
            }
        }
    }

    /** A blob that is overwritten everywhere costs a bounded number of syncs of the log. */
    @Test
    void manyPlacesCostFewSyncs() throws Exception {
        write(0, CHUNK / BLOCK, 1);
        flush();
        long before = disk.changes();
        for (int i = 0; i < 1000; i++) {
            write(i % (CHUNK / BLOCK), 1, i + 2L);
        }
        long changes = disk.changes() - before;
        assertTrue(changes < 1000 * 4 + 50, changes + " changes of the disk");
        flush();
        assertEquals(List.of(), bad("at the end"));
        assertTrue(world.target().verify(A));
    }
}
