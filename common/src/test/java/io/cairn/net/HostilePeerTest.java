package io.cairn.net;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.eventually;
import static io.cairn.net.NetworkRig.get;
import static io.cairn.net.NetworkRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.net.frame.FrameKind;
import io.cairn.wire.Limits;
import io.cairn.wire.ProtocolRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Peers that say what they should not. A second of the transports lasts 100 ms here. */
class HostilePeerTest {
    private static final int BEAT = FrameKind.BEAT.code();
    private static final int FAILURE = FrameKind.FAILURE.code();
    private static final int HELLO = FrameKind.HELLO.code();
    private static final int REPLY = FrameKind.REPLY.code();
    private static final int REQUEST = FrameKind.REQUEST.code();
    private static final int MIB = 1 << 20;

    private final NetworkRig rig = new NetworkRig(100, 64 << 20);
    private final EchoHandler echo = new EchoHandler();
    private Listener listener = rig.server.listen(LOOPBACK, echo);

    @BeforeEach
    void warmUp() {
        serviceLives();
    }

    @AfterEach
    void close() throws InterruptedException {
        serviceLives();
        rig.close();
    }

    private void serviceLives() {
        Connection connection = rig.connect(listener);
        assertEquals("alive", text(get(connection.call(text("alive"), 10_000))));
        connection.close();
    }

    private void isThrownOut(byte[] first) throws IOException {
        try (RawPeer peer = new RawPeer(listener.endpoint())) {
            peer.trySay(first);
            peer.hearEnd();
        }
        assertTrue(rig.usedBytes() < MIB, "used " + rig.usedBytes());
    }

    private void isThrownOutAfterHello(byte[] next) throws IOException {
        try (RawPeer peer = new RawPeer(listener.endpoint())) {
            peer.say(RawPeer.hello());
            assertEquals(HELLO, peer.hearKind());
            peer.trySay(next);
            peer.hearEnd();
        }
        assertTrue(rig.usedBytes() < MIB, "used " + rig.usedBytes());
    }

