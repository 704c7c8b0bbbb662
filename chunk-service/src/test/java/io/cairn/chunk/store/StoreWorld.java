package io.cairn.chunk.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.chunk.store.blob.Alignment;
import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlockRange;
import io.cairn.chunk.store.format.InstallPart;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.chunk.store.seal.Keyring;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Disk;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** A target on some disk and the ways in which tests use it. */
final class StoreWorld {
    static final int LOG2 = 16;
    static final int CHUNK = 1 << LOG2;
    static final int BLOCK = Limits.BLOCK_BYTES;
    static final int GROUP = 3;

    /** A chunk that has blocks which do not match their checksums. */
    static final class BadBlock extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadBlock(String message) {
            super(message);
        }
    }

    final Disk disk;
    final Path directory;
    private final StoreSettings settings;
    private StorageTarget target;

    StoreWorld(Disk disk, Path directory) throws TargetException {
        this(disk, directory, new Keyring(null));
    }

    /** One whose server knows keys. */
    StoreWorld(Disk disk, Path directory, Keyring keys) throws TargetException {
        this.disk = disk;
        this.directory = directory;
        this.settings = new StoreSettings(0, 16, 16, new Random(7), Clock.system()).withKeys(keys);
        this.target = StorageTarget.open(disk, directory, settings);
    }

    StorageTarget target() {
        return target;
    }

    /** Opens again, after a crash or a close. */
    void reopen() throws TargetException {
        target = StorageTarget.open(disk, directory, settings);
    }

    /** Stops cleanly and opens again. */
    void restart() throws TargetException {
        target.close();
        reopen();
    }

    static ChunkAddress chunk(long oid, long index) {
        return new ChunkAddress(GROUP, 5, oid, index, LOG2);
    }

    static BlobKey key(ChunkAddress chunk) {
        return new BlobKey(chunk.group(), chunk.oid(), chunk.index());
    }

    Path path(ChunkAddress chunk) {
        return new TargetPaths(directory).blob(key(chunk));
    }

    ChunkState stat(ChunkAddress chunk) {
        return target.stat(chunk.group(), chunk.oid(), chunk.index());
    }

    /** Writes as the head of a group does. */
    int write(ChunkAddress chunk, int offset, byte[] bytes) {
        return write(target, chunk, offset, bytes);
    }

    /** The same on any target. */
    static int write(StorageTarget target, ChunkAddress chunk, int offset, byte[] bytes) {
        ByteBuffer payload = direct(bytes);
        AlignedWrite write = target.align(chunk, offset, payload, Crc32c.ofPieces(payload, offset));
        Alignment.verifyBlocks(write.blocks(), write.crcs());
        long last = target.stat(chunk.group(), chunk.oid(), chunk.index()).sequence();
        return target.write(chunk, last + 1, write);
    }

    int zero(ChunkAddress chunk, int offset, int length) {
        return target.zero(chunk, stat(chunk).sequence() + 1, offset, length);
    }

    /** Replaces a chunk in parts of some blocks. */
    void install(ChunkAddress chunk, long sequence, byte[] bytes, int partBlocks) {
        int part = partBlocks * BLOCK;
        int at = 0;
        do {
            int end = Math.min(bytes.length, at + part);
            ByteBuffer blocks = direct(Arrays.copyOfRange(bytes, at, end));
            boolean last = end == bytes.length;
            target.install(
                    chunk,
                    4,
                    new InstallPart(sequence, bytes.length, at, blocks, blockCrcs(blocks), last));
            at = end;
        } while (at < bytes.length);
    }

    static int[] blockCrcs(ByteBuffer blocks) {
        int[] crcs = new int[(blocks.remaining() + BLOCK - 1) / BLOCK];
        for (int i = 0; i < crcs.length; i++) {
            int length = Math.min(BLOCK, blocks.remaining() - i * BLOCK);
            crcs[i] = Crc32c.ofPadded(blocks, blocks.position() + i * BLOCK, length);
        }
        return crcs;
    }

    /** The chunk up to its length, verified as a client does. */
    byte[] read(ChunkAddress chunk) {
        BlockRange range = target.read(chunk, 0, CHUNK);
        assertEquals(0, range.offsetBytes());
        assertEquals(range.lengthBytes(), range.blocks().remaining());
        int[] crcs = blockCrcs(range.blocks());
        List<Integer> bad = new ArrayList<>();
        for (int i = 0; i < crcs.length; i++) {
            if (crcs[i] != range.crcs()[i]) {
                bad.add(i);
            }
        }
        if (!bad.isEmpty()) {
            throw new BadBlock(chunk + " blocks " + bad);
        }
        byte[] bytes = new byte[range.blocks().remaining()];
        range.blocks().get(bytes);
        return bytes;
    }

    /** The same continued with zeros to the size of a chunk. */
    byte[] readPadded(ChunkAddress chunk, Supplier<String> place) {
        try {
            return Arrays.copyOf(read(chunk), CHUNK);
        } catch (BadBlock e) {
            throw new BadBlock(place.get() + e.getMessage());
        }
    }

    static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
