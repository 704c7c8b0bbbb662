package io.cairn.identity;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.eventually;
import static io.cairn.net.NetworkRig.failureOf;
import static io.cairn.net.NetworkRig.get;
import static io.cairn.net.NetworkRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Callee;
import io.cairn.net.Connection;
import io.cairn.net.EchoHandler;
import io.cairn.net.EventLoops;
import io.cairn.net.NetworkRig;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals.Reason;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** While a cluster changes to TLS, plain text is for processes that speak no TLS, and no others. */
class AlsoPlainTest {
    private static final TestIdentities CLUSTER = new TestIdentities();
    private static final int ALERT = 21;

    private final TlsSecurity server = CLUSTER.security(Role.CHUNK, "c1");
    private final TlsSecurity client = CLUSTER.security(Role.MASTER, "m1");
    private final NetworkRig rig = new NetworkRig(server, client);
    private final EchoHandler echo = new EchoHandler();

    /** A process that reads what each caller says first, answers some bytes, and counts callers. */
    private static final class Answering implements AutoCloseable {
        private final ServerSocket socket =
                new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        private final AtomicInteger callers = new AtomicInteger();
        private final List<Socket> open = new CopyOnWriteArrayList<>();
        private final byte[] answer;
        private final boolean ends;

        Answering(boolean ends, int... answer) throws IOException {
            this.ends = ends;
            this.answer = new byte[answer.length];
            for (int i = 0; i < answer.length; i++) {
                this.answer[i] = (byte) answer[i];
            }
            Thread.ofPlatform().daemon().start(this::serve);
        }

        private void serve() {
            try {
                while (!socket.isClosed()) {
                    Socket caller = socket.accept();
                    open.add(caller);
                    callers.incrementAndGet();
                    if (caller.getInputStream().read(new byte[1 << 14]) >= 0) {
                        caller.getOutputStream().write(answer);
                    }
                    if (ends) {
                        caller.close();
                    }
                }
            } catch (IOException e) {
                callers.addAndGet(socket.isClosed() ? 0 : 100);
            }
        }

        Endpoint endpoint() {
            return new Endpoint("127.0.0.1", socket.getLocalPort());
        }

        @Override
        public void close() throws IOException {
            socket.close();
            for (Socket each : open) {
                each.close();
            }
        }
    }

    @BeforeEach
    void admitPlain() {
        server.admitPlain();
        client.admitPlain();
    }

    @AfterEach
    void close() throws InterruptedException {
        rig.close();
    }

    private FsException failure(Endpoint to, long timeoutMs) {
        return failureOf(rig.client.connect(to, new EchoHandler(), timeoutMs));
    }

    @Test
    void whoAnswersInPlainTextIsCalledAgain() throws Exception {
        long before = CLUSTER.refusals.count(Reason.PLAIN);
        try (Answering plain = new Answering(true, 0, 0, 0, 20, 1, 0, 0, 0, 0, 0, 0, 0, 0)) {
            assertEquals(Errno.DISCONNECTED, failure(plain.endpoint(), 20_000).errno());
            assertEquals(2, plain.callers.get());
        }
        assertEquals(before, CLUSTER.refusals.count(Reason.PLAIN), "nobody was refused");
    }

    @Test
    void whoClosesWithoutAWordIsNotCalledInPlainText() throws Exception {
        try (Answering starting = new Answering(true)) {
            assertEquals(Errno.DISCONNECTED, failure(starting.endpoint(), 20_000).errno());
            assertEquals(1, starting.callers.get());
        }
    }

    @Test
    void whoSendsAnAlertSpeaksTls() throws Exception {
        try (Answering refusing = new Answering(true, ALERT, 3, 3, 0, 2, 2, 42)) {
            assertEquals(Errno.DISCONNECTED, failure(refusing.endpoint(), 20_000).errno());
            assertEquals(1, refusing.callers.get());
        }
    }

    @Test
    void whoIsSilentIsNotCalledInPlainText() throws Exception {
        try (Answering silent = new Answering(false)) {
            assertEquals(Errno.ETIMEDOUT, failure(silent.endpoint(), 500).errno());
            assertTrue(silent.callers.get() <= 1);
        }
    }

    @Test
    void nobodyCallsAnotherProcessInPlainText() {
        Endpoint to = rig.server.listen(LOOPBACK, echo).endpoint();
        FsException failure = failureOf(rig.client.connect(Callee.master(to), echo, 20_000));
        String told = String.valueOf(failure.getMessage());
        assertTrue(told.contains("answers, and not"), told);
    }

    /** Of another cluster, or one that has run off: plain text would hide it until the end. */
    @Test
    void aCertificateThatIsRefusedIsNoReasonForPlainText() throws Exception {
        Instant before = Instant.now().minus(Duration.ofDays(40));
        for (TlsSecurity other :
                List.of(
                        new TestIdentities().security(Role.MASTER, "m1"),
                        CLUSTER.security(
                                CLUSTER.identity(
                                        Role.CHUNK, "c2", before, CertificateAuthority.LIFE)))) {
            other.admitPlain();
            Endpoint to = rig.server.listen(LOOPBACK, echo).endpoint();
            EventLoops loops = new EventLoops("other", 1, Clock.system());
            try (NettyTransport stranger =
                    new NettyTransport(
                            loops,
                            ChannelSettings.standard(Clock.system(), false),
                            ByteBufAllocator.DEFAULT,
                            true,
                            other)) {
                // With TLS 1.3 a client may learn only afterwards that it was refused.
                FsException failure =
                        failureOf(
                                stranger.connect(to, new EchoHandler(), 20_000)
                                        .thenCompose(c -> c.call(text("secret"), 20_000)));
                assertEquals(Errno.DISCONNECTED, failure.errno());
                Endpoint its = stranger.listen(LOOPBACK, echo).endpoint();
                FsException refused =
                        failureOf(
                                rig.client
                                        .connect(its, new EchoHandler(), 20_000)
                                        .thenCompose(c -> c.call(text("secret"), 20_000)));
                assertEquals(Errno.DISCONNECTED, refused.errno());
            }
        }
        assertTrue(echo.headers.isEmpty(), "nothing was decoded");
    }

    @Test
    void plainConnectionsAreCounted() throws Exception {
        SimpleMeterRegistry calling = new SimpleMeterRegistry();
        SimpleMeterRegistry called = new SimpleMeterRegistry();
        ((NettyTransport) rig.client).measure(calling);
        ((NettyTransport) rig.server).measure(called);
        Endpoint secured = rig.server.listen(LOOPBACK, echo).endpoint();
        Connection tls = get(rig.client.connect(secured, new EchoHandler(), 20_000));
        assertEquals("x", text(get(tls.call(text("x"), 20_000))));
        assertEquals(0, plain(calling) + plain(called));
        try (NettyTransport process = new NettyTransport("plain", 1, Clock.system())) {
            Endpoint to = process.listen(LOOPBACK, new EchoHandler()).endpoint();
            Connection there = get(rig.client.connect(to, new EchoHandler(), 20_000));
            assertEquals("y", text(get(there.call(text("y"), 20_000))));
            assertEquals(1, plain(calling));
            Connection back = get(process.connect(secured, new EchoHandler(), 20_000));
            assertEquals("z", text(get(back.call(text("z"), 20_000))));
            assertEquals(1, plain(called));
            there.close();
            eventually("it is closed", () -> plain(calling) == 0);
        }
        eventually("the other one is closed, too", () -> plain(called) == 0);
    }

    private static int plain(SimpleMeterRegistry registry) {
        return (int) registry.get("cairn.net.plain.connections").gauge().value();
    }
}