    @Test
    void otherProtocols() throws IOException {
        isThrownOut("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        isThrownOut("SSH-2.0-OpenSSH_9.2p1 Debian\r\n".getBytes(StandardCharsets.US_ASCII));
        // The beginning of a TLS 1.3 ClientHello.
        isThrownOut(
                HexFormat.of()
                        .parseHex(
                                "16030100f8010000f40303"
                                        + "ab".repeat(32)
                                        + "20"
                                        + "cd".repeat(32)));
    }

    @Test
    void randomBytes() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < 50; i++) {
            byte[] noise = new byte[17 + random.nextInt(100_000)];
            random.nextBytes(noise);
            // A length that is not possible: a small one would only have to be waited for.
            noise[0] |= 0x40;
            isThrownOut(noise);
        }
    }

    @Test
    void randomBytesAfterTheGreeting() throws IOException {
        Random random = new Random(2);
        for (int i = 0; i < 50; i++) {
            byte[] noise = new byte[17 + random.nextInt(100_000)];
            random.nextBytes(noise);
            noise[4] = (byte) 99;
            isThrownOutAfterHello(noise);
        }
    }

    @Test
    void impossibleLengths() throws IOException {
        isThrownOut(RawPeer.preface(0xffff_ffffL, HELLO, 0, 12).toBytes());
        isThrownOut(RawPeer.preface(0, HELLO, 0, 0).toBytes());
        isThrownOut(RawPeer.preface(13 + 300, HELLO, 0, 300).toBytes());
        isThrownOut(RawPeer.frame(HELLO, 0, new byte[12], 5));
        isThrownOutAfterHello(RawPeer.preface(0xffff_ffffL, REQUEST, 1, 10).toBytes());
        isThrownOutAfterHello(RawPeer.preface(100, REQUEST, 1, 101).toBytes());
        isThrownOutAfterHello(RawPeer.preface(100, REQUEST, 1, 0xffff_ffffL).toBytes());
        isThrownOutAfterHello(
                RawPeer.preface(
                                13L + Limits.MAX_HEADER_BYTES + 1,
                                REQUEST,
                                1,
                                Limits.MAX_HEADER_BYTES + 1L)
                        .toBytes());
        isThrownOutAfterHello(
                RawPeer.preface(13L + Limits.MAX_PAYLOAD_BYTES + 1, REQUEST, 1, 0).toBytes());
        isThrownOutAfterHello(RawPeer.preface(14, BEAT, 0, 0).toBytes());
    }

    @Test
    void framesOutOfTurn() throws IOException {
        isThrownOut(RawPeer.frame(REQUEST, 1, new byte[10], 0));
        isThrownOut(RawPeer.hello(42, ProtocolRange.OURS.newest()));
        isThrownOut(RawPeer.hello(0x8943_6169_726e_0d0aL, ProtocolRange.OURS.newest() + 1));
        isThrownOutAfterHello(RawPeer.hello());
        isThrownOutAfterHello(RawPeer.frame(0, 1, new byte[10], 0));
        isThrownOutAfterHello(RawPeer.frame(7, 1, new byte[10], 0));
    }

    @Test
    void answersNobodyWaitsForAreSkipped() throws IOException {
        try (RawPeer peer = new RawPeer(listener.endpoint())) {
            peer.say(RawPeer.hello());
            assertEquals(HELLO, peer.hearKind());
            for (int i = 0; i < 20; i++) {
                peer.say(RawPeer.frame(REPLY, i, new byte[100], 4 * MIB));
                peer.say(RawPeer.frame(FAILURE, i, new byte[100], 0));
            }
            assertTrue(rig.usedBytes() < MIB, "used " + rig.usedBytes());
            peer.say(RawPeer.frame(REQUEST, 1, new byte[100], 0));
            assertEquals(REPLY, peer.hearAnswer());
        }
    }

    @Test
    void oneByteAtATime() throws IOException {
        try (RawPeer peer = new RawPeer(listener.endpoint())) {
            slowly(peer, RawPeer.hello());
            slowly(peer, RawPeer.frame(REQUEST, 5, new byte[50], 100));
            slowly(peer, RawPeer.frame(REQUEST, 6, new byte[0], 0));
            assertEquals(HELLO, peer.hearAnswer());
            assertEquals(REPLY, peer.hearAnswer());
            assertEquals(REPLY, peer.hearAnswer());
        }
    }

    private static void slowly(RawPeer peer, byte[] bytes) throws IOException {
        for (byte b : bytes) {
            peer.say(new byte[] {b});
        }
    }

    @Test
    void aPeerThatDoesNotGreetIsThrownOut() throws IOException {
        isThrownOut(new byte[0]);
        isThrownOut(new byte[] {0, 0});
    }

    @Test
    void aFrameMustComplete() throws Exception {
        byte[] begin = RawPeer.preface(13L + 10 + 3 * MIB, REQUEST, 1, 10).toBytes();
        try (RawPeer peer = new RawPeer(listener.endpoint())) {
            peer.say(RawPeer.hello());
            assertEquals(HELLO, peer.hearKind());
            Thread trickle = peer.trickle(begin);
            peer.hearEnd();
            peer.abort();
            trickle.join();
        }
    }

    @Test
    void breaksInMidFrameLeaveNothing() throws Exception {
        for (int i = 0; i < 20; i++) {
            try (RawPeer peer = new RawPeer(listener.endpoint())) {
                peer.say(RawPeer.hello());
                byte[] frame = RawPeer.frame(REQUEST, 1, new byte[100], 2 * MIB);
                peer.say(Arrays.copyOf(frame, 30 + i * 50_000));
                if (i % 2 == 0) {
                    peer.abort();
                }
            }
        }
        eventually("nothing is left", () -> rig.usedBytes() == 0);
        assertEquals(0, rig.budget.usedBytes());
    }

    @Test
    void aPeerThatNeverReadsGetsNoMore() throws Exception {
        AtomicLong handled = new AtomicLong();
        listener.close();
        listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            handled.incrementAndGet();
                            boolean big = request.header().length == 1;
                            request.release();
                            answer.send(
                                    big
                                            ? new Message(new byte[0], rig.pattern(MIB, 0))
                                            : text("alive"));
                        });
        try (RawPeer peer = new RawPeer(listener.endpoint())) {
            peer.say(RawPeer.hello());
            for (int i = 0; i < 2_000; i++) {
                peer.say(RawPeer.frame(REQUEST, i, new byte[1], 0));
            }
            eventually("it is served", () -> handled.get() > 0);
            long before = -1;
            while (handled.get() != before) {
                before = handled.get();
                Thread.sleep(300);
            }
            assertTrue(handled.get() < 100, "handled " + handled.get());
            assertTrue(rig.usedBytes() < 32L * MIB, "used " + rig.usedBytes());
            serviceLives();
            // Sixty of its seconds later it is thrown out.
            peer.hearEnd();
        }
    }

    @Test
    void pushesToAPeerThatNeverReadsEndTheConnection() throws Exception {
        try (RawPeer peer = new RawPeer(listener.endpoint())) {
            peer.say(RawPeer.hello());
            eventually("connected", () -> echo.connections.size() == 2);
            Connection connection = echo.connections.stream().skip(1).findFirst().orElseThrow();
            while (connection.isOpen()) {
                connection.send(new Message(new byte[10], rig.pattern(100_000, 1)));
                assertTrue(rig.usedBytes() < 64L * MIB, "used " + rig.usedBytes());
            }
            assertFalse(connection.isOpen());
        }
    }

    @Test
    void fiveHundredIdlePeersAreServed() throws IOException {
        RawPeer[] peers = new RawPeer[500];
        for (int i = 0; i < peers.length; i++) {
            peers[i] = new RawPeer(listener.endpoint());
            peers[i].say(RawPeer.hello());
        }
        serviceLives();
        assertTrue(rig.usedBytes() < MIB, "used " + rig.usedBytes());
        for (RawPeer peer : peers) {
            // Idle for ten of its seconds: thrown out, having heard signs of life.
            peer.hearEnd();
            peer.close();
        }
    }
}
