package io.cairn.client.chunk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
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

    /** After a question that failed, as long as the ticket is good. */
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(5);

    /** A ticket of this age may come from a master that leads no more. */
    private static final long DOUBTFUL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Supplier<CompletableFuture<Reply>> master;
    private final Clock clock;
    private volatile @Nullable Held held;

    @GuardedBy("this")
    private @Nullable CompletableFuture<Ticket> asking;

    /** No ticket is renewed before this time. */
    @GuardedBy("this")
    private long againNs;

    /** A ticket, when it was asked for, when to ask for the next one, and until when to show it. */
    private record Held(Ticket ticket, long sentNs, long renewNs, long endNs) {}

    /**
     * Holds none yet.
     *
     * @param master asks a master for a ticket; must not block
     */
    ChunkTickets(Supplier<CompletableFuture<Reply>> master, Clock clock) {
        this.master = master;
        this.clock = clock;
        this.againNs = clock.nanoTime();
    }

    /** The ticket; null when there is no good one, and it has to be {@linkplain #fetch fetched}. */
    @Nullable Ticket now() {
        Held now = held;
        if (now == null) {
            return null;
        }
        long nowNs = clock.nanoTime();
        if (nowNs - now.endNs > 0) {
            // Chunk servers would count it as an attack.
            return null;
        }
        if (nowNs - now.renewNs > 0) {
            renew(nowNs);
        }
        return now.ticket;
    }

    /** The ticket, from the master if there is no good one. */
    CompletableFuture<Ticket> get() {
        Ticket now = now();
        return now == null ? fetch() : CompletableFuture.completedFuture(now);
    }

    private void renew(long nowNs) {
        synchronized (this) {
            if (asking != null || nowNs - againNs < 0) {
                return;
            }
        }
        Promises.whenDone(
                fetch(),
                (_, failure) -> {
                    if (failure != null) {
                        LOG.debug("no new ticket: {}", Await.failure(failure).getMessage());
                    }
                });
    }

    /** A ticket was refused: it is not shown again. */
    void refused(Ticket ticket) {
        Held now = held;
        if (now != null && now.ticket.equals(ticket)) {
            held = null;
        }
    }

    /** A ticket was refused, as one before it: it is not shown for long. */
    void refusedAgain(Ticket ticket) {
        Held now = held;
        if (now != null && clock.nanoTime() - now.sentNs > DOUBTFUL_NS) {
            refused(ticket);
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
        Promises.whenDone(
                master.get().thenApply(reply -> taken(reply, sentNs)),
                (ticket, failure) -> {
                    synchronized (this) {
                        asking = null;
                        if (ticket == null) {
                            againNs = clock.nanoTime() + PAUSE_NS;
                        }
                    }
                    if (ticket == null) {
                        promise.completeExceptionally(Promises.cause(failure));
                    } else {
                        promise.complete(ticket);
                    }
                });
        return promise;
    }

    private Ticket taken(Reply reply, long sentNs) {
        Reply.TicketReply answer = Await.expect(reply, Reply.TicketReply.class);
        Ticket ticket = new Ticket(answer.ticket());
        long lifeNs = TimeUnit.MILLISECONDS.toNanos(answer.lifeMs());
        // It ends here a little before it ends there: requests take time, and clocks differ.
        held = new Held(ticket, sentNs, sentNs + lifeNs / 2, sentNs + lifeNs - lifeNs / 20);
        return ticket;
    }
}
