package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.BLOCK;
import static io.cairn.chunk.store.StoreWorld.CHUNK;
import static io.cairn.chunk.store.StoreWorld.bytes;
import static io.cairn.chunk.store.StoreWorld.chunk;
import static io.cairn.chunk.store.StoreWorld.key;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.ChunkAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Disks that are full or fail. */
class FailureTest {
    private static final ChunkAddress A = chunk(1, 0);
    private static final ChunkAddress B = chunk(2, 0);

    private final CrashDisk disk = new CrashDisk();

    private StoreWorld open() throws TargetException {
        return new StoreWorld(disk, Path.of("/target"));
    }

    @Test
    void failedSyncFencesForEver() throws Exception {
        StoreWorld world = open();
        byte[] data = bytes(1, 3 * BLOCK);
        world.write(A, 0, data);
        world.target().flush(A);
        world.write(A, 0, bytes(2, BLOCK));
        disk.failNextForce();
        StorageTargetTest.fails(Errno.EIO, () -> world.target().flush(A));
        for (int round = 0; round < 3; round++) {
            StorageTargetTest.fails(Errno.EIO, () -> world.target().flush(A));
            StorageTargetTest.fails(Errno.EIO, () -> world.write(A, 0, data));
            StorageTargetTest.fails(Errno.EIO, () -> world.read(A));
            StorageTargetTest.fails(Errno.EIO, () -> world.target().settle(key(A), 9));
            assertEquals(0, world.stat(A).sequence());
            assertEquals(List.of(key(A)), world.target().doubtful());
            if (round == 0) {
                world.restart();
            } else {
                disk.losePower(new Random(round));
                world.reopen();
            }
        }
        world.install(A, 9, data, 1);
        world.target().flush(A);
        world.restart();
        assertArrayEquals(data, world.read(A));
        assertTrue(world.target().healthy());
    }

    @Test
    void manyFailuresMakeTheTargetUnhealthy() throws Exception {
        StoreWorld world = open();
        for (int i = 1; i <= 8; i++) {
            assertTrue(world.target().healthy());
            ChunkAddress chunk = chunk(i, 0);
            world.write(chunk, 0, bytes(i, 10));
            disk.failNextForce();
            StorageTargetTest.fails(Errno.EIO, () -> world.target().flush(chunk));
        }
        assertFalse(world.target().healthy());
    }

    @Test
    void anErrorAnywhereNeverGivesWrongBytes() throws Exception {
        byte[] old = bytes(1, 5 * BLOCK + 10);
        byte[] next = bytes(2, 3 * BLOCK + 20);
        byte[] merged = Arrays.copyOf(old, 2 * BLOCK + 5 + next.length);
        System.arraycopy(next, 0, merged, 2 * BLOCK + 5, next.length);
        for (int failAt = 1; failAt <= 8; failAt++) {
            StoreWorld world = new StoreWorld(disk, Path.of("/target" + failAt));
            world.write(A, 0, old);
            disk.failAfter(failAt);
            boolean done = succeeds(() -> world.write(A, 2 * BLOCK + 5, next));
            if (done) {
                assertArrayEquals(merged, world.read(A));
            } else if (world.stat(A).sequence() > 0) {
                assertArrayEquals(old, world.read(A), "failed before anything was changed");
            } else {
                StorageTargetTest.fails(Errno.EIO, () -> world.read(A));
            }
            disk.failAfter(Long.MAX_VALUE / 2);
        }
    }

    @Test
    void aFailureAtEachStepOfAnInstallationLeavesNoFileBehind() throws Exception {
        byte[] old = bytes(1, 3 * BLOCK);
        byte[] next = bytes(2, 2 * BLOCK);
        for (int failAt = 1; failAt <= 20; failAt++) {
            Path root = Path.of("/installed" + failAt);
            StoreWorld world = new StoreWorld(disk, root);
            world.write(A, 0, old);
            world.target().flush(A);
            world.restart();
            disk.failAfter(failAt);
            boolean done = succeeds(() -> world.install(A, 9, next, 2));
            disk.failAfter(Long.MAX_VALUE / 2);
            assertEquals(List.of(), disk.filesBelow(root.resolve("incoming")), "at " + failAt);
            if (done) {
                assertArrayEquals(next, world.read(A), "at " + failAt);
            }
        }
    }

    private static boolean succeeds(Runnable action) {
        try {
            action.run();
            return true;
        } catch (FsException e) {
            assertEquals(Errno.EIO, e.errno());
            return false;
        }
    }

