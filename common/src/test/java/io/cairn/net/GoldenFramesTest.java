package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The bytes of frames as released, spoken by hand to a real listener: the greeting, a request, its
 * answer, a failure; and a greeting of a range of versions without a common one. They are never
 * changed.
 */
final class GoldenFramesTest {
    private static final HexFormat HEX = HexFormat.of();

    private static final String MAGIC = "8943616972" + "6e0d0a";

    /** A greeting that tells one version only. */
    private static String hello(int version) {
        return "00000019" // length: 25
                + "01" // HELLO
                + "0000000000000000" // request id
                + "0000000c" // length of the header: 12
                + MAGIC
                + String.format("%08x", version);
    }

    /** A greeting with all that there is, of the release "1.0". */
    private static String hello(int oldest, int newest) {
        return "00000025" // length: 37
                + "01" // HELLO
                + "0000000000000000" // request id
                + "00000018" // length of the header: 24
                + MAGIC
                + String.format("%08x", newest)
                + "00" // flags
                + String.format("%08x", oldest)
                + "00000003"
                + "312e30";
    }

    /** A greeting with a principal of a form that this release does not know. */
    private static String helloOf(String principal) {
        return hello(1, 1)
                        .replaceFirst("^00000025", "0000002d")
                        .replaceFirst("00000018", "00000020")
                + "07"
                + "00000003"
                + principal;
    }

    /** What this release greets with, but for the lengths and its name. */
    private static void isOurGreeting(String frame) {
        assertEquals("01" + "0000000000000000", frame.substring(8, 26));
        assertEquals(MAGIC + "00000001" + "00" + "00000001", frame.substring(34, 68));
        int nameEnd = 76 + 2 * Integer.parseInt(frame.substring(68, 76), 16);
        assertEquals("00" + "00000000", frame.substring(nameEnd), "no principal");
    }

    private static String request(int kind, long id, String header) {
        return String.format("%08x", 13 + header.length() / 2)
                + String.format("%02x%016x%08x", kind, id, header.length() / 2)
                + header;
    }

    private static void serve(Connection from, Message request, Answer answer) {
        byte[] header = request.header();
        request.release();
        if (header[0] == 1) {
            answer.send(Message.of(new byte[] {7, 8, 9}));
        } else {
            answer.fail(new FsException(Errno.ENOENT, "no"));
        }
    }

    /** Bytes on a socket to a service of ours. */
    private static final class Peer implements AutoCloseable {
        private final EventLoops loops = new EventLoops("test", 1, Clock.system());
        private final NettyTransport transport = new NettyTransport(loops);
        private final Socket socket;
        final DataInputStream in;

        Peer() throws Exception {
            Listener listener =
                    transport.listen(new Endpoint("127.0.0.1", 0), GoldenFramesTest::serve);
            socket = new Socket(InetAddress.getLoopbackAddress(), listener.endpoint().port());
            in = new DataInputStream(socket.getInputStream());
        }

        void write(String hex) throws Exception {
            socket.getOutputStream().write(HEX.parseHex(hex));
        }

        /** Reads a frame; beats are left out. */
        String read() throws Exception {
            while (true) {
                int length = in.readInt();
                byte[] rest = new byte[length];
                in.readFully(rest);
                if (rest[0] != 6) {
                    return String.format("%08x", length) + HEX.formatHex(rest);
                }
            }
        }

        /** The transport ends its listeners. */
        @Override
        public void close() throws IOException {
            try (loops;
                    transport) {
                socket.close();
            }
        }
    }

    @Test
    @Timeout(60)
    void theBytesOfAConversation() throws Exception {
        try (Peer peer = new Peer()) {
            peer.write(hello(1));
            isOurGreeting(peer.read());
            peer.write(request(2, 1, "01aabb"));
            assertEquals(request(3, 1, "070809"), peer.read());
            peer.write(request(2, 2, "02"));
            assertEquals(request(4, 2, "00000002" + "00000002" + "6e6f"), peer.read());
        }
    }

    @Test
    @Timeout(60)
    void aGreetingOfARange() throws Exception {
        try (Peer peer = new Peer()) {
            peer.write(hello(1, 9));
            isOurGreeting(peer.read());
            peer.write(request(2, 1, "01aabb"));
            assertEquals(request(3, 1, "070809"), peer.read());
        }
    }

    @Test
    @Timeout(60)
    void aPrincipalOfALaterReleaseIsNobodyInParticular() throws Exception {
        try (Peer peer = new Peer()) {
            peer.write(helloOf("616263"));
            isOurGreeting(peer.read());
            peer.write(request(2, 1, "01aabb"));
            assertEquals(request(3, 1, "070809"), peer.read());
        }
    }

    @Test
    @Timeout(60)
    void aRequestThatIsPartOfATrace() throws Exception {
        String trace = "0af7651916cd43dd8448eb211c80319c";
        String span = "b7ad6b7169203331";
        try (Peer peer = new Peer()) {
            peer.write(hello(1, 1));
            isOurGreeting(peer.read()); // without the flag: it takes no part itself
            peer.write(request(7, 1, trace + span + "01" + "01aabb"));
            assertEquals(request(3, 1, "070809"), peer.read());
            peer.write(request(7, 2, trace + "0000000000000000" + "01" + "01aabb"));
            assertEquals(-1, peer.in.read(), "the span has no number");
        }
    }

    @Test
    @Timeout(60)
    void anotherProtocolVersionIsRefusedAndNamed() throws Exception {
        try (Peer peer = new Peer()) {
            peer.write(hello(2, 3));
            isOurGreeting(peer.read()); // each side tells its versions before it refuses
            assertEquals(-1, peer.in.read(), "then the connection ends");
        }
    }
}
