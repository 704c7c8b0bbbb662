package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.BLOCK;
import static io.cairn.chunk.store.StoreWorld.GROUP;
import static io.cairn.chunk.store.StoreWorld.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlockRange;
import io.cairn.chunk.store.format.InstallPart;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Packed blobs take less room and behave as plain ones. */
class PackedBlobTest {
    private static final int LOG2 = 20;
    private static final int SIZE = 1 << LOG2;
    private static final int SLOT = 64 << 10;
    private static final ChunkAddress A = address(0x77);
    private static final ChunkAddress B = address(0x78);

    private final CrashDisk disk = new CrashDisk();
    private StoreWorld world;

    private static ChunkAddress address(long oid) {
        return new ChunkAddress(GROUP, 5, oid, 0, LOG2);
    }

    /** As text: different in each block, and a third of its size when it is packed. */
    private static byte[] text(int seed, int length) {
        byte[] text = new byte[length];
        Random random = new Random(seed);
        byte[] word = new byte[8];
        for (int at = 0; at < length; at += 32) {
            random.nextBytes(word);
            for (int i = at; i < Math.min(length, at + 32); i++) {
                text[i] = i < at + 8 ? word[i - at] : (byte) 'x';
            }
        }
        return text;
    }

    @BeforeEach
    void open() throws Exception {
        world = new StoreWorld(disk, Path.of("/target"));
    }

    private boolean pack(ChunkAddress chunk, Codec codec) {
        return world.target().verification().pack(BlobKey.of(chunk), codec);
    }

    /** Writes and packs. */
    private byte[] packed(Codec codec, int length) {
        byte[] contents = text(1, length);
        world.write(A, 0, contents);
        long sequence = world.stat(A).sequence();
        assertTrue(pack(A, codec));
        assertEquals(sequence, world.stat(A).sequence());
        assertFalse(pack(A, codec), "it is packed");
        return contents;
    }

    private byte[] read(ChunkAddress chunk) {
        BlockRange range = world.target().read(chunk, 0, SIZE);
        assertArrayEquals(StoreWorld.blockCrcs(range.blocks()), range.crcs());
        byte[] bytes = new byte[range.blocks().remaining()];
        range.blocks().get(bytes);
        return bytes;
    }

    private long saving() {
        return world.target().verification().savingBytes();
    }

