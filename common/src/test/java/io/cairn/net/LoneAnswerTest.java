package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.net.tcp.Frame;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.net.tcp.ReceiveBudget;
import io.cairn.net.tcp.TransportContext;
import io.cairn.runtime.Clock;
import io.cairn.wire.ProtocolRange;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server whose loop stays awake while another thread works on a request, and lends it its turn
 * for the answer.
 */
@Timeout(120)
final class LoneAnswerTest {
    private static final long WAIT_MS = 20_000;
    private static final long AWAKE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int LARGEST_COPIED = 4096;

    private final EventLoops serving = new EventLoops("serving", 1, Clock.system());
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final NettyTransport server =
            new NettyTransport(
                    new TransportContext(
                            serving, new ReceiveBudget(64 << 20), ProtocolRange.OURS, false, 1000),
                    allocator,
                    false);
    private final Endpoint endpoint = server.listen(NetworkRig.LOOPBACK, new Worker()).endpoint();
    private final NettyTransport client = new NettyTransport("asking", 1, Clock.system());
    private final ExecutorService worker = Executors.newSingleThreadExecutor();
    private volatile Runnable awaitLoop = () -> {};
    private final ConcurrentLinkedQueue<Thread> senders = new ConcurrentLinkedQueue<>();

    /** Notes which thread has copied it to the socket. */
    private final class Traced extends UnpooledHeapByteBuf {
        Traced(byte[] content) {
            super(ByteBufAllocator.DEFAULT, content, content.length);
        }

        @Override
        protected void deallocate() {
            senders.add(Thread.currentThread());
            super.deallocate();
        }
    }

    /** Answers on the worker with the bytes of the request. */
    private final class Worker implements Handler {
        @Override
        public void handle(Connection from, Message request, Answer answer) {
            ByteBuf asked = request.payload();
            byte[] bytes = new byte[request.payloadBytes()];
            if (asked != null) {
                asked.readBytes(bytes);
            }
            byte[] header = request.header();
            request.release();
            serving.awake(worker, AWAKE_NS)
                    .execute(
                            () -> {
                                awaitLoop.run();
                                answer.send(new Message(header, new Traced(bytes)));
                            });
        }
    }

    /** Returns when the loop has nothing to do but to wait for this thread. */
    private void awaitAwakeLoop() {
        SleepStrategy loop = serving.strategyOf(serving.group().iterator().next());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!loop.borrow()) {
            assertTrue(System.nanoTime() - end < 0, "the loop sleeps");
        }
        loop.giveBack(false);
    }

    private Connection connect() throws Exception {
        return client.connect(endpoint, (_, request, _) -> request.release(), WAIT_MS)
                .get(WAIT_MS, TimeUnit.MILLISECONDS);
    }

    private static Message message(int number, byte[] payload) {
        byte[] header = {(byte) number, (byte) (number >> 8)};
        return new Message(header, Unpooled.wrappedBuffer(payload));
    }

    private static void check(int number, byte[] sent, Message answer) {
        assertArrayEquals(new byte[] {(byte) number, (byte) (number >> 8)}, answer.header());
        ByteBuf payload = answer.payload();
        byte[] got = new byte[answer.payloadBytes()];
        if (payload != null) {
            payload.readBytes(got);
        }
        answer.release();
        assertArrayEquals(sent, got);
    }

    private static byte[] bytes(Random random, int most) {
        byte[] bytes = new byte[random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void theThreadThatTheLoopWaitsForSendsTheAnswerItself() throws Exception {
        Thread self = CompletableFuture.supplyAsync(Thread::currentThread, worker).get();
        Connection connection = connect();
        awaitLoop = this::awaitAwakeLoop;
        Random random = new Random(1);
        int rounds = 500;
        for (int i = 0; i < rounds; i++) {
            byte[] sent = bytes(random, LARGEST_COPIED);
            check(i, sent, connection.call(message(i, sent), WAIT_MS).get());
        }
        assertEquals(rounds, senders.size());
        long byWorker = senders.stream().filter(self::equals).count();
        // The loop may lose its processor while it looks, and then does it itself.
        assertTrue(byWorker > rounds * 3 / 4, byWorker + " of " + rounds + " answers");
    }

    @Test
    void answersThatComeTogetherAreForTheLoop() throws Exception {
        Connection first = connect();
        Connection second = connect();
        Random random = new Random(2);
        List<byte[]> sent = new ArrayList<>();
        List<CompletableFuture<Message>> answers = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            // Some of them are too large to be copied.
            byte[] payload = bytes(random, i % 7 == 0 ? 4 * LARGEST_COPIED : 500);
            sent.add(payload);
            answers.add((i % 3 == 0 ? first : second).call(message(i, payload), WAIT_MS));
            if (i % 5 == 0) {
                var _ = answers.get(i).get();
            }
        }
        for (int i = 0; i < sent.size(); i++) {
            check(i, sent.get(i), answers.get(i).get());
        }
    }

    /** What the socket has no room for is sent by the loop, when the peer reads on. */
    @Test
    void nothingIsLostWhenThePeerReadsLate() throws Exception {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(8192);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()));
        int count = 3000;
        Random random = new Random(3);
        List<byte[]> sent = new ArrayList<>();
        try (RawPeer peer = new RawPeer(socket)) {
            peer.say(RawPeer.hello());
            assertEquals(Frame.HELLO, peer.hearKind());
            for (int i = 0; i < count; i++) {
                byte[] payload = new byte[LARGEST_COPIED];
                random.nextBytes(payload);
                sent.add(payload);
                peer.say(RawPeer.preface(13L + payload.length, Frame.REQUEST, i, 0).toBytes());
                peer.say(payload);
                awaitSender(i);
            }
            assertTrue(senders.size() < count, "the socket had room for all");
            for (int i = 0; i < count; i++) {
                ByteBuffer frame = peer.hearFrame();
                while (frame.get() == Frame.BEAT) {
                    frame = peer.hearFrame();
                }
                assertEquals(i, frame.getLong());
                assertEquals(0, frame.getInt());
                assertEquals(ByteBuffer.wrap(sent.get(i)), frame);
            }
        }
    }

    /** Waits a little until an answer is on its way, so that the next one is alone again. */
    private void awaitSender(int number) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2);
        while (senders.size() <= number && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
