package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.GROUP;
import static io.cairn.chunk.store.StoreWorld.bytes;
import static io.cairn.chunk.store.StoreWorld.chunk;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.wire.chunk.ChunkAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Objects of which all chunks are deleted. */
class PurgedObjectsTest {
    private static final List<ChunkAddress> CHUNKS = List.of(chunk(9, 0), chunk(9, 4), chunk(9, 5));

    private final CrashDisk disk = new CrashDisk();
    private final StoreWorld world;

    PurgedObjectsTest() throws Exception {
        world = new StoreWorld(disk, Path.of("/target"));
        for (ChunkAddress chunk : CHUNKS) {
            world.write(chunk, 0, bytes(chunk.index(), 9000));
            world.target().flush(chunk);
        }
    }

    private void purge() {
        world.target().deleteObject(GROUP, 9, 0, Long.MAX_VALUE);
    }

    private void isGone() {
        for (ChunkAddress chunk : CHUNKS) {
            assertEquals(0, world.stat(chunk).sequence(), chunk::toString);
        }
        assertEquals(0, world.target().chunks().total());
        assertTrue(world.target().doubtful().isEmpty(), world.target().doubtful()::toString);
    }

    @Test
    void whatAKilledProcessDeletedStaysSoOnceItIsConfirmed() throws Exception {
        for (int seed = 0; seed < 20; seed++) {
            PurgedObjectsTest test = new PurgedObjectsTest();
            test.purge();
            test.disk.kill();
            test.world.reopen();
            test.purge();
            test.world.target().syncDeletions();
            test.disk.losePower(new Random(seed));
            test.world.reopen();
            test.isGone();
        }
    }

    @Test
    void whatIsMadeAfterTheStartIsFound() throws Exception {
        world.restart();
        purge();
        isGone();
        ChunkAddress later = chunk(10, 3);
        world.install(later, 5, bytes(3, 5000), 1);
        world.target().deleteObject(GROUP, 10, 0, Long.MAX_VALUE);
        assertEquals(0, world.stat(later).sequence());
        isGone();
    }

    @Test
    void aFileThatIsGoneLeavesNothingToLookFor() throws Exception {
        disk.remove(world.path(CHUNKS.get(0)));
        purge();
        world.restart();
        isGone();
    }

    @Test
    void aDiskWithoutRoomForOverwritingGetsSomeFromWhatIsDeleted() throws Exception {
        disk.findNoRoomInNextWrites(1);
        purge();
        world.target().syncDeletions();
        isGone();
        world.restart();
        isGone();
    }

    @Test
    void whatCouldNotBeNotedIsDeletedWhenItIsAskedForAgain() throws Exception {
        disk.findNoRoomInNextWrites(2);
        FsException full =
                assertThrows(FsException.class, () -> world.target().deleteObject(GROUP, 9, 4, 5));
        assertEquals(Errno.ENOSPC, full.errno());
        purge();
        world.target().syncDeletions();
        isGone();
        world.restart();
        isGone();
    }

    @Test
    void whereNothingIsTheDiskIsNotAsked() {
        world.target().deleteObject(GROUP, 77, 0, Long.MAX_VALUE);
        world.target().syncDeletions();
        long before = disk.changes();
        for (int oid = 1000; oid < 1100; oid++) {
            world.target().deleteObject(GROUP, oid, 0, Long.MAX_VALUE);
        }
        world.target().syncDeletions();
        assertEquals(before, disk.changes());
    }
}
