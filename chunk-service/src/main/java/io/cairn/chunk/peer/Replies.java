package io.cairn.chunk.peer;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Message;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.ListReply;
import io.cairn.wire.chunk.ChunkReply.ReadReply;
import io.cairn.wire.chunk.ChunkReply.StatReply;
import io.cairn.wire.chunk.ChunkReply.WriteReply;

/** Reads the replies of other chunk servers. EPROTO when one is not what was asked for. */
public final class Replies {
    private Replies() {}

    public static ReadReply read(Message message) {
        return of(ReadReply.class, message);
    }

    public static WriteReply write(Message message) {
        return of(WriteReply.class, message);
    }

    public static StatReply stat(Message message) {
        return of(StatReply.class, message);
    }

    public static ListReply list(Message message) {
        return of(ListReply.class, message);
    }

    private static <T extends ChunkReply> T of(Class<T> type, Message message) {
        try {
            ChunkReply reply = ChunkReply.decode(message.decoder());
            if (type.isInstance(reply)) {
                return type.cast(reply);
            }
            throw new FsException(
                    Errno.EPROTO, "a chunk server answered with type " + reply.type());
        } catch (MalformedMessageException e) {
            throw new FsException(Errno.EPROTO, "a chunk server answered nonsense", e);
        }
    }
}