    @Property(tries = 150)
    void fullDiskLeavesEveryBlobWhole(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        CrashDisk small = new CrashDisk();
        StoreWorld world = new StoreWorld(small, Path.of("/target"));
        byte[][] contents = {new byte[CHUNK], new byte[CHUNK]};
        ChunkAddress[] chunks = {A, B};
        for (int i = 0; i < 60; i++) {
            small.setCapacityBytes(small.usedBytes() + random.nextInt(12) * (long) BLOCK);
            int which = random.nextInt(2);
            byte[] next = contents[which].clone();
            int offset = random.nextInt(CHUNK);
            byte[] bytes = new byte[1 + random.nextInt(CHUNK - offset)];
            random.nextBytes(bytes);
            System.arraycopy(bytes, 0, next, offset, bytes.length);
            try {
                if (random.nextInt(6) == 0) {
                    world.zero(chunks[which], offset, bytes.length);
                    Arrays.fill(next, offset, offset + bytes.length, (byte) 0);
                } else {
                    world.write(chunks[which], offset, bytes);
                }
                contents[which] = next;
            } catch (FsException e) {
                assertEquals(Errno.ENOSPC, e.errno(), e.getMessage());
            }
            String place = "step " + i;
            assertArrayEquals(contents[0], world.readPadded(A, () -> place), place);
            assertArrayEquals(contents[1], world.readPadded(B, () -> place), place);
            if (random.nextInt(10) == 0) {
                boolean full = random.nextBoolean();
                small.setCapacityBytes(full ? small.usedBytes() : 1 << 30);
                small.setFullOfNames(full);
                if (random.nextBoolean()) {
                    small.kill();
                    world.reopen();
                } else {
                    world.restart();
                }
                assertEquals(List.of(), world.target().doubtful(), place);
                assertArrayEquals(contents[0], world.readPadded(A, () -> place), place);
                assertArrayEquals(contents[1], world.readPadded(B, () -> place), place);
                small.setFullOfNames(false);
            }
            assertTrue(world.target().healthy(), place);
            assertEquals(0, world.target().load().errors(), place);
        }
    }

    @Test
    void aFullDiskIsReadAfterEveryStartAndWrittenWhenThereIsRoom() throws Exception {
        StoreWorld world = open();
        byte[] synced = bytes(1, 3 * BLOCK);
        byte[] unsynced = bytes(2, 5 * BLOCK + 7);
        world.write(A, 0, synced);
        world.target().flush(A);
        world.write(B, 0, unsynced);
        for (int round = 0; round < 4; round++) {
            disk.setCapacityBytes(disk.usedBytes());
            disk.setFullOfNames(true);
            if (round % 2 == 0) {
                disk.kill();
                world.reopen();
            } else {
                world.restart();
            }
            assertArrayEquals(synced, world.read(A));
            assertArrayEquals(unsynced, world.read(B));
            for (int i = 0; i < 20; i++) {
                ChunkAddress fresh = chunk(300 + i, i % 2);
                StorageTargetTest.fails(Errno.ENOSPC, () -> world.write(fresh, 0, bytes(9, BLOCK)));
            }
            assertTrue(world.target().healthy());
            assertEquals(0, world.target().load().errors());
            disk.setCapacityBytes(1 << 30);
            disk.setFullOfNames(false);
            synced = bytes(10 + round, 3 * BLOCK);
            world.write(A, 0, synced);
            world.target().flush(A);
            world.write(chunk(100 + round, 0), 0, synced);
            assertArrayEquals(synced, world.read(chunk(100 + round, 0)));
        }
    }

    @Test
    void aSyncWithoutRoomIsNoFaultOfTheDisk() throws Exception {
        StoreWorld world = open();
        for (int i = 1; i <= 20; i++) {
            ChunkAddress chunk = chunk(i, 0);
            world.write(chunk, 0, bytes(i, 10));
            disk.findNoRoomInNextForce();
            StorageTargetTest.fails(Errno.ENOSPC, () -> world.target().flush(chunk));
            // What became of the bytes is not known: the blob waits for a peer's copy all the same.
            StorageTargetTest.fails(Errno.EIO, () -> world.read(chunk));
            assertTrue(world.target().healthy());
        }
        assertEquals(0, world.target().load().errors());
    }

    @Test
    void anIntentLogWithoutRoomIsBegunAnew() throws Exception {
        StoreWorld world = open();
        world.write(B, 0, bytes(1, BLOCK));
        world.target().flush(B);
        disk.findNoRoomInNextForce();
        StorageTargetTest.fails(Errno.ENOSPC, () -> world.write(B, 0, bytes(2, BLOCK)));
        assertTrue(world.target().healthy());
        assertArrayEquals(bytes(1, BLOCK), world.read(B));
        world.write(B, 0, bytes(3, BLOCK));
        disk.losePower(new Random(4));
        world.reopen();
        assertEquals(1, world.target().chunks().total());
        world.restart();
    }

    @Test
    void reserveIsKeptFree() throws Exception {
        disk.setCapacityBytes(4 << 20);
        StorageTarget target =
                StorageTarget.open(
                        disk,
                        Path.of("/target"),
                        new StoreSettings(2 << 20, 16, 16, new Random(3), Clock.system()));
        assertEquals(2 << 20, target.capacityBytes());
        StoreWorld.write(target, A, 0, bytes(1, CHUNK));
        int filled = 1;
        while (filled < 100) {
            ChunkAddress next = chunk(100 + filled, 0);
            byte[] data = bytes(filled, CHUNK);
            try {
                StoreWorld.write(target, next, 0, data);
            } catch (FsException e) {
                assertEquals(Errno.ENOSPC, e.errno());
                break;
            }
            filled++;
        }
        assertTrue(filled > 20 && filled < 33, filled + " chunks");
        assertTrue(disk.usableBytes(Path.of("/target")) >= (2 << 20) - CHUNK);
        StoreWorld.write(target, A, 0, bytes(7, CHUNK));
        assertThrows(
                FsException.class,
                () -> target.align(B, 0, StoreWorld.direct(bytes(8, 100_000)), new int[0]));
    }
}
