package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.BLOCK;
import static io.cairn.chunk.store.StoreWorld.CHUNK;
import static io.cairn.chunk.store.StoreWorld.GROUP;
import static io.cairn.chunk.store.StoreWorld.bytes;
import static io.cairn.chunk.store.StoreWorld.chunk;
import static io.cairn.chunk.store.StoreWorld.direct;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.chunk.store.format.BlockRange;
import io.cairn.chunk.store.format.InstallPart;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.runtime.FileDisk;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The store on a real disk. */
class StorageTargetTest {
    private static final ChunkAddress A = chunk(0x1122334455667788L, 0);
    private static final ChunkAddress B = chunk(0x42, 7);

    @TempDir Path temporary;
    private StoreWorld world;

    @BeforeEach
    void open() throws Exception {
        world = new StoreWorld(new FileDisk(), temporary.resolve("target"));
    }

    @AfterEach
    void close() {
        world.target().close();
    }

    @Test
    void absentChunkIsEmpty() {
        assertEquals(0, world.stat(A).sequence());
        assertEquals(0, world.read(A).length);
        assertTrue(world.target().verify(A));
        assertEquals(-1, world.target().seek(A, 0, true));
        assertEquals(100, world.target().seek(A, 100, false));
        assertEquals(0, world.zero(A, 0, 100));
        world.target().flush(A);
        world.target().delete(GROUP, A.oid(), 0);
        assertEquals(0, world.target().chunks().total());
    }

    @Test
    void readsWhatWasWritten() {
        byte[] data = bytes(1, 3 * BLOCK + 100);
        assertEquals(4 * BLOCK, world.write(A, 0, data));
        assertArrayEquals(data, world.read(A));
        assertEquals(new ChunkState(A.oid(), 0, 16, 5, 1, data.length), world.stat(A));
        assertEquals(4 * BLOCK, world.target().allocatedBytes(GROUP, A.oid(), 0));
        assertEquals(1, world.target().chunks().total());
        assertEquals(List.of(GROUP), world.target().groups());
    }

    @Test
    void mergesPartialBlocks() {
        byte[] expected = bytes(2, 2 * BLOCK + 200);
        world.write(A, 0, expected);
        overwrite(expected, 10, bytes(3, 20));
        overwrite(expected, BLOCK - 5, bytes(4, 10));
        overwrite(expected, 100, bytes(5, 2 * BLOCK));
        expected = Arrays.copyOf(expected, 3 * BLOCK);
        byte[] tail = bytes(6, 100);
        System.arraycopy(tail, 0, expected, 3 * BLOCK - 100, 100);
        world.write(A, 3 * BLOCK - 100, tail);
        assertArrayEquals(expected, world.read(A));
        assertEquals(5, world.stat(A).sequence());
    }

    private void overwrite(byte[] expected, int offset, byte[] bytes) {
        System.arraycopy(bytes, 0, expected, offset, bytes.length);
        world.write(A, offset, bytes);
        assertArrayEquals(expected, world.read(A));
    }

    @Test
    void gapsReadAsZeros() {
        byte[] data = bytes(7, 10);
        world.write(A, 5 * BLOCK + 17, data);
        byte[] expected = new byte[5 * BLOCK + 27];
        System.arraycopy(data, 0, expected, 5 * BLOCK + 17, 10);
        assertArrayEquals(expected, world.read(A));
        assertEquals(BLOCK, world.target().allocatedBytes(GROUP, A.oid(), 0));
        assertEquals(5 * BLOCK, world.target().seek(A, 0, true));
        assertEquals(0, world.target().seek(A, 0, false));
        assertEquals(expected.length, world.target().seek(A, 5 * BLOCK, false));
    }

    @Test
    void readsRangesOfBlocks() {
        byte[] data = bytes(8, CHUNK);
        world.write(A, 0, data);
        BlockRange range = world.target().read(A, BLOCK + 1, BLOCK);
        assertEquals(BLOCK, range.offsetBytes());
        assertEquals(2 * BLOCK, range.blocks().remaining());
        assertEquals(CHUNK, range.lengthBytes());
        ByteBuffer expected = ByteBuffer.wrap(data, BLOCK, 2 * BLOCK);
        assertEquals(expected, range.blocks());
        assertArrayEquals(StoreWorld.blockCrcs(expected), range.crcs());
        ByteBuffer own = ByteBuffer.allocateDirect(CHUNK).position(3);
        BlockRange into = world.target().read(A, BLOCK, 5, bytes -> own);
        assertEquals(ByteBuffer.wrap(data, BLOCK, BLOCK), into.blocks());
        assertEquals(3, into.blocks().position());
        assertEquals(-1, world.target().seek(A, 0, false));
    }

