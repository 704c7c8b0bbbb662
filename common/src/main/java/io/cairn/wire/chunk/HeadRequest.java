package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import java.util.List;

/** Requests about what the head of a group does, or does not do. */
public sealed interface HeadRequest extends ChunkRequest {
    /**
     * Client to head: several writes of one chunk, in this order and each as {@link
     * ChunkRequest.Write}. The payload holds their bytes one after the other. The WriteReply is
     * that of the last write, with the bytes that all of them allocated. After a failure some may
     * have been applied: a repetition, also of each alone, does these only once.
     *
     * @param pieces 1 to {@link #MAX_PIECES}
     */
    record WritePieces(ChunkAddress chunk, List<Piece> pieces) implements HeadRequest {
        /** So few that a head remembers those of all requests that a mount has on their way. */
        public static final int MAX_PIECES = 32;

        /**
         * One write.
         *
         * @param lengthBytes bytes in the payload, 1 or more
         * @param crcs as in {@link ChunkRequest.Write}
         */
        public record Piece(OperationId operation, int offsetBytes, int lengthBytes, int[] crcs) {
            void encode(Encoder out) {
                operation.encode(out);
                out.i32(offsetBytes).i32(lengthBytes).ints(crcs);
            }

            static Piece decode(Decoder in) {
                return new Piece(OperationId.decode(in), in.i32(), in.i32(), in.ints());
            }
        }

        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.WRITE_PIECES;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.list(pieces, (o, piece) -> piece.encode(o));
        }

        static WritePieces decode(Decoder in) {
            return new WritePieces(ChunkAddress.decode(in), in.list(Piece::decode));
        }
    }

    /**
     * Head to a serving member: all members had these states of chunks, so a member that still has
     * one of them may serve reads of it without asking. Done.
     */
    record Settled(int group, long epoch, List<ChunkState> states) implements HeadRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.SETTLED;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(group).i64(epoch).list(states, (o, state) -> state.encode(o));
        }

        static Settled decode(Decoder in) {
            return new Settled(in.i32(), in.i64(), in.list(ChunkState::decode));
        }
    }

    /**
     * Client to a serving member: hands a request on to the head, which the client cannot reach,
     * and looks whether the head is there at all. The payload and the answer are those of the
     * request.
     */
    record Relay(ChunkRequest request) implements HeadRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.RELAY;
        }

        @Override
        public ChunkAddress chunk() {
            return request.chunk();
        }

        /** A head would take what is relayed for a word of this server. */
        @Override
        public boolean isOfServers() {
            return request.isOfServers();
        }

        @Override
        public void encode(Encoder out) {
            out.u8(request.type().code());
            request.encode(out);
        }

        static Relay decode(Decoder in) {
            ChunkRequestType type = ChunkRequestType.TABLE.require(in.u8());
            if (type == ChunkRequestType.RELAY || type == ChunkRequestType.TO_TARGET) {
                throw new MalformedMessageException("a request that is handed on twice");
            }
            return new Relay(type.decode(in));
        }
    }

    /**
     * Chunk server to one that has several members of a group, for the time of a move between its
     * disks: a request for the member on one target. The payload and the answer are those of the
     * request. WRONG_EPOCH when that target has no member of the group by the map there.
     *
     * @param target number in the cluster map
     */
    record ToTarget(int target, ChunkRequest request) implements HeadRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.TO_TARGET;
        }

        @Override
        public ChunkAddress chunk() {
            return request.chunk();
        }

        @Override
        public int group() {
            return request.group();
        }

        @Override
        public void encode(Encoder out) {
            request.write(out.i32(target));
        }

        /** What goes before code and fields of the request; the same in all versions. */
        public static byte[] prefix(int target) {
            return new Encoder(5).u8(ChunkRequestType.TO_TARGET.code()).i32(target).toBytes();
        }

        static ToTarget decode(Decoder in) {
            int target = in.i32();
            ChunkRequestType type = ChunkRequestType.TABLE.require(in.u8());
            if (type == ChunkRequestType.RELAY || type == ChunkRequestType.TO_TARGET) {
                throw new MalformedMessageException("a request that is handed on to a target");
            }
            return new ToTarget(target, type.decode(in));
        }
    }

    /**
     * Master to head: verifies the copies at all serving members of the chunks of an object that
     * are in the group, and replaces those that are bad. CopiesReply, which tells where to go on.
     *
     * @param chunk the first one
     * @param endIndex behind the last one
     */
    record VerifyCopies(ChunkAddress chunk, long endIndex) implements HeadRequest {
        @Override
        public ChunkRequestType type() {
            return ChunkRequestType.VERIFY_COPIES;
        }

        @Override
        public void encode(Encoder out) {
            chunk.encode(out);
            out.i64(endIndex);
        }

        static VerifyCopies decode(Decoder in) {
            return new VerifyCopies(ChunkAddress.decode(in), in.i64());
        }
    }
}
