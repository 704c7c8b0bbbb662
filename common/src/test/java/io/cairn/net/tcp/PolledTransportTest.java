package io.cairn.net.tcp;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.eventually;
import static io.cairn.net.NetworkRig.failureOf;
import static io.cairn.net.NetworkRig.get;
import static io.cairn.net.NetworkRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.EchoHandler;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.NetworkRig;
import io.cairn.net.RawPeer;
import io.cairn.net.ReceiveBudget;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.frame.FrameKind;
import io.cairn.runtime.Clock;
import io.cairn.wire.ProtocolRange;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that this thread runs, to a service on Netty. A second lasts 50 ms here. */
class PolledTransportTest {
    private static final long BEAT_MS = 100;

    private final NetworkRig rig = new NetworkRig(BEAT_MS, 8 << 20);
    private final EchoHandler echo = new EchoHandler();
    private final PolledTransport polled =
            new PolledTransport(
                    new ChannelSettings(
                            Clock.system(),
                            new ReceiveBudget(64 << 20),
                            ProtocolRange.OURS,
                            false,
                            BEAT_MS),
                    rig.allocator,
                    task -> Thread.ofPlatform().daemon().start(task));

    @BeforeEach
    void enter() {
        polled.enter();
        polled.own();
    }

    @AfterEach
    void close() throws InterruptedException {
        polled.close();
        rig.close();
    }

    private Connection connect(Endpoint at) {
        return get(polled.connect(at, new EchoHandler(), 2_000));
    }

    private <T> T answer(CompletableFuture<T> future) throws InterruptedException {
        eventually(
                "an answer",
                () -> {
                    polled.poll();
                    return future.isDone();
                });
        return get(future);
    }

    private Errno errorOf(CompletableFuture<?> future) throws InterruptedException {
        eventually(
                "an error",
                () -> {
                    polled.poll();
                    return future.isDone();
                });
        return failureOf(future).errno();
    }

