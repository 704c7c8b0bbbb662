package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.master.access.MountRule;
import io.cairn.master.access.MountRules;
import io.cairn.master.access.TicketIssuer;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.wire.Decoder;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.chunk.TicketClaim;
import io.cairn.wire.chunk.TicketKey;
import io.cairn.wire.chunk.TicketKeys;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tickets and their keys, asked of a master message by message. */
class TicketIssuerTest {
    private static final long HOUR_MS = 3_600_000;

    private final HandScheduler time = new HandScheduler();
    private final LoneTransport transport = new LoneTransport();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final LoneTransport.Peer mount = peer(Role.MOUNT, "a", "10.0.0.5");
    private final LoneTransport.Peer server = peer(Role.CHUNK, "c1", "10.0.0.9");
    private MasterService master;
    private long number;
    private long session;

    @BeforeEach
    void start() {
        master = lead();
        session = open(mount);
    }

    private MasterService lead() {
        ClusterSettings cluster = new ClusterSettings(1, 1, 2_000, 3_000);
        MasterService leads =
                new MasterService(
                        new MasterSettings("m1", new Endpoint("here", 1), cluster, 4096, 15_000),
                        new MasterService.Context(
                                log, () -> namespace, transport, time, time, new Random(1)));
        log.listener = leads::tell;
        time.pass(500);
        return leads;
    }

    private static LoneTransport.Peer peer(Role role, String name, String address) {
        return new LoneTransport.Peer(new Principal(role, name, address));
    }

    private long open(LoneTransport.Peer from) {
        Envelope envelope =
                new Envelope(0, ++number, 0, 0, new SessionMutation.OpenSession("test"));
        byte[] reply = transport.ask(from, MasterRequest.mutation(envelope));
        return assertInstanceOf(Reply.SessionReply.class, Reply.decode(new Decoder(reply)))
                .session();
    }

    private void rules(String... lines) {
        List<MountRule> rules = Arrays.stream(lines).map(MountRule::parse).toList();
        RecordChange change =
                new RecordChange(
                        MountRules.RECORD, RecordChange.ANY, MountRules.of(rules).encode());
        Reply stored = master.submit(new LeaderMutation.ChangeRecords(List.of(change))).join();
        assertInstanceOf(Reply.Done.class, stored);
    }

    private Ticket ticket(LoneTransport.Peer from, long of) {
        byte[] frame = MasterRequest.query(of, new Query.GetTicket(), 1);
        Reply reply = Reply.decode(new Decoder(transport.ask(from, frame)));
        Reply.TicketReply told = assertInstanceOf(Reply.TicketReply.class, reply);
        assertEquals(TicketIssuer.LIFE_MS, told.lifeMs());
        return new Ticket(told.ticket());
    }

    private Errno refusal(LoneTransport.Peer from, long of) {
        return assertThrows(FsException.class, () -> ticket(from, of)).errno();
    }

    private TicketKeys keys(LoneTransport.Peer from, String name) {
        var target = new ClusterRequest.TargetReport(5, 1L << 40, 1L << 39, 0, true);
        var heartbeat =
                new ClusterRequest.Heartbeat(
                        namespace.clusterId(),
                        name,
                        new Endpoint(name, 1),
                        1,
                        1,
                        List.of(target),
                        0,
                        new long[0],
                        Declaration.NONE,
                        0);
        byte[] reply = transport.ask(from, MasterRequest.cluster(heartbeat, 1));
        return ClusterRequest.HeartbeatReply.decode(new Decoder(reply)).keys().tickets();
    }

    /** The first question makes the secret. */
    private TicketClaim claim() {
        Ticket ticket;
        try {
            ticket = ticket(mount, session);
        } catch (FsException e) {
            assertEquals(Errno.NOT_READY, e.errno());
            ticket = ticket(mount, session);
        }
        TicketClaim claim = TicketClaim.read(ticket);
        assertNotNull(claim);
        TicketKey key = key(keys(server, "c1"), claim.hour());
        assertTrue(claim.isSigned(ticket, key, "mount.a"));
        assertFalse(claim.isSigned(ticket, key, "mount.b"));
        return claim;
    }

    private static TicketKey key(TicketKeys keys, int hour) {
        return keys.list().stream().filter(k -> k.hour() == hour).findFirst().orElseThrow();
    }

    @Test
    void aChunkServerCanCheckWhatAMasterSigned() {
        TicketClaim claim = claim();
        assertEquals(session, claim.session());
        assertTrue(claim.writes());
        assertTrue(claim.opens(1) && claim.opens(Long.MAX_VALUE));
        TicketKeys keys = keys(server, "c1");
        assertEquals(3, keys.list().size());
        assertEquals(time.wallNs() / 1_000_000, keys.timeMs());
        assertEquals(keys.timeMs() + TicketIssuer.LIFE_MS, claim.endMs());
    }

