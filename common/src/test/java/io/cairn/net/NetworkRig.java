package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.cairn.wire.ProtocolRange;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Two transports on one machine whose buffers are counted: after the close not one byte may be
 * left. Their second lasts {@code beatMs}.
 */
public final class NetworkRig {
    public static final Endpoint LOOPBACK = new Endpoint("127.0.0.1", 0);
    public static final long TIMEOUT_MS = 60_000;

    public final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    public final ReceiveBudget budget;
    public final Transport server;
    public final Transport client;

    /** The security of the server and of the client; null without TLS. */
    public final @Nullable ChannelSecurity listening;

    public final @Nullable ChannelSecurity connecting;

    public NetworkRig() {
        this(1000, 64 << 20);
    }

    public NetworkRig(long beatMs, long budgetBytes) {
        listening = null;
        connecting = null;
        budget = new ReceiveBudget(budgetBytes);
        server = transport("server", beatMs, budget, null);
        client = transport("client", beatMs, new ReceiveBudget(64 << 20), null);
    }

    /** With TLS: of a side that listens and one that connects. */
    public NetworkRig(ChannelSecurity listening, ChannelSecurity connecting) {
        this(1000, listening, connecting);
    }

    public NetworkRig(long beatMs, ChannelSecurity listening, ChannelSecurity connecting) {
        this.listening = listening;
        this.connecting = connecting;
        budget = new ReceiveBudget(64 << 20);
        server = transport("server", beatMs, budget, listening);
        client = transport("client", beatMs, new ReceiveBudget(64 << 20), connecting);
    }

    private NettyTransport transport(
            String name, long beatMs, ReceiveBudget requests, @Nullable ChannelSecurity security) {
        EventLoops loops = new EventLoops(name, 1, Clock.system());
        return new NettyTransport(
                loops,
                new ChannelSettings(loops.clock(), requests, ProtocolRange.OURS, false, beatMs),
                allocator,
                true,
                security);
    }

    public Connection connect(Listener listener) {
        return connect(listener, new EchoHandler());
    }

    public Connection connect(Listener listener, Handler handler) {
        return get(client.connect(listener.endpoint(), handler, 30_000));
    }

    /** A payload of a pattern that depends on the seed. */
    public ByteBuf pattern(int length, int seed) {
        ByteBuf buffer = allocator.directBuffer(length, length);
        for (int i = 0; i < length; i++) {
            buffer.writeByte(i * 31 + seed + (i >> 8));
        }
        return buffer;
    }

    public static Message text(String text) {
        return Message.of(text.getBytes(StandardCharsets.UTF_8));
    }

    public static String text(Message message) {
        return new String(message.header(), StandardCharsets.UTF_8);
    }

    public static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | InterruptedException | TimeoutException e) {
            return fail(e.toString(), e);
        }
    }

    public static FsException failureOf(CompletableFuture<?> future) {
        ExecutionException error =
                assertThrows(
                        ExecutionException.class,
                        () -> future.get(TIMEOUT_MS, TimeUnit.MILLISECONDS));
        return assertInstanceOf(FsException.class, error.getCause());
    }

    /** Polls until something holds. */
    public static void eventually(String what, BooleanSupplier condition)
            throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT_MS * 1_000_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                fail("not within " + TIMEOUT_MS + " ms: " + what);
            }
            Thread.sleep(2);
        }
    }

    public long usedBytes() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }

    public void close() throws InterruptedException {
        client.close();
        server.close();
        eventually("all buffers are released", () -> usedBytes() == 0);
        assertEquals(0, budget.usedBytes());
    }
}
