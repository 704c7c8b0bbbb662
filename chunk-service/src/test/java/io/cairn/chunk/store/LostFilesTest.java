package io.cairn.chunk.store;

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
import io.cairn.chunk.store.format.InstallPart;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A target whose files are not what they were when it is opened again. */
class LostFilesTest {
    private static final Path ROOT = Path.of("/target");
    private static final ChunkAddress A = chunk(0x10, 0);
    private static final ChunkAddress B = chunk(0x10, 4);
    private static final ChunkAddress NEVER = chunk(0x11, 0);

    private final CrashDisk disk = new CrashDisk();
    private final TargetPaths paths = new TargetPaths(ROOT);
    private long boot = 7;
    private StorageTarget target = open();

    private StorageTarget open() {
        try {
            StoreSettings settings =
                    new StoreSettings(0, 16, 16, new Random(7), Clock.system())
                            .withBoot(() -> boot);
            return StorageTarget.open(disk, ROOT, settings);
        } catch (TargetException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void write() {
        StoreWorld.write(target, A, 0, bytes(1, 9000));
        StoreWorld.write(target, B, 0, bytes(2, 9000));
    }

    private void reopen() {
        target = open();
    }

    private int length(ChunkAddress chunk) {
        return target.read(chunk, 0, CHUNK).lengthBytes();
    }

    private void isLost(ChunkAddress chunk) {
        StorageTargetTest.fails(Errno.EIO, () -> length(chunk));
        StorageTargetTest.fails(Errno.EIO, () -> target.seek(chunk, 0, true));
        StorageTargetTest.fails(Errno.EIO, () -> target.cloneFrom(chunk(0x99, 0), 0x10, 100));
        StorageTargetTest.fails(Errno.EIO, () -> target.settle(key(chunk), 9));
        assertTrue(target.isDoubtful(key(chunk)));
        assertEquals(0, target.stat(chunk.group(), chunk.oid(), chunk.index()).sequence());
    }

    @Test
    void aMissingFileIsNoHole() throws Exception {
        target.close();
        disk.delete(paths.blob(key(A)));
        reopen();
        isLost(A);
        assertEquals(9000, length(B));
        assertEquals(0, length(NEVER));
        assertEquals(new WriteMark(5, 1), target.expected(key(A)));
        List<ChunkState> all = target.list(StoreWorld.GROUP, 0, -1, 10);
        assertEquals(2, all.size());
        assertEquals(0, all.get(0).sequence());
        assertEquals(1, target.chunks().total());
        target.close();
        reopen();
        isLost(A);
    }

    @Test
    void aMissingDirectoryAndAMissingGroupAreNoHoles() throws Exception {
        target.close();
        disk.delete(paths.blob(key(A)));
        disk.delete(paths.blob(key(B)));
        disk.delete(paths.objectDirectory(StoreWorld.GROUP, 0x10));
        disk.delete(paths.slice(key(A)));
        disk.delete(paths.group(StoreWorld.GROUP));
        reopen();
        isLost(A);
        StorageTargetTest.fails(Errno.EIO, () -> length(B));
        assertEquals(List.of(StoreWorld.GROUP), target.groups());
        assertEquals(2, target.doubtful().size());
    }

    @Test
    void aFileThatGoesWhileTheProcessRunsIsNoHole() throws Exception {
        disk.delete(paths.blob(key(B)));
        for (int oid = 0x100; oid < 0x180; oid++) {
            StoreWorld.write(target, chunk(oid, 0), 0, bytes(oid, 10));
        }
        StorageTargetTest.fails(Errno.EIO, () -> length(B));
    }

    @Test
    void anEarlierFileIsNotTakenForTheLastOne() throws Exception {
        target.close();
        disk.copyPrefix(paths.blob(key(A)), Path.of("/earlier"), 2L * CHUNK);
        reopen();
        StoreWorld.write(target, A, 0, bytes(3, 9000));
        target.close();
        disk.copyPrefix(Path.of("/earlier"), paths.blob(key(A)), 2L * CHUNK);
        reopen();
        isLost(A);
    }

    @Test
    void theEndOfTheProcessLosesNothingUnsynced() throws Exception {
        disk.kill();
        disk.delete(paths.blob(key(A)));
        reopen();
        isLost(A);
        assertEquals(9000, length(B));
    }

    @Test
    void whatWasNotSyncedMayGoWithThePower() throws Exception {
        disk.kill();
        disk.delete(paths.blob(key(A)));
        boot++;
        reopen();
        assertEquals(0, length(A));
        assertFalse(target.isDoubtful(key(A)));
    }

    @Test
    void whatWasSyncedMayNot() throws Exception {
        target.flush(A);
        disk.kill();
        disk.delete(paths.blob(key(A)));
        boot++;
        reopen();
        isLost(A);
    }

    @Test
    void whatWasDeletedIsNotMissed() {
        target.delete(A.group(), A.oid(), A.index());
        target.deleteObject(B.group(), B.oid(), 0, 10);
        target.close();
        reopen();
        assertEquals(0, length(A));
        assertEquals(0, length(B));
        assertEquals(List.of(), target.doubtful());
    }

    @Test
    void deletionAndReplacementEndTheLoss() throws Exception {
        target.close();
        disk.delete(paths.blob(key(A)));
        disk.delete(paths.blob(key(B)));
        reopen();
        target.deleteObject(B.group(), B.oid(), 1, 10);
        assertEquals(0, length(B));
        byte[] copy = bytes(8, 4096);
        ByteBuffer blocks = StoreWorld.direct(copy);
        target.install(
                A, 5, new InstallPart(9, 4096, 0, blocks, StoreWorld.blockCrcs(blocks), true));
        target.close();
        reopen();
        byte[] read = new byte[4096];
        target.read(A, 0, 4096).blocks().get(read);
        assertArrayEquals(copy, read);
        assertEquals(List.of(), target.doubtful());
    }

    @Test
    void whatAPeerKnowsOfIsNotTakenForAHole() {
        target.expect(key(NEVER), new WriteMark(6, 3));
        StorageTargetTest.fails(Errno.EIO, () -> length(NEVER));
        target.expect(key(A), new WriteMark(5, 1));
        assertEquals(9000, length(A));
        target.expect(key(A), new WriteMark(5, 2));
        StorageTargetTest.fails(Errno.EIO, () -> length(A));
        assertTrue(disk.holds(paths.blob(key(A))));
        target.close();
        reopen();
        StorageTargetTest.fails(Errno.EIO, () -> length(A));
        StorageTargetTest.fails(Errno.EIO, () -> length(NEVER));
    }

    @Test
    void aTargetThatWasEmptiedIsRefused() throws Exception {
        target.close();
        disk.delete(paths.ledger(StoreWorld.GROUP));
        StoreSettings settings = StoreSettings.standard(new Random(1), Clock.system());
        TargetException refused =
                assertThrows(TargetException.class, () -> StorageTarget.open(disk, ROOT, settings));
        assertEquals(TargetException.Reason.CORRUPT, refused.reason());
    }
}
