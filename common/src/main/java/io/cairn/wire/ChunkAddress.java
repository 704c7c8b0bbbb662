package io.cairn.wire;

/**
 * Where a request goes and what it is about.
 *
 * @param group placement group
 * @param epoch the group's epoch as the sender knows it
 * @param oid data object, not 0
 * @param index chunk index in the file
 * @param chunkSizeLog2 16..26
 */
public record ChunkAddress(int group, long epoch, long oid, long index, int chunkSizeLog2) {
    void encode(Encoder out) {
        out.i32(group).i64(epoch).i64(oid).i64(index).u8(chunkSizeLog2);
    }

    static ChunkAddress decode(Decoder in) {
        return new ChunkAddress(in.i32(), in.i64(), in.i64(), in.i64(), in.u8());
    }

    /** The same for another epoch. */
    public ChunkAddress withEpoch(long newEpoch) {
        return new ChunkAddress(group, newEpoch, oid, index, chunkSizeLog2);
    }
}
