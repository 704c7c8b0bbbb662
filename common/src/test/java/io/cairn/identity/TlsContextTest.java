package io.cairn.identity;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.eventually;
import static io.cairn.net.NetworkRig.failureOf;
import static io.cairn.net.NetworkRig.get;
import static io.cairn.net.NetworkRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.ChannelSecurity;
import io.cairn.net.Connection;
import io.cairn.net.EchoHandler;
import io.cairn.net.Listener;
import io.cairn.net.NetworkRig;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.RawPeer;
import io.cairn.runtime.Clock;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCounted;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both implementations of TLS understand each other, and native memory is given back. */
class TlsContextTest {
    private static final TestIdentities CLUSTER = new TestIdentities();

    /** Keeps what engines there were. */
    private static final class Watched implements ChannelSecurity {
        private final Queue<ReferenceCounted> engines = new ConcurrentLinkedQueue<>();
        private final TlsSecurity security;

        Watched(TlsSecurity security) {
            this.security = security;
        }

        private SSLEngine keep(SSLEngine engine) {
            engines.add((ReferenceCounted) engine);
            return engine;
        }

        @Override
        public SSLEngine client() {
            return keep(security.client());
        }

        @Override
        public SSLEngine server() {
            return keep(security.server());
        }

        @Override
        public boolean admitsPlain() {
            return security.admitsPlain();
        }

        @Override
        public Principal principal(SSLSession session, String address) {
            return security.principal(session, address);
        }

        @Override
        public String refused(String address, Throwable cause) {
            return security.refused(address, cause);
        }

        /** Waits until as many engines as told were made, and each has given back its memory. */
        void gaveBack(int count) throws InterruptedException {
            eventually(
                    count + " are made and released",
                    () ->
                            engines.size() == count
                                    && engines.stream().allMatch(each -> each.refCnt() == 0));
        }
    }

    /** Tests run where the library is; elsewhere a process has the TLS of the JDK. */
    @Test
    void theNativeOneIsUsed() {
        assertEquals(SslProvider.OPENSSL, TlsContext.preferred());
        assertFalse(TlsSecurity.isOfJdk());
    }

    @ParameterizedTest
    @CsvSource({"OPENSSL, JDK", "JDK, OPENSSL", "OPENSSL, OPENSSL"})
    void bothUnderstandEachOther(SslProvider listening, SslProvider connecting) throws Exception {
        NetworkRig rig =
                new NetworkRig(
                        CLUSTER.security(listening, Role.CHUNK, "c1"),
                        CLUSTER.security(connecting, Role.MOUNT, "m1"));
        EchoHandler echo = new EchoHandler();
        Listener listener = rig.server.listen(LOOPBACK, echo);
        Connection connection = rig.connect(listener);
        String much = "much ".repeat(100_000);
        assertEquals(much, text(get(connection.call(text(much), 20_000))));
        assertEquals(new Principal(Role.CHUNK, "c1", "127.0.0.1"), connection.principal());
        assertEquals(new Principal(Role.MOUNT, "m1", "127.0.0.1"), echo.first().principal());
        rig.close();
    }

    @ParameterizedTest
    @CsvSource({"OPENSSL, JDK", "JDK, OPENSSL", "OPENSSL, OPENSSL"})
    void eachRefusesTheStrangersOfTheOther(SslProvider listening, SslProvider connecting)
            throws Exception {
        TestIdentities others = new TestIdentities();
        NetworkRig rig =
                new NetworkRig(
                        CLUSTER.security(listening, Role.CHUNK, "c1"),
                        others.security(connecting, Role.MOUNT, "m1"));
        Endpoint to = rig.server.listen(LOOPBACK, new EchoHandler()).endpoint();
        FsException failure = failureOf(rig.client.connect(to, new EchoHandler(), 10_000));
        assertEquals(Errno.DISCONNECTED, failure.errno());
        String told = String.valueOf(failure.getMessage());
        assertTrue(told.contains("another cluster"), told);
        rig.close();
    }

    /** With TLS 1.3 a client may learn only afterwards that it was refused. */
    @ParameterizedTest
    @CsvSource({"OPENSSL, JDK", "JDK, OPENSSL", "OPENSSL, OPENSSL"})
    void whoIsRefusedHearsThatTheOtherSideDidIt(SslProvider listening, SslProvider connecting)
            throws Exception {
        Instant before = Instant.now().minus(Duration.ofDays(40));
        Identity old = CLUSTER.identity(Role.MOUNT, "m1", before, CertificateAuthority.LIFE);
        TestIdentities unused = new TestIdentities();
        TlsSecurity security = new TlsSecurity(connecting, old, Clock.system(), unused.refusals);
        NetworkRig rig = new NetworkRig(CLUSTER.security(listening, Role.CHUNK, "c1"), security);
        Endpoint to = rig.server.listen(LOOPBACK, new EchoHandler()).endpoint();
        FsException failure =
                failureOf(
                        rig.client
                                .connect(to, new EchoHandler(), 10_000)
                                .thenCompose(made -> made.call(text("x"), 10_000)));
        String told = String.valueOf(failure.getMessage());
        assertTrue(told.contains("the other side refused the TLS handshake"), told);
        rig.close();
    }

    /** What a handshake has left is on neither side after the connection, however it ended. */
    @Test
    void memoryIsGivenBackWhenConnectionsEnd() throws Exception {
        Watched server = new Watched(CLUSTER.security(SslProvider.OPENSSL, Role.CHUNK, "c1"));
        Watched client = new Watched(CLUSTER.security(SslProvider.OPENSSL, Role.MOUNT, "m1"));
        NetworkRig rig = new NetworkRig(300, server, client);
        Listener listener = rig.server.listen(LOOPBACK, new EchoHandler());
        Connection connection = rig.connect(listener);
        assertEquals("x", text(get(connection.call(text("x"), 10_000))));
        connection.close();
        server.gaveBack(1);
        client.gaveBack(1);
        Listener ended = rig.server.listen(LOOPBACK, new EchoHandler());
        ended.close();
        failureOf(rig.client.connect(ended.endpoint(), new EchoHandler(), 10_000));
        client.gaveBack(2);
        for (String said : List.of("GET / HTTP/1.1\r\n\r\n", "", "\u0016\u0003\u0001")) {
            try (RawPeer peer = new RawPeer(listener.endpoint())) {
                peer.trySay(said.getBytes(StandardCharsets.ISO_8859_1));
                peer.hearEnd();
            }
        }
        server.gaveBack(4);
        rig.close();
    }

    @Test
    void memoryIsGivenBackAfterRefusals() throws Exception {
        Watched server = new Watched(CLUSTER.security(SslProvider.OPENSSL, Role.CHUNK, "c1"));
        Watched client =
                new Watched(new TestIdentities().security(SslProvider.OPENSSL, Role.MOUNT, "m1"));
        NetworkRig rig = new NetworkRig(server, client);
        Endpoint to = rig.server.listen(LOOPBACK, new EchoHandler()).endpoint();
        for (int i = 1; i <= 3; i++) {
            failureOf(rig.client.connect(to, new EchoHandler(), 10_000));
            client.gaveBack(i);
            server.gaveBack(i);
        }
        rig.close();
    }
}
