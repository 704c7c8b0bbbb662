package io.cairn.net;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.eventually;
import static io.cairn.net.NetworkRig.failureOf;
import static io.cairn.net.NetworkRig.get;
import static io.cairn.net.NetworkRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connecting, waiting, pausing. A second of the transports lasts 100 ms here. */
class PeriodsTest {
    private static final int MIB = 1 << 20;

    private final NetworkRig rig = new NetworkRig(100, 4 * MIB);
    private final EchoHandler echo = new EchoHandler();

    @AfterEach
    void close() throws InterruptedException {
        rig.close();
    }

    private static ServerSocket rawServer() throws IOException {
        return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    private FsException refusal(int port, long timeoutMs) {
        return failureOf(rig.client.connect(new Endpoint("127.0.0.1", port), echo, timeoutMs));
    }

    @Test
    void aRefusedConnectionIsNamed() throws IOException {
        int port;
        try (ServerSocket socket = rawServer()) {
            port = socket.getLocalPort();
        }
        FsException error = refusal(port, 5_000);
        assertEquals(Errno.DISCONNECTED, error.errno());
        assertEquals(
                "cannot connect to 127.0.0.1:" + port + ": connection refused", error.getMessage());
    }

    @Test
    void anUnknownHostIsNamed() {
        FsException error =
                failureOf(
                        rig.client.connect(new Endpoint("no-such-host.invalid", 1), echo, 10_000));
        assertTrue(
                error.errno() == Errno.DISCONNECTED || error.errno() == Errno.ETIMEDOUT,
                error.toString());
        assertTrue(String.valueOf(error.getMessage()).contains("no-such-host.invalid:1"));
    }

    @Test
    void aServiceThatDoesNotGreetTimesOut() throws IOException {
        try (ServerSocket socket = rawServer()) {
            assertEquals(Errno.ETIMEDOUT, refusal(socket.getLocalPort(), 200).errno());
        }
    }

    @Test
    void anotherVersionIsAnotherCluster() throws Exception {
        FsException error = answered(RawPeer.hello(0x8943_6169_726e_0d0aL, 77));
        assertEquals(Errno.WRONG_CLUSTER, error.errno());
        assertTrue(String.valueOf(error.getMessage()).contains("77"));
    }

    @Test
    void anotherProtocolIsNotAService() throws Exception {
        byte[] http = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        assertEquals(Errno.DISCONNECTED, answered(http).errno());
    }

    /** What connecting to something that says this ends with. */
    private FsException answered(byte[] greeting) throws Exception {
        try (ServerSocket socket = rawServer()) {
            CompletableFuture<Connection> connect =
                    rig.client.connect(
                            new Endpoint("127.0.0.1", socket.getLocalPort()), echo, 5_000);
            try (RawPeer peer = new RawPeer(socket.accept())) {
                peer.say(greeting);
                return failureOf(connect);
            }
        }
    }

    @Test
    void aSilentPeerIsGone() throws Exception {
        try (ServerSocket socket = rawServer()) {
            CompletableFuture<Connection> connect =
                    rig.client.connect(
                            new Endpoint("127.0.0.1", socket.getLocalPort()), echo, 5_000);
            try (RawPeer peer = new RawPeer(socket.accept())) {
                peer.say(RawPeer.hello());
                Connection connection = get(connect);
                long begin = System.nanoTime();
                CompletableFuture<Message> call = connection.call(text("x"), 60_000);
                FsException error = failureOf(call);
                assertEquals(Errno.DISCONNECTED, error.errno());
                assertTrue(String.valueOf(error.getMessage()).contains("nothing heard"));
                assertTrue(System.nanoTime() - begin >= 800_000_000);
            }
        }
    }

    @Test
    void anIdleConnectionLives() throws InterruptedException {
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, echo));
        Thread.sleep(3_000);
        assertTrue(connection.isOpen());
        assertEquals("x", text(get(connection.call(text("x"), 5_000))));
        assertEquals(0, echo.closings.get());
    }

    @Test
    void badPlacesToListenAreNamed() {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        FsException inUse =
                assertThrows(FsException.class, () -> rig.server.listen(listener.endpoint(), echo));
        assertEquals(Errno.EBUSY, inUse.errno());
        assertTrue(String.valueOf(inUse.getMessage()).contains(listener.endpoint().toString()));
        FsException foreign =
                assertThrows(
                        FsException.class,
                        () -> rig.server.listen(new Endpoint("192.0.2.1", 0), echo));
        assertEquals(Errno.ENXIO, foreign.errno());
        listener.close();
        listener.close();
        rig.server.listen(listener.endpoint(), echo).close();
    }

    @Test
    void aClosedTransportConnectsAndListensNoMore() {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        rig.client.close();
        assertEquals(
                Errno.DISCONNECTED,
                failureOf(rig.client.connect(listener.endpoint(), echo, 1_000)).errno());
        rig.server.close();
        assertThrows(FsException.class, () -> rig.server.listen(LOOPBACK, echo));
    }

    /** Holds requests until told to answer. */
    private static final class Hoarder implements Handler {
        final ConcurrentLinkedQueue<Runnable> held = new ConcurrentLinkedQueue<>();

        @Override
        public void handle(Connection from, Message request, Answer answer) {
            held.add(
                    () -> {
                        request.release();
                        answer.send(Message.empty());
                    });
        }

        void answerAll() {
            for (Runnable one = held.poll(); one != null; one = held.poll()) {
                one.run();
            }
        }
    }

    private void allAreAnswered(Hoarder hoarder, List<CompletableFuture<Message>> calls)
            throws InterruptedException {
        eventually(
                "all are answered",
                () -> {
                    hoarder.answerAll();
                    return calls.stream().allMatch(CompletableFuture::isDone);
                });
        calls.forEach(NetworkRig::get);
    }

    @Test
    void requestsOfAllConnectionsShareABudget() throws InterruptedException {
        Hoarder hoarder = new Hoarder();
        Listener listener = rig.server.listen(LOOPBACK, hoarder);
        List<CompletableFuture<Message>> calls = new ArrayList<>();
        for (int c = 0; c < 10; c++) {
            Connection connection = rig.connect(listener);
            for (int i = 0; i < 4; i++) {
                Message request = new Message(new byte[0], rig.pattern(MIB - 100, i));
                calls.add(connection.call(request, 20_000));
            }
        }
        eventually("the budget is used", () -> hoarder.held.size() == 4);
        Thread.sleep(100);
        assertEquals(4, hoarder.held.size());
        assertTrue(rig.budget.usedBytes() <= 4 * MIB);
        allAreAnswered(hoarder, calls);
    }

    @Test
    void aConnectionPausedLongIsNotTakenForDead() throws InterruptedException {
        Hoarder hoarder = new Hoarder();
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, hoarder));
        List<CompletableFuture<Message>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Message request = new Message(new byte[0], rig.pattern(MIB - 100, i));
            calls.add(connection.call(request, 20_000));
        }
        eventually("the budget is used", () -> hoarder.held.size() == 4);
        Thread.sleep(2_500);
        assertTrue(connection.isOpen());
        allAreAnswered(hoarder, calls);
    }

    @Test
    void aCallThatTimesOutUnsentGivesItsMemoryBack() throws Exception {
        try (ServerSocket socket = rawServer()) {
            CompletableFuture<Connection> connect =
                    rig.client.connect(
                            new Endpoint("127.0.0.1", socket.getLocalPort()), echo, 5_000);
            try (RawPeer peer = new RawPeer(socket.accept())) {
                peer.say(RawPeer.hello());
                Connection connection = get(connect);
                List<CompletableFuture<Message>> calls = new ArrayList<>();
                for (int i = 0; i < 64; i++) {
                    Message request = new Message(new byte[0], rig.pattern(MIB, i));
                    calls.add(connection.call(request, 100));
                }
                calls.forEach(call -> assertEquals(Errno.ETIMEDOUT, failureOf(call).errno()));
                assertTrue(rig.usedBytes() < 16L * MIB, "used " + rig.usedBytes());
            }
        }
    }

    @Test
    void oneWayMessagesCountAgainstTheBudgetOnlyWhileHandled() throws InterruptedException {
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, echo));
        for (int i = 0; i < 50; i++) {
            connection.send(new Message(text("m" + i).header(), rig.pattern(200_000, i)));
            Message reply = get(connection.call(text("sync"), 5_000));
            assertEquals("sync", text(reply));
        }
        eventually("all arrived", () -> echo.headers.size() == 100);
    }
}