    private int badBlocks() {
        BlockRange range = world.target().read(A, 0, SIZE);
        int[] crcs = StoreWorld.blockCrcs(range.blocks());
        int bad = 0;
        for (int i = 0; i < crcs.length; i++) {
            bad += crcs[i] == range.crcs()[i] ? 0 : 1;
        }
        return bad;
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void takesLessRoomAndReadsTheSame(Codec codec) throws Exception {
        long empty = disk.usedBytes();
        byte[] contents = packed(codec, 7 * SLOT + 5000);
        assertTrue(disk.usedBytes() - empty < 4 * SLOT, () -> "used " + disk.usedBytes());
        assertArrayEquals(contents, read(A));
        assertTrue(world.target().verify(A));
        world.restart();
        assertArrayEquals(contents, read(A));
        assertTrue(world.target().verify(A));
        ByteBuffer part = world.target().read(A, SLOT - 100, 300).blocks();
        byte[] some = new byte[part.remaining()];
        part.get(some);
        assertArrayEquals(Arrays.copyOfRange(contents, SLOT - BLOCK, SLOT + BLOCK), some);
        disk.kill();
        world.reopen();
        assertArrayEquals(contents, read(A));
        assertEquals(List.of(), world.target().doubtful());
    }

    @Test
    void whatPackingSavesIsKnownAfterEveryChangeAndStart() throws Exception {
        assertEquals(0, saving());
        packed(Codec.ZSTD, 7 * SLOT + 5000);
        long saved = saving();
        long plain = world.target().allocatedBytes(A.group(), A.oid(), A.index());
        assertTrue(saved > plain / 2 && saved < plain, () -> saved + " of " + plain);
        assertEquals(world.target().verification().savedBytes(), saved);
        world.write(B, 0, text(2, 3 * SLOT));
        world.target().flush(B);
        assertEquals(saved, saving());
        world.restart();
        assertEquals(saved, saving(), "after a clean stop");
        disk.kill();
        world.reopen();
        assertEquals(saved, saving(), "after the end of the process");
        disk.losePower(new Random(3));
        world.reopen();
        read(A);
        assertEquals(saved, saving(), "after a loss of power");

        assertTrue(pack(B, Codec.LZ4));
        assertTrue(saving() > saved);
        world.target().delete(B.group(), B.oid(), B.index());
        assertEquals(saved, saving(), "one was deleted");
        world.write(A, 10, text(3, 10));
        assertEquals(0, saving(), "it is plain again");
        world.restart();
        assertEquals(0, saving());
        assertTrue(pack(A, Codec.LZ4));
        world.install(A, world.stat(A).sequence() + 1, text(4, 2 * SLOT), 4);
        assertEquals(0, saving(), "a plain one took its place");
    }

    @Test
    void doesNotPackWhatDoesNotBecomeSmaller() throws Exception {
        byte[] contents = bytes(3, 3 * SLOT);
        world.write(A, 0, contents);
        assertFalse(pack(A, Codec.ZSTD));
        assertFalse(pack(B, Codec.ZSTD), "absent");
        world.write(B, 0, text(7, 100));
        assertFalse(pack(B, Codec.ZSTD), "one block");
        assertArrayEquals(contents, read(A));
        assertEquals(List.of(), disk.filesBelow(Path.of("/target/incoming")));
    }

    @Test
    void randomChangesAgreeWithAModel() throws Exception {
        Random random = new Random(5);
        byte[] model = Arrays.copyOf(packed(Codec.LZ4, 9 * SLOT), SIZE);
        for (int step = 0; step < 150; step++) {
            int offset = random.nextInt(SIZE);
            int length = 1 + random.nextInt(Math.min(SIZE - offset, 3 * SLOT));
            switch (random.nextInt(4)) {
                case 0 -> pack(A, random.nextBoolean() ? Codec.LZ4 : Codec.ZSTD);
                case 1 -> {
                    world.zero(A, offset, length);
                    Arrays.fill(model, offset, offset + length, (byte) 0);
                }
                case 2 -> world.restart();
                default -> {
                    byte[] bytes = text(step, length);
                    world.write(A, offset, bytes);
                    System.arraycopy(bytes, 0, model, offset, length);
                }
            }
            assertArrayEquals(model, Arrays.copyOf(read(A), SIZE), "step " + step);
            assertTrue(saving() >= 0, "step " + step);
        }
        if (saving() == 0) {
            assertTrue(pack(A, Codec.ZSTD));
        }
        assertTrue(saving() > 0);
        world.write(A, SIZE - 1, text(7, 1));
        assertEquals(0, saving());
        assertTrue(world.target().verify(A));
        assertEquals(List.of(), disk.filesBelow(Path.of("/target/quarantine")));
    }

    @Test
    void holesStayAndClonesArePlain() {
        world.write(A, 0, text(1, 2 * SLOT));
        world.write(A, 5 * SLOT, text(2, SLOT));
        assertTrue(pack(A, Codec.ZSTD));
        assertEquals(2 * SLOT, world.target().seek(A, 0, false));
        assertEquals(5 * SLOT, world.target().seek(A, 2 * SLOT, true));
        world.target().cloneFrom(B, A.oid(), 5 * SLOT + 100);
        assertArrayEquals(Arrays.copyOf(read(A), 5 * SLOT + 100), read(B));
        assertEquals(2 * SLOT, world.target().seek(B, 0, false));
        assertTrue(world.target().verify(B));
        assertTrue(pack(B, Codec.ZSTD));
        assertArrayEquals(Arrays.copyOf(read(A), 5 * SLOT + 100), read(B));
    }

    @Test
    void damageIsKeptToItsSlotAndMended() throws Exception {
        byte[] contents = packed(Codec.ZSTD, 9 * SLOT);
        world.target().close();
        disk.flip(world.path(A), 4 * SLOT + 1000);
        world.reopen();
        assertEquals(SLOT / BLOCK, badBlocks());
        assertFalse(world.target().verify(A));
        assertEquals(List.of(StoreWorld.key(A)), world.target().doubtful());
        assertFalse(pack(A, Codec.LZ4));
        StorageTargetTest.fails(
                Errno.EIO, () -> world.target().settle(StoreWorld.key(A), A.epoch()));

        world.zero(A, 0, 0);
        assertEquals(SLOT / BLOCK, badBlocks(), "what was bad stays bad");
        assertEquals(List.of(StoreWorld.key(A)), world.target().doubtful());
        world.write(A, 100, new byte[BLOCK]);
        assertEquals(SLOT / BLOCK, badBlocks(), "what was bad stays bad");
        assertEquals(List.of(StoreWorld.key(A)), world.target().doubtful());
        StorageTargetTest.fails(Errno.EBADMSG, () -> world.write(A, 4 * SLOT + 7, new byte[9]));

        ByteBuffer blocks = StoreWorld.direct(contents);
        int[] crcs = StoreWorld.blockCrcs(blocks);
        world.target().install(A, 5, new InstallPart(99, contents.length, 0, blocks, crcs, true));
        assertArrayEquals(contents, read(A));
        assertTrue(world.target().verify(A));
        assertEquals(List.of(), world.target().doubtful());
    }

    @Test
    void aDamagedTableOfSlotsIsNoticed() throws Exception {
        packed(Codec.ZSTD, 9 * SLOT);
        disk.flip(world.path(A), SIZE + BlobHeader.PAGE_BYTES + 30);
        assertFalse(world.target().verify(A), "on the medium");
        world.restart();
        StorageTargetTest.fails(Errno.EIO, () -> read(A));
        StorageTargetTest.fails(Errno.EIO, () -> world.write(A, 0, new byte[1]));
        assertEquals(0, world.stat(A).sequence(), "a peer's copy replaces it");
    }

    @Test
    void lostChecksumsAreRestored() throws Exception {
        byte[] contents = packed(Codec.LZ4, 9 * SLOT);
        world.target().close();
        disk.corrupt(world.path(A), SIZE + 2 * BlobHeader.PAGE_BYTES, new byte[40]);
        world.reopen();
        assertArrayEquals(contents, read(A));
        assertTrue(world.target().verify(A));
        world.restart();
        assertArrayEquals(contents, read(A));
    }

    @Test
    void doesNotDisturbWhatAPeerSends() {
        byte[] contents = packed(Codec.LZ4, 2 * SLOT);
        byte[] next = bytes(9, 2 * SLOT);
        for (int at : new int[] {0, SLOT}) {
            ByteBuffer blocks = StoreWorld.direct(Arrays.copyOfRange(next, at, at + SLOT));
            int[] crcs = StoreWorld.blockCrcs(blocks);
            boolean last = at == SLOT;
            world.target().install(A, 5, new InstallPart(50, next.length, at, blocks, crcs, last));
            if (!last) {
                assertArrayEquals(contents, read(A));
                world.zero(A, 0, 1);
                assertTrue(pack(A, Codec.ZSTD));
            }
        }
        assertArrayEquals(next, read(A));
    }

    @Test
    void aFullDiskRefusesAndKeeps() throws Exception {
        byte[] contents = packed(Codec.ZSTD, 9 * SLOT);
        disk.setCapacityBytes(disk.usedBytes() + 2 * SLOT);
        StorageTargetTest.fails(Errno.ENOSPC, () -> world.write(A, 0, new byte[1]));
        assertArrayEquals(contents, read(A));
        StorageTargetTest.fails(Errno.ENOSPC, () -> world.zero(A, 0, 1));
        assertArrayEquals(contents, read(A));
        assertEquals(List.of(), disk.filesBelow(Path.of("/target/incoming")));
        disk.setCapacityBytes(1L << 30);
        world.write(A, 0, new byte[1]);
        contents[0] = 0;
        assertArrayEquals(contents, read(A));
    }

    @Test
    void aChangeOfNothingStaysPacked() throws Exception {
        byte[] contents = packed(Codec.ZSTD, 9 * SLOT);
        long usedBytes = disk.usedBytes();
        disk.setCapacityBytes(usedBytes + 5 * SLOT); // Too little for a plain one.
        long sequence = world.stat(A).sequence();
        assertEquals(0, world.zero(A, 0, 0));
        assertEquals(0, world.zero(A, contents.length, SLOT));
        assertEquals(sequence + 2, world.stat(A).sequence());
        assertTrue(disk.usedBytes() < usedBytes + SLOT);
        assertArrayEquals(contents, read(A));
        assertEquals(0, world.target().zero(A, ChunkState.SEALED | (sequence + 3), 0, 0));
        world.restart();
        assertTrue(world.stat(A).isSealed());
        assertArrayEquals(contents, read(A));
        assertTrue(world.target().verify(A));
        assertTrue(disk.usedBytes() < usedBytes + SLOT);
        assertFalse(pack(A, Codec.ZSTD), "it is packed");
        assertEquals(List.of(), disk.filesBelow(Path.of("/target/incoming")));
    }

    @Test
    void zerosInAPackedBlobAskForRoomFirst() throws Exception {
        byte[] contents = packed(Codec.ZSTD, 9 * SLOT);
        disk.setCapacityBytes(disk.usedBytes() + 2 * SLOT);
        world.restart();
        assertArrayEquals(contents, read(A));
        long changes = disk.changes();
        StorageTargetTest.fails(Errno.ENOSPC, () -> world.zero(A, 0, 1));
        assertEquals(changes, disk.changes(), "nothing was begun");
        assertArrayEquals(contents, read(A));
    }

    @Test
    void aDiskWithRoomForThePackedDataCanShrink() throws Exception {
        byte[] contents = text(1, 9 * SLOT);
        world.write(A, 0, contents);
        world.write(B, 0, contents);
        disk.setCapacityBytes(disk.usedBytes() + 5 * SLOT);
        world.restart();
        assertTrue(pack(A, Codec.ZSTD));
        assertArrayEquals(contents, read(A));
        disk.setCapacityBytes(disk.usedBytes() + SLOT);
        world.restart();
        StorageTargetTest.fails(Errno.ENOSPC, () -> pack(B, Codec.ZSTD));
        assertArrayEquals(contents, read(B));
        assertEquals(List.of(), disk.filesBelow(Path.of("/target/incoming")));
    }

    /** Does something to a blob that is flushed, until the disk stops within the n-th change. */
    private boolean endsBefore(int n, boolean power, Runnable action) throws Exception {
        disk.stopAfter(n);
        boolean done = false;
        try {
            action.run();
            done = true;
        } catch (CrashDisk.Stop e) {
            done = false;
        }
        if (power) {
            disk.losePower(new Random(n));
        } else {
            disk.kill();
        }
        world.reopen();
        return done;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStopAtEachStepOfPackingChangesNothing(boolean power) throws Exception {
        byte[] contents = text(1, 3 * SLOT);
        boolean done = false;
        int n = 0;
        while (!done) {
            n++;
            ChunkAddress chunk = address(0x1000 + n);
            world.write(chunk, 0, contents);
            world.target().flush(chunk);
            done = endsBefore(n, power, () -> pack(chunk, Codec.LZ4));
            assertEquals(List.of(), world.target().doubtful(), "step " + n);
            assertArrayEquals(contents, read(chunk), "step " + n);
            assertTrue(world.target().verify(chunk), "step " + n);
        }
        assertTrue(n > 10, "steps " + n);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStopAtEachStepOfAChangeLeavesTheOldOrTheNew(boolean power) throws Exception {
        byte[] contents = text(1, 3 * SLOT);
        byte[] changed = contents.clone();
        changed[SLOT + 5]++;
        byte[] change = {changed[SLOT + 5]};
        boolean done = false;
        int n = 0;
        while (!done) {
            n++;
            ChunkAddress chunk = address(0x1000 + n);
            world.write(chunk, 0, contents);
            assertTrue(pack(chunk, Codec.LZ4));
            done = endsBefore(n, power, () -> world.write(chunk, SLOT + 5, change));
            for (BlobKey key : world.target().doubtful()) {
                world.target().settle(key, chunk.epoch());
            }
            byte[] seen = read(chunk);
            assertTrue(Arrays.equals(contents, seen) || Arrays.equals(changed, seen), "step " + n);
            assertTrue(world.target().verify(chunk), "step " + n);
        }
        assertTrue(n > 10, "steps " + n);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStopAtEachStepOfAChangeOfNothingKeepsTheContents(boolean power) throws Exception {
        byte[] contents = text(1, 3 * SLOT);
        boolean done = false;
        int n = 0;
        while (!done) {
            n++;
            ChunkAddress chunk = address(0x1000 + n);
            world.write(chunk, 0, contents);
            assertTrue(pack(chunk, Codec.LZ4));
            done = endsBefore(n, power, () -> world.zero(chunk, 0, 0));
            assertEquals(List.of(), world.target().doubtful(), "step " + n);
            assertArrayEquals(contents, read(chunk), "step " + n);
            assertTrue(world.target().verify(chunk), "step " + n);
            long sequence = world.stat(chunk).sequence();
            assertTrue(sequence == 2 || (sequence == 1 && !done), "step " + n);
        }
        assertTrue(n > 10, "steps " + n);
    }

    @Test
    void aFailureAtEachStepOfPackingChangesNothing() throws Exception {
        byte[] contents = text(1, 3 * SLOT);
        boolean done = false;
        int n = 0;
        while (!done) {
            n++;
            ChunkAddress chunk = address(0x1000 + n);
            world.write(chunk, 0, contents);
            world.target().flush(chunk);
            disk.failAfter(n);
            try {
                done = pack(chunk, Codec.LZ4);
            } catch (FsException e) {
                assertEquals(Errno.EIO, e.errno());
            }
            assertEquals(List.of(), disk.filesBelow(Path.of("/target/incoming")), "step " + n);
            assertArrayEquals(contents, read(chunk), "step " + n);
            disk.kill();
            world.reopen();
            assertArrayEquals(contents, read(chunk), "step " + n);
            assertEquals(List.of(), world.target().doubtful(), "step " + n);
        }
        assertTrue(n > 10, "steps " + n);
    }
}
