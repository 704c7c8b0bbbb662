package io.cairn.testkit.simulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.wire.MalformedMessageException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class SimulatedNetworkTest {
    private static final Endpoint AT = new Endpoint("server", 1);

    private final Simulation simulation = new Simulation(7);
    private final SimulatedNetwork network = new SimulatedNetwork(simulation);
    private final Transport server = network.start("server");
    private final Transport client = network.start("client");

    /** Answers with what it was asked; remembers. */
    private static class Echo implements Handler {
        final List<String> handled = new ArrayList<>();
        final List<Connection> opened = new ArrayList<>();
        int closed;

        @Override
        public void handle(Connection from, Message request, Answer answer) {
            handled.add(text(request));
            answer.send(request);
        }

        @Override
        public void opened(Connection connection) {
            opened.add(connection);
        }

        @Override
        public void closed(Connection connection) {
            closed++;
        }
    }

    private final Echo serverSide = new Echo();
    private final Echo clientSide = new Echo();

    private static Message text(String text) {
        return Message.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Message message) {
        return new String(message.header(), StandardCharsets.UTF_8);
    }

    private Connection connect() {
        return simulation.await(client.connect(AT, clientSide, 1_000), 5_000);
    }

    private Errno errnoOf(CompletableFuture<?> future, long limitMs) {
        CompletionException error =
                assertThrows(CompletionException.class, () -> simulation.await(future, limitMs));
        return assertInstanceOf(FsException.class, error.getCause()).errno();
    }

    @Test
    void callsAndPayloadsPassAsCopies() {
        server.listen(AT, serverSide);
        Connection connection = connect();
        ByteBuf payload = Unpooled.directBuffer(10).writeLong(42);
        CompletableFuture<Message> call =
                connection.call(new Message(new byte[] {1}, payload.retain()), 1_000);
        Message reply = simulation.await(call, 1_000);
        assertEquals(42, Objects.requireNonNull(reply.payload()).getLong(0));
        assertEquals(1, payload.refCnt());
        payload.release();
        assertTrue(network.liveBytes() > 0);
        reply.release();
        assertEquals(0, network.liveBytes());
        assertTrue(simulation.nanoTime() > 0);
    }

    @Test
    void eitherSideMayCallAndOrderIsKept() {
        server.listen(AT, serverSide);
        network.setFaults(NetworkFaults.SLOW);
        Connection connection = connect();
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            sent.add("m" + i);
            connection.send(text("m" + i));
        }
        Connection back = serverSide.opened.get(0);
        assertEquals("back", text(simulation.await(back.call(text("back"), 10_000), 20_000)));
        simulation.run(10_000);
        assertEquals(sent, serverSide.handled);
    }

    @Test
    void refusedTimedOutAndPortsInUse() {
        assertEquals(Errno.DISCONNECTED, errnoOf(client.connect(AT, clientSide, 1_000), 5_000));
        Listener listener = server.listen(AT, (from, request, answer) -> request.release());
        FsException inUse = assertThrows(FsException.class, () -> server.listen(AT, serverSide));
        assertEquals(Errno.EBUSY, inUse.errno());
        Connection connection = connect();
        assertEquals(Errno.ETIMEDOUT, errnoOf(connection.call(text("x"), 100), 200));
        listener.close();
        assertEquals(Errno.DISCONNECTED, errnoOf(client.connect(AT, clientSide, 1_000), 5_000));
        simulation.run(1_000);
        assertFalse(connection.isOpen());
        assertTrue(server.listen(new Endpoint("server", 0), serverSide).endpoint().port() > 0);
    }

    @Test
    void errorsOfTheHandlerReachTheCaller() {
        server.listen(
                AT,
                (from, request, answer) -> {
                    switch (text(request)) {
                        case "fail" -> answer.fail(new FsException(Errno.ESTALE, "old"));
                        case "throw" -> throw new FsException(Errno.ENOSPC);
                        case "malformed" -> throw new MalformedMessageException("expected");
                        default -> answer.send(request);
                    }
                });
        Connection connection = connect();
        assertEquals(Errno.ESTALE, errnoOf(connection.call(text("fail"), 1_000), 1_000));
        assertEquals(Errno.ENOSPC, errnoOf(connection.call(text("throw"), 1_000), 1_000));
        assertEquals(Errno.DISCONNECTED, errnoOf(connection.call(text("malformed"), 1_000), 1_000));
        assertFalse(connection.isOpen());
    }

    @Test
    void closeDeliversWhatWasSentAndTellsBothSides() {
        server.listen(AT, serverSide);
        Connection connection = connect();
        CompletableFuture<Message> call = connection.call(text("a"), 1_000);
        connection.send(text("b"));
        connection.close();
        assertEquals(Errno.DISCONNECTED, errnoOf(call, 1_000));
        simulation.run(1_000);
        assertEquals(List.of("a", "b"), serverSide.handled);
        assertEquals(1, serverSide.closed);
        assertEquals(1, clientSide.closed);
        assertEquals(Errno.DISCONNECTED, errnoOf(connection.call(text("c"), 1_000), 1_000));
    }

    @Test
    void aCrashBreaksConnectionsAndSilencesTheNode() {
        server.listen(AT, serverSide);
        Connection connection = connect();
        CompletableFuture<Message> call = connection.call(text("x"), 60_000);
        network.crash("server");
        assertEquals(Errno.DISCONNECTED, errnoOf(call, 1_000));
        assertEquals(List.of(), serverSide.handled);
        assertEquals(0, serverSide.closed);
        assertEquals(1, clientSide.closed);
        assertEquals(Errno.DISCONNECTED, errnoOf(client.connect(AT, clientSide, 1_000), 5_000));
        Transport again = network.start("server");
        again.listen(AT, serverSide);
        assertEquals("y", text(simulation.await(connect().call(text("y"), 1_000), 1_000)));
    }

    @Test
    void aPartitionHoldsMessagesUntilItHeals() {
        server.listen(AT, serverSide);
        Connection connection = connect();
        network.partition(Set.of("client"), Set.of("server"));
        CompletableFuture<Message> call = connection.call(text("x"), 60_000);
        simulation.run(5_000);
        assertEquals(List.of(), serverSide.handled);
        assertEquals(Errno.ETIMEDOUT, errnoOf(client.connect(AT, clientSide, 1_000), 5_000));
        network.heal();
        assertEquals("x", text(simulation.await(call, 1_000)));
    }

    @Test
    void aLongPartitionBreaksConnections() {
        server.listen(AT, serverSide);
        Connection connection = connect();
        network.block("server", "client");
        CompletableFuture<Message> call = connection.call(text("x"), 60_000);
        assertEquals(Errno.DISCONNECTED, errnoOf(call, 11_000));
        assertEquals(List.of("x"), serverSide.handled);
        simulation.run(1_000);
        assertEquals(1, serverSide.closed);
        network.heal();
        assertTrue(connect().isOpen());
    }

    @Test
    void breaksLoseRequestsOrAnswersButNeverDouble() {
        network.setFaults(new NetworkFaults(20, 2_000, 0, 0, 0.05));
        server.listen(AT, serverSide);
        int answered = 0;
        int executedUnanswered = 0;
        int lost = 0;
        Connection connection = connect();
        for (int i = 0; i < 2_000; i++) {
            String name = "r" + i;
            if (!connection.isOpen()) {
                connection = connect();
            }
            CompletableFuture<Message> call = connection.call(text(name), 30_000);
            simulation.runUntil(call::isDone, 60_000);
            simulation.run(10);
            boolean executed = serverSide.handled.contains(name);
            if (!call.isCompletedExceptionally()) {
                assertTrue(executed);
                answered++;
            } else if (executed) {
                executedUnanswered++;
            } else {
                lost++;
            }
        }
        assertEquals(Set.copyOf(serverSide.handled).size(), serverSide.handled.size());
        assertTrue(answered > 1_000, "answered " + answered);
        assertTrue(executedUnanswered > 10, "executed but not answered " + executedUnanswered);
        assertTrue(lost > 10, "lost " + lost);
        assertEquals(0, network.liveBytes());
    }

    @Test
    void theSeedDecides() {
        assertEquals(trace(3), trace(3));
        assertFalse(trace(3).equals(trace(4)));
    }

    private static List<String> trace(long seed) {
        Simulation run = new Simulation(seed);
        SimulatedNetwork net = new SimulatedNetwork(run);
        net.setFaults(NetworkFaults.ROUGH);
        List<String> log = new ArrayList<>();
        net.start("s")
                .listen(
                        AT,
                        (from, request, answer) -> {
                            log.add(run.nanoTime() + " " + text(request));
                            answer.send(request);
                        });
        Transport from = net.start("c");
        for (int i = 0; i < 50; i++) {
            String name = "r" + i;
            CompletableFuture<Message> done =
                    from.connect(AT, new Echo(), 1_000)
                            .thenCompose(connection -> connection.call(text(name), 1_000));
            run.runUntil(done::isDone, 10_000);
        }
        return log;
    }
}
