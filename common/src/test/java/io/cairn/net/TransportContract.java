package io.cairn.net;

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
import io.cairn.wire.Limits;
import io.cairn.wire.MalformedMessageException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every {@link Transport} does. */
public abstract class TransportContract {
    public final NetworkRig rig;
    public final EchoHandler echo = new EchoHandler();

    public TransportContract(NetworkRig rig) {
        this.rig = rig;
    }

    /** The client as the server should see it. */
    protected Principal expectedClient() {
        return Principal.anonymous("127.0.0.1");
    }

    @AfterEach
    public void close() throws InterruptedException {
        rig.close();
    }

    @Test
    public void aCallIsAnswered() throws InterruptedException {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        assertTrue(listener.endpoint().port() > 0);
        Connection connection = rig.connect(listener);
        assertEquals(listener.endpoint(), connection.remote());
        assertTrue(connection.isOpen());
        assertEquals("hello", text(get(connection.call(text("hello"), 30_000))));
        assertEquals("", text(get(connection.call(Message.empty(), 30_000))));
        assertEquals("127.0.0.1", echo.first().remote().host());
        assertEquals(expectedClient(), echo.first().principal());
    }

    @Test
    public void eitherSideMayCall() throws InterruptedException {
        EchoHandler clientSide = new EchoHandler();
        rig.connect(rig.server.listen(LOOPBACK, echo), clientSide);
        eventually("the server has the connection", () -> !echo.connections.isEmpty());
        assertEquals("back", text(get(echo.first().call(text("back"), 30_000))));
        echo.first().send(text("push"));
        eventually("the push arrived", () -> clientSide.headers.contains("push"));
    }

