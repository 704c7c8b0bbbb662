package io.cairn.identity;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.eventually;
import static io.cairn.net.NetworkRig.failureOf;
import static io.cairn.net.NetworkRig.get;
import static io.cairn.net.NetworkRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Callee;
import io.cairn.net.ChannelSecurity;
import io.cairn.net.Connection;
import io.cairn.net.EchoHandler;
import io.cairn.net.EventLoops;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.NetworkRig;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals.Reason;
import io.cairn.net.TransportContract;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A secured transport does what every transport does, and lets only those in who may, with each
 * implementation of TLS.
 */
@ParameterizedClass
@EnumSource(names = {"OPENSSL", "JDK"})
class SecuredTransportTest extends TransportContract {
    private static final TestIdentities CLUSTER = new TestIdentities();

    private final SslProvider provider;
    private final TlsSecurity server;
    private final TlsSecurity client;

    SecuredTransportTest(SslProvider provider) {
        super(
                new NetworkRig(
                        CLUSTER.security(provider, Role.CHUNK, "c1"),
                        CLUSTER.security(provider, Role.MOUNT, "m1")));
        this.provider = provider;
        server = (TlsSecurity) Objects.requireNonNull(rig.listening);
        client = (TlsSecurity) Objects.requireNonNull(rig.connecting);
    }

    @Override
    protected Principal expectedClient() {
        return new Principal(Role.MOUNT, "m1", "127.0.0.1");
    }

    /** Connects with whatever it has. */
    private record Stranger(TlsContext context) implements ChannelSecurity {
        @Override
        public SSLEngine client() {
            return context.engine();
        }

        @Override
        public SSLEngine server() {
            throw new IllegalStateException("it only connects");
        }

        @Override
        public Principal principal(SSLSession session, String address) {
            return Principal.anonymous(address);
        }

        @Override
        public String refused(String address, Throwable cause) {
            return String.valueOf(cause.getMessage());
        }
    }

