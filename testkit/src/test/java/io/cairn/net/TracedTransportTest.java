package io.cairn.net;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.get;
import static io.cairn.net.NetworkRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.cairn.testkit.RecordingTracer;
import io.cairn.testkit.RecordingTracer.Recorded;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.trace.TraceContext;
import io.cairn.trace.Tracer;
import io.cairn.wire.ProtocolRange;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests as spans, over real sockets and within the process. */
class TracedTransportTest {
    private static final long LIMIT_MS = 60_000;

    private final EventLoops loops = new EventLoops("both", 1, Clock.system());
    private final ReceiveBudget budget = new ReceiveBudget(64 << 20);
    private final RecordingTracer callers = new RecordingTracer();
    private final RecordingTracer servers = new RecordingTracer();
    private final Echo echo = new Echo();

    @AfterEach
    void close() {
        loops.close();
    }

    /** Sends requests back; refuses those that begin with "no". Remembers what it worked for. */
    private static final class Echo implements Handler {
        private final Queue<Span> spans = new ConcurrentLinkedQueue<>();
        private final Queue<Connection> connections = new ConcurrentLinkedQueue<>();

        @Override
        public void handle(Connection from, Message request, Answer answer) {
            spans.add(Scope.current());
            if (text(request).startsWith("no")) {
                throw new FsException(Errno.ENOENT);
            }
            answer.send(request);
        }

        @Override
        public void opened(Connection connection) {
            connections.add(connection);
        }

        @Override
        public void closed(Connection connection) {
            connections.add(connection);
        }
    }

    private NettyTransport network(boolean traces) {
        return new NettyTransport(
                loops,
                new ChannelSettings(loops.clock(), budget, ProtocolRange.OURS, traces, 1000),
                ByteBufAllocator.DEFAULT,
                false);
    }

    private static Transport traced(Transport transport, Tracer tracer) {
        return TracedTransport.around(
                transport, tracer, "echo", header -> header.length == 0 ? "empty" : "text");
    }

    /** What the tracer of the callers begins. */
    private Recorded operation() {
        return callers.begin("operation", Span.Kind.INTERNAL);
    }

    /** That a call became a span below the operation, and its handling one below that. */
    private void assertOneTrace(Recorded operation) {
        Recorded call = callers.span("echo/text", Span.Kind.CLIENT);
        assertEquals(operation.context(), call.parent());
        Recorded served = servers.span("echo/text", Span.Kind.SERVER);
        assertEquals(call.context(), served.parent());
        assertSame(served, echo.spans.poll());
        assertTrue(call.hasEnded() && served.hasEnded());
        assertEquals("cairn", call.notes().get("rpc.system.name"));
        assertEquals("127.0.0.1", call.notes().get("server.address"));
    }

    @Test
    void aCallIsASpanAndItsHandlingAnotherOne() throws Exception {
        try (Transport there = traced(network(true), servers);
                Transport here = traced(network(true), callers);
                Listener listener = there.listen(LOOPBACK, echo);
                Connection connection =
                        get(here.connect(listener.endpoint(), new EchoHandler(), LIMIT_MS))) {
            Recorded operation = operation();
            ByteBuf payload = ByteBufAllocator.DEFAULT.buffer().writeZero(100_000);
            Message request = new Message("hello".getBytes(StandardCharsets.UTF_8), payload);
            Message reply = get(Scope.get(operation, () -> connection.call(request, LIMIT_MS)));
            assertEquals("hello", text(reply));
            assertEquals(100_000, reply.payloadBytes());
            reply.release();
            assertOneTrace(operation);
        }
        assertEquals(0, budget.usedBytes());
    }

    private void converse(boolean here, boolean there) throws Exception {
        try (Transport servingSide = there ? traced(network(true), servers) : network(false);
                Transport callingSide = here ? traced(network(true), callers) : network(false);
                Listener listener = servingSide.listen(LOOPBACK, echo);
                Connection connection =
                        get(
                                callingSide.connect(
                                        listener.endpoint(), new EchoHandler(), LIMIT_MS))) {
            Recorded operation = operation();
            Message reply = get(Scope.get(operation, () -> connection.call(text("a"), LIMIT_MS)));
            assertEquals("a", text(reply));
            assertEquals(0, servers.spans().size());
            assertSame(Span.NONE, echo.spans.poll());
        }
    }

    @Test
    void aPeerThatTakesNoPartInTracesGetsRequestsAsEver() throws Exception {
        converse(true, false);
        assertEquals(2, callers.spans().size(), "the operation and the call");
    }

    @Test
    void whoTakesNoPartInTracesIsServedByOneThatDoes() throws Exception {
        converse(false, true);
        assertEquals(1, callers.spans().size());
    }

    @Test
    void aRefusalIsTheEndOfBothSpans() throws Exception {
        try (Transport there = traced(network(true), servers);
                Transport here = traced(network(true), callers);
                Listener listener = there.listen(LOOPBACK, echo);
                Connection connection =
                        get(here.connect(listener.endpoint(), new EchoHandler(), LIMIT_MS))) {
            ExecutionException error =
                    assertThrows(
                            ExecutionException.class,
                            () ->
                                    Scope.get(
                                                    operation(),
                                                    () -> connection.call(text("no"), LIMIT_MS))
                                            .get(LIMIT_MS, TimeUnit.MILLISECONDS));
            assertEquals(Errno.ENOENT, ((FsException) notNull(error.getCause())).errno());
            Recorded call = callers.span("echo/text", Span.Kind.CLIENT);
            Recorded served = servers.span("echo/text", Span.Kind.SERVER);
            assertEquals("enoent", call.notes().get("failed"));
            assertEquals("enoent", served.notes().get("failed"));
            assertTrue(call.hasEnded() && served.hasEnded());
        }
    }

    @Test
    void aHandlerSeesTheConnectionThatTheCallerHas() throws Exception {
        Echo handler = new Echo();
        try (Transport there = network(true);
                Transport here = traced(network(true), callers);
                Listener listener = there.listen(LOOPBACK, echo)) {
            Connection connection = get(here.connect(listener.endpoint(), handler, LIMIT_MS));
            assertEquals(connection, handler.connections.poll());
            connection.close();
            NetworkRig.eventually("closed", () -> connection.equals(handler.connections.poll()));
        }
    }

    @Test
    void withoutATracerNothingStandsBetween() {
        try (Transport network = network(false)) {
            assertSame(network, traced(network, Tracer.OFF));
        }
    }

    @Test
    void whatIsNotSampledStaysSo() {
        Scope.run(
                Span.UNSAMPLED,
                () -> {
                    assertNull(Scope.current().context());
                    Scope.run(Span.NONE, () -> assertTrue(Scope.is(Span.NONE)));
                    assertTrue(Scope.is(Span.UNSAMPLED));
                });
        assertTrue(Scope.is(Span.NONE));
        assertThrows(
                io.cairn.wire.MalformedMessageException.class,
                () -> new TraceContext(0, 0, 7, (byte) 1));
    }

    private static <T> T notNull(@Nullable T value) {
        assertNotNull(value);
        return value;
    }
}
