package io.cairn.chunk.store;

import io.cairn.base.FsException;
import io.cairn.chunk.store.blob.Alignment;
import io.cairn.chunk.store.blob.Blob;
import io.cairn.chunk.store.blob.BlobCache;
import io.cairn.chunk.store.blob.BlobContext;
import io.cairn.chunk.store.blob.BlobVerification;
import io.cairn.chunk.store.blob.DiskWork;
import io.cairn.chunk.store.blob.GroupPages;
import io.cairn.chunk.store.blob.Replacement;
import io.cairn.chunk.store.blob.Replacements;
import io.cairn.chunk.store.blob.TargetMeter;
import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.chunk.store.format.BlobCount;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlockRange;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.InstallPart;
import io.cairn.chunk.store.format.LedgerEntry.Mark;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetFormat;
import io.cairn.runtime.Disk;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRange;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import io.cairn.wire.master.TargetLoad;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One storage directory of a chunk server. Blocking and thread-safe; callers serialise the writes
 * (write, zero, clone, install, delete) of one chunk, everything else may run at any time.
 *
 * <p>Errors are {@link FsException}: EIO when the disk failed, when the blob is fenced after a
 * failed write or sync, or when it is damaged (install or delete it). NOT_READY while the blob is
 * in doubt after an unclean stop (install, settle or delete it). EBADMSG when a checksum does not
 * match; ENOSPC; ESTALE for a write sequence that is not above the last one; EINVAL for ranges
 * beyond a chunk.
 */
