package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.MessageType;
import io.cairn.wire.TypeTable;
import java.util.function.Function;

/** The types of requests to a chunk server. */
public enum ChunkRequestType implements MessageType {
    WRITE(1, Sender.CLIENT, ChunkRequest.Write::decode),
    REPLICATE(2, Sender.SERVER, ChunkRequest.Replicate::decode),
    READ(3, Sender.CLIENT, ChunkRequest.Read::decode),
    FLUSH(4, Sender.EITHER, ChunkRequest.Flush::decode),
    ZERO(5, Sender.EITHER, ChunkRequest.Zero::decode),
    CLONE(6, Sender.EITHER, ChunkRequest.Clone::decode),
    STAT_CHUNK(7, Sender.ANYBODY, ChunkRequest.StatChunk::decode),
    SEEK_CHUNK(8, Sender.CLIENT, ChunkRequest.SeekChunk::decode),
    LIST_CHUNKS(9, Sender.SERVER, ChunkRequest.ListChunks::decode),
    INSTALL(10, Sender.SERVER, ChunkRequest.Install::decode),
    DISCARD(11, Sender.SERVER, ChunkRequest.Discard::decode),
    REPORT_BAD(12, Sender.CLIENT, ChunkRequest.ReportBad::decode),
    FETCH(13, Sender.SERVER, ChunkRequest.Fetch::decode),
    VERIFY(14, Sender.SERVER, ChunkRequest.Verify::decode),
    EXPECT(15, Sender.SERVER, ChunkRequest.Expect::decode),
    FIND_CHUNKS(16, Sender.CLIENT, ChunkRequest.FindChunks::decode),
    SETTLED(17, Sender.SERVER, HeadRequest.Settled::decode),
    RELAY(18, Sender.CLIENT, HeadRequest.Relay::decode),
    GRANT(40, Sender.CLIENT, DirectRequest.Grant::decode),
    VERIFY_COPIES(41, Sender.SERVER, HeadRequest.VerifyCopies::decode),
    TO_TARGET(42, Sender.SERVER, HeadRequest.ToTarget::decode),
    WRITE_PIECES(50, Sender.CLIENT, HeadRequest.WritePieces::decode);

    /** The senders of requests of a type. */
    public enum Sender {
        /** Mounts and gateways. */
        CLIENT,
        /** Other chunk servers, and masters. */
        SERVER,
        /** Clients the first time, and a head that forwards it to the members. */
        EITHER,
        /** Servers, and clients in the same words. */
        ANYBODY
    }

    public static final TypeTable<ChunkRequestType> TABLE =
            new TypeTable<>("chunk request", values());

    private final int code;
    private final Sender sender;

    @SuppressWarnings("ImmutableEnumChecker") // a reference to a static method
    private final Function<Decoder, ChunkRequest> decoder;

    ChunkRequestType(int code, Sender sender, Function<Decoder, ChunkRequest> decoder) {
        this.code = code;
        this.sender = sender;
        this.decoder = decoder;
    }

    @Override
    public int code() {
        return code;
    }

    /** The sender. */
    public Sender sender() {
        return sender;
    }

    /** Reads the fields. */
    ChunkRequest decode(Decoder in) {
        return decoder.apply(in);
    }
}
