package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.net.Refusals.Reason;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRange;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.DirectRequest;
import io.cairn.wire.chunk.HeadRequest;
import io.cairn.wire.chunk.OperationId;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.chunk.TicketClaim;
import io.cairn.wire.chunk.TicketKey;
import io.cairn.wire.chunk.TicketKeys;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client that speaks the protocol by itself, and lies about its tickets. */
class TicketCheckTest {
    private static final int HOUR = 400_000;
    private static final long NOW_MS = HOUR * 3_600_000L + 5_000;
    private static final long LIFE_MS = 600_000;
    private static final byte[] SECRET = {1, 2, 3};
    private static final TicketKey KEY = TicketKey.derive(SECRET, HOUR);
    private static final long OWN = 150;
    private static final long FOREIGN = 151;
    private static final OperationId OPERATION = new OperationId(7, 1);

    private final ManualClock clock = new ManualClock(0);
    private final Refusals refusals = new Refusals("chunk", clock);
    private final TicketCheck check = new TicketCheck(refusals, clock);
    private final FakePeer laptop = new FakePeer(new Principal(Role.MOUNT, "a", "10.0.0.5"));
    private final FakePeer other = new FakePeer(new Principal(Role.MOUNT, "b", "10.0.0.6"));

    @BeforeEach
    void learn() {
        check.learn(new TicketKeys(NOW_MS, List.of(TicketKey.derive(SECRET, HOUR - 1), KEY)));
    }

    private static TicketClaim claim(boolean writes) {
        return new TicketClaim(HOUR, 7, OWN, OWN, writes, NOW_MS + LIFE_MS);
    }

    private static Ticket ticket(boolean writes) {
        return claim(writes).sign(KEY, "mount.a");
    }

    private static ChunkAddress at(long oid, Ticket ticket) {
        return new ChunkAddress(1, 2, oid, 0, 22).showing(ticket);
    }

    private static ChunkRequest read(Ticket ticket) {
        return new ChunkRequest.Read(at(OWN, ticket), 0, 4096);
    }

    private void refused(String why, FakePeer from, ChunkRequest request) {
        long before = refusals.count(Reason.TICKET);
        FsException error = assertThrows(FsException.class, () -> check.require(from, request));
        assertEquals(Errno.BAD_TICKET, error.errno());
        assertTrue(String.valueOf(error.getMessage()).contains(why), error.getMessage());
        assertEquals(before + 1, refusals.count(Reason.TICKET));
    }

    private void passes(FakePeer from, ChunkRequest request) {
        assertDoesNotThrow(() -> check.require(from, request));
    }

    @Test
    void noTicketOrAForgedOneOpensNothing() {
        refused("no ticket", laptop, read(Ticket.NONE));
        refused("another hour", laptop, read(new Ticket(new byte[] {1, 2, 3})));
        byte[] forged = ticket(false).bytes().clone();
        forged[forged.length - 1] ^= 1;
        refused("no master has signed", laptop, read(new Ticket(forged)));
        Ticket own = claim(true).sign(TicketKey.derive(new byte[32], HOUR), "mount.a");
        refused("no master has signed", laptop, read(own));
    }

    @Test
    void aTicketOfSomebodyElseOpensNothing() {
        refused("no master has signed", other, read(ticket(true)));
        // Also when its owner has shown it here before.
        passes(laptop, read(ticket(true)));
        refused("no master has signed", other, read(ticket(true)));
        FakePeer gateway = new FakePeer(new Principal(Role.GATEWAY, "a", "10.0.0.5"));
        refused("no master has signed", gateway, read(ticket(true)));
        // After its connection has broken it makes another one.
        check.closed(laptop);
        passes(new FakePeer(laptop.principal()), read(ticket(true)));
    }

    @Test
    void aTicketEndsByTheClockOfTheMaster() {
        passes(laptop, read(ticket(false)));
        clock.advance(LIFE_MS);
        passes(laptop, read(ticket(false)));
        clock.advance(1);
        refused("expired", laptop, read(ticket(false)));
        // The next leader has another clock.
        check.learn(new TicketKeys(NOW_MS, List.of(KEY)));
        passes(laptop, read(ticket(false)));
    }

