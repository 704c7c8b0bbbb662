package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.BLOCK;
import static io.cairn.chunk.store.StoreWorld.CHUNK;
import static io.cairn.chunk.store.StoreWorld.bytes;
import static io.cairn.chunk.store.StoreWorld.chunk;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlockRange;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.wire.chunk.ChunkAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Damage to the file of a blob that was written, synced and closed: never wrong bytes. */
class DamageTest {
    private static final ChunkAddress A = chunk(0x77, 0);
    private static final int TABLE = CHUNK + 2 * BlobHeader.PAGE_BYTES;

    private final CrashDisk disk = new CrashDisk();
    private StoreWorld world;
    private byte[] contents;
    private Path path;

    @BeforeEach
    void write() throws Exception {
        world = new StoreWorld(disk, Path.of("/target"));
        contents = Arrays.copyOf(bytes(1, 3 * BLOCK + 77), 9 * BLOCK + 500);
        world.write(A, 0, bytes(1, 3 * BLOCK + 77));
        world.target().flush(A);
        byte[] more = bytes(2, 2 * BLOCK);
        System.arraycopy(more, 0, contents, 7 * BLOCK + 500, more.length);
        world.write(A, 7 * BLOCK + 500, more);
        world.target().close();
        path = world.path(A);
    }

    /** Opens and reads: the right bytes, or a refusal. */
    private boolean isReadable(String what) throws TargetException {
        world.reopen();
        try {
            assertArrayEquals(contents, world.read(A), what);
            return true;
        } catch (StoreWorld.BadBlock e) {
            return false;
        } catch (FsException e) {
            assertEquals(Errno.EIO, e.errno(), what);
            assertEquals(List.of(StoreWorld.key(A)), world.target().doubtful(), what);
            assertEquals(0, world.stat(A).sequence(), "a peer's copy replaces it");
            return false;
        } finally {
            world.target().close();
        }
    }

    @Test
    void everyChangedByteOfTheTrailer() throws Exception {
        int readable = 0;
        int end = TABLE + 4 * CHUNK / BLOCK;
        for (int offset = CHUNK; offset < end && offset < disk.sizeOf(path); offset++) {
            if (offset % BLOCK > 400 && offset % 97 > 0) {
                continue; // Unused parts of the header pages: samples.
            }
            disk.flip(path, offset);
            readable += isReadable("byte " + offset) ? 1 : 0;
            restore(offset);
        }
        assertTrue(readable > 0, "the older header page does not matter");
    }

    private void restore(int offset) throws TargetException {
        // The store may have repaired the byte: then it is flipped back by nobody.
        world.reopen();
        world.target().delete(A.group(), A.oid(), 0);
        world.write(A, 0, bytes(1, 3 * BLOCK + 77));
        world.target().flush(A);
        world.write(A, 7 * BLOCK + 500, bytes(2, 2 * BLOCK));
        world.target().close();
        assertTrue(offset >= CHUNK);
    }

    @Test
    void everyTruncation() throws Exception {
        long size = disk.sizeOf(path);
        for (long cut = size - 1; cut >= 0; cut -= cut > CHUNK ? 61 : 3001) {
            disk.cut(path, cut);
            assertFalse(cut < CHUNK + 100 && isReadable("cut at " + cut), "cut at " + cut);
            isReadable("cut at " + cut);
        }
        disk.cut(path, 0);
        assertFalse(isReadable("empty"));
    }

    @Test
    void lostTableEntriesAreRestored() throws Exception {
        disk.corrupt(path, TABLE, new byte[4 * CHUNK / BLOCK]);
        assertTrue(isReadable("the header proves the checksums of the data"));
        world.reopen();
        assertTrue(world.target().verify(A));
        assertEquals(List.of(), world.target().doubtful());
    }

    @Test
    void changedDataIsNoticedBlockByBlock() throws Exception {
        for (int block : new int[] {0, 3, 5, 9}) {
            disk.flip(path, (long) block * BLOCK + 100);
            world.reopen();
            BlockRange range = world.target().read(A, 0, CHUNK);
            int[] crcs = StoreWorld.blockCrcs(range.blocks());
            for (int i = 0; i < crcs.length; i++) {
                assertEquals(i != block, crcs[i] == range.crcs()[i], "block " + i);
            }
            assertFalse(world.target().verify(A));
            world.target().close();
            disk.flip(path, (long) block * BLOCK + 100);
        }
    }

    @Test
    void changedDataAndLostTableIsRefused() throws Exception {
        disk.flip(path, 100);
        disk.corrupt(path, TABLE, new byte[4]);
        assertFalse(isReadable("data and checksum of block 0 are bad"));
        world.reopen();
        StorageTargetTest.fails(Errno.EIO, () -> world.target().settle(StoreWorld.key(A), 9));
        StorageTargetTest.fails(Errno.EIO, () -> world.write(A, 0, contents));
        world.install(A, 20, contents, 3);
        assertArrayEquals(contents, world.read(A));
        assertEquals(1, disk.filesBelow(Path.of("/target/quarantine")).size());
    }

    @Test
    void fileOfAnotherChunkIsRefused() throws Exception {
        world.reopen();
        ChunkAddress other = chunk(0x177, 0);
        world.write(other, 0, bytes(5, 100));
        world.target().close();
        disk.copyPrefix(world.path(other), path, 2L * CHUNK);
        assertFalse(isReadable("its header names another chunk"));
    }

    @Test
    void laterFormatIsRefusedAndKept() throws Exception {
        disk.corrupt(path, CHUNK + 8, new byte[] {0, 0, 0, 9});
        disk.corrupt(path, CHUNK + BlobHeader.PAGE_BYTES + 8, new byte[] {0, 0, 0, 9});
        assertFalse(isReadable("version 9"));
        assertTrue(disk.holds(path));
    }
}
