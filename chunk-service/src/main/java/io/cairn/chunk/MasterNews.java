package io.cairn.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Principal.Role;
import io.cairn.wire.Decoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import java.util.function.Consumer;

/**
 * Pushes that come over the connections that this server made: the master tells what changed in the
 * cluster map, and which certificates and authorities count. Everything else is refused.
 */
final class MasterNews implements Handler {
    private final Consumer<Push.MapChanged> mapChanged;
    private final Consumer<Push.Revoked> revoked;
    private final Consumer<Push.AuthoritiesChanged> authorities;

    /** The same without an interest in certificates. */
    MasterNews(Consumer<Push.MapChanged> mapChanged) {
        this(mapChanged, _ -> {}, _ -> {});
    }

    /**
     * @param mapChanged what to do when the map has changed; does not block
     * @param revoked what to do when certificates were revoked; does not block
     * @param authorities what to do when an authority is replaced; does not block
     */
    MasterNews(
            Consumer<Push.MapChanged> mapChanged,
            Consumer<Push.Revoked> revoked,
            Consumer<Push.AuthoritiesChanged> authorities) {
        this.mapChanged = mapChanged;
        this.revoked = revoked;
        this.authorities = authorities;
    }

    @Override
    public void handle(Connection from, Message request, Answer answer) {
        request.release();
        Role role = from.principal().role();
        if (role != Role.ANONYMOUS && role != Role.MASTER) {
            // Another chunk server, which has no news to tell.
            answer.fail(new FsException(Errno.EACCES, "only masters tell a chunk server news"));
            return;
        }
        try {
            Decoder in = request.decoder();
            Push push = MasterRequest.read(in) == MasterRequest.PUSH ? Push.decode(in) : null;
            if (push instanceof Push.MapChanged news) {
                mapChanged.accept(news);
                answer.send(Message.empty());
                return;
            }
            if (push instanceof Push.Revoked news) {
                revoked.accept(news);
                return;
            }
            // In plain text anybody could tell, and it is kept for longer than that lasts.
            if (push instanceof Push.AuthoritiesChanged news && role == Role.MASTER) {
                authorities.accept(news);
                return;
            }
        } catch (MalformedMessageException e) {
            from.close();
        }
        answer.fail(new FsException(Errno.EPROTO, "a chunk server is asked at its own endpoint"));
    }
}
