package io.cairn.net.tcp;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.eventually;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.EchoHandler;
import io.cairn.net.Line;
import io.cairn.net.LineContract;
import io.cairn.net.Listener;
import io.cairn.net.NetworkRig;
import io.cairn.net.RawPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Lines to a service on Netty. A second of the transports lasts 20 ms here. */
class TcpLineTest extends LineContract {
    TcpLineTest() {
        super(new NetworkRig(20, 4 << 20));
    }

    @Test
    void aSilentLineIsLeftAlone() throws InterruptedException {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        try (Line line = line(listener);
                Connection control = rig.connect(listener, new EchoHandler())) {
            // Three times as long as a connection may be silent.
            TimeUnit.MILLISECONDS.sleep(3L * Heartbeat.SILENT_TURNS * 20);
            assertArrayEquals(bytes("here"), line.call(bytes("here"), 5_000).header());
            assertTrue(control.isOpen());
            assertEquals(0, echo.closings.get());
        }
        eventually("both are closed", () -> echo.closings.get() == 2);
    }

    /** What the other side of a line does. */
    private interface Script {
        void play(RawPeer peer) throws IOException;
    }

    /** What fails when a line is made to such a peer, which then closes, and something called. */
    private Errno failureWith(Script script) throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Endpoint at = new Endpoint("127.0.0.1", socket.getLocalPort());
            CompletableFuture<Errno> failed = new CompletableFuture<>();
            Thread caller =
                    new Thread(
                            () -> {
                                try (Line line =
                                        Objects.requireNonNull(rig.client.line(at, 2_000))) {
                                    line.call(bytes("x"), 5_000).release();
                                    failed.cancel(false);
                                } catch (FsException e) {
                                    failed.complete(e.errno());
                                }
                            });
            caller.start();
            try (RawPeer peer = new RawPeer(socket.accept())) {
                script.play(peer);
            }
            Errno errno = failed.get(10, TimeUnit.SECONDS);
            caller.join(5_000);
            return errno;
        }
    }

    private Errno greetedWith(byte[] greeting) throws Exception {
        return failureWith(
                peer -> {
                    peer.say(greeting);
                    assertEquals(Frame.HELLO, peer.hearKind());
                    peer.hearEnd();
                });
    }

    private Errno answeredWith(byte[] answer) throws Exception {
        return failureWith(
                peer -> {
                    peer.say(RawPeer.hello());
                    assertEquals(Frame.HELLO, peer.hearKind());
                    assertEquals(Frame.REQUEST, peer.hearKind());
                    peer.trySay(answer);
                });
    }

    @Test
    void whatIsNoCairnServiceIsRefused() throws Exception {
        assertEquals(Errno.WRONG_CLUSTER, greetedWith(RawPeer.hello(0x8943_6169_726e_0d0aL, 77)));
        assertEquals(Errno.DISCONNECTED, greetedWith(bytes("HTTP/1.1 400 Bad Request\r\n\r\n")));
        byte[] huge = new byte[64];
        huge[0] = 0x7f;
        assertEquals(Errno.DISCONNECTED, greetedWith(huge));
        byte[] bulky = RawPeer.frame(Frame.REPLY, 1, bytes("head"), 60_000);
        assertEquals(Errno.DISCONNECTED, greetedWith(bulky));
        assertEquals(Errno.ETIMEDOUT, greetedWith(new byte[0]));
    }

    @Test
    void brokenAnswersEndTheLineAndLeaveNothingBehind() throws Exception {
        byte[] whole = RawPeer.frame(Frame.REPLY, 1, bytes("head"), 60_000);
        assertEquals(Errno.DISCONNECTED, answeredWith(Arrays.copyOf(whole, 30_000)));
        byte[] ofAnother = RawPeer.frame(Frame.REPLY, 2, bytes("head"), 60_000);
        assertEquals(Errno.DISCONNECTED, answeredWith(ofAnother));
        byte[] notAnAnswer = RawPeer.frame(Frame.REQUEST, 1, bytes("head"), 60_000);
        assertEquals(Errno.DISCONNECTED, answeredWith(notAnAnswer));
        byte[] huge = RawPeer.preface(0xffff_ffffL, Frame.REPLY, 1, 4).toBytes();
        assertEquals(Errno.DISCONNECTED, answeredWith(huge));
        byte[] shorterThanItsHeader = RawPeer.preface(14, Frame.REPLY, 1, 4).toBytes();
        assertEquals(Errno.DISCONNECTED, answeredWith(shorterThanItsHeader));
        byte[] bulkyFailure = RawPeer.frame(Frame.FAILURE, 1, new byte[8], 100);
        assertEquals(Errno.DISCONNECTED, answeredWith(bulkyFailure));
    }

    @Test
    void nobodyThere() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Endpoint at = new Endpoint("127.0.0.1", port);
        FsException error = assertThrows(FsException.class, () -> rig.client.line(at, 1_000));
        assertEquals(Errno.DISCONNECTED, error.errno());
        assertTrue(String.valueOf(error.getMessage()).contains(at.toString()));
    }
}