    @Test
    void theNextLeaderKnowsTheSameKeys() {
        int hour = claim().hour();
        TicketKey before = key(keys(server, "c1"), hour);
        master.close();
        master = lead();
        assertTrue(Arrays.equals(before.bytes(), key(keys(server, "c1"), hour).bytes()));
        time.pass(3_600_000);
        // The key of the last hour stays for one more.
        assertTrue(Arrays.equals(before.bytes(), key(keys(server, "c1"), hour).bytes()));
    }

    /** A chunk server that has heard the keys of an hour can check what is signed in the next. */
    @Test
    void theSecretIsReplacedEachWeekAndNobodyNotices() {
        claim();
        byte[] first = secret();
        TicketKeys heard = keys(server, "c1");
        for (int week = 1; week <= 2; week++) {
            time.standStill(7 * 24 * HOUR_MS);
            time.pass(500);
            byte[] before = secret();
            heard = keys(server, "c1");
            for (int hour = 0; hour < 4; hour++) {
                time.standStill(HOUR_MS);
                time.pass(500);
                session = open(mount);
                Ticket ticket = ticket(mount, session);
                TicketClaim claim = TicketClaim.read(ticket);
                assertNotNull(claim);
                assertTrue(claim.isSigned(ticket, key(heard, claim.hour()), "mount.a"));
                TicketKeys next = keys(server, "c1");
                byte[] known = key(heard, claim.hour()).bytes();
                assertArrayEquals(known, key(next, claim.hour()).bytes());
                heard = next;
            }
            assertFalse(Arrays.equals(before, secret()), "there is a new one");
        }
        String all = new String(secret(), StandardCharsets.ISO_8859_1);
        String old = new String(first, StandardCharsets.ISO_8859_1);
        assertFalse(all.contains(old.substring(old.length() - 32)), "the first one is forgotten");
    }

    private byte[] secret() {
        return namespace.records("tickets/secret", "", 1).getFirst().value();
    }

    /** It may be refused at once, as by a master that does not lead any more. */
    @Test
    void aSecretThatCouldNotBeStoredIsMadeAgain() {
        int[] asked = {0};
        LogWriter refusing =
                _ -> {
                    asked[0]++;
                    throw new FsException(Errno.NOT_LEADER, "another master leads");
                };
        TicketIssuer issuer = new TicketIssuer(() -> namespace, refusing, time, new Random(1));
        for (int i = 1; i <= 3; i++) {
            assertEquals(TicketKeys.NONE, issuer.keys(new Principal(Role.CHUNK, "c1", "10.0.0.9")));
            assertEquals(i, asked[0]);
        }
    }

    @Test
    void rulesDecideAboutWriting() {
        claim();
        rules("/ 10.0.0.0/8(ro)");
        assertFalse(claim().writes());
        rules("/a 10.0.0.0/8(ro)", "/b 10.0.0.0/8(rw)");
        assertTrue(claim().writes());
        rules("/ 10.0.0.0/8(rw,deny=write:truncate)");
        assertFalse(claim().writes());
        rules("/ 192.168.0.0/16(rw)");
        assertEquals(Errno.EACCES, refusal(mount, session));
    }

    @Test
    void aRuleBelowAnEarlierOneLetsNobodyWrite() {
        rules("/ 10.0.0.5(ro)", "/ 10.0.0.0/8(rw)");
        assertFalse(claim().writes());
        rules("/ 10.0.0.5(ro)", "/scratch 10.0.0.5(rw)");
        assertFalse(claim().writes());
        rules("/a 10.0.0.5(ro)", "/a/b/c 10.0.0.0/8(rw)");
        assertFalse(claim().writes());
        rules("/a 10.0.0.5(ro)", "/ab 10.0.0.5(rw)");
        assertTrue(claim().writes());
        rules("/a/b 10.0.0.5(ro)", "/a 10.0.0.5(rw)");
        assertTrue(claim().writes());
        rules("/ 10.0.0.6(ro)", "/ 10.0.0.5(rw)");
        assertTrue(claim().writes(), "the first one is for somebody else");
    }

    @Test
    void nobodyElseGetsTicketsOrKeys() {
        claim();
        assertEquals(Errno.NO_SESSION, refusal(mount, 0));
        assertEquals(Errno.NO_SESSION, refusal(peer(Role.MOUNT, "b", "10.0.0.6"), session));
        LoneTransport.Peer plain = new LoneTransport.Peer("10.0.0.7");
        assertEquals(Ticket.NONE, ticket(plain, open(plain)));
        assertEquals(TicketKeys.NONE, keys(plain, "c1"));
        assertThrows(FsException.class, () -> keys(mount, "a"));
    }
}
