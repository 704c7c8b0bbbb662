package io.cairn.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Leader;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MapFetch;
import io.cairn.net.Message;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;

/** Asks the masters for the cluster map, part by part. */
final class MapQuestions {
    private static final long TIMEOUT_MS = 3_000;

    private MapQuestions() {}

    /**
     * The youngest map, given one that is known; fails with the last master's error. Completes on
     * the thread that an answer came on.
     */
    static CompletableFuture<ClusterMap> ask(Leader leader, ClusterMap known) {
        return ask(leader, new MapFetch(known));
    }

    private static CompletableFuture<ClusterMap> ask(Leader leader, MapFetch fetch) {
        Query.GetMap question = new Query.GetMap(fetch);
        return leader.ask(v -> MasterRequest.query(0, question, v), TIMEOUT_MS)
                .thenCompose(
                        message ->
                                take(message, fetch)
                                        ? CompletableFuture.completedFuture(fetch.map())
                                        : ask(leader, fetch));
    }

    private static boolean take(Message message, MapFetch fetch) {
        try {
            if (Reply.decode(message.decoder()) instanceof Reply.MapReply reply) {
                return fetch.take(reply.part());
            }
            throw new FsException(Errno.EPROTO, "a master told no cluster map");
        } finally {
            message.release();
        }
    }
}
