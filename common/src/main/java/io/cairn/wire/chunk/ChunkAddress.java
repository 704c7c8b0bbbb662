package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/**
 * Where a request goes, what it is about, and as of when.
 *
 * @param group placement group
 * @param epoch the group's epoch as the sender knows it
 * @param oid data object, not 0
 * @param index chunk index in the file
 * @param chunkSizeLog2 16..26
 * @param snapshot number of the newest snapshot that the sender knows; 0 = none
 * @param ticket the sender's right to it; servers among themselves have none
 */
public record ChunkAddress(
        int group,
        long epoch,
        long oid,
        long index,
        int chunkSizeLog2,
        long snapshot,
        Ticket ticket) {
    /** The address of a sender who knows no snapshot and has no ticket. */
    public ChunkAddress(int group, long epoch, long oid, long index, int chunkSizeLog2) {
        this(group, epoch, oid, index, chunkSizeLog2, 0, Ticket.NONE);
    }

    void encode(Encoder out) {
        out.i32(group).i64(epoch).i64(oid).i64(index).u8(chunkSizeLog2).i64(snapshot);
        ticket.encode(out);
    }

    static ChunkAddress decode(Decoder in) {
        return new ChunkAddress(
                in.i32(), in.i64(), in.i64(), in.i64(), in.u8(), in.i64(), Ticket.decode(in));
    }

    /** The same with a ticket. */
    public ChunkAddress showing(Ticket shown) {
        return new ChunkAddress(group, epoch, oid, index, chunkSizeLog2, snapshot, shown);
    }
}
