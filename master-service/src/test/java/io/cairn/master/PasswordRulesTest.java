package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.SigningRequest;
import io.cairn.identity.scram.Password;
import io.cairn.identity.scram.ScramClient;
import io.cairn.identity.scram.ScramVerifier;
import io.cairn.master.access.MountRule;
import io.cairn.master.access.MountRules;
import io.cairn.master.access.MountUsers;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.identity.CertificateIssuer;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals.Reason;
import io.cairn.runtime.Clock;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Logins with passwords at a master, spoken message by message. */
class PasswordRulesTest {
    private static final String HERE = "127.0.0.1";
    private static final String NONCE = "0123456789abcdef";
    private static final byte[] SALT = new byte[ScramVerifier.SALT_BYTES];

    private final HandScheduler time = new HandScheduler();
    private final LoneTransport transport = new LoneTransport();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final LoneTransport.Peer peer = new LoneTransport.Peer(HERE);
    private MountUsers users = MountUsers.of(new byte[MountUsers.SECRET_BYTES]);
    private MasterService master;
    private long number;

    @BeforeEach
    void start() {
        ClusterSettings cluster = new ClusterSettings(1, 1, 2_000, 3_000);
        master =
                new MasterService(
                        new MasterSettings("m1", new Endpoint("here", 1), cluster, 4096, 15_000),
                        new MasterService.Context(
                                log, () -> namespace, transport, time, time, new Random(1)));
        log.listener = master::tell;
        time.pass(500);
        rules("/ *(rw,user=alice)");
        keep(users.with("alice", verifier("correct horse")));
    }

    private static ScramVerifier verifier(String password) {
        return ScramVerifier.of(Password.of(password), SALT, ScramVerifier.LEAST_ITERATIONS);
    }

    private void rules(String... lines) {
        List<MountRule> rules = new ArrayList<>();
        Arrays.stream(lines).map(MountRule::parse).forEach(rules::add);
        record(MountRules.RECORD, MountRules.of(rules).encode());
    }

    private void keep(MountUsers changed) {
        users = changed;
        record(MountUsers.RECORD, users.encode());
    }

    private void record(String key, byte[] value) {
        var record = new RecordChange(key, RecordChange.ANY, value);
        Reply stored = master.submit(new LeaderMutation.ChangeRecords(List.of(record))).join();
        assertInstanceOf(Reply.Done.class, stored);
    }

    private Reply open(LoneTransport.Peer from) {
        Envelope envelope =
                new Envelope(0, ++number, 0, 0, new SessionMutation.OpenSession("test"));
        return Reply.decode(new Decoder(transport.ask(from, MasterRequest.mutation(envelope))));
    }

    private String refusal(LoneTransport.Peer from) {
        Reply.Failure failure = assertInstanceOf(Reply.Failure.class, open(from));
        assertEquals(Errno.EACCES, failure.errno());
        return failure.message();
    }

    private String ask(LoneTransport.Peer from, Query.OfLogin step) {
        byte[] answer = transport.ask(from, MasterRequest.query(0, step, 1));
        return assertInstanceOf(Reply.TextReply.class, Reply.decode(new Decoder(answer))).text();
    }

    private void logIn(LoneTransport.Peer from, String user, String password) {
        ScramClient client = new ScramClient(user, Password.of(password), NONCE);
        String challenge = ask(from, new Query.BeginLogin(client.first()));
        String signature = ask(from, new Query.FinishLogin(client.answer(challenge)));
        assertTrue(client.isFrom(signature));
    }

    private String refused(LoneTransport.Peer from, String user, String password) {
        var e = assertThrows(FsException.class, () -> logIn(from, user, password));
        assertEquals(Errno.EACCES, e.errno());
        return String.valueOf(e.getMessage());
    }