    @Test
    void zeroMakesHoles() {
        byte[] data = bytes(9, 6 * BLOCK + 10);
        world.write(A, 0, data);
        assertEquals(-3 * BLOCK, world.zero(A, BLOCK - 1, 3 * BLOCK + 2));
        Arrays.fill(data, BLOCK - 1, 4 * BLOCK + 1, (byte) 0);
        assertArrayEquals(data, world.read(A));
        assertEquals(-BLOCK, world.zero(A, 6 * BLOCK, CHUNK - 6 * BLOCK));
        Arrays.fill(data, 6 * BLOCK, data.length, (byte) 0);
        assertArrayEquals(data, world.read(A));
        assertEquals(3, world.stat(A).sequence());
        assertEquals(0, world.zero(A, CHUNK - 10, 10));
        assertEquals(4, world.stat(A).sequence());
        assertTrue(world.target().verify(A));
    }

    @Test
    void clonesPrefixes() {
        byte[] data = bytes(10, 4 * BLOCK + 10);
        world.write(A, 0, data);
        ChunkAddress clone = chunk(77, 0);
        world.target().cloneFrom(clone, A.oid(), 2 * BLOCK + 5);
        assertArrayEquals(Arrays.copyOf(data, 2 * BLOCK + 5), world.read(clone));
        assertEquals(1, world.stat(clone).sequence());
        world.target().cloneFrom(clone, A.oid(), 5);
        assertEquals(2 * BLOCK + 5, world.stat(clone).lengthBytes());
        ChunkAddress longer = chunk(78, 0);
        world.target().cloneFrom(longer, A.oid(), CHUNK);
        assertArrayEquals(data, world.read(longer));
        ChunkAddress ofNothing = chunk(79, 1);
        world.target().cloneFrom(ofNothing, 4711, CHUNK);
        assertEquals(1, world.stat(ofNothing).sequence());
        assertEquals(0, world.stat(ofNothing).lengthBytes());
        world.write(clone, 2 * BLOCK + 5, bytes(11, 10));
        assertArrayEquals(data, world.read(A));
    }

    @Test
    void installsReplacements() {
        world.write(B, 0, bytes(12, 100));
        byte[] data = bytes(13, 9 * BLOCK + 1);
        Arrays.fill(data, 2 * BLOCK, 5 * BLOCK, (byte) 0);
        world.install(B, 40, data, 2);
        assertArrayEquals(data, world.read(B));
        assertEquals(new ChunkState(B.oid(), 7, 16, 4, 40, data.length), world.stat(B));
        assertEquals(7 * BLOCK, world.target().allocatedBytes(GROUP, B.oid(), 7));
        assertEquals(1, world.target().chunks().total());
        world.install(B, 41, new byte[0], 1);
        assertEquals(0, world.read(B).length);
        assertEquals(41, world.stat(B).sequence());
        ByteBuffer part = direct(bytes(14, BLOCK));
        int[] crcs = StoreWorld.blockCrcs(part);
        fails(
                Errno.EINVAL,
                () ->
                        world.target()
                                .install(
                                        B,
                                        4,
                                        new InstallPart(50, CHUNK, BLOCK, part, crcs, false)));
    }

    @Test
    void survivesRestart() throws Exception {
        byte[] a = bytes(15, CHUNK);
        byte[] b = bytes(16, 10);
        world.write(A, 0, a);
        world.write(B, 5, b);
        long identity = world.target().identity();
        world.target().adoptCluster(99);
        world.restart();
        assertEquals(identity, world.target().identity());
        assertEquals(99, world.target().clusterId());
        assertEquals(2, world.target().chunks().total());
        assertArrayEquals(a, world.read(A));
        assertEquals(15, world.read(B).length);
        assertEquals(List.of(), world.target().doubtful());
    }

    @Test
    void deletesObjects() {
        for (int i = 0; i < 5; i++) {
            world.write(chunk(9, i), 0, bytes(i, 10));
        }
        world.write(chunk(10, 0), 0, bytes(1, 10));
        world.target().deleteObject(GROUP, 9, 3, 4);
        assertEquals(0, world.stat(chunk(9, 3)).sequence());
        assertEquals(5, world.target().chunks().total());
        world.target().deleteObject(GROUP, 9, 0, Long.MAX_VALUE);
        assertEquals(1, world.target().chunks().total());
        assertFalse(Files.exists(new TargetPaths(world.directory).objectDirectory(GROUP, 9)));
        world.write(chunk(9, 3), 0, bytes(3, 10));
        assertEquals(1, world.stat(chunk(9, 3)).sequence());
    }