public final class StorageTarget implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StorageTarget.class);

    private final AtomicBoolean closed = new AtomicBoolean();
    private final BlobContext shelf;
    private final DiskWork disk;
    private final DirtyBlobs dirty;
    private final BlobCache blobs;
    private final Replacements replacements;
    private final AutoCloseable lock;
    private final TargetIdentity identity;
    private final GroupPages pages;
    private final ObjectRemains remains;
    private final BlobVerification verification;
    private final BlobGrants grants;

    StorageTarget(
            BlobContext shelf,
            StoreSettings settings,
            BlobCache blobs,
            TargetFormat format,
            AutoCloseable lock) {
        this.shelf = shelf;
        this.disk = new DiskWork(shelf, blobs);
        this.dirty = new DirtyBlobs(shelf, disk, settings.dirtyBlobs());
        this.blobs = blobs;
        this.replacements = new Replacements(shelf);
        this.pages = new GroupPages(shelf, blobs);
        this.remains = new ObjectRemains(shelf);
        this.verification = new BlobVerification(shelf, disk);
        this.grants = new BlobGrants(shelf, disk);
        this.identity = new TargetIdentity(shelf, format);
        this.lock = lock;
    }

    /**
     * Opens a storage directory, formatting it when it is empty or absent, and recovers from an
     * unclean stop.
     *
     * @throws TargetException when it cannot be used; the message names the file and the remedy
     */
    public static StorageTarget open(Disk disk, Path directory, StoreSettings settings)
            throws TargetException {
        return new TargetOpening(disk, directory, settings).run();
    }

    /** Random number written when the target was formatted. */
    public long identity() {
        return identity.format().identity();
    }

    /** The cluster it belongs to; 0 when freshly formatted. */
    public long clusterId() {
        return identity.format().clusterId();
    }

    /** Makes the target part of a cluster, durably; FOREIGN when it belongs to another one. */
    public void adoptCluster(long clusterId) throws TargetException {
        identity.adopt(clusterId);
    }

    /** Which processes had it. */
    public StartLog starts() {
        return identity.starts();
    }

    /** As {@link Disk#filesystem}. */
    public long filesystem() {
        return disk.attempt(() -> shelf.disk.filesystem(shelf.paths.root()));
    }

    /**
     * Looks whether the directory is still the one that was opened, else {@link #fault} says so.
     */
    public void requireHere() {
        disk.run(shelf::requireHere);
    }

    /** Size of the disk less the reserve, in bytes. */
    public long capacityBytes() {
        return disk.attempt(shelf.space::capacityBytes);
    }

    /** Bytes that may still be allocated; 0 when only the reserve is left. */
    public long freeBytes() {
        return disk.attempt(shelf.space::freeBytes);
    }

    /** Where it is. */
    public Path directory() {
        return shelf.paths.root();
    }

    /** The work done with it since it was opened. */
    public TargetLoad load() {
        return shelf.meter.load();
    }

    /** Counts what of it was for clients. */
    public TargetMeter meter() {
        return shelf.meter;
    }

    /** Number of blobs. */
    public BlobCount chunks() {
        return shelf.count;
    }

    /** Why the target is to be taken out of service; empty while it is well. */
    public String fault() {
        return shelf.fault();
    }

    /** False once the disk failed. */
    public boolean healthy() {
        return fault().isEmpty();
    }

    /**
     * State of a chunk. Sequence 0 when it is absent; also, with the epoch and length 0, when the
     * local replica cannot be used (in doubt, fenced or damaged), so that a comparison with a peer
     * leads to its replacement.
     */
    public ChunkState stat(int group, long oid, long index) {
        return disk.on(new BlobKey(group, oid, index), Blob::state);
    }

    /** Bytes of data allocated on the disk for a chunk; 0 when absent. */
    public long allocatedBytes(int group, long oid, long index) {
        return disk.on(
                new BlobKey(group, oid, index),
                blob -> blob.read(0L, body -> body.map().allocatedBytes()));
    }

    /**
     * Head: turns a client's write into a block-aligned one. Verifies the pieces of the payload and
     * the old blocks it merges (EBADMSG), and that there is room (ENOSPC). Changes nothing.
     *
     * @param data payload between position and limit, not moved
     * @param pieceCrcs CRC32C of each piece of the payload that lies in one block
     */
    public AlignedWrite align(
            ChunkAddress chunk, int offsetBytes, ByteBuffer data, int[] pieceCrcs) {
        Alignment.checkRange(offsetBytes, data.remaining(), chunk.chunkSizeLog2());
        Alignment.verifyPieces(data, offsetBytes, pieceCrcs);
        return disk.on(
                BlobKey.of(chunk),
                blob -> {
                    Alignment.checkSize(blob, chunk);
                    AlignedWrite write = Alignment.align(blob, offsetBytes, data, pieceCrcs);
                    shelf.space.check(Alignment.neededBytes(blob, write));
                    return write;
                });
    }

    /**
     * Applies a block-aligned write of at most 448 blocks; makes the chunk when absent. The buffer
     * is not moved and not verified.
     *
     * @param sequence above the last one (ESTALE)
     * @return newly allocated bytes
     */
    public int write(ChunkAddress chunk, long sequence, AlignedWrite write) {
        dirty.limit();
        long beganNs = shelf.meter.begin();
        int allocated =
                disk.on(
                        BlobKey.of(chunk),
                        blob -> {
                            Alignment.checkSize(blob, chunk);
                            int log2 = chunk.chunkSizeLog2();
                            Alignment.checkWrite(write, log2, Alignment.lengthBytes(blob));
                            long needed = Alignment.neededBytes(blob, write);
                            if (needed > 0) {
                                shelf.space.take(needed);
                            }
                            return blob.write(log2, chunk.epoch(), sequence, write);
                        });
        shelf.meter.written(beganNs, write.blocks().remaining());
        return allocated;
    }

    /**
     * Reads the whole blocks that cover a range, into a new direct buffer. Not verified; data and
     * checksums belong together whatever writes run at the same time.
     */
    public BlockRange read(ChunkAddress chunk, int offsetBytes, int lengthBytes) {
        return read(chunk, offsetBytes, lengthBytes, ByteBuffer::allocateDirect);
    }

    /** The same into a buffer asked for once, with at least so many bytes remaining. */
    public BlockRange read(
            ChunkAddress chunk, int offsetBytes, int lengthBytes, IntFunction<ByteBuffer> buffers) {
        Alignment.checkRange(offsetBytes, lengthBytes, chunk.chunkSizeLog2());
        long beganNs = shelf.meter.begin();
        BlockRange range =
                disk.on(
                        BlobKey.of(chunk),
                        blob -> {
                            Alignment.checkSize(blob, chunk);
                            return blob.read(offsetBytes, lengthBytes, buffers);
                        });
        shelf.meter.read(beganNs, range.blocks().remaining());
        return range;
    }

    /**
     * Makes a range zeros, whole blocks of it holes. Bytes beyond the length of the chunk are left
     * out; an absent chunk stays absent.
     *
     * @param sequence above the last one (ESTALE)
     * @return change of the allocated bytes, 0 or less
     */
    public int zero(ChunkAddress chunk, long sequence, int offsetBytes, int lengthBytes) {
        Alignment.checkRange(offsetBytes, lengthBytes, chunk.chunkSizeLog2());
        dirty.limit();
        return disk.on(
                BlobKey.of(chunk),
                blob -> {
                    Alignment.checkSize(blob, chunk);
                    return blob.zero(chunk.epoch(), sequence, offsetBytes, lengthBytes);
                });
    }

    /**
     * Makes a chunk from the first bytes of the same index of another object, durably, with
     * sequence 1. Does nothing when the chunk exists. An absent source gives an empty chunk; a
     * shorter one a chunk of its length.
     */
    public void cloneFrom(ChunkAddress chunk, long sourceOid, int lengthBytes) {
        Alignment.checkRange(0, lengthBytes, chunk.chunkSizeLog2());
        BlobKey key = BlobKey.of(chunk);
        if (disk.on(key, Blob::condition) != Condition.ABSENT) {
            return;
        }
        BlobKey source = new BlobKey(chunk.group(), sourceOid, chunk.index());
        Replacement clone =
                disk.on(
                        source,
                        blob -> {
                            Alignment.checkSize(blob, chunk);
                            return Replacement.cloned(shelf, blob, chunk, lengthBytes);
                        });
        disk.replace(key, clone);
    }

    /**
     * The first byte at or after the offset that is data (or a hole); -1 when there is none in the
     * chunk. The part beyond the length is a hole.
     */
    public int seek(ChunkAddress chunk, int offsetBytes, boolean data) {
        Alignment.checkRange(offsetBytes, 0, chunk.chunkSizeLog2());
        int none = data ? -1 : offsetBytes;
        return disk.on(
                BlobKey.of(chunk), blob -> blob.read(none, body -> body.seek(offsetBytes, data)));
    }

    /**
     * On return everything written to the chunk before is on stable media, its name included. A
     * failure fences the blob for ever: EIO until it is installed anew or deleted.
     */
    public void flush(ChunkAddress chunk) {
        dirty.flush(BlobKey.of(chunk));
    }

    /** Flushes every chunk with unsynced writes; EIO at the end when one failed. */
    public void flushAll() {
        dirty.flushAll();
    }

    /**
     * Builds a replacement beside the blob, verifying the blocks (EBADMSG; zeros with {@code
     * Crc32c.LOST_BLOCK} are taken, and stay a block that fails its checksum); with the last part
     * it is made durable and takes the blob's place. A replaced blob that was bad is kept in the
     * target's quarantine.
     *
     * @param epoch epoch of the group at write {@code part.sequence()}
     */
    public void install(ChunkAddress chunk, long epoch, InstallPart part) {
        Replacement.check(part, chunk.chunkSizeLog2());
        Alignment.verifyInstalled(part.blocks(), part.crcs());
        BlobKey key = BlobKey.of(chunk);
        long beganNs = shelf.meter.begin();
        int bytes = part.blocks().remaining();
        Replacement complete =
                disk.attempt(
                        () -> {
                            if (blobs.use(key, Blob::condition) == Condition.ABSENT) {
                                shelf.space.take(bytes);
                            } else {
                                shelf.space.lend(bytes);
                            }
                            return replacements.add(key, chunk.chunkSizeLog2(), epoch, part);
                        });
        shelf.meter.written(beganNs, bytes);
        if (complete != null) {
            disk.replace(key, complete);
        }
    }

    /** Deletes a chunk; nothing when absent. Durable after {@link #syncDeletions}. */
    public void delete(int group, long oid, long index) {
        disk.run(() -> blobs.delete(new BlobKey(group, oid, index)));
        if (shelf.hasManyDeletions()) {
            syncDeletions();
        }
    }

    /**
     * Deletes the chunks of an object from {@code fromIndex} up to, without, {@code endIndex}.
     * Durable after {@link #syncDeletions}.
     */
    public void deleteObject(int group, long oid, long fromIndex, long endIndex) {
        shelf.purge();
        disk.run(
                () -> {
                    for (long index : remains.of(group, oid, fromIndex, endIndex)) {
                        delete(group, oid, index);
                    }
                    remains.removeDirectory(group, oid);
                });
    }

    /**
     * Makes all deletions so far durable: until then power loss may bring chunks back. To be called
     * once before many deletions are reported as done.
     */
    public void syncDeletions() {
        disk.run(shelf::syncDeletions);
    }

    /**
     * The chunks of a group after (oid, index), at most {@code max}, in order of (oid, index); as
     * {@link #stat} tells them. Start with (0, -1).
     */
    public List<ChunkState> list(int group, long afterOid, long afterIndex, int max) {
        return disk.attempt(() -> pages.page(group, afterOid, afterIndex, max));
    }

    /** Indices of the chunks there are of a part of an object, in order, at most {@code max}. */
    public List<Long> find(int group, ChunkRange range, int max) {
        return disk.attempt(() -> pages.find(group, range, max));
    }

    /** As {@link GroupPages#delete}; durable after {@link #syncDeletions}. */
    public @Nullable BlobKey deleteGroup(int group, @Nullable BlobKey after, int max) {
        return disk.attempt(() -> pages.delete(group, after, max));
    }

    /** Reads all of a chunk off the medium: false when anything is wrong. True when absent. */
    public boolean verify(ChunkAddress chunk) {
        return verification.verify(BlobKey.of(chunk));
    }

    /** The same piece by piece, and for all blobs. */
    public BlobVerification verification() {
        return verification;
    }

    /** Leave for clients to read files themselves. */
    public BlobGrants grants() {
        return grants;
    }

    /** The groups that have or had blobs here, in order. */
    public List<Integer> groups() {
        return shelf.ledger.groups();
    }

    /** Whether a blob cannot be used as it is, as far as is known: see {@link #doubtful}. */
    public boolean isDoubtful(BlobKey key) {
        return shelf.troubles.containsKey(key);
    }

    /**
     * The write at which a chunk must be at least, whether its blob can be used or not; null when
     * nothing must be there.
     */
    public @Nullable WriteMark expected(BlobKey key) {
        return disk.on(
                key,
                blob -> {
                    Mark mark = blob.expected();
                    return mark.isKnown() ? new WriteMark(mark.epoch(), mark.sequence()) : null;
                });
    }

    /**
     * From now on a chunk must be at this write at least: a blob that is not, or is not there, is
     * damaged. The file stays where it is.
     */
    public void expect(BlobKey key, WriteMark mark) {
        disk.run(key, blob -> blob.expect(Mark.of(mark)));
    }

    /**
     * Blobs that cannot be used as they are, in order: in doubt after an unclean stop, damaged,
     * fenced, or with a block found bad. To be installed from a peer, or else settled.
     */
    public List<BlobKey> doubtful() {
        return List.copyOf(shelf.troubles.keySet());
    }

    /**
     * There is no peer: makes a blob in doubt usable as it stands, with new checksums, durably. Its
     * bytes may be no write at all, so they become the next one, of this epoch. Returns the last
     * write that is there for certain, if any. EIO when it is damaged rather than in doubt.
     */
    public @Nullable WriteMark settle(BlobKey key, long epoch) {
        return disk.on(key, blob -> blob.settle(epoch));
    }

    /** Flushes everything, marks the target clean and releases it. Idempotent. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            flushAll();
        } catch (FsException e) {
            LOG.warn("{}: not all blobs could be synced: {}", shelf.paths.root(), e.getMessage());
        }
        try {
            blobs.clear();
            replacements.clear();
            shelf.syncDeletions();
            shelf.log.rewrite();
            LOG.info("{}: closed, {} blobs", shelf.paths.root(), shelf.count);
        } catch (IOException e) {
            LOG.warn("{}: not stopped cleanly: {}", shelf.paths.root(), e.toString());
        } finally {
            release();
        }
    }

    private void release() {
        try {
            shelf.log.close();
            shelf.ledger.close();
            lock.close();
        } catch (Exception e) {
            LOG.warn("{}: releasing it: {}", shelf.paths.root(), e.toString());
        }
    }
}
