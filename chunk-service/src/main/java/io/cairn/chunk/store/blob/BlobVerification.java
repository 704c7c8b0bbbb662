package io.cairn.chunk.store.blob;

import io.cairn.base.Wording;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.LedgerEntry;
import io.cairn.chunk.store.format.ScrubPosition;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.chunk.store.seal.Keyring;
import io.cairn.runtime.Disk;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads blobs of a target as they lie on the medium and compares them with their checksums, with
 * the ledger, and with what memory holds of them. What it finds is in the list of troubles
 * afterwards. Thread-safe.
 */
public final class BlobVerification {
    private static final Logger LOG = LoggerFactory.getLogger(BlobVerification.class);

    /** What one step reads. */
    public static final int PIECE_BYTES = 1 << 20;

    /** Chunks that are looked up one by one; for more of them the whole ledger is read. */
    private static final int NOTED = 4096;

    private static final int BLOCK = Limits.BLOCK_BYTES;

    private final BlobContext shelf;
    private final DiskWork disk;
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder verified = new LongAdder();
    private final LongAdder packed = new LongAdder();
    private final LongAdder savedBytes = new LongAdder();

    /**
     * The outcome of one step.
     *
     * @param good whether nothing wrong was found in this piece
     * @param nextBytes where the next piece begins; below 0 at the end
     */
    public record Step(boolean good, int nextBytes) {}

    /** Of the blobs of a target. */
    public BlobVerification(BlobContext shelf, DiskWork disk) {
        this.shelf = shelf;
        this.disk = disk;
    }

    /** The blobs of a group that have a file, in order. The ledger is not asked. */
    public List<BlobKey> present(int group) {
        return disk.attempt(
                () ->
                        GroupListing.read(shelf.disk, shelf.paths, group)
                                .after(Long.MIN_VALUE, -1, Integer.MAX_VALUE));
    }

    /** The blobs of a group that there are or must be, in order. */
    public List<BlobKey> blobs(int group) {
        return disk.attempt(
                () -> {
                    List<BlobKey> present = present(group);
                    TreeSet<BlobKey> all = new TreeSet<>(present);
                    all.addAll(shelf.ledger.missing(group, new HashSet<>(present)));
                    return List.copyOf(all);
                });
    }

    /** The chunks of an object that must be there, in order, up to a number. */
    public List<Long> noted(int group, ChunkRange range, int max) {
        return disk.attempt(
                () -> {
                    if (range.endIndex() - range.fromIndex() > NOTED) {
                        return shelf.ledger.noted(group, range, max);
                    }
                    List<Long> noted = new ArrayList<>();
                    for (long i = range.fromIndex();
                            i < range.endIndex() && noted.size() < max;
                            i++) {
                        LedgerEntry entry = shelf.ledger.find(new BlobKey(group, range.oid(), i));
                        if (entry != null && entry.latest().isKnown()) {
                            noted.add(i);
                        }
                    }
                    return noted;
                });
    }

    /**
     * Verifies a piece of a blob. One that cannot be used is found at the first piece, and has no
     * other.
     *
     * @param fromBytes 0, or what the last step said
     */
    public Step verify(BlobKey key, int fromBytes) {
        return disk.on(
                key,
                blob -> {
                    AtomicBoolean sound = new AtomicBoolean(true);
                    if (fromBytes == 0) {
                        verified.increment();
                        blob.lookAgain(
                                body -> {
                                    sound.set(isOnMedium(body));
                                    return sound.get();
                                });
                    }
                    if (blob.condition() != Condition.GOOD || !sound.get()) {
                        return new Step(blob.condition() == Condition.ABSENT, -1);
                    }
                    return blob.read(new Step(true, -1), body -> step(key, body, fromBytes));
                });
    }

    /** Verifies a whole blob: false when anything is wrong with it. True when absent. */
    public boolean verify(BlobKey key) {
        boolean known = shelf.troubles.containsKey(key);
        boolean good = true;
        int at = 0;
        while (at >= 0) {
            Step step = verify(key, at);
            good &= step.good;
            at = step.nextBytes;
        }
        if (good && known && disk.on(key, Blob::condition) == Condition.GOOD) {
            shelf.troubles.remove(key);
        }
        return good;
    }

    /**
     * Packs a blob that is not changed for now: it takes less room, and reads as before. The next
     * change makes it plain again. Nothing is done when the blob is absent or not well, when it was
     * packed before, and when it would not become smaller by an eighth. May run at any time; reads
     * do not wait for it. A change of the chunk waits for one slot: then this fails with EAGAIN.
     * ENOSPC when the packed data finds no room.
     *
     * @return whether it was packed now
     */
    public boolean pack(BlobKey key, Codec codec) {
        long saved = disk.on(key, blob -> blob.pack(codec));
        if (saved > 0) {
            packed.increment();
            savedBytes.add(saved);
        }
        return saved > 0;
    }

    /** The keys of the server, which its targets share. */
    public Keyring keys() {
        return shelf.seals.ring();
    }

    /** Keys have changed: stores that durably, and closes what dropped ones encrypt. Blocks. */
    public void refreshKeys() {
        disk.refreshKeys();
    }

    /** When the file of a blob was changed last, as {@link Disk#modifiedMs}; -1 when absent. */
    public long modifiedMs(BlobKey key) {
        return disk.attempt(
                () -> {
                    try {
                        return shelf.disk.modifiedMs(shelf.paths.blob(key));
                    } catch (NoSuchFileException e) {
                        return -1L;
                    }
                });
    }