    @Test
    public void payloadsOfAllSizesPass() {
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, echo));
        int[] sizes = {
            0, 1, 4095, 4096, 4097, 65_535, 65_536, 70_000, 1 << 20, Limits.MAX_PAYLOAD_BYTES
        };
        for (int size : sizes) {
            ByteBuf payload = rig.pattern(size, size);
            ByteBuf expected = payload.copy();
            Message reply =
                    get(connection.call(new Message(new byte[size % 1000], payload), 30_000));
            assertEquals(size % 1000, reply.header().length);
            assertEquals(size, reply.payloadBytes());
            if (size > 0) {
                assertEquals(expected, reply.payload());
            }
            reply.release();
            expected.release();
        }
    }

    @Test
    public void aHeaderMayBeAsLongAsTheLimit() {
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, echo));
        Message reply = get(connection.call(Message.of(new byte[Limits.MAX_HEADER_BYTES]), 30_000));
        assertEquals(Limits.MAX_HEADER_BYTES, reply.header().length);
    }

    @Test
    public void aMessageBeyondTheLimitsIsRefused() {
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, echo));
        Message big = Message.of(new byte[Limits.MAX_HEADER_BYTES + 1]);
        assertEquals(Errno.EINVAL, failureOf(connection.call(big, 30_000)).errno());
        assertEquals(
                Errno.EINVAL, assertThrows(FsException.class, () -> connection.send(big)).errno());
        Message fat = new Message(new byte[0], rig.pattern(Limits.MAX_PAYLOAD_BYTES + 1, 0));
        assertEquals(Errno.EINVAL, failureOf(connection.call(fat, 30_000)).errno());
        assertEquals("x", text(get(connection.call(text("x"), 30_000))));
    }

    @Test
    public void anAnswerBeyondTheLimitsFailsTheCall() {
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) ->
                                answer.send(Message.of(new byte[Limits.MAX_HEADER_BYTES + 1])));
        Connection connection = rig.connect(listener);
        assertEquals(Errno.EIO, failureOf(connection.call(text("x"), 30_000)).errno());
    }

    @Test
    public void oneBufferMayBeSentManyTimes() {
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, echo));
        ByteBuf payload = rig.pattern(300_000, 1);
        List<CompletableFuture<Message>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(connection.call(new Message(new byte[0], payload.retain()), 30_000));
        }
        for (CompletableFuture<Message> call : calls) {
            Message reply = get(call);
            assertEquals(payload, reply.payload());
            reply.release();
        }
        payload.release();
    }

    @Test
    public void messagesOfAThreadArriveInOrder() throws InterruptedException {
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, echo));
        List<String> sent = new ArrayList<>();
        List<CompletableFuture<Message>> calls = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            String name = "m" + i;
            sent.add(name);
            if (i % 3 == 0) {
                connection.send(text(name));
            } else if (i % 50 == 1) {
                ByteBuf payload = rig.pattern(100_000, i);
                calls.add(connection.call(new Message(text(name).header(), payload), 10_000));
            } else {
                calls.add(connection.call(text(name), 10_000));
            }
            if (i % 500 == 0) {
                calls.forEach(call -> get(call).release());
                calls.clear();
            }
        }
        calls.forEach(call -> get(call).release());
        eventually("all arrived", () -> echo.headers.size() == sent.size());
        assertEquals(sent, new ArrayList<>(echo.headers));
    }

    @Test
    public void manyThreadsCallAtOnce() throws InterruptedException {
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, echo));
        ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int t = 0; t < 8; t++) {
                String prefix = "t" + t + "-";
                threads.execute(
                        () -> {
                            for (int i = 0; i < 500; i++) {
                                String name = prefix + i;
                                Message reply = get(connection.call(text(name), 10_000));
                                if (!text(reply).equals(name)) {
                                    wrong.add(name);
                                }
                            }
                        });
            }
        }
        assertEquals(List.of(), List.copyOf(wrong));
    }

    @Test
    public void errorsOfTheHandlerReachTheCaller() {
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            switch (text(request)) {
                                case "fail" -> {
                                    request.release();
                                    answer.fail(new FsException(Errno.NOT_LEADER, "m2:9000"));
                                }
                                case "throw" -> throw new FsException(Errno.ESTALE, "old");
                                case "defect" ->
                                        throw new IllegalStateException("expected by the test");
                                default -> answer.send(request);
                            }
                        });
        Connection connection = rig.connect(listener);
        FsException failed = failureOf(connection.call(withPayload("fail"), 30_000));
        assertEquals(Errno.NOT_LEADER, failed.errno());
        assertEquals("m2:9000", failed.getMessage());
        FsException thrown = failureOf(connection.call(withPayload("throw"), 30_000));
        assertEquals(Errno.ESTALE, thrown.errno());
        FsException defect = failureOf(connection.call(withPayload("defect"), 30_000));
        assertEquals(Errno.EIO, defect.errno());
        assertEquals("fine", text(get(connection.call(text("fine"), 30_000))));
    }

    private Message withPayload(String text) {
        return new Message(text(text).header(), rig.pattern(50_000, 1));
    }

    @Test
    public void aMalformedRequestEndsTheConnection() throws InterruptedException {
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            throw new MalformedMessageException("expected by the test");
                        });
        Connection connection = rig.connect(listener);
        assertEquals(
                Errno.DISCONNECTED, failureOf(connection.call(withPayload("x"), 30_000)).errno());
        eventually("the connection is closed", () -> !connection.isOpen());
    }

    @Test
    public void aSecondAnswerIsDropped() {
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            answer.send(request);
                            answer.send(new Message(new byte[0], rig.pattern(10, 0)));
                            answer.fail(new FsException(Errno.EIO));
                        });
        Connection connection = rig.connect(listener);
        assertEquals("a", text(get(connection.call(text("a"), 30_000))));
        assertEquals("b", text(get(connection.call(text("b"), 30_000))));
    }

    @Test
    public void aCallTimesOutAndItsLateAnswerIsSkipped() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ExecutorService worker = Executors.newSingleThreadExecutor();
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) ->
                                worker.execute(
                                        () -> {
                                            awaitQuietly(release);
                                            answer.send(request);
                                        }));
        Connection connection = rig.connect(listener);
        long begin = System.nanoTime();
        CompletableFuture<Message> slow =
                connection.call(new Message(new byte[3], rig.pattern(500_000, 1)), 100);
        FsException error = failureOf(slow);
        assertEquals(Errno.ETIMEDOUT, error.errno());
        assertTrue(System.nanoTime() - begin >= 100_000_000);
        assertTrue(
                Objects.requireNonNull(error.getMessage())
                        .contains(listener.endpoint().toString()));
        release.countDown();
        assertEquals("next", text(get(connection.call(text("next"), 30_000))));
        worker.shutdown();
        assertTrue(worker.awaitTermination(60, TimeUnit.SECONDS));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    public void callsInFlightAreBounded() throws InterruptedException {
        ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();
        Listener listener =
                rig.server.listen(LOOPBACK, (from, request, answer) -> answers.add(answer));
        Connection connection = rig.connect(listener);
        List<CompletableFuture<Message>> calls = new ArrayList<>();
        for (int i = 0; i < Limits.MAX_IN_FLIGHT; i++) {
            calls.add(connection.call(text("x"), 20_000));
        }
        assertEquals(Errno.EAGAIN, failureOf(connection.call(withPayload("x"), 100)).errno());
        eventually("all arrived", () -> answers.size() == Limits.MAX_IN_FLIGHT);
        answers.forEach(answer -> answer.send(Message.empty()));
        calls.forEach(NetworkRig::get);
        CompletableFuture<Message> more = connection.call(text("y"), 20_000);
        eventually("it arrived", () -> answers.size() == Limits.MAX_IN_FLIGHT + 1);
        answers.forEach(answer -> answer.send(Message.empty()));
        get(more);
    }

    @Test
    public void whenTheConnectionBreaksAllCallsFail() throws InterruptedException {
        ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            request.release();
                            answers.add(answer);
                        });
        EchoHandler clientSide = new EchoHandler();
        Connection connection = rig.connect(listener, clientSide);
        List<CompletableFuture<Message>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            calls.add(connection.call(withPayload("x"), 20_000));
        }
        listener.close();
        for (CompletableFuture<Message> call : calls) {
            assertEquals(Errno.DISCONNECTED, failureOf(call).errno());
        }
        assertFalse(connection.isOpen());
        assertEquals(
                Errno.DISCONNECTED, failureOf(connection.call(withPayload("y"), 1_000)).errno());
        connection.send(withPayload("lost"));
        eventually("closed was called", () -> clientSide.closings.get() == 1);
        answers.forEach(answer -> answer.send(withPayload("too late")));
    }

    @Test
    public void closeSendsWhatWasSentBefore() throws InterruptedException {
        EchoHandler silent =
                new EchoHandler() {
                    @Override
                    public void handle(Connection from, Message request, Answer answer) {
                        headers.add(text(request));
                        request.release();
                    }
                };
        Connection connection = rig.connect(rig.server.listen(LOOPBACK, silent));
        for (int i = 0; i < 100; i++) {
            connection.send(withPayload("m" + i));
        }
        CompletableFuture<Message> pending = connection.call(text("pending"), 30_000);
        connection.close();
        connection.close();
        assertFalse(connection.isOpen());
        assertEquals(Errno.DISCONNECTED, failureOf(pending).errno());
        eventually("all arrived", () -> silent.headers.size() == 101);
        eventually("closed was called", () -> silent.closings.get() == 1);
    }

    @Test
    public void fiveHundredConnectionsLive() {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        List<Connection> connections = new ArrayList<>();
        // Fifty handshakes at a time: each has ten seconds, also on a machine that does much else.
        while (connections.size() < 500) {
            List<CompletableFuture<Connection>> connects = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                connects.add(rig.client.connect(listener.endpoint(), new EchoHandler(), 60_000));
            }
            connects.stream().map(NetworkRig::get).forEach(connections::add);
        }
        for (Connection connection : connections) {
            assertEquals("x", text(get(connection.call(text("x"), 30_000))));
        }
        assertEquals(500, echo.connections.size());
    }
}
