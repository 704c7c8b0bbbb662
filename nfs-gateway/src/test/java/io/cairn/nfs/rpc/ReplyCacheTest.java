package io.cairn.nfs.rpc;

import static io.cairn.nfs.rpc.EchoServer.call;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.nfs.RpcClient;
import io.cairn.runtime.Clock;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A call that comes again. */
final class ReplyCacheTest {
    private final EchoServer echo = new EchoServer(RpcLimits.STANDARD);

    @AfterEach
    void stop() {
        echo.close();
    }

    private static int number(RpcClient client) {
        return client.receive().results().i32();
    }

    @Test
    void repeatedCallGetsTheFirstAnswerEvenOverAnotherConnection() {
        byte[] call = call(42, EchoProgram.COUNT, out -> {});
        try (RpcClient first = echo.client();
                RpcClient second = echo.client()) {
            first.send(call);
            assertEquals(1, number(first));
            first.send(call);
            assertEquals(1, number(first));
            second.send(call);
            assertEquals(1, number(second));
        }
        assertEquals(1, echo.program.counted.get());
    }

    @Test
    void sameXidOfAnotherCallIsAnotherCall() {
        try (RpcClient client = echo.client()) {
            client.send(call(42, EchoProgram.COUNT, out -> out.i32(1)));
            assertEquals(1, number(client));
            client.send(call(42, EchoProgram.COUNT, out -> out.i32(2)));
            assertEquals(2, number(client));
        }
    }

    @Test
    void callInProgressIsNotBegunAgainAndEverybodyWhoAskedIsAnswered() throws Exception {
        byte[] call = call(42, EchoProgram.WAIT, out -> {});
        try (RpcClient first = echo.client();
                RpcClient second = echo.client()) {
            first.send(call);
            second.send(call);
            second.send(call(43, EchoProgram.ECHO, out -> out.opaque(new byte[0])));
            assertEquals(43, second.receive().xid(), "other calls are not held up");
            echo.program.gate.countDown();
            assertEquals(1, number(first));
            assertEquals(1, number(second));
        }
        assertEquals(1, echo.program.counted.get());
    }

    @Test
    void answerOfALostConnectionIsKept() throws Exception {
        byte[] call = call(42, EchoProgram.WAIT, out -> {});
        try (RpcClient first = echo.client()) {
            first.send(call);
            first.send(call(43, EchoProgram.ECHO, out -> out.opaque(new byte[0])));
            assertEquals(43, first.receive().xid());
        }
        EchoServer.awaitTrue("the connection is closed", () -> echo.server.connectionCount() == 0);
        echo.program.gate.countDown();
        try (RpcClient second = echo.client()) {
            second.send(call);
            assertEquals(1, number(second));
        }
    }

    @Test
    void boundedInEntries() throws Exception {
        ReplyCache cache = new ReplyCache(Clock.system());
        InetAddress host = InetAddress.getLoopbackAddress();
        AtomicInteger answered = new AtomicInteger();
        for (int i = 0; i < 40_000; i++) {
            ReplyCache.Key key = new ReplyCache.Key(host, i, i, 10);
            assertEquals(
                    ReplyCache.Found.NEW, cache.begin(key, reply -> answered.incrementAndGet()));
            cache.finish(key, new byte[2000]);
        }
        assertTrue(cache.size() <= 16_384, "entries: " + cache.size());
        assertTrue(cache.size() * 2000L <= 17 << 20, "entries: " + cache.size());
        ReplyCache.Key last = new ReplyCache.Key(host, 39_999, 39_999, 10);
        assertEquals(
                ReplyCache.Found.REPEATED, cache.begin(last, reply -> answered.incrementAndGet()));
        assertEquals(1, answered.get());
    }
}
