package io.cairn.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.wire.Decoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import java.util.function.Consumer;

/**
 * Pushes that come over the connections that this server made: the master tells what changed in the
 * cluster map. Everything else is refused.
 */
final class MasterNews implements Handler {
    private final Consumer<Push.MapChanged> mapChanged;

    /**
     * @param mapChanged what to do when the map has changed; does not block
     */
    MasterNews(Consumer<Push.MapChanged> mapChanged) {
        this.mapChanged = mapChanged;
    }

    @Override
    public void handle(Connection from, Message request, Answer answer) {
        request.release();
        try {
            Decoder in = request.decoder();
            if (in.u8() == MasterRequest.PUSH && Push.decode(in) instanceof Push.MapChanged news) {
                mapChanged.accept(news);
                answer.send(Message.empty());
                return;
            }
        } catch (MalformedMessageException e) {
            from.close();
        }
        answer.fail(new FsException(Errno.EPROTO, "a chunk server is asked at its own endpoint"));
    }
}
