package io.cairn.chunk.store;

import io.cairn.runtime.Disk;
import io.cairn.wire.ChunkReply.ChunkState;
import io.cairn.wire.ChunkRequest.ChunkAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;

/**
 * One storage directory of a chunk server. Blocking and thread-safe; callers serialise the writes
 * (write, zero, clone, install, delete) of one chunk, everything else may run at any time.
 *
 * <p>Errors are {@link io.cairn.fs.FsException}: EIO when the disk failed or the blob is fenced
 * after a failed write or sync, or damaged (install or delete it); NOT_READY while the blob is in
 * doubt after an unclean stop (install, settle or delete it); EBADMSG when a checksum does not
 * match; ENOSPC; ESTALE for a write sequence that is not above the last one; EINVAL for ranges
 * outside of the chunk.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class StorageTarget implements AutoCloseable {
    private StorageTarget() {}

    /**
     * Opens a storage directory, formatting it when it is empty or absent, and recovers from an
     * unclean stop.
     *
     * @throws TargetException when it cannot be used; the message names the file and the remedy
     */
    public static StorageTarget open(Disk disk, Path directory, StoreSettings settings)
            throws TargetException {
        throw unfinished();
    }

    /** Random number written when the target was formatted. */
    public long identity() {
        throw unfinished();
    }

    /** The cluster it belongs to; 0 when freshly formatted. */
    public long clusterId() {
        throw unfinished();
    }

    /**
     * Makes the target part of a cluster, durably. Does nothing when it is already.
     *
     * @throws TargetException FOREIGN when it belongs to another one, UNUSABLE when it cannot be
     *     written
     */
    public void adoptCluster(long clusterId) throws TargetException {
        throw unfinished();
    }

    /** Size of the disk less the reserve, in bytes. */
    public long capacityBytes() {
        throw unfinished();
    }

    /** What may still be allocated, in bytes; 0 when only the reserve is left. */
    public long freeBytes() {
        throw unfinished();
    }

    /** Number of blobs. */
    public long chunkCount() {
        throw unfinished();
    }

    /** False once the disk failed: the target should be taken out of service. */
    public boolean healthy() {
        throw unfinished();
    }

    /**
     * State of a chunk. Sequence 0 when it is absent; also, with the epoch and length 0, when the
     * local replica cannot be used (in doubt, fenced or damaged), so that a comparison with a peer
     * leads to its replacement.
     */
    public ChunkState stat(int group, long oid, long index) {
        throw unfinished();
    }

    /** Bytes of data allocated on the disk for a chunk; 0 when absent. */
    public long allocatedBytes(int group, long oid, long index) {
        throw unfinished();
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
        throw unfinished();
    }

    /**
     * Member: verifies the blocks of a write that came from the head, before {@link #write}.
     * EBADMSG when one does not match. Pure.
     */
    public static void verifyBlocks(ByteBuffer blocks, int[] crcs) {
        throw unfinished();
    }

    /**
     * Applies a block-aligned write of at most 448 blocks; makes the chunk when absent. The buffer
     * is not moved and not verified.
     *
     * @param sequence above the last one (ESTALE)
     * @return newly allocated bytes
     */
    public int write(ChunkAddress chunk, long sequence, AlignedWrite write) {
        throw unfinished();
    }

    /**
     * Reads the whole blocks that cover a range, into a new direct buffer. Not verified; data and
     * checksums belong together whatever writes run at the same time.
     */
    public BlockRange read(ChunkAddress chunk, int offsetBytes, int lengthBytes) {
        return read(chunk, offsetBytes, lengthBytes, ByteBuffer::allocateDirect);
    }

    /**
     * The same into a buffer of the caller's: {@code buffers} is asked once for one with at least
     * as many bytes remaining as it is told.
     */
    public BlockRange read(
            ChunkAddress chunk, int offsetBytes, int lengthBytes, IntFunction<ByteBuffer> buffers) {
        throw unfinished();
    }

    /**
     * Makes a range zeros, whole blocks of it holes. What lies beyond the length of the chunk is
     * left out; an absent chunk stays absent.
     *
     * @param sequence above the last one (ESTALE)
     * @return change of the allocated bytes, 0 or less
     */
    public int zero(ChunkAddress chunk, long sequence, int offsetBytes, int lengthBytes) {
        throw unfinished();
    }

    /**
     * Makes a chunk from the first bytes of the same index of another object, durably, with
     * sequence 1. Does nothing when the chunk exists. An absent source gives an empty chunk; a
     * shorter one a chunk of its length.
     */
    public void cloneFrom(ChunkAddress chunk, long sourceOid, int lengthBytes) {
        throw unfinished();
    }

    /**
     * The first byte at or after the offset that is data (or a hole); -1 when there is none before
     * the end of the chunk. The end itself counts as a hole.
     */
    public int seek(ChunkAddress chunk, int offsetBytes, boolean data) {
        throw unfinished();
    }

    /**
     * On return everything written to the chunk before is on stable media, its name included. A
     * failure fences the blob for ever: EIO until it is installed anew or deleted.
     */
    public void flush(ChunkAddress chunk) {
        throw unfinished();
    }

    /** Flushes every chunk with unsynced writes; EIO at the end when one failed. */
    public void flushAll() {
        throw unfinished();
    }

    /**
     * Builds a replacement beside the blob, verifying the blocks (EBADMSG); with the last part it
     * is made durable and takes the blob's place. A replaced blob that was bad is kept in the
     * target's quarantine.
     *
     * @param epoch epoch of the group at write {@code part.sequence()}
     */
    public void install(ChunkAddress chunk, long epoch, InstallPart part) {
        throw unfinished();
    }

    /** Deletes a chunk; nothing when absent. */
    public void delete(int group, long oid, long index) {
        throw unfinished();
    }

    /** Deletes the chunks of an object from {@code fromIndex} up to, without, {@code endIndex}. */
    public void deleteObject(int group, long oid, long fromIndex, long endIndex) {
        throw unfinished();
    }

    /**
     * The chunks of a group after (oid, index), at most {@code max}, in order of (oid, index); as
     * {@link #stat} tells them. Start with (0, -1).
     */
    public List<ChunkState> list(int group, long afterOid, long afterIndex, int max) {
        throw unfinished();
    }

    /** Checks all blocks of a chunk: false when one fails. True when absent. */
    public boolean verify(ChunkAddress chunk) {
        throw unfinished();
    }

    /** The groups that have blobs here, in order. */
    public List<Integer> groups() {
        throw unfinished();
    }

    /**
     * Blobs whose contents an unclean stop left in doubt, or that are damaged: to be installed from
     * a peer, or settled when there is none. They refuse everything else until then.
     */
    public List<BlobKey> doubtful() {
        throw unfinished();
    }

    /**
     * There is no peer: makes a blob in doubt usable as it stands, giving the blocks that an intent
     * record covers new checksums. EIO when the blob is damaged rather than in doubt.
     */
    public void settle(BlobKey key) {
        throw unfinished();
    }

    /** Flushes everything, marks the target clean and releases it. */
    @Override
    public void close() {
        throw unfinished();
    }

    private static UnsupportedOperationException unfinished() {
        return new UnsupportedOperationException("the blob store is being built");
    }
}
