package io.cairn.net.frame;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.EchoHandler;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.NetworkRig;
import io.cairn.net.PolledLine;
import io.cairn.net.RawPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Polled lines to a service on Netty. A second of the transports lasts 20 ms here. */
class PolledTcpLineTest {
    private final NetworkRig rig = new NetworkRig(20, 8 << 20);
    private final EchoHandler echo = new EchoHandler();
    private final List<Object> heard = new ArrayList<>();

    @AfterEach
    void close() throws InterruptedException {
        rig.close();
    }

    private final PolledLine.Asker asker =
            new PolledLine.Asker() {
                @Override
                public void answered(Message reply) {
                    heard.add(NetworkRig.text(reply));
                }

                @Override
                public void failed(FsException error) {
                    heard.add(error.errno());
                }
            };

    private PolledLine line(Endpoint at) {
        return Objects.requireNonNull(rig.client.polledLine(at, 2_000));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void pollUntilHeard(PolledLine line, int count) throws InterruptedException {
        eventually(
                count + " are heard",
                () -> {
                    line.poll();
                    return heard.size() >= count;
                });
    }

    @Test
    void manyAreUnderWayAndNothingIsSentBeforeItIsToBe() throws InterruptedException {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        try (PolledLine line = line(listener.endpoint())) {
            assertEquals(0, line.expected());
            assertTrue(line.descriptor() > 0);
            List<String> asked = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                asked.add("request " + i);
                assertTrue(line.call(bytes("request " + i), 5_000, asker));
            }
            assertEquals(100, line.expected());
            assertEquals(List.of(), List.copyOf(echo.headers));
            line.flush();
            eventually("all arrive", () -> echo.headers.size() == 100);
            assertEquals(List.of(), heard, "nobody has looked yet");
            pollUntilHeard(line, 100);
            assertEquals(asked, heard);
            assertEquals(0, line.expected());
        }
    }

    @Test
    void whatTheNetworkDoesNotTakeWaitsAndWhatHasNoRoomIsRefused() throws InterruptedException {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        String large = "x".repeat(PolledLine.MAX_REQUEST_BYTES);
        try (PolledLine line = line(listener.endpoint())) {
            int taken = 0;
            while (line.call(bytes(large), 5_000, asker)) {
                taken++;
            }
            assertTrue(taken > 4 && taken < 20, taken + " are taken");
            for (int round = 0; round < 20; round++) {
                line.poll();
                while (line.call(bytes(large), 5_000, asker)) {
                    taken++;
                }
            }
            pollUntilHeard(line, taken);
            assertEquals(taken, heard.stream().filter(large::equals).count());
            assertThrows(FsException.class, () -> line.call(bytes(large + "x"), 5_000, asker));
        }
    }

    @Test
    void anErrorOfTheHandlerIsAnAnswer() throws InterruptedException {
        Handler refuses = (_, _, answer) -> answer.fail(new FsException(Errno.NOT_LEADER, "no"));
        Listener listener = rig.server.listen(LOOPBACK, refuses);
        try (PolledLine line = line(listener.endpoint())) {
            line.call(bytes("x"), 5_000, asker);
            pollUntilHeard(line, 1);
            assertEquals(List.of(Errno.NOT_LEADER), heard);
            assertTrue(line.isOpen());
        }
    }

    @Test
    void aLateAnswerEndsTheLine() throws InterruptedException {
        Listener listener = rig.server.listen(LOOPBACK, (_, _, _) -> {});
        try (PolledLine line = line(listener.endpoint())) {
            line.call(bytes("one"), 30, asker);
            line.call(bytes("two"), 60_000, asker);
            pollUntilHeard(line, 2);
            assertEquals(List.of(Errno.ETIMEDOUT, Errno.ETIMEDOUT), heard);
            assertFalse(line.isOpen());
            assertEquals(0, line.expected());
            assertEquals(-1, line.descriptor());
            assertFalse(line.call(bytes("three"), 30, asker));
        }
        assertEquals(2, heard.size());
    }

    @Test
    void whoWaitsHearsOfTheEnd() throws InterruptedException {
        Listener listener = rig.server.listen(LOOPBACK, (_, _, _) -> {});
        try (PolledLine line = line(listener.endpoint())) {
            line.call(bytes("x"), 60_000, asker);
            line.flush();
            listener.close();
            pollUntilHeard(line, 1);
        }
        Listener other = rig.server.listen(LOOPBACK, (_, _, _) -> {});
        PolledLine closed = line(other.endpoint());
        closed.call(bytes("x"), 60_000, asker);
        closed.close();
        assertEquals(List.of(Errno.DISCONNECTED, Errno.DISCONNECTED), heard);
    }

