package io.cairn.net;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.failureOf;
import static io.cairn.net.NetworkRig.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.ProtocolRange;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sides of different releases, over real sockets. */
class NegotiationTest {
    private static final ProtocolRange OLD = new ProtocolRange(1, 1);
    private static final ProtocolRange NEW = new ProtocolRange(1, 2);
    private static final ProtocolRange LATER = new ProtocolRange(2, 3);

    private final EventLoops loops = new EventLoops("both", 1, Clock.system());
    private final BlockingQueue<Connection> accepted = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        loops.close();
    }

    /** A message that got a field with version 2, which is 42 before. */
    private record Grown(int old, int young) {
        byte[] toBytes(int version) {
            Encoder out = Encoder.speaking(version).i32(old);
            return out.version() >= 2 ? out.i32(young).toBytes() : out.toBytes();
        }

        static Grown decode(Decoder in) {
            return new Grown(in.i32(), in.version() >= 2 ? in.i32() : 42);
        }
    }

    /** Decodes what it gets and sends it back, encoded anew. */
    private final class Mirror implements Handler {
        private final int newest;

        Mirror(int newest) {
            this.newest = newest;
        }

        @Override
        public int newestVersion() {
            return newest;
        }

        @Override
        public void opened(Connection connection) {
            accepted.add(connection);
        }

        @Override
        public void handle(Connection from, Message request, Answer answer) {
            answer.send(Message.of(Grown.decode(request.decoder())::toBytes));
        }
    }

    private NettyTransport release(ProtocolRange range) {
        return new NettyTransport(
                loops,
                new ChannelSettings(loops.clock(), new ReceiveBudget(64 << 20), range, false, 1000),
                ByteBufAllocator.DEFAULT,
                false);
    }

    /** A conversation between two releases: the version they speak, and what a message becomes. */
    private void converse(ProtocolRange client, ProtocolRange server, int version, int young)
            throws Exception {
        try (NettyTransport here = release(client);
                NettyTransport there = release(server);
                Listener listener = there.listen(LOOPBACK, new Mirror(Integer.MAX_VALUE));
                Connection connection =
                        get(here.connect(listener.endpoint(), new EchoHandler(), 5_000))) {
            Grown sent = new Grown(1, 7);
            Message reply = get(connection.call(Message.of(sent::toBytes), 5_000));
            assertEquals(new Grown(1, young), Grown.decode(reply.decoder()));
            assertEquals(version, connection.version());
            Connection far = accepted.poll(60, TimeUnit.SECONDS);
            assertEquals(version, far == null ? 0 : far.version());
            assertEquals(connection.release(), far == null ? "" : far.release());
        }
    }

    @Test
    void theHighestCommonVersionIsSpoken() throws Exception {
        converse(NEW, NEW, 2, 7);
        converse(NEW, LATER, 2, 7);
    }

    @Test
    void anOlderReleaseUnderstandsANewerOneInBothDirections() throws Exception {
        converse(OLD, NEW, 1, 42);
        accepted.clear();
        converse(NEW, OLD, 1, 42);
    }

    @Test
    void whatIsBehindAListenerMayHoldTheVersionDown() throws Exception {
        try (NettyTransport both = release(NEW);
                Listener listener = both.listen(LOOPBACK, new Mirror(1));
                Connection connection =
                        get(both.connect(listener.endpoint(), new EchoHandler(), 5_000))) {
            assertEquals(1, connection.version());
        }
    }

    private void refused(ProtocolRange client, ProtocolRange server, String remedy)
            throws Exception {
        try (NettyTransport here = release(client);
                NettyTransport there = release(server);
                Listener listener = there.listen(LOOPBACK, new Mirror(Integer.MAX_VALUE))) {
            Endpoint to = listener.endpoint();
            FsException error = failureOf(here.connect(to, new EchoHandler(), 5_000));
            assertEquals(Errno.WRONG_CLUSTER, error.errno());
            String text = String.valueOf(error.getMessage());
            assertTrue(text.endsWith(remedy.formatted(to)), text);
            assertTrue(accepted.isEmpty(), "nobody hears of a refused connection");
        }
    }

    @Test
    void withoutACommonVersionTheConnectionIsRefusedWithWhatToDo() throws Exception {
        refused(OLD, LATER, "versions 2 to 3, this side version 1: upgrade this side");
        refused(LATER, OLD, "version 1, this side versions 2 to 3: upgrade %s");
    }

    @Test
    void aPeerThatTellsOneVersionSpeaksNoOther() throws Exception {
        try (NettyTransport here = release(NEW);
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Connection> connect =
                    here.connect(
                            new Endpoint("127.0.0.1", socket.getLocalPort()),
                            new EchoHandler(),
                            5_000);
            try (RawPeer peer = new RawPeer(socket.accept())) {
                peer.say(RawPeer.hello());
                assertEquals(1, get(connect).version());
                assertEquals("unknown", get(connect).release());
            }
        }
    }
}
