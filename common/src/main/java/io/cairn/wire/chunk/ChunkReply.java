package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.TypedMessage;
import java.util.List;

/** A reply of a chunk server. Failures travel as failure frames, not as replies. */
public sealed interface ChunkReply extends TypedMessage {
    @Override
    ChunkReplyType type();

    /** Nothing to tell. */
    record Done() implements ChunkReply {
        @Override
        public ChunkReplyType type() {
            return ChunkReplyType.DONE;
        }

        @Override
        public void encode(Encoder out) {}

        static Done decode(Decoder in) {
            return new Done();
        }
    }

    /**
     * Applied by all current members.
     *
     * @param sequence the chunk's write sequence
     * @param lengthBytes length of the chunk afterwards
     * @param allocatedDeltaBytes bytes newly allocated (negative: freed) on one replica
     * @param epoch epoch of the group at write {@code sequence}; together they name the write
     */
    record WriteReply(long sequence, int lengthBytes, int allocatedDeltaBytes, long epoch)
            implements ChunkReply {
        @Override
        public ChunkReplyType type() {
            return ChunkReplyType.WRITE;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(sequence).i32(lengthBytes).i32(allocatedDeltaBytes).i64(epoch);
        }

        static WriteReply decode(Decoder in) {
            return new WriteReply(in.i64(), in.i32(), in.i32(), in.i64());
        }
    }

    /**
     * The payload starts at {@code offsetBytes}, a block boundary, and ends at a block boundary or
     * at the length of the chunk.
     *
     * @param lengthBytes length of the chunk: what lies beyond reads as zeros
     * @param crcs CRC32C of each whole block, the last one of the chunk padded with zeros
     */
    record ReadReply(int offsetBytes, int lengthBytes, int[] crcs) implements ChunkReply {
        @Override
        public ChunkReplyType type() {
            return ChunkReplyType.READ;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(offsetBytes).i32(lengthBytes).ints(crcs);
        }

        static ReadReply decode(Decoder in) {
            return new ReadReply(in.i32(), in.i32(), in.ints());
        }
    }

    /** State of a chunk; sequence 0 and length 0 when it does not exist. */
    record StatReply(ChunkState state, long allocatedBytes) implements ChunkReply {
        @Override
        public ChunkReplyType type() {
            return ChunkReplyType.STAT;
        }

        @Override
        public void encode(Encoder out) {
            state.encode(out);
            out.i64(allocatedBytes);
        }

        static StatReply decode(Decoder in) {
            return new StatReply(ChunkState.decode(in), in.i64());
        }
    }

    /** An offset in the chunk, or -1. */
    record OffsetReply(int offsetBytes) implements ChunkReply {
        @Override
        public ChunkReplyType type() {
            return ChunkReplyType.OFFSET;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(offsetBytes);
        }

        static OffsetReply decode(Decoder in) {
            return new OffsetReply(in.i32());
        }
    }

    /** Chunks of a group in order of (oid, index). */
    record ListReply(List<ChunkState> chunks, boolean end) implements ChunkReply {
        @Override
        public ChunkReplyType type() {
            return ChunkReplyType.LIST;
        }

        @Override
        public void encode(Encoder out) {
            out.list(chunks, (o, c) -> c.encode(o)).bool(end);
        }

        static ListReply decode(Decoder in) {
            return new ListReply(in.list(ChunkState::decode), in.bool());
        }
    }

    /**
     * Chunk indices in order.
     *
     * @param end whether there are no more in the ranges asked for
     */
    record IndicesReply(long[] indices, boolean end) implements ChunkReply {
        @Override
        public ChunkReplyType type() {
            return ChunkReplyType.INDICES;
        }

        @Override
        public void encode(Encoder out) {
            out.longs(indices).bool(end);
        }

        static IndicesReply decode(Decoder in) {
            return new IndicesReply(in.longs(), in.bool());
        }
    }

    /**
     * The client may read the file of a chunk itself. It may do so as long as the server shows the
     * number {@code value} in the word {@code word} of the memory that it shares with its clients.
     * Its right to answer reads has to run, too, which stands there as well.
     *
     * @param socket name of the socket at which the server hands out open files, on this machine
     * @param server number of this start of the server, which the socket asks for
     * @param ticket number for which the socket gives the open file, once and soon
     * @param lengthBytes length of the chunk: what lies beyond reads as zeros
     * @param crcs CRC32C of each whole block, the last one of the chunk padded with zeros
     */
    record GrantReply(
            String socket,
            long server,
            long ticket,
            int word,
            long value,
            int lengthBytes,
            int[] crcs)
            implements ChunkReply {
        @Override
        public ChunkReplyType type() {
            return ChunkReplyType.GRANT;
        }

        @Override
        public void encode(Encoder out) {
            out.text(socket).i64(server).i64(ticket);
            out.i32(word).i64(value).i32(lengthBytes).ints(crcs);
        }

        static GrantReply decode(Decoder in) {
            return new GrantReply(
                    in.text(), in.i64(), in.i64(), in.i32(), in.i64(), in.i32(), in.ints());
        }
    }

    /**
     * What was verified.
     *
     * @param nextIndex where to go on; at the end, the end of the range
     * @param chunks chunks that there are
     * @param copies copies of them at serving members, all of which were read
     * @param bytes bytes of these copies
     * @param bad copies that were found bad
     * @param mended of those, how many are well now
     */
    record CopiesReply(long nextIndex, long chunks, long copies, long bytes, long bad, long mended)
            implements ChunkReply {
        @Override
        public ChunkReplyType type() {
            return ChunkReplyType.COPIES;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(nextIndex).i64(chunks).i64(copies).i64(bytes).i64(bad).i64(mended);
        }

        static CopiesReply decode(Decoder in) {
            return new CopiesReply(in.i64(), in.i64(), in.i64(), in.i64(), in.i64(), in.i64());
        }

        /** The same with another place to go on. */
        public CopiesReply goOnAt(long index) {
            return new CopiesReply(index, chunks, copies, bytes, bad, mended);
        }

        /** The same with what was found of more chunks. */
        public CopiesReply plus(CopiesReply more) {
            return new CopiesReply(
                    nextIndex,
                    chunks + more.chunks,
                    copies + more.copies,
                    bytes + more.bytes,
                    bad + more.bad,
                    mended + more.mended);
        }
    }

    /**
     * How far one replica of a chunk is.
     *
     * @param epoch epoch of the group at the last write
     * @param sequence write sequence, from 1; 0 = no such chunk; with {@link #SEALED} it takes no
     *     writes any more
     */
    record ChunkState(
            long oid, long index, int chunkSizeLog2, long epoch, long sequence, int lengthBytes) {
        /**
         * Bit of the sequence of the last write that a chunk has: another one was made from it. A
         * part of the sequence, so that all that brings replicas to one state brings this along.
         */
        public static final long SEALED = 1L << 62;

        /** Whether it takes no writes any more. */
        public boolean isSealed() {
            return (sequence & SEALED) != 0;
        }

        void encode(Encoder out) {
            out.i64(oid).i64(index).u8(chunkSizeLog2).i64(epoch).i64(sequence).i32(lengthBytes);
        }

        static ChunkState decode(Decoder in) {
            return new ChunkState(in.i64(), in.i64(), in.u8(), in.i64(), in.i64(), in.i32());
        }
    }

    /** Reads code and fields. */
    static ChunkReply decode(Decoder in) {
        return ChunkReplyType.TABLE.require(in.u8()).decode(in);
    }
}