    @Test
    void aSilentLineIsLeftAlone() throws InterruptedException {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        try (PolledLine line = line(listener.endpoint())) {
            // Three times as long as a connection may be silent.
            TimeUnit.MILLISECONDS.sleep(3L * Heartbeat.SILENT_TURNS * 20);
            line.call(bytes("here"), 5_000, asker);
            pollUntilHeard(line, 1);
            assertEquals(List.of("here"), heard);
        }
    }

    /** What the other side of a line does. */
    private interface Script {
        void play(RawPeer peer) throws IOException;
    }

    /** What is heard of a call to such a peer, which closes then. */
    private Object heardOf(Script script) throws Exception {
        heard.clear();
        try (ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Endpoint at = new Endpoint("127.0.0.1", socket.getLocalPort());
            CompletableFuture<Void> played =
                    CompletableFuture.runAsync(
                            () -> {
                                try (RawPeer peer = new RawPeer(socket.accept())) {
                                    script.play(peer);
                                } catch (IOException e) {
                                    throw new AssertionError(e);
                                }
                            });
            try (PolledLine line = line(at)) {
                line.call(bytes("x"), 5_000, asker);
                pollUntilHeard(line, 1);
            } catch (FsException e) {
                heard.add(e.errno());
            }
            played.get(10, TimeUnit.SECONDS);
        }
        assertEquals(1, heard.size());
        return heard.getFirst();
    }

    private Object greetedWith(byte[] greeting) throws Exception {
        return heardOf(
                peer -> {
                    peer.say(greeting);
                    assertEquals(Frame.HELLO, peer.hearKind());
                    peer.hearEnd();
                });
    }

    private Object answeredWith(byte[]... pieces) throws Exception {
        return heardOf(
                peer -> {
                    peer.say(RawPeer.hello());
                    assertEquals(Frame.HELLO, peer.hearKind());
                    assertEquals(Frame.REQUEST, peer.hearKind());
                    for (byte[] piece : pieces) {
                        peer.trySay(piece);
                    }
                });
    }

    @Test
    void anAnswerMayComeInPiecesAndBeLong() throws Exception {
        byte[] head = new byte[200_000];
        Arrays.fill(head, (byte) 'a');
        byte[] whole = RawPeer.frame(Frame.REPLY, 1, head, 0);
        byte[] beat = RawPeer.frame(Frame.BEAT, 0, new byte[0], 0);
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
        assertEquals(Errno.DISCONNECTED, greetedWith(bytes("HTTP/1.1 400 Bad Request\r\n\r\n")));
        byte[] early = RawPeer.frame(Frame.REPLY, 1, bytes("head"), 0);
        assertEquals(Errno.DISCONNECTED, greetedWith(early));
        assertEquals(Errno.ETIMEDOUT, greetedWith(new byte[0]));
    }

    @Test
    void brokenAnswersEndTheLine() throws Exception {
        byte[] whole = RawPeer.frame(Frame.REPLY, 1, bytes("head"), 0);
        assertEquals(Errno.DISCONNECTED, answeredWith(Arrays.copyOf(whole, whole.length - 1)));
        byte[] ofAnother = RawPeer.frame(Frame.REPLY, 2, bytes("head"), 0);
        assertEquals(Errno.DISCONNECTED, answeredWith(ofAnother));
        byte[] notAnAnswer = RawPeer.frame(Frame.REQUEST, 1, bytes("head"), 0);
        assertEquals(Errno.DISCONNECTED, answeredWith(notAnAnswer));
        byte[] withPayload = RawPeer.frame(Frame.REPLY, 1, bytes("head"), 100);
        assertEquals(Errno.DISCONNECTED, answeredWith(withPayload));
        byte[] huge = RawPeer.preface(0xffff_ffffL, Frame.REPLY, 1, 4).toBytes();
        assertEquals(Errno.DISCONNECTED, answeredWith(huge));
    }

    @Test
    void nobodyThere() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Endpoint at = new Endpoint("127.0.0.1", port);
        FsException error = assertThrows(FsException.class, () -> line(at));
        assertEquals(Errno.DISCONNECTED, error.errno());
        assertTrue(String.valueOf(error.getMessage()).contains(at.toString()));
        Endpoint nowhere = new Endpoint("no-such-host.invalid", port);
        FsException unknown = assertThrows(FsException.class, () -> line(nowhere));
        assertTrue(String.valueOf(unknown.getMessage()).contains("unknown host"));
    }
}