    @Test
    void theRightPasswordOpensAndNothingElse() {
        assertTrue(refusal(peer).contains("mount with -o user=NAME"));
        String wrong = refused(peer, "alice", "wrong horse");
        assertTrue(wrong.startsWith("password refused"), wrong);
        assertEquals(wrong, refused(peer, "nobody", "correct horse"));
        assertTrue(refusal(peer).contains("mount with -o user=NAME"));
        assertEquals(2, master.certification().refusals().count(Reason.PASSWORD));
        logIn(peer, "alice", "correct horse");
        assertInstanceOf(Reply.SessionReply.class, open(peer));
        keep(users.with("bob", verifier("battery staple")));
        LoneTransport.Peer other = new LoneTransport.Peer(HERE);
        logIn(other, "bob", "battery staple");
        assertTrue(refusal(other).contains("lets user bob of 127.0.0.1 in"), refusal(other));
    }

    @Test
    void aLoginIsGoodForItsConnectionOnly() {
        logIn(peer, "alice", "correct horse");
        long session = assertInstanceOf(Reply.SessionReply.class, open(peer)).session();
        LoneTransport.Peer thief = new LoneTransport.Peer(HERE);
        assertTrue(refusal(thief).contains("user=NAME"));
        byte[] renewal = MasterRequest.query(session, new Query.KeepAlive(false, new long[0]), 1);
        var e = assertThrows(FsException.class, () -> transport.ask(thief, renewal));
        assertEquals(Errno.NO_SESSION, e.errno());
        transport.ask(peer, renewal);
        transport.disconnect(peer);
        assertTrue(refusal(peer).contains("user=NAME"));
    }

    @Test
    void anotherPasswordEndsTheConnectionsOfTheOldOne() {
        logIn(peer, "alice", "correct horse");
        assertInstanceOf(Reply.SessionReply.class, open(peer));
        keep(users.with("bob", verifier("battery staple")));
        assertInstanceOf(Reply.SessionReply.class, open(peer), "another user was added");
        keep(users.with("alice", verifier("another horse")));
        var e = assertThrows(FsException.class, () -> open(peer));
        assertEquals(Errno.EACCES, e.errno());
        assertFalse(peer.open);
        LoneTransport.Peer next = new LoneTransport.Peer(HERE);
        logIn(next, "alice", "another horse");
        keep(users.without("alice"));
        assertThrows(FsException.class, () -> open(next));
        assertFalse(next.open);
    }

    @Test
    void aPasswordThatChangesDuringALoginIsNotTaken() {
        ScramClient client = new ScramClient("alice", Password.of("correct horse"), NONCE);
        String challenge = ask(peer, new Query.BeginLogin(client.first()));
        keep(users.with("alice", verifier("another horse")));
        String answer = client.answer(challenge);
        var e = assertThrows(FsException.class, () -> ask(peer, new Query.FinishLogin(answer)));
        assertEquals(Errno.EACCES, e.errno());
    }

    @Test
    void othersCouldListenToAPlainConnection() {
        LoneTransport.Peer plain = new LoneTransport.Peer("10.0.0.7");
        String message = refused(plain, "alice", "correct horse");
        assertTrue(message.contains("TLS"), message);
        LoneTransport.Peer secured =
                new LoneTransport.Peer(new Principal(Role.MOUNT, "web", "10.0.0.7"));
        logIn(secured, "alice", "correct horse");
        assertInstanceOf(Reply.SessionReply.class, open(secured));
    }

