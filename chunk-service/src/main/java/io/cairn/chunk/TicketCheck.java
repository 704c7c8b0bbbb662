package io.cairn.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.RecentEntries;
import io.cairn.net.Connection;
import io.cairn.net.Principal;
import io.cairn.net.Refusals;
import io.cairn.net.Refusals.Reason;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.ChunkRange;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.DirectRequest;
import io.cairn.wire.chunk.HeadRequest;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.chunk.TicketClaim;
import io.cairn.wire.chunk.TicketKey;
import io.cairn.wire.chunk.TicketKeys;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the tickets of clients with certificates: whether a master signed them for this client,
 * for what it asks, and until when. A ticket that was looked at once is known for as long as its
 * connection lasts. Connections without certificates need none, and other servers go by their role.
 *
 * <p>Tickets end by the time of the leading master, which its answers to heartbeats tell. The clock
 * of this machine only measures how long ago the last one was: a wrong one refuses nobody.
 *
 * <p>Thread-safe; never blocks.
 */
final class TicketCheck {
    /** Tickets to remember of a connection. */
    private static final int MAX_KNOWN = 256;

    /** No ticket is good for longer: ten minutes, and one for a leader whose clock was set. */
    private static final long MAX_LIFE_MS = 660_000;

    private final Refusals refusals;
    private final Clock clock;
    private final Map<Connection, Known> known = new ConcurrentHashMap<>();
    private volatile @Nullable Keys keys;

    private record Keys(Map<Integer, TicketKey> byHour, long timeMs, long atNs) {}

    /** The tickets that were good on one connection, those used last at the end. */
    private static final class Known {
        private final Map<Ticket, TicketClaim> claims = new RecentEntries<>(MAX_KNOWN);

        synchronized @Nullable TicketClaim find(Ticket ticket) {
            return claims.get(ticket);
        }

        synchronized void add(Ticket ticket, TicketClaim claim) {
            claims.put(ticket, claim);
        }
    }

    /** Knows no key, and tells what it refuses. */
    TicketCheck(Refusals refusals, Clock clock) {
        this.refusals = refusals;
        this.clock = clock;
    }

    /** A master tells the keys. */
    void learn(TicketKeys told) {
        if (told.list().isEmpty()) {
            return;
        }
        Map<Integer, TicketKey> byHour = new HashMap<>();
        told.list().forEach(key -> byHour.put(key.hour(), key));
        keys = new Keys(Map.copyOf(byHour), told.timeMs(), clock.nanoTime());
    }

    /** A connection has ended. */
    void closed(Connection connection) {
        known.remove(connection);
    }

    /**
     * Lets a request in.
     *
     * @throws FsException BAD_TICKET when its ticket does not allow it; NOT_READY as long as no
     *     master has told a key
     */
    void require(Connection from, ChunkRequest request) {
        Principal client = from.principal();
        if (!ChunkRoleCheck.isClient(client)) {
            return;
        }
        Keys now = keys;
        if (now == null) {
            throw new FsException(Errno.NOT_READY, "no master has told the keys of tickets yet");
        }
        String fault = fault(now, from, request);
        if (fault != null) {
            String text = "%s shows %s for %s".formatted(client, fault, request.type());
            refusals.add(Reason.TICKET, client.address(), text);
            throw new FsException(Errno.BAD_TICKET, text);
        }
    }

    /** The fault of the ticket; null when it has none. */
    private @Nullable String fault(Keys now, Connection from, ChunkRequest request) {
        Ticket ticket = request.chunk().ticket();
        Known own = known.computeIfAbsent(from, _ -> new Known());
        TicketClaim claim = own.find(ticket);
        if (claim == null) {
            if (ticket.bytes().length == 0) {
                return "no ticket";
            }
            claim = TicketClaim.read(ticket);
            TicketKey key = claim == null ? null : now.byHour.get(claim.hour());
            if (claim == null || key == null) {
                return "a ticket of another hour or release";
            }
            if (!claim.isSigned(ticket, key, from.principal().id())) {
                return "a ticket that no master has signed for it";
            }
            own.add(ticket, claim);
        }
        long nowMs = now.timeMs + (clock.nanoTime() - now.atNs) / 1_000_000;
        if (nowMs > claim.endMs()) {
            return "a ticket that has expired";
        }
        if (claim.endMs() - nowMs > MAX_LIFE_MS) {
            return "a ticket of a master whose clock is ahead";
        }
        if (isChange(request) && !claim.writes()) {
            return "a ticket for reading only";
        }
        return opens(claim, request) ? null : "a ticket of another object";
    }

    /** A flush changes nothing: it keeps what was allowed before. */
    private static boolean isChange(ChunkRequest request) {
        return switch (request) {
            case ChunkRequest.Write _,
                    HeadRequest.WritePieces _,
                    ChunkRequest.Zero _,
                    ChunkRequest.Clone _ ->
                    true;
            case HeadRequest.Relay relay -> isChange(relay.request());
            case ChunkRequest.Read _,
                    ChunkRequest.Flush _,
                    ChunkRequest.StatChunk _,
                    ChunkRequest.SeekChunk _,
                    ChunkRequest.FindChunks _,
                    ChunkRequest.ReportBad _,
                    DirectRequest _ ->
                    false;
            case ChunkRequest.Replicate _,
                    ChunkRequest.ListChunks _,
                    ChunkRequest.Install _,
                    ChunkRequest.Discard _,
                    ChunkRequest.Fetch _,
                    ChunkRequest.Verify _,
                    ChunkRequest.Expect _,
                    HeadRequest.Settled _,
                    HeadRequest.VerifyCopies _,
                    HeadRequest.ToTarget _ ->
                    throw new IllegalStateException(request.type() + " is not of clients");
        };
    }

    private static boolean opens(TicketClaim claim, ChunkRequest request) {
        if (request instanceof HeadRequest.Relay relay) {
            return opens(claim, relay.request());
        }
        if (request instanceof ChunkRequest.Clone clone && !claim.opens(clone.sourceOid())) {
            return false;
        }
        if (request instanceof ChunkRequest.FindChunks find) {
            for (ChunkRange range : find.ranges()) {
                if (!claim.opens(range.oid())) {
                    return false;
                }
            }
        }
        return claim.opens(request.chunk().oid());
    }
}
