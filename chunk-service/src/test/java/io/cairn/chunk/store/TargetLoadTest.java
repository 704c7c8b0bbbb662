package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.BLOCK;
import static io.cairn.chunk.store.StoreWorld.bytes;
import static io.cairn.chunk.store.StoreWorld.chunk;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.master.TargetLoad;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a target counts for its server's heartbeats. */
final class TargetLoadTest {
    private static final ChunkAddress A = chunk(1, 0);
    private static final ChunkAddress B = chunk(2, 0);

    private final CrashDisk disk = new CrashDisk();
    private StoreWorld world;

    @BeforeEach
    void open() throws Exception {
        world = new StoreWorld(disk, Path.of("/target"));
    }

    private TargetLoad load() {
        return world.target().load();
    }

    private void damage(ChunkAddress chunk) throws Exception {
        try (DiskFile file = disk.open(world.path(chunk))) {
            file.write(ByteBuffer.wrap(bytes(99, BLOCK)), 0);
        }
    }

    @Test
    void readsWritesAndSyncsAreCountedWithTheirBytes() {
        assertEquals(0, load().writtenBytes());
        world.write(A, 0, bytes(1, 3 * BLOCK));
        world.write(A, BLOCK, bytes(2, BLOCK));
        world.target().flush(A);
        world.target().flush(A);
        world.read(A);
        world.target().meter().taken(7);
        world.target().meter().served(5);
        TargetLoad load = load();
        assertEquals(4 * BLOCK, load.writtenBytes());
        assertEquals(2, load.writes());
        assertEquals(1, load.syncs(), "nothing was left to sync");
        assertEquals(3 * BLOCK, load.readBytes());
        assertEquals(1, load.reads());
        assertEquals(7, load.takenBytes());
        assertEquals(5, load.servedBytes());
        assertTrue(load.writeNs() > 0 && load.syncNs() > 0 && load.readNs() > 0, load::toString);
        assertEquals(0, load.errors());
        assertTrue(load.errorAgoMs() < 0, load::toString);
    }

    @Test
    void aReplicaThatIsInstalledCountsAsWritten() {
        world.install(A, 3, bytes(1, 2 * BLOCK), 1);
        assertEquals(2 * BLOCK, load().writtenBytes());
        assertEquals(2, load().writes());
    }

    @Test
    void aSyncThatFailsIsOneErrorHoweverOftenTheBlobIsAskedFor() {
        world.write(A, 0, bytes(1, BLOCK));
        disk.failNextForce();
        StorageTargetTest.fails(Errno.EIO, () -> world.target().flush(A));
        StorageTargetTest.fails(Errno.EIO, () -> world.read(A));
        StorageTargetTest.fails(Errno.EIO, () -> world.target().flush(A));
        assertEquals(1, load().errors());
        assertEquals(0, load().syncs());
        assertTrue(load().errorAgoMs() >= 0, () -> load().toString());
    }

    @Test
    void aReadThatFailsIsAnError() {
        world.write(A, 0, bytes(1, BLOCK));
        disk.failNextRead();
        StorageTargetTest.fails(Errno.EIO, () -> world.read(A));
        assertEquals(1, load().errors());
    }

    @Test
    void aDamagedBlobIsAnErrorWhenItIsFound() throws Exception {
        world.write(A, 0, bytes(1, BLOCK));
        world.write(B, 0, bytes(2, BLOCK));
        damage(A);
        assertEquals(0, load().errors());
        assertFalse(world.target().verify(A));
        assertFalse(world.target().verify(A));
        assertTrue(world.target().verify(B));
        assertEquals(1, load().errors());
    }

    @Test
    void noRoomIsNoError() {
        disk.setCapacityBytes(disk.usedBytes());
        StorageTargetTest.fails(Errno.ENOSPC, () -> world.write(A, 0, bytes(1, BLOCK)));
        assertEquals(0, load().errors());
    }

    @Test
    void aProcessThatIsStartedAnewCountsFromNothing() throws Exception {
        world.write(A, 0, bytes(1, BLOCK));
        world.restart();
        assertEquals(0, load().writtenBytes());
        assertEquals(0, load().errors());
    }
}