    @Test
    void aPasswordIsEnoughForACertificateThatIsNothingWithoutIt() {
        SecureRandom random = new SecureRandom();
        CertificateAuthority authority = CertificateAuthority.found(Clock.system(), random);
        master.certification()
                .serve(
                        new CertificateIssuer(
                                new MemoryKeys(authority).rotation(() -> namespace, master::submit),
                                () -> namespace,
                                master::submit,
                                Clock.system(),
                                Duration.ofDays(30)));
        SigningRequest request = SigningRequest.make(random);
        byte[] join = MasterRequest.cluster(new ClusterRequest.Join("", request.bytes()), 1);
        LoneTransport.Peer newcomer =
                new LoneTransport.Peer(new Principal(Role.NEWCOMER, "", "10.0.0.7"));
        assertEquals(Errno.EACCES, errnoOf(() -> transport.ask(newcomer, join)));
        assertEquals(Errno.EACCES, errnoOf(() -> open(newcomer)));
        refused(newcomer, "alice", "wrong horse");
        assertEquals(Errno.EACCES, errnoOf(() -> transport.ask(newcomer, join)));
        logIn(newcomer, "alice", "correct horse");
        assertEquals(Errno.EACCES, errnoOf(() -> open(newcomer)));
        Identity own = Identity.of(request.key(), transport.ask(newcomer, join));
        assertEquals(Role.USER, own.subject().role());
        assertEquals("alice", own.subject().name());
        assertEquals(List.of(), namespace.records("ca/", "", 10));
    }

    @Test
    void theCertificateOfAUserCountsWithItsPasswordOnly() {
        rules("/ *(rw,user=alice)", "/ alice@*(rw)", "/ *(ro)");
        keep(users.with("bob", verifier("battery staple")));
        Principal alice = new Principal(Role.USER, "alice", "10.0.0.7");
        LoneTransport.Peer user = new LoneTransport.Peer(alice);
        byte[] usage = MasterRequest.query(0, new Query.GetUsage(), 1);
        assertEquals(Errno.EACCES, errnoOf(() -> open(user)));
        assertEquals(Errno.EACCES, errnoOf(() -> transport.ask(user, usage)));
        refused(user, "bob", "battery staple");
        ScramClient client = new ScramClient("alice", Password.of("correct horse"), NONCE);
        byte[] inASession = MasterRequest.query(1, new Query.BeginLogin(client.first()), 1);
        assertEquals(Errno.EPROTO, errnoOf(() -> transport.ask(user, inASession)));
        logIn(user, "alice", "correct horse");
        assertInstanceOf(Reply.SessionReply.class, open(user));
        keep(users.without("alice"));
        assertEquals(Errno.EACCES, errnoOf(() -> open(user)));
        assertFalse(user.open);
        keep(users.with("alice", verifier("correct horse")));
        rules("/ alice@*(rw)");
        LoneTransport.Peer named = new LoneTransport.Peer(alice);
        logIn(named, "alice", "correct horse");
        assertTrue(refusal(named).contains("no mount rule lets"), "the name is no name of a rule");
    }

    @Test
    void aPasswordAloneOpensOnlyWhatNamesItsUser() {
        Principal alice = new Principal(Role.USER, "alice", "10.0.0.7");
        LoneTransport.Peer user = new LoneTransport.Peer(alice);
        LoneTransport.Peer web =
                new LoneTransport.Peer(new Principal(Role.MOUNT, "web", "10.0.0.7"));
        byte[] root = MasterRequest.query(0, new Query.ReadDirectory(1, 0, 10, false), 1);
        logIn(user, "alice", "correct horse");
        for (String[] lines : List.of(new String[0], new String[] {"/ *(rw)", "/ *(user=bob)"})) {
            rules(lines);
            String told = refusal(user);
            assertTrue(told.contains("no mount rule lets user alice of 10.0.0.7 in"), told);
            assertTrue(told.contains("RULE --user alice"), told);
            assertEquals(Errno.EACCES, errnoOf(() -> transport.ask(user, root)));
            assertInstanceOf(Reply.SessionReply.class, open(web));
        }
        rules("/ *(rw)", "/ *(ro,user=alice)");
        assertInstanceOf(Reply.SessionReply.class, open(user));
        transport.ask(user, root);
    }

