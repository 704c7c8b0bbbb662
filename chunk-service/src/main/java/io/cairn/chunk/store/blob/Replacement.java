package io.cairn.chunk.store.blob;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.InstallPart;
import io.cairn.chunk.store.format.PendingBlocks;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A blob file that is built in {@code incoming/} from parts that come in order, to take the place
 * of a blob. Used by one thread at a time.
 */
public final class Replacement {
    private static final int BLOCK = Limits.BLOCK_BYTES;

    private final BlobContext shelf;
    private final BlobKey key;
    private final BlobVersion version;
    private final BlobFile file;
    private final BlockMap map;
    private int nextOffset;

    /**
     * Begins a file.
     *
     * @param version what the blob will be; the table sum is not used
     */
    Replacement(BlobContext shelf, BlobKey key, int chunkSizeLog2, BlobVersion version)
            throws IOException {
        this.shelf = shelf;
        this.key = key;
        this.version = version;
        this.map = new BlockMap(chunkSizeLog2);
        Path path = shelf.paths.incoming(key);
        shelf.requireHere();
        shelf.disk.makeDirectories(shelf.paths.incoming());
        shelf.disk.delete(path);
        this.file = new BlobFile(shelf.disk.openOrCreate(path), path, chunkSizeLog2, shelf.scratch);
    }

    Path path() {
        return file.path();
    }

    /** The version that the blob will have. */
    BlobVersion version() {
        return version;
    }

    /** Completes one with the first bytes of a blob, or with nothing. */
    static Replacement copyOf(@Nullable BlobBody source, Replacement copy) throws IOException {
        try {
            if (source != null) {
                copy.copyFrom(source);
            }
            copy.finish();
            return copy;
        } catch (IOException | FsException e) {
            copy.abandon();
            throw e;
        }
    }

    /** Whether a part continues this. */
    boolean isContinuedBy(long epoch, InstallPart part) {
        return part.offsetBytes() >= nextOffset
                && version.epoch() == epoch
                && version.sequence() == part.sequence()
                && version.lengthBytes() == part.lengthBytes();
    }

    /** Takes a part that was checked and verified. Blocks of zeros become holes. */
    void add(InstallPart part) throws IOException {
        ByteBuffer blocks = part.blocks();
        int first = part.offsetBytes() / BLOCK;
        int run = 0;
        for (int i = 0; i <= part.crcs().length; i++) {
            boolean stored = i < part.crcs().length && !isHole(blocks, i, part.crcs()[i]);
            if (stored) {
                map.setEntry(first + i, part.crcs()[i] ^ Crc32c.ZERO_BLOCK);
                map.setAllocated(first + i, true);
                continue;
            }
            if (run < i) {
                int from = run * BLOCK;
                int bytes = Math.min(i * BLOCK, blocks.remaining()) - from;
                file.write(
                        blocks.slice(blocks.position() + from, bytes), part.offsetBytes() + from);
            }
            run = i + 1;
        }
        nextOffset = part.offsetBytes() + blocks.remaining();
    }

    private static boolean isHole(ByteBuffer blocks, int i, int crc) {
        int from = i * BLOCK;
        return crc == Crc32c.ZERO_BLOCK
                && BlobLoader.isZero(
                        blocks,
                        blocks.position() + from,
                        Math.min(BLOCK, blocks.remaining() - from));
    }

    /**
     * Takes the first bytes of a blob that does not change meanwhile. Whole blocks keep their
     * checksums; the last one, when cut, is verified (EBADMSG) and gets a new one.
     */
    void copyFrom(BlobBody source) throws IOException {
        int whole = version.lengthBytes() / BLOCK;
        int rest = version.lengthBytes() % BLOCK;
        shelf.disk.copyPrefix(source.file().path(), file.path(), (long) whole * BLOCK);
        for (int i = 0; i < whole; i++) {
            map.setEntry(i, source.map().entry(i));
            map.setAllocated(i, source.map().isAllocated(i));
        }
        if (rest > 0) {
            ByteBuffer last = source.readBlock(whole).limit(rest);
            int crc = Crc32c.ofPadded(last, 0, rest);
            add(
                    new InstallPart(
                            version.sequence(),
                            version.lengthBytes(),
                            whole * BLOCK,
                            last,
                            new int[] {crc},
                            true));
        }
    }

    /** Writes table and header and makes all of it durable; the file is closed. */
    void finish() throws IOException {
        BlobVersion complete =
                new BlobVersion(
                        version.epoch(), version.sequence(), version.lengthBytes(), map.sum());
        file.writeTable(map, 0, map.blocks()); // Which gives the file its length.
        file.writeHeader(
                0,
                new BlobHeader(
                        key,
                        file.chunkSizeLog2(),
                        1,
                        complete.sequence(),
                        complete,
                        complete,
                        PendingBlocks.NONE,
                        map.bitmap()));
        file.force();
        file.close();
    }

    /** Removes the file. */
    void abandon() throws IOException {
        file.close();
        shelf.disk.delete(file.path());
    }

    /** EINVAL unless a part fits a chunk of a certain size. */
    public static void check(InstallPart part, int chunkSizeLog2) {
        int bytes = part.blocks().remaining();
        long end = part.offsetBytes() + (long) bytes;
        Alignment.checkRange(part.offsetBytes(), bytes, chunkSizeLog2);
        Alignment.checkRange(0, part.lengthBytes(), chunkSizeLog2);
        if (part.sequence() < 1
                || end > part.lengthBytes()
                || !Alignment.isAligned(part.offsetBytes(), end, part.lengthBytes())) {
            throw new FsException(
                    Errno.EINVAL,
                    "a part of %d bytes at %d of a chunk of length %d at write %d"
                            .formatted(
                                    bytes,
                                    part.offsetBytes(),
                                    part.lengthBytes(),
                                    part.sequence()));
        }
    }
}
