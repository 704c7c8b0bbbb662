package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.TypedMessage;
import io.cairn.wire.chunk.ChunkRequestType.Sender;
import java.util.List;

/**
 * A request to a chunk server. Those of clients go to the head of the group (reads to any serving
 * member) and name the group's epoch: a server with another one answers WRONG_EPOCH.
 */
public sealed interface ChunkRequest extends TypedMessage
        permits ChunkRequest.Write,
                ChunkRequest.Replicate,
                ChunkRequest.Read,
                ChunkRequest.Flush,
                ChunkRequest.Zero,
                ChunkRequest.Clone,
                ChunkRequest.StatChunk,
                ChunkRequest.SeekChunk,
                ChunkRequest.ListChunks,
                ChunkRequest.Install,
                ChunkRequest.Discard,
                ChunkRequest.ReportBad,
                ChunkRequest.Fetch,
                ChunkRequest.Verify,
                ChunkRequest.Expect,
                ChunkRequest.FindChunks,
                HeadRequest,
                DirectRequest {
    @Override
    ChunkRequestType type();

    /** The chunk that it is about; not of those that are about a group as a whole. */
    default ChunkAddress chunk() {
        throw new IllegalStateException(type() + " is about no chunk");
    }

    /** The placement group that it is about. */
    default int group() {
        return chunk().group();
    }

    /** Whether a head forwards it, of a type that clients send as well. */
    default boolean isForwarded() {
        return false;
    }

    /** Whether only another chunk server may send it. */
    default boolean isOfServers() {
        Sender sender = type().sender();
        return sender == Sender.SERVER || (sender == Sender.EITHER && isForwarded());
    }

    /**
     * Names an acknowledged write of a chunk.
     *
     * @param epoch {@code WriteReply.epoch}
     * @param sequence {@code WriteReply.sequence}
     */
    record WriteMark(long epoch, long sequence) {
        static void encode(Encoder out, WriteMark mark) {
            out.i64(mark.epoch).i64(mark.sequence);
        }

        static WriteMark decode(Decoder in) {
            return new WriteMark(in.i64(), in.i64());
        }
    }

    /**
     * Client to head: writes the payload at an offset of the chunk. {@code crcs} holds the CRC32C
     * of each piece of the payload that lies in one block of the chunk (the first and last piece
     * may be shorter than a block). WriteReply when all current members applied it.
     */
    record Write(ChunkAddress chunk, OperationId operation, int offsetBytes, int[] crcs)
            implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.WRITE;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            operation.encode(out);
            out.i32(offsetBytes).ints(crcs);
        }

        static Write decode(Decoder in) {
            return new Write(ChunkAddress.decode(in), OperationId.decode(in), in.i32(), in.ints());
        }
    }

    /**
     * Head to member: the same with the sequence number that the head gave it, after the head
     * merged partial blocks: the payload starts at a block boundary; it ends at one or at {@code
     * lengthBytes}, the length of the chunk afterwards. {@code crcs} are the checksums of whole
     * blocks (the last one padded with zeros).
     *
     * <p>A member whose copy does not stand at write {@code sequence - 1} of {@code previousEpoch}
     * (for the first write: has none) leaves it alone and answers WriteReply with sequence 0; the
     * head then installs the chunk.
     *
     * @param previousEpoch epoch of the chunk's last write; 0 when this is its first
     */
    record Replicate(
            ChunkAddress chunk,
            OperationId operation,
            long previousEpoch,
            long sequence,
            int offsetBytes,
            int lengthBytes,
            int[] crcs)
            implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.REPLICATE;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            operation.encode(out);
            out.i64(previousEpoch).i64(sequence);
            out.i32(offsetBytes).i32(lengthBytes).ints(crcs);
        }

        static Replicate decode(Decoder in) {
            return new Replicate(
                    ChunkAddress.decode(in),
                    OperationId.decode(in),
                    in.i64(),
                    in.i64(),
                    in.i32(),
                    in.i32(),
                    in.ints());
        }
    }

    /**
     * Reads a part of a chunk; ReadReply with the whole blocks that cover it as payload. A chunk
     * that does not exist reads as length 0.
     */
    record Read(ChunkAddress chunk, int offsetBytes, int lengthBytes) implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.READ;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.i32(offsetBytes).i32(lengthBytes);
        }

        static Read decode(Decoder in) {
            return new Read(ChunkAddress.decode(in), in.i32(), in.i32());
        }
    }

    /**
     * Client to head, head to members: chunk on stable media on all current members. WriteReply; or
     * EIO when a write named was acknowledged but lost since, because all servers lost their power
     * before it was flushed.
     *
     * @param marks acknowledged writes that the client wants to be durable, with all before them;
     *     empty between servers
     */
    record Flush(ChunkAddress chunk, List<WriteMark> marks, boolean forwarded)
            implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.FLUSH;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.list(marks, WriteMark::encode).bool(forwarded);
        }

        @Override
        public boolean isForwarded() {
            return forwarded;
        }

        static Flush decode(Decoder in) {
            return new Flush(ChunkAddress.decode(in), in.list(WriteMark::decode), in.bool());
        }
    }

    /**
     * Client to head, head to members (then with {@code sequence} above 0): zeros in a range of the
     * chunk; the length does not change, and whole blocks become holes. WriteReply.
     */
    record Zero(
            ChunkAddress chunk,
            OperationId operation,
            long sequence,
            int offsetBytes,
            int lengthBytes)
            implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.ZERO;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            operation.encode(out);
            out.i64(sequence).i32(offsetBytes).i32(lengthBytes);
        }

        @Override
        public boolean isForwarded() {
            return sequence > 0;
        }

        static Zero decode(Decoder in) {
            return new Zero(
                    ChunkAddress.decode(in), OperationId.decode(in), in.i64(), in.i32(), in.i32());
        }
    }

    /**
     * Client to head, head to members ({@code forwarded}): makes the chunk from the first {@code
     * lengthBytes} bytes of the same index under another object, unless it exists already. From
     * before that on the other chunk refuses writes with ESTALE: the file goes on in this one.
     * WriteReply.
     */
    record Clone(ChunkAddress chunk, long sourceOid, int lengthBytes, boolean forwarded)
            implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.CLONE;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.i64(sourceOid).i32(lengthBytes).bool(forwarded);
        }

        @Override
        public boolean isForwarded() {
            return forwarded;
        }

        static Clone decode(Decoder in) {
            return new Clone(ChunkAddress.decode(in), in.i64(), in.i32(), in.bool());
        }
    }

    /** State of one chunk on the server asked: StatReply. */
    record StatChunk(ChunkAddress chunk) implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.STAT_CHUNK;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
        }

        static StatChunk decode(Decoder in) {
            return new StatChunk(ChunkAddress.decode(in));
        }
    }

    /**
     * The first byte at or after the offset that is data (or a hole); OffsetReply with -1 when
     * there is none before the end of the chunk.
     */
    record SeekChunk(ChunkAddress chunk, int offsetBytes, boolean data) implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.SEEK_CHUNK;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.i32(offsetBytes).bool(data);
        }

        static SeekChunk decode(Decoder in) {
            return new SeekChunk(ChunkAddress.decode(in), in.i32(), in.bool());
        }
    }

    /**
     * Server to server, for syncing, and master to server, for a check of the cluster: the chunks
     * of a group after (oid, index), at most {@code max}. ListReply.
     */
    record ListChunks(int group, long epoch, long afterOid, long afterIndex, int max)
            implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.LIST_CHUNKS;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(group).i64(epoch).i64(afterOid).i64(afterIndex).i32(max);
        }

        static ListChunks decode(Decoder in) {
            return new ListChunks(in.i32(), in.i64(), in.i64(), in.i64(), in.i32());
        }
    }

    /**
     * Head to a member: a part of a chunk as it stands after write {@code sequence}, block-aligned.
     * The parts of a chunk come in order, each sent after the one before was answered; the last one
     * makes it current and durable. Payload as for {@link Replicate}. Done.
     *
     * @param writtenEpoch epoch of the group at write {@code sequence}
     */
    record Install(
            ChunkAddress chunk,
            long writtenEpoch,
            long sequence,
            int lengthBytes,
            int offsetBytes,
            boolean last,
            int[] crcs)
            implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.INSTALL;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.i64(writtenEpoch).i64(sequence).i32(lengthBytes).i32(offsetBytes);
            out.bool(last).ints(crcs);
        }

        static Install decode(Decoder in) {
            return new Install(
                    ChunkAddress.decode(in),
                    in.i64(),
                    in.i64(),
                    in.i32(),
                    in.i32(),
                    in.bool(),
                    in.ints());
        }
    }

    /**
     * Head to a member: deletes chunks that a write made which is undone, or of which only a
     * damaged copy is there while the head knows that nobody has one. Done.
     */
    record Discard(int group, long epoch, List<ChunkKey> chunks) implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.DISCARD;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(group).i64(epoch).list(chunks, (o, k) -> k.encode(o));
        }

        static Discard decode(Decoder in) {
            return new Discard(in.i32(), in.i64(), in.list(ChunkKey::decode));
        }
    }

    /** A chunk within a group. */
    record ChunkKey(long oid, long index) {
        void encode(Encoder out) {
            out.i64(oid).i64(index);
        }

        static ChunkKey decode(Decoder in) {
            return new ChunkKey(in.i64(), in.i64());
        }
    }

    /**
     * Client to server: this block failed its checksum here; verify, and repair from a peer. Done
     * at once.
     */
    record ReportBad(ChunkAddress chunk, int offsetBytes) implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.REPORT_BAD;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.i32(offsetBytes);
        }

        static ReportBad decode(Decoder in) {
            return new ReportBad(ChunkAddress.decode(in), in.i32());
        }
    }

    /**
     * Head to a serving member: reads a part of its copy as it is, whether or not other members
     * have the same; the covering whole blocks. ReadReply.
     */
    record Fetch(ChunkAddress chunk, int offsetBytes, int lengthBytes) implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.FETCH;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.i32(offsetBytes).i32(lengthBytes);
        }

        static Fetch decode(Decoder in) {
            return new Fetch(ChunkAddress.decode(in), in.i32(), in.i32());
        }
    }

    /**
     * Head to a serving member: checks all blocks of its copy. Done, or EBADMSG when one fails its
     * checksum.
     */
    record Verify(ChunkAddress chunk) implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.VERIFY;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
        }

        static Verify decode(Decoder in) {
            return new Verify(ChunkAddress.decode(in));
        }
    }

    /**
     * Head to a SYNCING member: the chunk was at this write and is lost on every serving member, so
     * an earlier copy is not what was written. Done.
     */
    record Expect(ChunkAddress chunk, WriteMark mark) implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.EXPECT;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            WriteMark.encode(out, mark);
        }

        static Expect decode(Decoder in) {
            return new Expect(ChunkAddress.decode(in), WriteMark.decode(in));
        }
    }

    /**
     * Client to head: which chunks of these objects there are in the group, in order, so that
     * nobody has to ask for each chunk of a hole. IndicesReply.
     *
     * @param chunk a chunk in the group, for its address only
     * @param ranges of the chunks of a file, in order and apart
     * @param max most indices to tell, 1 or more
     */
    record FindChunks(ChunkAddress chunk, List<ChunkRange> ranges, int max)
            implements ChunkRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.FIND_CHUNKS;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.list(ranges, (o, r) -> r.encode(o)).i32(max);
        }

        static FindChunks decode(Decoder in) {
            return new FindChunks(ChunkAddress.decode(in), in.list(ChunkRange::decode), in.i32());
        }
    }

    /** Reads code and fields. */
    static ChunkRequest decode(Decoder in) {
        return ChunkRequestType.TABLE.require(in.u8()).decode(in);
    }
}