    @Test
    void listsInOrder() {
        List<ChunkAddress> chunks = new ArrayList<>();
        for (long oid : new long[] {1, 2, 256, 257, 0x7000000000000001L}) {
            for (long index : new long[] {0, 1, 2, 10, 100}) {
                if ((oid + index) % 3 != 0) {
                    chunks.add(chunk(oid, index));
                }
            }
        }
        for (int i = chunks.size() - 1; i >= 0; i--) {
            world.write(chunks.get(i), 0, bytes(i, i + 1));
        }
        for (int max : new int[] {1, 3, 100}) {
            List<ChunkState> listed = new ArrayList<>();
            long oid = 0;
            long index = -1;
            List<ChunkState> page;
            do {
                page = world.target().list(GROUP, oid, index, max);
                listed.addAll(page);
                if (!page.isEmpty()) {
                    oid = page.get(page.size() - 1).oid();
                    index = page.get(page.size() - 1).index();
                }
            } while (!page.isEmpty());
            assertEquals(chunks.stream().map(world::stat).toList(), listed);
        }
        assertEquals(List.of(), world.target().list(4, 0, -1, 10));
    }

    @Test
    void refusesWrongInput() {
        ByteBuffer payload = direct(bytes(20, 100));
        int[] wrong = {Crc32c.of(payload) + 1};
        fails(Errno.EBADMSG, () -> world.target().align(A, 0, payload, wrong));
        fails(Errno.EINVAL, () -> world.target().align(A, 0, payload, new int[2]));
        int[] right = {Crc32c.of(payload)};
        fails(Errno.EINVAL, () -> world.target().align(A, CHUNK - 50, payload, right));
        fails(Errno.EINVAL, () -> world.target().align(A, -1, payload, right));
        fails(Errno.EINVAL, () -> world.target().read(A, 0, CHUNK + 1));
        AlignedWrite write = world.target().align(A, 0, payload, right);
        world.target().write(A, 3, write);
        fails(Errno.ESTALE, () -> world.target().write(A, 3, write));
        AlignedWrite shorter = new AlignedWrite(0, 50, write.blocks(), write.crcs());
        fails(Errno.EINVAL, () -> world.target().write(A, 4, shorter));
        ChunkAddress otherSize = new ChunkAddress(GROUP, 5, A.oid(), 0, 17);
        fails(Errno.EINVAL, () -> world.target().read(otherSize, 0, 1));
    }

    @Test
    void mergingABadBlockFails() throws Exception {
        world.write(A, 0, bytes(21, 2 * BLOCK));
        flip(world.path(A), BLOCK + 9);
        fails(Errno.EBADMSG, () -> world.write(A, BLOCK + 100, bytes(22, 10)));
        fails(Errno.EBADMSG, () -> world.zero(A, BLOCK + 100, 10));
        assertThrows(StoreWorld.BadBlock.class, () -> world.read(A));
        assertFalse(world.target().verify(A));
        assertEquals(List.of(StoreWorld.key(A)), world.target().doubtful());
        fails(Errno.EIO, () -> world.target().settle(StoreWorld.key(A), 9));
        byte[] good = bytes(23, 100);
        world.install(A, 9, good, 1);
        assertArrayEquals(good, world.read(A));
        assertEquals(List.of(), world.target().doubtful());
        Path quarantine = new TargetPaths(world.directory).quarantine();
        try (var files = Files.list(quarantine)) {
            assertEquals(1, files.count(), "the bad file is kept");
        }
    }

    @Test
    void keepsMoreBlobsThanItMayOpen() {
        for (int i = 0; i < 100; i++) {
            world.write(chunk(i + 1, 0), 0, bytes(i, 100));
        }
        for (int i = 0; i < 100; i++) {
            world.write(chunk(i + 1, 0), 50, bytes(i + 1, 10));
        }
        world.target().flushAll();
        for (int i = 0; i < 100; i++) {
            byte[] expected = bytes(i, 100);
            System.arraycopy(bytes(i + 1, 10), 0, expected, 50, 10);
            assertArrayEquals(expected, world.read(chunk(i + 1, 0)));
        }
    }

    private static void flip(Path path, long offset) throws Exception {
        try (var disk = new FileDisk().open(path)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            disk.read(one, offset);
            one.put(0, (byte) ~one.get(0));
            disk.write(one.flip(), offset);
        }
    }

    static void fails(Errno errno, Executable executable) {
        assertEquals(errno, assertThrows(FsException.class, executable).errno());
    }
}
