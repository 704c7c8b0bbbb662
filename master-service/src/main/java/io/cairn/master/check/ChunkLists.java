package io.cairn.master.check;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.net.Answer;
import io.cairn.net.Callee;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.ListReply;
import io.cairn.wire.chunk.ChunkRequest.ListChunks;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks chunk servers for the chunks of their groups. For one thread, which it blocks. */
final class ChunkLists implements AutoCloseable {
    private static final long CONNECT_MS = 2_000;
    private static final long ANSWER_MS = 15_000;

    private final Transport transport;
    private final Map<Callee, Connection> connections = new HashMap<>();

    ChunkLists(Transport transport) {
        this.transport = transport;
    }

    /**
     * A page of the chunks that a serving member of a group holds, behind a key.
     *
     * @throws FsException the server does not answer, or the group has changed since the map
     */
    ListReply page(
            ClusterMap map, PlacementGroup group, int target, long afterOid, long afterIndex) {
        ChunkServer server = map.serverOfTarget(target);
        if (server == null) {
            throw new FsException(Errno.DISCONNECTED, "target " + target + " has no server");
        }
        ListChunks question =
                new ListChunks(group.id(), group.epoch(), afterOid, afterIndex, Integer.MAX_VALUE);
        Connection to = connection(Callee.of(server));
        Message reply = await(to.call(Message.of(question::toBytes), ANSWER_MS));
        try {
            if (ChunkReply.decode(reply.decoder()) instanceof ListReply list) {
                return list;
            }
            throw new FsException(Errno.EPROTO, server.name() + " answered something else");
        } catch (MalformedMessageException e) {
            throw new FsException(Errno.EPROTO, server.name() + " answered nonsense", e);
        } finally {
            reply.release();
        }
    }

    private Connection connection(Callee to) {
        Connection known = connections.get(to);
        if (known == null || !known.isOpen()) {
            known = await(transport.connect(to, new Deaf(), CONNECT_MS));
            connections.put(to, known);
        }
        return known;
    }

    private static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(ANSWER_MS + CONNECT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "the check was ended", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof FsException told
                    ? told
                    : new FsException(Errno.EIO, String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            throw new FsException(Errno.ETIMEDOUT, "no answer in time", e);
        }
    }

    @Override
    public void close() {
        connections.values().forEach(Connection::close);
        connections.clear();
    }

    /** Chunk servers have nothing to ask here. */
    private static final class Deaf implements Handler {
        @Override
        public void handle(Connection from, Message request, Answer answer) {
            request.release();
            answer.fail(new FsException(Errno.ENOSYS));
        }
    }
}
