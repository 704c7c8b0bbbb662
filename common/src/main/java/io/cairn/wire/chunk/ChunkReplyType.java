package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.MessageType;
import io.cairn.wire.TypeTable;
import java.util.function.Function;

/** The types of replies of a chunk server. */
public enum ChunkReplyType implements MessageType {
    DONE(1, ChunkReply.Done::decode),
    WRITE(2, ChunkReply.WriteReply::decode),
    READ(3, ChunkReply.ReadReply::decode),
    STAT(4, ChunkReply.StatReply::decode),
    OFFSET(5, ChunkReply.OffsetReply::decode),
    LIST(6, ChunkReply.ListReply::decode),
    INDICES(7, ChunkReply.IndicesReply::decode),
    GRANT(40, ChunkReply.GrantReply::decode),
    COPIES(80, ChunkReply.CopiesReply::decode);

    static final TypeTable<ChunkReplyType> TABLE = new TypeTable<>("chunk reply", values());

    private final int code;

    @SuppressWarnings("ImmutableEnumChecker") // a reference to a static method
    private final Function<Decoder, ChunkReply> decoder;

    ChunkReplyType(int code, Function<Decoder, ChunkReply> decoder) {
        this.code = code;
        this.decoder = decoder;
    }

    @Override
    public int code() {
        return code;
    }

    /** Reads the fields. */
    ChunkReply decode(Decoder in) {
        return decoder.apply(in);
    }
}
