package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.Unpooled;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class MeasuredTransportTest {
    private static final long LIMIT_MS = 30_000;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static String name(byte[] header) {
        return header[0] == 1 ? "one" : "other";
    }

    private static void serve(Connection from, Message request, Answer answer) {
        byte[] header = request.header();
        request.release();
        if (header[0] == 1) {
            answer.send(new Message(new byte[0], Unpooled.wrappedBuffer(new byte[7])));
        } else {
            answer.fail(new FsException(Errno.ENOENT, "no"));
        }
    }

    @Test
    void requestsAreCountedAndTimed() throws Exception {
        try (EventLoops loops = new EventLoops("test", 1, Clock.system());
                MeasuredTransport transport =
                        new MeasuredTransport(
                                new NettyTransport(loops),
                                "test",
                                MeasuredTransportTest::name,
                                registry,
                                Clock.system());
                Listener listener =
                        transport.listen(
                                new Endpoint("127.0.0.1", 0), MeasuredTransportTest::serve);
                Connection connection =
                        transport
                                .connect(
                                        listener.endpoint(), MeasuredTransportTest::serve, LIMIT_MS)
                                .get(LIMIT_MS, TimeUnit.MILLISECONDS)) {
            for (int i = 0; i < 3; i++) {
                Message request = new Message(new byte[] {1}, Unpooled.wrappedBuffer(new byte[5]));
                connection.call(request, LIMIT_MS).get(LIMIT_MS, TimeUnit.MILLISECONDS).release();
            }
            assertThrows(
                    ExecutionException.class,
                    () ->
                            connection
                                    .call(Message.of(new byte[] {2}), LIMIT_MS)
                                    .get(LIMIT_MS, TimeUnit.MILLISECONDS));
        }
        assertEquals(3, registry.get("cairn.test.request").tag("operation", "one").timer().count());
        assertEquals(
                1, registry.get("cairn.test.request").tag("operation", "other").timer().count());
        assertEquals(1, registry.get("cairn.test.errors").tag("error", "enoent").counter().count());
        assertEquals(15, registry.get("cairn.test.received.bytes").counter().count());
        assertEquals(21, registry.get("cairn.test.sent.bytes").counter().count());
    }

    @Test
    void theLoopsAndTheirBuffersAreMeasured() {
        try (EventLoops loops = new EventLoops("test", 2, Clock.system())) {
            loops.measure(registry);
            assertEquals(0, registry.get("cairn.net.pending.tasks").gauge().value());
            registry.get("cairn.net.buffers.bytes").tag("memory", "direct").gauge();
        }
    }
}