    @Test
    void whatTheOwnerAsksGoesTogetherWhenItIsToGo() throws Exception {
        Connection connection = connect(rig.server.listen(LOOPBACK, echo).endpoint());
        assertTrue(polled.descriptor() > 0);
        List<CompletableFuture<Message>> answers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            answers.add(connection.call(text("request " + i), 5_000));
        }
        assertEquals(100, polled.expected());
        assertEquals(List.of(), List.copyOf(echo.headers));
        polled.flush();
        eventually("all arrive", () -> echo.headers.size() == 100);
        assertFalse(answers.get(0).isDone(), "nobody has looked yet");
        for (int i = 0; i < 100; i++) {
            assertEquals("request " + i, text(answer(answers.get(i))));
        }
        assertEquals(0, polled.expected());
    }

    @Test
    void whatOthersAskGoesAtOnce() throws Exception {
        Connection connection = connect(rig.server.listen(LOOPBACK, echo).endpoint());
        CompletableFuture<Message> answer =
                CompletableFuture.supplyAsync(() -> get(connection.call(text("other"), 5_000)));
        eventually("it arrives", () -> echo.headers.size() == 1);
        assertEquals("other", text(answer(answer)));
    }

    /** More than sockets hold, in both directions. */
    @Test
    void payloadsOfAnySizeGoBothWays() throws Exception {
        Connection connection = connect(rig.server.listen(LOOPBACK, echo).endpoint());
        Random random = new Random(5);
        List<CompletableFuture<Message>> answers = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            sizes.add(random.nextInt(i % 5 == 0 ? 1 << 20 : 5_000));
            answers.add(
                    connection.call(
                            new Message(new byte[] {7}, rig.pattern(sizes.get(i), i)), 10_000));
        }
        for (int i = 0; i < 40; i++) {
            Message reply = answer(answers.get(i));
            ByteBuf sent = rig.pattern(sizes.get(i), i);
            assertEquals(sent, reply.payload());
            sent.release();
            assertEquals(sizes.get(i), reply.payloadBytes());
            reply.release();
        }
    }

    /** Eight threads ask, and each turns the loop when it can. */
    @Test
    void manyThreadsMayAskAndTurn() throws Exception {
        Connection connection = connect(rig.server.listen(LOOPBACK, echo).endpoint());
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < 8; i++) {
            String name = "t" + i;
            threads.add(
                    CompletableFuture.runAsync(
                            () -> {
                                for (int j = 0; j < 100; j++) {
                                    CompletableFuture<Message> answer =
                                            connection.call(text(name + j), 10_000);
                                    while (!answer.isDone()) {
                                        polled.poll();
                                        LockSupport.parkNanos(50_000);
                                    }
                                    assertEquals(name + j, text(get(answer)));
                                    done.incrementAndGet();
                                }
                            },
                            task -> Thread.ofPlatform().start(task)));
        }
        for (CompletableFuture<Void> thread : threads) {
            thread.get(30, TimeUnit.SECONDS);
        }
        assertEquals(800, done.get());
        assertEquals(0, polled.expected());
    }

    @Test
    void aCallMayBeLateAndTheConnectionGoesOn() throws Exception {
        Handler mute = (_, request, _) -> request.release();
        Connection connection = connect(rig.server.listen(LOOPBACK, mute).endpoint());
        assertEquals(Errno.ETIMEDOUT, errorOf(connection.call(text("x"), 30)));
        assertTrue(connection.isOpen());
    }

    @Test
    void whoWaitsHearsOfTheEnd() throws Exception {
        Handler mute = (_, request, _) -> request.release();
        Listener listener = rig.server.listen(LOOPBACK, mute);
        CompletableFuture<Message> first = connect(listener.endpoint()).call(text("x"), 60_000);
        polled.flush();
        listener.close();
        assertEquals(Errno.DISCONNECTED, errorOf(first));
        assertEquals(-1, polled.descriptor());
        Connection other = connect(rig.server.listen(LOOPBACK, mute).endpoint());
        CompletableFuture<Message> second = other.call(text("x"), 60_000);
        other.close();
        assertEquals(Errno.DISCONNECTED, errorOf(second));
        Connection last = connect(rig.server.listen(LOOPBACK, mute).endpoint());
        CompletableFuture<Message> third = last.call(text("x"), 60_000);
        polled.leave();
        assertEquals(Errno.DISCONNECTED, failureOf(third).errno());
    }

    @Test
    void theNextConnectionClosesTheLastOne() {
        Endpoint at = rig.server.listen(LOOPBACK, echo).endpoint();
        Connection first = connect(at);
        Connection second = connect(at);
        assertFalse(first.isOpen());
        assertTrue(second.isOpen());
    }

    /** Polled now and then, it gives its signs of life, and notices that the other side does. */
    @Test
    void aSilentConnectionStaysOpen() throws Exception {
        Connection connection = connect(rig.server.listen(LOOPBACK, echo).endpoint());
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(30 * BEAT_MS);
        eventually(
                "three times as long as a connection may be silent",
                () -> {
                    polled.poll();
                    return System.nanoTime() - endNs > 0;
                });
        assertEquals("here", text(answer(connection.call(text("here"), 5_000))));
    }

    /** What the other side of a connection does. */
    private interface Script {
        void play(RawPeer peer) throws IOException;
    }

    /** What becomes of a call to such a peer, which closes then. */
    private Object outcome(Script script) throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> played =
                    CompletableFuture.runAsync(
                            () -> {
                                try (RawPeer peer = new RawPeer(socket.accept())) {
                                    script.play(peer);
                                } catch (IOException e) {
                                    throw new AssertionError(e);
                                }
                            });
            Endpoint at = new Endpoint("127.0.0.1", socket.getLocalPort());
            CompletableFuture<Object> heard =
                    polled.connect(at, new EchoHandler(), 1_000)
                            .thenCompose(connection -> connection.call(text("x"), 5_000))
                            .handle(
                                    (reply, failure) ->
                                            reply != null
                                                    ? text(reply)
                                                    : failureOf(
                                                                    CompletableFuture.failedFuture(
                                                                            cause(failure)))
                                                            .errno());
            Object result = answer(heard);
            played.get(60, TimeUnit.SECONDS);
            return result;
        }
    }

    private static Throwable cause(Throwable failure) {
        return failure.getCause() == null ? failure : failure.getCause();
    }

    private Object greetedWith(byte[] greeting) throws Exception {
        return outcome(
                peer -> {
                    peer.say(greeting);
                    assertEquals(FrameKind.HELLO.code(), peer.hearKind());
                    peer.hearEnd();
                });
    }

    private Object answeredWith(byte[]... pieces) throws Exception {
        return outcome(
                peer -> {
                    peer.say(RawPeer.hello());
                    assertEquals(FrameKind.HELLO.code(), peer.hearKind());
                    assertEquals(FrameKind.REQUEST.code(), peer.hearKind());
                    for (byte[] piece : pieces) {
                        peer.trySay(piece);
                    }
                });
    }

    @Test
    void anAnswerMayComeInPiecesAndBeLong() throws Exception {
        byte[] head = new byte[200_000];
        Arrays.fill(head, (byte) 'a');
        byte[] whole = RawPeer.frame(FrameKind.REPLY.code(), 1, head, 0);
        byte[] beat = RawPeer.frame(FrameKind.BEAT.code(), 0, new byte[0], 0);
        Object answer =
                answeredWith(
                        Arrays.copyOf(beat, 5),
                        Arrays.copyOfRange(beat, 5, beat.length),
                        Arrays.copyOf(whole, 10),
                        Arrays.copyOfRange(whole, 10, 20),
                        Arrays.copyOfRange(whole, 20, whole.length));
        assertEquals("a".repeat(head.length), answer);
    }

    @Test
    void whatIsNoCairnServiceIsRefused() throws Exception {
        assertEquals(Errno.WRONG_CLUSTER, greetedWith(RawPeer.hello(0x8943_6169_726e_0d0aL, 77)));
        assertEquals(
                Errno.DISCONNECTED, greetedWith(text("HTTP/1.1 400 Bad Request\r\n\r\n").header()));
        byte[] early = RawPeer.frame(FrameKind.REPLY.code(), 1, text("head").header(), 0);
        assertEquals(Errno.DISCONNECTED, greetedWith(early));
    }

    @Test
    void brokenAnswersEndTheConnection() throws Exception {
        byte[] whole = RawPeer.frame(FrameKind.REPLY.code(), 1, text("head").header(), 0);
        assertEquals(Errno.DISCONNECTED, answeredWith(Arrays.copyOf(whole, whole.length - 1)));
        byte[] huge = RawPeer.preface(0xffff_ffffL, FrameKind.REPLY.code(), 1, 4).toBytes();
        assertEquals(Errno.DISCONNECTED, answeredWith(huge));
    }

    @Test
    void nobodyThere() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Endpoint at = new Endpoint("127.0.0.1", port);
        CompletableFuture<Connection> refused = polled.connect(at, new EchoHandler(), 2_000);
        assertEquals(Errno.DISCONNECTED, errorOf(refused));
        assertTrue(String.valueOf(failureOf(refused).getMessage()).contains(at.toString()));
        Endpoint nowhere = new Endpoint("no-such-host.invalid", port);
        CompletableFuture<Connection> unknown = polled.connect(nowhere, new EchoHandler(), 2_000);
        assertEquals(Errno.DISCONNECTED, errorOf(unknown));
        assertTrue(String.valueOf(failureOf(unknown).getMessage()).contains("unknown host"));
    }
}
