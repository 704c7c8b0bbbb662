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

/**
 * Pushes that come over the connections that this server made: the master tells that the cluster
 * map has changed. Everything else is refused.
 */
final class MasterNews implements Handler {
    private final Runnable mapChanged;

    /**
     * @param mapChanged what to do when the map has changed; does not block
     */
    MasterNews(Runnable mapChanged) {
        this.mapChanged = mapChanged;
    }

    @Override
    public void handle(Connection from, Message request, Answer answer) {
        request.release();
        try {
            Decoder in = request.decoder();
            if (in.u8() == MasterRequest.PUSH && Push.decode(in) instanceof Push.MapChanged) {
                mapChanged.run();
                answer.send(Message.empty());
                return;
            }
        } catch (MalformedMessageException e) {
            from.close();
        }
        answer.fail(new FsException(Errno.EPROTO, "a chunk server is asked at its own endpoint"));
    }
}