    /** Blobs packed so far. */
    public long packedBlobs() {
        return packed.sum();
    }

    /** Bytes that these took less then, also of those that were changed since. */
    public long savedBytes() {
        return savedBytes.sum();
    }

    /** Bytes that the packed blobs of now take less than plain ones would, 0 or more. */
    public long savingBytes() {
        return shelf.ledger.savedBytes();
    }

    /** Bytes of data read so far. */
    public long readBytes() {
        return readBytes.sum();
    }

    /** Blobs looked at so far. */
    public long verifiedBlobs() {
        return verified.sum();
    }

    /** Whether it merely waits for a peer's copy after an unclean stop, as blobs may. */
    public boolean isInDoubt(BlobKey key) {
        return shelf.log.isDoubtful(key);
    }

    /** Whether it was given up on purpose, because the key that encrypts it was dropped. */
    public boolean isLost(BlobKey key) {
        return shelf.lost.contains(key) || shelf.seals.ring().isLost(key.group());
    }

    /** Whether any blob is not well, or was not a moment ago. */
    public boolean hasTroubles() {
        return !shelf.troubles.isEmpty() || !shelf.found.isEmpty();
    }

    /** The damaged blobs that were found since the last call, and why. */
    public Map<BlobKey, String> takeFound() {
        Map<BlobKey, String> taken = new TreeMap<>(shelf.found);
        taken.forEach(shelf.found::remove);
        return taken;
    }

    /** Bad files that are kept in the quarantine of the target. */
    public int quarantined() {
        return shelf.quarantined();
    }

    /** Where the last process was; null when that is not known. */
    public @Nullable ScrubPosition position() {
        try {
            shelf.countQuarantined();
            if (!shelf.disk.exists(shelf.paths.scrub())) {
                return null;
            }
            try (DiskFile file = shelf.disk.open(shelf.paths.scrub())) {
                ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), 1 << 20));
                file.readAll(bytes, 0);
                return ScrubPosition.decode(bytes.flip());
            }
        } catch (IOException e) {
            LOG.info("{}: all is verified anew: {}", shelf.paths.scrub(), Wording.of(e));
            return null;
        }
    }

    /** Keeps it for the next process. */
    public void keep(ScrubPosition position) {
        try {
            shelf.requireHere();
            shelf.disk.delete(shelf.paths.newScrub());
            try (DiskFile file = shelf.disk.openOrCreate(shelf.paths.newScrub())) {
                file.write(position.encode(), 0);
            }
            shelf.disk.rename(shelf.paths.newScrub(), shelf.paths.scrub());
        } catch (IOException e) {
            shelf.notice(e);
            LOG.debug("{}: {}", shelf.paths.scrub(), Wording.of(e));
        }
    }

    private DiskFile uncached(BlobBody body) throws IOException {
        return body.file().over(shelf.disk.openUncached(body.file().path()));
    }

    /** Whether the medium has header pages and checksums as memory holds them. */
    private boolean isOnMedium(BlobBody body) {
        if (!body.isTidy()) {
            return true; // It is stored later.
        }
        ByteBuffer buffer = shelf.pieces.take();
        try (DiskFile file = uncached(body)) {
            ByteBuffer wanted = body.trailer();
            int bytes = (wanted.remaining() + BLOCK - 1) & -BLOCK;
            file.readAll(buffer.limit(bytes), 1L << body.file().chunkSizeLog2());
            buffer.flip();
            return buffer.limit(Math.min(buffer.limit(), wanted.remaining())).equals(wanted);
        } catch (NoSuchFileException e) {
            return true; // Deleted a moment ago; the next look finds it.
        } catch (IOException e) {
            LOG.warn("{}: {}", body.file().path(), e.getMessage());
            return false;
        } finally {
            shelf.pieces.give(buffer);
        }
    }

    private Step step(BlobKey key, BlobBody body, int fromBytes) {
        int length = body.version().lengthBytes();
        int bytes = Math.min(PIECE_BYTES, length - fromBytes);
        if (bytes <= 0) {
            return new Step(true, -1);
        }
        int next = fromBytes + bytes < length ? fromBytes + bytes : -1;
        ByteBuffer buffer = shelf.pieces.take();
        try (DiskFile file = uncached(body)) {
            file.readAll(buffer.limit((bytes + BLOCK - 1) & -BLOCK), fromBytes);
            readBytes.add(bytes);
            ByteBuffer data = body.file().unpacked(buffer, fromBytes, bytes);
            int bad = bad(body, data, fromBytes, bytes);
            if (bad > 0) {
                shelf.trouble(key, Condition.DAMAGED, bad + " blocks fail their checksum");
            }
            return new Step(bad == 0, next);
        } catch (NoSuchFileException e) {
            return new Step(true, 0); // It went since the step before: looked at anew.
        } catch (IOException e) {
            shelf.trouble(key, Condition.DAMAGED, "it cannot be read: " + e.getMessage());
            return new Step(false, -1);
        } finally {
            shelf.pieces.give(buffer);
        }
    }

    private static int bad(BlobBody body, ByteBuffer buffer, int fromBytes, int bytes) {
        int bad = 0;
        int read = buffer.position();
        for (int at = 0; at < bytes; at += BLOCK) {
            int length = Math.min(BLOCK, bytes - at);
            boolean good =
                    at + length <= read
                            && BlobFile.entryOf(buffer, at, length)
                                    == body.map().entry((fromBytes + at) / BLOCK);
            bad += good ? 0 : 1;
        }
        return bad;
    }
}
