package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.net.Message;
import io.cairn.wire.chunk.HeadRequest.Relay;
import io.cairn.wire.master.ClusterRequest.MemberFailed;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands requests of clients that cannot reach the head on to it. When the head answers nothing here
 * either, the masters are told: a head that died would be missed by nobody before its lease has
 * ended. Thread-safe.
 */
public final class Relays {
    private static final Logger LOG = LoggerFactory.getLogger(Relays.class);
    private static final long LIMIT_MS = 5_000;
    private static final long REPORT_TIMEOUT_MS = 2_000;

    private final PeerContext station;
    private final GroupMember member;
    private final AtomicBoolean reporting = new AtomicBoolean();

    Relays(PeerContext station, GroupMember member) {
        this.station = station;
        this.member = member;
    }

    /** Asks the head for a client; the payload is not released. */
    public CompletableFuture<Message> relay(Relay relay, ByteBuf payload) {
        Term term = member.enter(relay.chunk().epoch());
        Peer head = term.headPeer();
        if (head == null || !term.isServing()) {
            throw new FsException(Errno.WRONG_EPOCH, "does not relay in " + term);
        }
        CompletableFuture<Message> result = new CompletableFuture<>();
        Futures.finish(
                station.members().ping(head.server()),
                (_, thrown) -> {
                    if (thrown != null) {
                        report(term, head, Futures.failure(thrown));
                        result.completeExceptionally(
                                new FsException(
                                        Errno.NOT_READY, "the head of " + term + " is silent"));
                    }
                });
        Message request =
                new Message(
                        relay.request()::toBytes,
                        payload.isReadable() ? payload.retainedDuplicate() : null);
        Futures.finish(
                Futures.guarded(() -> station.members().askOnce(head.server(), request, LIMIT_MS)),
                (reply, thrown) -> {
                    if (thrown != null) {
                        result.completeExceptionally(thrown);
                    } else if (reply != null && !result.complete(reply)) {
                        reply.release();
                    }
                });
        return result;
    }

    /** The masters have their own opinion of the head, and of this server. */
    private void report(Term term, Peer head, FsException error) {
        if (term.hasEnded() || !reporting.compareAndSet(false, true)) {
            return;
        }
        LOG.warn("Head {} of {} does not answer: {}", head.endpoint(), term, error.getMessage());
        MemberFailed report =
                new MemberFailed(
                        term.groupId(),
                        term.epoch(),
                        head.targetId(),
                        String.valueOf(error.getMessage()));
        Futures.finish(
                station.leader().ask(report, REPORT_TIMEOUT_MS),
                (reply, thrown) -> {
                    reporting.set(false);
                    if (reply != null) {
                        reply.release();
                    } else {
                        LOG.info("The masters did not hear of it", thrown);
                    }
                });
    }
}
