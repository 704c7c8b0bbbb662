package io.cairn.master.check;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.net.Callee;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.CopiesReply;
import io.cairn.wire.chunk.ChunkReply.ListReply;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.ChunkRequest.ListChunks;
import io.cairn.wire.chunk.HeadRequest.ToTarget;
import io.cairn.wire.chunk.HeadRequest.VerifyCopies;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks chunk servers for the chunks of their groups. Thread-safe; blocks its callers. */
final class ChunkLists implements AutoCloseable {
    private static final long CONNECT_MS = 2_000;
    private static final long ANSWER_MS = 15_000;

    /** The head asks members, and may have to replace copies. */
    private static final long VERIFY_MS = 90_000;

    private final Transport transport;

    @GuardedBy("this")
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
        ChunkServer server = serverOf(map, target);
        ListChunks question =
                new ListChunks(group.id(), group.epoch(), afterOid, afterIndex, Integer.MAX_VALUE);
        ChunkRequest addressed =
                map.isBesideMember(group, target) ? new ToTarget(target, question) : question;
        if (ask(server, addressed, ANSWER_MS) instanceof ListReply list) {
            return list;
        }
        throw new FsException(Errno.EPROTO, server.name() + " answered something else");
    }

    /**
     * What the head of a group finds when it verifies chunks.
     *
     * @throws FsException as above, or a serving member does not answer
     */
    CopiesReply verify(ClusterMap map, PlacementGroup group, VerifyCopies request) {
        PlacementGroup.Member head = group.head();
        if (head == null) {
            throw new FsException(Errno.NOT_READY, "no member of the group serves");
        }
        ChunkServer server = serverOf(map, head.targetId());
        if (ask(server, request, VERIFY_MS) instanceof CopiesReply copies) {
            return copies;
        }
        throw new FsException(Errno.EPROTO, server.name() + " answered something else");
    }

    private static ChunkServer serverOf(ClusterMap map, int target) {
        ChunkServer server = map.serverOfTarget(target);
        if (server == null) {
            throw new FsException(Errno.DISCONNECTED, "target " + target + " has no server");
        }
        return server;
    }

    private ChunkReply ask(ChunkServer server, ChunkRequest question, long timeoutMs) {
        Connection to = connection(Callee.of(server));
        Message reply = await(to.call(Message.of(question::toBytes), timeoutMs), timeoutMs);
        try {
            return ChunkReply.decode(reply.decoder());
        } catch (MalformedMessageException e) {
            throw new FsException(Errno.EPROTO, server.name() + " answered nonsense", e);
        } finally {
            reply.release();
        }
    }

    private synchronized Connection connection(Callee to) {
        Connection known = connections.get(to);
        if (known == null || !known.isOpen()) {
            known = await(transport.connect(to, Handler.refusing(), CONNECT_MS), CONNECT_MS);
            connections.put(to, known);
        }
        return known;
    }

    private static <T> T await(CompletableFuture<T> future, long timeoutMs) {
        try {
            return future.get(timeoutMs + CONNECT_MS, TimeUnit.MILLISECONDS);
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
    public synchronized void close() {
        connections.values().forEach(Connection::close);
        connections.clear();
    }
}