    @Test
    void theClientKnowsTheServer() {
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, echo));
        assertEquals(new Principal(Role.CHUNK, "c1", "127.0.0.1"), connection.principal());
    }

    @Test
    void nobodyButTheOneThatIsCalledMayAnswer() throws InterruptedException {
        Endpoint at = rig.server.listen(LOOPBACK, echo).endpoint();
        Connection right = get(rig.client.connect(new Callee(at, Role.CHUNK, "c1"), echo, 10_000));
        assertEquals("x", text(get(right.call(text("x"), 10_000))));
        long before = CLUSTER.refusals.count(Reason.CERTIFICATE);
        for (Callee wrong : List.of(Callee.master(at), new Callee(at, Role.CHUNK, "c2"))) {
            FsException failure = failureOf(rig.client.connect(wrong, new EchoHandler(), 10_000));
            assertEquals(Errno.DISCONNECTED, failure.errno());
            String told = String.valueOf(failure.getMessage());
            assertTrue(told.contains("chunk c1 at 127.0.0.1 answers, and not"), told);
        }
        eventually(
                "both are counted", () -> CLUSTER.refusals.count(Reason.CERTIFICATE) == before + 2);
    }

    /** Connects with another security, or with none, and ends with a failure. */
    private FsException refused(@Nullable ChannelSecurity security, Endpoint to) {
        EventLoops loops = new EventLoops("stranger", 1, Clock.system());
        try (NettyTransport stranger =
                new NettyTransport(
                        loops,
                        ChannelSettings.standard(Clock.system(), false),
                        ByteBufAllocator.DEFAULT,
                        true,
                        security)) {
            // With TLS 1.3 a client may learn only afterwards that it was refused.
            CompletableFuture<Connection> dialled = stranger.connect(to, new EchoHandler(), 10_000);
            return failureOf(dialled.thenCompose(c -> c.call(text("secret"), 10_000)));
        }
    }

    private void assertRefused(Reason reason, @Nullable ChannelSecurity security)
            throws InterruptedException {
        long before = CLUSTER.refusals.count(reason);
        Endpoint to = rig.server.listen(LOOPBACK, echo).endpoint();
        assertEquals(Errno.DISCONNECTED, refused(security, to).errno());
        eventually("it is counted", () -> CLUSTER.refusals.count(reason) == before + 1);
        assertTrue(echo.headers.isEmpty(), "nothing of it was decoded");
    }

    /** Trusts the cluster. */
    private static PeerTrust trust() {
        return new PeerTrust(List.of(CLUSTER.authority.certificate()), Instant::now, Set::of);
    }

    /** Of another cluster. It trusts this one, so that it is this one that refuses. */
    private Stranger foreign(Role role) {
        Identity identity = new TestIdentities().identity(role, "m1");
        return new Stranger(TlsContext.ofClient(provider, identity, trust()));
    }

    /** Of who has a token of the cluster, and no certificate yet. */
    private static JoinSecurity newcomer() {
        return new JoinSecurity(
                new JoinToken(
                        Role.CHUNK,
                        "c2",
                        List.of(LOOPBACK),
                        JoinSecurity.fingerprintOf(CLUSTER.authority.certificate()),
                        JoinToken.newSecret(new SecureRandom())),
                Clock.system());
    }

    @Test
    void aCertificateOfAnotherClusterIsRefused() throws InterruptedException {
        assertRefused(Reason.CERTIFICATE, foreign(Role.MOUNT));
    }

    @Test
    void aServerOfAnotherClusterIsRefused() {
        TestIdentities other = new TestIdentities();
        Endpoint to = rig.server.listen(LOOPBACK, echo).endpoint();
        FsException failure = refused(other.security(Role.MOUNT, "m1"), to);
        String told = String.valueOf(failure.getMessage());
        assertTrue(told.contains("another cluster"), told);
        assertEquals(1, other.refusals.count(Reason.CERTIFICATE));
    }

    @Test
    void anExpiredCertificateIsRefused() throws InterruptedException {
        Identity old =
                CLUSTER.identity(
                        Role.MOUNT,
                        "m1",
                        Instant.now().minus(Duration.ofDays(40)),
                        CertificateAuthority.LIFE);
        assertRefused(Reason.CERTIFICATE, CLUSTER.security(old));
    }

    @Test
    void aRevokedCertificateIsRefused() throws InterruptedException {
        Identity lost = CLUSTER.identity(Role.MOUNT, "lost");
        server.revoke(Set.of(PeerTrust.serial(lost.certificate())));
        assertRefused(Reason.CERTIFICATE, CLUSTER.security(lost));
    }

    @Test
    void nobodyWithoutACertificateSpeaksToAChunkServer() throws InterruptedException {
        Endpoint to = rig.server.listen(LOOPBACK, echo).endpoint();
        FsException failure = refused(newcomer(), to);
        String told = String.valueOf(failure.getMessage());
        assertTrue(told.contains("no master"), told);
        assertTrue(echo.headers.isEmpty());
    }

    @Test
    void plainBytesAreRefusedByAPortWithTls() throws InterruptedException {
        assertRefused(Reason.PLAIN, null);
    }

    @Test
    void tlsIsRefusedByAPlainPort() throws Exception {
        NetworkRig plain = new NetworkRig();
        Endpoint to = plain.server.listen(LOOPBACK, echo).endpoint();
        FsException failure = refused(CLUSTER.security(Role.MOUNT, "m1"), to);
        assertEquals(Errno.DISCONNECTED, failure.errno());
        assertTrue(echo.headers.isEmpty());
        plain.close();
    }

    @Test
    void connectionsOfARevokedCertificateEnd() throws InterruptedException {
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, echo));
        assertEquals("x", text(get(connection.call(text("x"), 5_000))));
        server.onRevocation(((NettyTransport) rig.server)::examine);
        server.revoke(Set.of("abc"));
        assertEquals("y", text(get(connection.call(text("y"), 5_000))));
        String serial = PeerTrust.serial(client.identity().certificate());
        server.revoke(Set.of("abc", serial));
        eventually("the connection has ended", () -> !connection.isOpen());
    }

    /** Signed by another authority than the one that the others know. */
    private static Identity signed(
            CertificateAuthority signer, Authorities shown, Role role, String name) {
        SigningRequest request = SigningRequest.make(new SecureRandom());
        X509Certificate certificate =
                signer.sign(request.bytes(), role, name, Instant.now(), CertificateAuthority.LIFE);
        return Identity.of(request.key(), Identity.chain(certificate, shown));
    }

    @Test
    void anAuthorityIsReplacedUnderOpenConnections() throws InterruptedException {
        server.onRevocation(((NettyTransport) rig.server)::examine);
        Listener listener = rig.server.listen(LOOPBACK, echo);
        Connection before = rig.connect(listener);
        CertificateAuthority next = CLUSTER.authority.successor(Clock.system());
        X509Certificate crossed = CLUSTER.authority.introduce(next.certificate(), Clock.system());
        Authorities both =
                Authorities.of(CLUSTER.authority.certificate())
                        .followedBy(next.certificate(), crossed);
        server.renewed(signed(next, both, Role.CHUNK, "c1"));
        // The client has not heard of it, and is known by its former certificate.
        assertEquals("x", text(get(rig.connect(listener).call(text("x"), 5_000))));
        assertEquals("y", text(get(before.call(text("y"), 5_000))));
        client.renewed(signed(next, both, Role.MOUNT, "m1"));
        Connection after = rig.connect(listener);
        assertEquals("z", text(get(after.call(text("z"), 5_000))));
        Authorities alone = Authorities.of(next.certificate());
        server.renewed(server.identity().trusting(alone));
        eventually("the former connection has ended", () -> !before.isOpen());
        assertEquals("a", text(get(after.call(text("a"), 5_000))));
        assertEquals("b", text(get(rig.connect(listener).call(text("b"), 5_000))));
    }

    @Test
    void aCertificateIsReplacedUnderOpenConnections() {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        Connection before = rig.connect(listener);
        server.renewed(CLUSTER.identity(Role.CHUNK, "c1"));
        assertEquals("x", text(get(before.call(text("x"), 5_000))));
        assertEquals("y", text(get(rig.connect(listener).call(text("y"), 5_000))));
        assertFalse(before.principal().isAnonymous());
    }

    @Test
    void noByteOfAMessageStandsOnTheWire() throws Exception {
        Endpoint to = rig.server.listen(LOOPBACK, echo).endpoint();
        String secret = "the known contents of a file ".repeat(200);
        try (Capture capture = new Capture(to)) {
            Connection connection =
                    get(rig.client.connect(capture.endpoint(), new EchoHandler(), 10_000));
            assertEquals(secret, text(get(connection.call(text(secret), 10_000))));
            String seen = capture.seen();
            assertTrue(seen.length() > 2 * secret.length());
            assertFalse(seen.contains("known contents"));
        }
    }

    @Test
    void duringAChangeAServerTakesPlainConnectionsToo() {
        server.admitPlain();
        Listener listener = rig.server.listen(LOOPBACK, echo);
        assertEquals("x", text(get(rig.connect(listener).call(text("x"), 10_000))));
        assertEquals(expectedClient(), echo.first().principal());
        EchoHandler other = new EchoHandler();
        Endpoint to = rig.server.listen(LOOPBACK, other).endpoint();
        try (NettyTransport plain = new NettyTransport("plain", 1, Clock.system())) {
            Connection connection = get(plain.connect(to, new EchoHandler(), 10_000));
            assertEquals("y", text(get(connection.call(text("y"), 10_000))));
            assertTrue(other.first().principal().isAnonymous());
        }
    }

    @Test
    void duringAChangeACallerFindsPlainServersToo() {
        client.admitPlain();
        Connection secured = rig.connect(rig.server.listen(LOOPBACK, echo));
        assertEquals(new Principal(Role.CHUNK, "c1", "127.0.0.1"), secured.principal());
        try (NettyTransport plain = new NettyTransport("plain", 1, Clock.system())) {
            Endpoint to = plain.listen(LOOPBACK, new EchoHandler()).endpoint();
            Connection connection = get(rig.client.connect(Callee.master(to), echo, 10_000));
            assertTrue(connection.principal().isAnonymous());
            assertEquals("z", text(get(connection.call(text("z"), 10_000))));
        }
    }

    @Test
    void aNewcomerMayAskAMasterOnly() throws Exception {
        TlsSecurity master = CLUSTER.security(provider, Role.MASTER, "m1");
        NetworkRig joining = new NetworkRig(master, newcomer());
        EchoHandler door = new EchoHandler();
        Connection connection = joining.connect(joining.server.listen(LOOPBACK, door));
        assertEquals("x", text(get(connection.call(text("x"), 5_000))));
        assertEquals(Role.NEWCOMER, door.first().principal().role());
        joining.close();
    }

    /** A certificate may be absent there, and not wrong. */
    @Test
    void aCertificateOfAnotherClusterMakesNoNewcomer() throws Exception {
        Stranger foreign = foreign(Role.MASTER);
        NetworkRig joining = new NetworkRig(CLUSTER.security(provider, Role.MASTER, "m1"), foreign);
        EchoHandler door = new EchoHandler();
        long before = CLUSTER.refusals.count(Reason.CERTIFICATE);
        Endpoint to = joining.server.listen(LOOPBACK, door).endpoint();
        assertEquals(Errno.DISCONNECTED, refused(foreign, to).errno());
        eventually("it is counted", () -> CLUSTER.refusals.count(Reason.CERTIFICATE) > before);
        assertTrue(door.headers.isEmpty(), "nothing of it was decoded");
        joining.close();
    }

    @Test
    void whoShowsNoCertificateIsToldSo() throws InterruptedException {
        TlsContext bare = TlsContext.ofStranger(provider, trust());
        assertRefused(Reason.CERTIFICATE, new Stranger(bare));
    }

    /** One that announces much, and sends nothing, would hold memory that others need. */
    @Test
    void aNewcomerMaySendLittleOnly() throws Exception {
        JoinSecurity stranger = new JoinSecurity(CLUSTER.authority.certificate(), Clock.system());
        NetworkRig joining =
                new NetworkRig(CLUSTER.security(provider, Role.MASTER, "m1"), stranger);
        Listener listener = joining.server.listen(LOOPBACK, new EchoHandler());
        Connection asking = joining.connect(listener);
        String most = "x".repeat(4096);
        assertEquals(most, text(get(asking.call(text(most), 10_000))));
        for (Message large :
                List.of(
                        text("x".repeat(1 << 20)),
                        new Message(new byte[1], joining.pattern(4 << 20, 1)))) {
            Connection each = joining.connect(listener);
            assertEquals(Errno.DISCONNECTED, failureOf(each.call(large, 10_000)).errno());
            assertEquals(0, joining.budget.usedBytes());
        }
        assertEquals("y", text(get(asking.call(text("y"), 10_000))));
        joining.close();
    }

    @Test
    void whoKnowsTheAuthorityTrustsItsMastersOnly() throws Exception {
        JoinSecurity knowing = new JoinSecurity(CLUSTER.authority.certificate(), Clock.system());
        NetworkRig joining = new NetworkRig(CLUSTER.security(provider, Role.MASTER, "m1"), knowing);
        EchoHandler door = new EchoHandler();
        Listener listener = joining.server.listen(LOOPBACK, door);
        Connection connection = joining.connect(listener);
        assertEquals("x", text(get(connection.call(text("x"), 5_000))));
        assertEquals(Role.NEWCOMER, door.first().principal().role());
        CertificateAuthority other = CertificateAuthority.found(Clock.system(), new SecureRandom());
        FsException failure =
                refused(new JoinSecurity(other.certificate(), Clock.system()), listener.endpoint());
        assertTrue(String.valueOf(failure.getMessage()).contains("ca=FILE"), failure.toString());
        joining.close();
    }

    @Test
    void nonsenseClosesTheConnection() throws Exception {
        Endpoint to = rig.server.listen(LOOPBACK, echo).endpoint();
        try (Socket socket = new Socket(to.host(), to.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            InputStream in = socket.getInputStream();
            while (in.read() >= 0) {
                // An alert may come first.
            }
        }
    }

    @Test
    void nothingOlderThanTls13IsSpoken() throws Exception {
        Endpoint to = rig.server.listen(LOOPBACK, echo).endpoint();
        SSLContext any = SSLContext.getInstance("TLS");
        any.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        try (SSLSocket socket =
                (SSLSocket) any.getSocketFactory().createSocket(to.host(), to.port())) {
            socket.setSoTimeout(20_000);
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            SSLException error = assertThrows(SSLException.class, socket::startHandshake);
            assertTrue(String.valueOf(error.getMessage()).contains("protocol"), error.toString());
        }
    }
}
