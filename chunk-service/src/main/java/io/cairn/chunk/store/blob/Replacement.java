package io.cairn.chunk.store.blob;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.Claim;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.InstallPart;
import io.cairn.chunk.store.format.LedgerEntry.Mark;
import io.cairn.chunk.store.format.PendingBlocks;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.chunk.store.pack.SlotTable;
import io.cairn.chunk.store.seal.Seal;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
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
    private @Nullable SlotTable slots;
    private int nextOffset;

    /**
     * Begins a file.
     *
     * @param version what the blob will be; the table sum is not used
     */
    Replacement(BlobContext shelf, BlobKey key, int chunkSizeLog2, BlobVersion version)
            throws IOException {
        this(shelf, key, shelf.paths.incoming(key), chunkSizeLog2, version);
    }

    private Replacement(
            BlobContext shelf, BlobKey key, Path path, int chunkSizeLog2, BlobVersion version)
            throws IOException {
        this.shelf = shelf;
        this.key = key;
        this.version = version;
        this.map = new BlockMap(chunkSizeLog2);
        shelf.requireHere();
        shelf.disk.makeDirectories(shelf.paths.incoming());
        shelf.disk.delete(path);
        Seal seal = shelf.seals.next(key);
        DiskFile raw = shelf.disk.openOrCreate(path);
        try {
            this.file = shelf.made(raw, path, chunkSizeLog2, seal);
        } catch (IOException e) {
            raw.close();
            shelf.disk.delete(path);
            throw e;
        }
    }

    Path path() {
        return file.path();
    }

    /** Blocks that a packed file takes less than a plain one; 0 for a plain one. */
    int savedBlocks() {
        SlotTable table = slots;
        return table == null ? 0 : table.savedBlocks(map.allocatedBytes());
    }

    /** A file with the first bytes of another blob, of its length at most. */
    public static Replacement cloned(
            BlobContext shelf, Blob source, ChunkAddress chunk, int lengthBytes)
            throws IOException {
        Optional<Replacement> clone =
                source.read(
                        Optional.<Replacement>empty(),
                        body -> {
                            int length = Math.min(lengthBytes, body.version().lengthBytes());
                            shelf.space.take(length);
                            return Optional.of(copyOf(body, empty(shelf, chunk, length)));
                        });
        return clone.isPresent() ? clone.get() : copyOf(null, empty(shelf, chunk, 0));
    }

    private static Replacement empty(BlobContext shelf, ChunkAddress chunk, int lengthBytes)
            throws IOException {
        BlobVersion version = new BlobVersion(chunk.epoch(), 1, lengthBytes, 0);
        return new Replacement(shelf, BlobKey.of(chunk), chunk.chunkSizeLog2(), version);
    }

    /** A file with all of a blob in some version, nothing of it filled yet. */
    private static Replacement beside(
            BlobContext shelf, BlobKey key, BlobBody source, BlobVersion version)
            throws IOException {
        int log2 = source.file().chunkSizeLog2();
        return new Replacement(shelf, key, shelf.paths.repacked(key), log2, version);
    }

    /**
     * A packed file of a synced plain blob that is not changed meanwhile. Null when it would not be
     * smaller by an eighth, or when the blob is not well; a block that fails its checksum is noted.
     * ENOSPC when the packed data finds no room.
     *
     * @param wanted whether somebody waits to change the blob: given up with EAGAIN then
     */
    static @Nullable Replacement packed(
            BlobContext shelf, BlobKey key, BlobBody source, Codec codec, BooleanSupplier wanted)
            throws IOException {
        SlotTable slots =
                new SlotTable(codec, source.file().chunkSizeLog2(), source.version().lengthBytes());
        if (shelf.troubles.containsKey(key)) {
            return null;
        }
        Replacement made = beside(shelf, key, source, source.version());
        boolean complete = false;
        try {
            if (!made.packAll(source, slots, wanted)) {
                return null;
            }
            made.finish();
            complete = true;
            return made;
        } finally {
            if (!complete) {
                made.abandon();
            }
        }
    }

    private boolean packAll(BlobBody source, SlotTable table, BooleanSupplier wanted)
            throws IOException {
        int blocks = (int) (source.map().allocatedBytes() / BLOCK);
        int most = blocks - Math.max(1, blocks / 8);
        int storedBlocks = 0;
        SlotTable.Packer packer = table.packer();
        for (int slot = 0; slot < table.slots(); slot++) {
            if (wanted.getAsBoolean()) {
                throw new FsException(Errno.EAGAIN, key + " is about to be changed");
            }
            int at = table.offsetOf(slot);
            int bytes = table.plainBytes(slot);
            ByteBuffer plain = ByteBuffer.wrap(packer.plain(), 0, bytes);
            source.file().read(plain, at);
            if (!isGood(source, plain.flip(), at / BLOCK)) {
                shelf.trouble(key, Condition.DAMAGED, "blocks fail their checksum");
                return false;
            }
            if (BlobLoader.isZero(plain, 0, bytes)) {
                continue;
            }
            ByteBuffer stored = packer.pack(slot);
            int some = (stored.remaining() + BLOCK - 1) / BLOCK;
            storedBlocks += some;
            if (storedBlocks > most) {
                return false;
            }
            shelf.space.take((long) some * BLOCK);
            file.write(stored, at);
        }
        if (storedBlocks > most) {
            return false; // There is nothing in it.
        }
        takeMap(source, source.map().blocks());
        slots = table;
        return true;
    }

    private static boolean isGood(BlobBody source, ByteBuffer plain, int firstBlock) {
        for (int at = 0; at < plain.limit(); at += BLOCK) {
            int length = Math.min(BLOCK, plain.limit() - at);
            if (BlobFile.entryOf(plain, at, length)
                    != source.map().entry(firstBlock + at / BLOCK)) {
                return false;
            }
        }
        return true;
    }

    /**
     * A plain file of a packed blob that is not changed meanwhile. A block that fails its checksum
     * fails it there as well.
     */
    static Replacement plain(BlobContext shelf, BlobKey key, BlobBody source) throws IOException {
        shelf.space.lend(source.map().allocatedBytes());
        Replacement made = beside(shelf, key, source, source.version());
        int length = source.version().lengthBytes();
        return made.filled(source, () -> made.copyData(source, length));
    }

    /**
     * A packed file of a packed blob after a change of nothing. The stored bytes stay as they are,
     * so it needs no more room than they do.
     *
     * @param epoch of the change
     * @param sequence of the change
     */
    static Replacement counted(
            BlobContext shelf, BlobKey key, BlobBody source, long epoch, long sequence)
            throws IOException {
        SlotTable table = Objects.requireNonNull(source.file().slots(), "it is plain");
        shelf.space.lend((long) BLOCK * table.storedBlocks());
        BlobVersion next = new BlobVersion(epoch, sequence, source.version().lengthBytes(), 0);
        Replacement made = beside(shelf, key, source, next);
        made.slots = table;
        return made.filled(source, () -> made.copyStored(source, table));
    }

    /** Completes one with all of a blob; removed when that fails. */
    private Replacement filled(BlobBody source, DiskWork.Step data) throws IOException {
        boolean complete = false;
        try {
            data.run();
            takeMap(source, source.map().blocks());
            finish();
            complete = true;
            return this;
        } finally {
            if (!complete) {
                abandon();
            }
        }
    }

    private void copyStored(BlobBody source, SlotTable table) throws IOException {
        for (int slot = 0; slot < table.slots(); slot++) {
            file.write(source.file().stored(table, slot), table.offsetOf(slot));
        }
    }

    /** Copies the first bytes of the blocks that are no holes, as they are read. */
    private void copyData(BlobBody source, int lengthBytes) throws IOException {
        ByteBuffer buffer = shelf.pieces.take();
        try {
            for (int at = 0; at < lengthBytes; at += BlobVerification.PIECE_BYTES) {
                int bytes = Math.min(BlobVerification.PIECE_BYTES, lengthBytes - at);
                source.file().read(buffer.clear().limit(bytes), at);
                for (int done = 0; done < bytes; done += BLOCK) {
                    if (source.map().isAllocated((at + done) / BLOCK)) {
                        int some = Math.min(BLOCK, bytes - done);
                        file.write(buffer.slice(done, some), at + done);
                    }
                }
            }
        } finally {
            shelf.pieces.give(buffer);
        }
    }

    private void takeMap(BlobBody source, int blocks) {
        for (int i = 0; i < blocks; i++) {
            map.setEntry(i, source.map().entry(i));
            map.setAllocated(i, source.map().isAllocated(i));
        }
    }

    /** Completes one with the first bytes of a blob, or with nothing. */
    private static Replacement copyOf(@Nullable BlobBody source, Replacement copy)
            throws IOException {
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
        if (source.isPacked() || source.file().keyNumber() != 0 || file.keyNumber() != 0) {
            copyData(source, whole * BLOCK);
        } else {
            shelf.disk.copyPrefix(source.file().path(), file.path(), (long) whole * BLOCK);
        }
        takeMap(source, whole);
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
                        map.bitmap(),
                        slots != null));
        if (slots != null) {
            file.writeSlots(slots);
        }
        file.force();
        file.close();
    }

    /**
     * Notes that it is about to take the place of its blob.
     *
     * @param existed whether there is a file of the blob
     */
    void announce(BlobRecord record, boolean existed) throws IOException {
        shelf.beforeCreation(key);
        // So that the next process makes the new name durable if this one does not.
        shelf.log.beforeWrite(key, existed ? Claim.NONE : null);
        record.beforeReplacement(Mark.of(version));
    }

    /**
     * Takes the place of its blob, durably.
     *
     * @param existed whether there is a file of the blob
     * @param bad whether that one is kept in the quarantine
     */
    void place(BlobRecord record, boolean existed, boolean bad) throws IOException {
        shelf.makeDirectory(key);
        if (existed && bad) {
            shelf.quarantine(key);
            shelf.count.add(key.group(), -1);
        }
        shelf.disk.rename(path(), shelf.paths.blob(key));
        if (!existed || bad) {
            shelf.count.add(key.group(), 1);
        }
        shelf.forceName(key);
        record.synced(version, savedBlocks());
        shelf.log.forget(key);
    }

    /** Removes the file, if it did not take its place, after a failure that goes on. */
    void giveUp(Exception failure) {
        try {
            abandon();
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
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