    @Test
    void aTicketOfALeaderWhoseClockIsAheadHasToWait() {
        TicketClaim claim = new TicketClaim(HOUR, 7, OWN, OWN, false, NOW_MS + LIFE_MS + 60_001);
        ChunkRequest request = read(claim.sign(KEY, "mount.a"));
        refused("ahead", laptop, request);
        clock.advance(1);
        passes(laptop, request);
    }

    @Test
    void keysComeAndGo() {
        Ticket next =
                TicketClaim.ofAll(HOUR + 1, 7, true, NOW_MS + LIFE_MS)
                        .sign(TicketKey.derive(SECRET, HOUR + 1), "mount.a");
        refused("another hour", laptop, read(next));
        check.learn(new TicketKeys(NOW_MS, List.of(TicketKey.derive(SECRET, HOUR + 1))));
        passes(laptop, read(next));
        refused("another hour", laptop, read(ticket(true)));
        // A master that has no keys yet takes none away.
        check.learn(TicketKeys.NONE);
        passes(laptop, read(next));
    }

    @Test
    void withoutKeysItIsToBeTriedAgain() {
        TicketCheck fresh = new TicketCheck(refusals, clock);
        FsException error =
                assertThrows(FsException.class, () -> fresh.require(laptop, read(ticket(true))));
        assertEquals(Errno.NOT_READY, error.errno());
        assertEquals(0, refusals.count(Reason.TICKET));
    }

    private static List<Function<ChunkAddress, ChunkRequest>> changes() {
        return List.of(
                at -> new ChunkRequest.Write(at, OPERATION, 0, new int[0]),
                at -> new ChunkRequest.Zero(at, OPERATION, 0, 0, 1),
                at -> new ChunkRequest.Clone(at, OWN, 1, false));
    }

    private static List<Function<ChunkAddress, ChunkRequest>> reads() {
        return List.of(
                at -> new ChunkRequest.Read(at, 0, 1),
                at -> new ChunkRequest.Flush(at, List.of(), false),
                ChunkRequest.StatChunk::new,
                at -> new ChunkRequest.SeekChunk(at, 0, true),
                at -> new ChunkRequest.FindChunks(at, List.of(), 1),
                at -> new ChunkRequest.ReportBad(at, 0),
                at -> new DirectRequest.Grant(at, 1));
    }

    @Test
    void whoMayReadChangesNothing() {
        for (Function<ChunkAddress, ChunkRequest> each : changes()) {
            ChunkRequest request = each.apply(at(OWN, ticket(false)));
            refused("reading only", laptop, request);
            refused("reading only", laptop, new HeadRequest.Relay(request));
            passes(laptop, each.apply(at(OWN, ticket(true))));
        }
        for (Function<ChunkAddress, ChunkRequest> each : reads()) {
            passes(laptop, each.apply(at(OWN, ticket(false))));
            passes(laptop, new HeadRequest.Relay(each.apply(at(OWN, ticket(false)))));
        }
    }

    @Test
    void aTicketOpensItsObjectsOnly() {
        for (Function<ChunkAddress, ChunkRequest> each : changes()) {
            ChunkRequest request = each.apply(at(FOREIGN, ticket(true)));
            refused("another object", laptop, request);
            refused("another object", laptop, new HeadRequest.Relay(request));
        }
        for (Function<ChunkAddress, ChunkRequest> each : reads()) {
            refused("another object", laptop, each.apply(at(FOREIGN, ticket(true))));
        }
        ChunkAddress own = at(OWN, ticket(true));
        refused("another object", laptop, new ChunkRequest.Clone(own, FOREIGN, 1, false));
        List<ChunkRange> ranges = List.of(new ChunkRange(OWN, 0, 1), new ChunkRange(FOREIGN, 0, 1));
        refused("another object", laptop, new ChunkRequest.FindChunks(own, ranges, 1));
    }

    @Test
    void serversAndPlainConnectionsNeedNone() {
        for (Role role : List.of(Role.ANONYMOUS, Role.CHUNK, Role.MASTER)) {
            passes(new FakePeer(new Principal(role, "x", "10.0.0.5")), read(Ticket.NONE));
        }
    }

    @Test
    void onlySomeTicketsAreRemembered() {
        for (int i = 0; i < 1000; i++) {
            TicketClaim claim = new TicketClaim(HOUR, i, OWN, OWN, false, NOW_MS + LIFE_MS);
            passes(laptop, read(claim.sign(KEY, "mount.a")));
        }
        passes(laptop, read(ticket(false)));
    }
}
