package io.cairn.client.chunk;

import io.cairn.client.session.Await;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.session.Promises;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ticket that this client shows to chunk servers: asked for when a chunk server with a
 * certificate is first asked, and again when half of its time is over or a server refused it. One
 * question is under way at a time. Thread-safe; never blocks.
 */
final class ChunkTickets {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkTickets.class);

    private final MasterChannel master;
    private final Clock clock;
    private volatile @Nullable Held held;
    private @Nullable CompletableFuture<Ticket> asking;

    /** A ticket, and when to ask for the next one. */
    private record Held(Ticket ticket, long renewNs) {}

    ChunkTickets(MasterChannel master, Clock clock) {
        this.master = master;
        this.clock = clock;
    }

    /** The ticket; null when there is none and it has to be {@linkplain #fetch fetched}. */
    @Nullable Ticket now() {
        Held now = held;
        if (now == null) {
            return null;
        }
        if (clock.nanoTime() - now.renewNs > 0) {
            Promises.whenDone(
                    fetch(),
                    (_, failure) -> {
                        if (failure != null) {
                            LOG.debug("no new ticket: {}", Await.failure(failure).getMessage());
                        }
                    });
        }
        return now.ticket;
    }

    /** A ticket was refused: it is not shown again. */
    void refused(Ticket ticket) {
        Held now = held;
        if (now != null && now.ticket.equals(ticket)) {
            held = null;
        }
    }

    /** Asks the master, unless the answer is on its way. */
    CompletableFuture<Ticket> fetch() {
        CompletableFuture<Ticket> promise;
        synchronized (this) {
            if (asking != null) {
                return asking;
            }
            promise = new CompletableFuture<>();
            asking = promise;
        }
        long sentNs = clock.nanoTime();
        Promises.forward(
                master.query(new Query.GetTicket()).thenApply(reply -> taken(reply, sentNs)),
                promise);
        Promises.whenDone(
                promise,
                (_, _) -> {
                    synchronized (this) {
                        asking = null;
                    }
                });
        return promise;
    }

    private Ticket taken(Reply reply, long sentNs) {
        Reply.TicketReply answer = Await.expect(reply, Reply.TicketReply.class);
        Ticket ticket = new Ticket(answer.ticket());
        held = new Held(ticket, sentNs + TimeUnit.MILLISECONDS.toNanos(answer.lifeMs() / 2));
        return ticket;
    }
}