    @Test
    void wrongPasswordsWithoutACertificateKeepNobodyWithOneOut() {
        LoneTransport.Peer stranger =
                new LoneTransport.Peer(new Principal(Role.NEWCOMER, "", "10.0.0.7"));
        LoneTransport.Peer web =
                new LoneTransport.Peer(new Principal(Role.MOUNT, "web", "10.0.0.7"));
        LoneTransport.Peer user =
                new LoneTransport.Peer(new Principal(Role.USER, "alice", "10.0.0.7"));
        for (int i = 0; i < 30; i++) {
            refused(stranger, "alice", "wrong horse");
        }
        assertTrue(refused(stranger, "alice", "correct horse").contains("wait a minute"));
        logIn(user, "alice", "correct horse");
        logIn(web, "alice", "correct horse");
        for (int i = 0; i < 30; i++) {
            refused(web, "alice", "wrong horse");
        }
        assertTrue(refused(web, "alice", "correct horse").contains("wait a minute"));
        logIn(user, "alice", "correct horse");
    }

    @Test
    void aCertificateThatIsUsedWithoutItsPasswordIsCounted() {
        LoneTransport.Peer user =
                new LoneTransport.Peer(new Principal(Role.USER, "alice", "10.0.0.7"));
        assertEquals(Errno.EACCES, errnoOf(() -> open(user)));
        assertEquals(1, master.certification().refusals().count(Reason.PASSWORD));
        byte[] join = MasterRequest.cluster(new ClusterRequest.Join("", new byte[1]), 1);
        LoneTransport.Peer newcomer =
                new LoneTransport.Peer(new Principal(Role.NEWCOMER, "", "10.0.0.7"));
        assertEquals(Errno.EACCES, errnoOf(() -> transport.ask(newcomer, join)));
        assertEquals(Errno.EACCES, errnoOf(() -> transport.ask(peer, join)));
        assertEquals(3, master.certification().refusals().count(Reason.PASSWORD));
        logIn(user, "alice", "correct horse");
        assertEquals(3, master.certification().refusals().count(Reason.PASSWORD));
    }

    private static Errno errnoOf(Executable action) {
        return assertThrows(FsException.class, action).errno();
    }

    @Test
    void manyUnfinishedLoginsMakeTheOldestBeginAgain() {
        ScramClient client = new ScramClient("alice", Password.of("correct horse"), NONCE);
        String answer = client.answer(ask(peer, new Query.BeginLogin(client.first())));
        for (int i = 0; i < 1024; i++) {
            ask(new LoneTransport.Peer(HERE), new Query.BeginLogin(client.first()));
        }
        var e = assertThrows(FsException.class, () -> ask(peer, new Query.FinishLogin(answer)));
        assertEquals(Errno.EAGAIN, e.errno());
        logIn(peer, "alice", "correct horse");
    }

    @Test
    void guessingIsSlowAndKnowsNoNames() {
        String first = "n,,n=nobody,r=" + NONCE;
        String salt = saltOf(ask(peer, new Query.BeginLogin(first)));
        assertEquals(salt, saltOf(ask(peer, new Query.BeginLogin(first))));
        for (int i = 0; i < 30; i++) {
            refused(peer, "alice", "wrong horse");
            refused(peer, "nobody", "wrong horse");
        }
        for (String user : List.of("alice", "nobody")) {
            String message = refused(peer, user, "correct horse");
            assertTrue(message.contains("wait a minute"), message);
        }
        time.pass(60_000);
        logIn(peer, "alice", "correct horse");
    }

    private static String saltOf(String challenge) {
        return challenge.substring(challenge.indexOf(",s="));
    }

    @Test
    void whatIsNoLoginIsRefused() {
        for (String first : List.of("", "n,,n=alice", "y,,n=alice,r=" + NONCE)) {
            var e = assertThrows(FsException.class, () -> ask(peer, new Query.BeginLogin(first)));
            assertEquals(Errno.EACCES, e.errno(), first);
        }
        var e = assertThrows(FsException.class, () -> ask(peer, new Query.FinishLogin("x")));
        assertEquals(Errno.EAGAIN, e.errno());
    }
}
