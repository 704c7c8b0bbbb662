package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.runtime.Clock;
import java.io.DataInputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The bytes of frames as released, spoken by hand to a real listener: the greeting, a request, its
 * answer, a failure; and a greeting of another protocol version. They are never changed.
 */
final class GoldenFramesTest {
    private static final HexFormat HEX = HexFormat.of();

    private static String hello(int version) {
        return "00000019" // length: 25
                + "01" // HELLO
                + "0000000000000000" // request id
                + "0000000c" // length of the header: 12
                + "894361697" // magic
                + "26e0d0a"
                + String.format("%08x", version);
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

    /** Reads a frame; beats are left out. */
    private static String read(DataInputStream in) throws Exception {
        while (true) {
            int length = in.readInt();
            byte[] rest = new byte[length];
            in.readFully(rest);
            if (rest[0] != 6) {
                return String.format("%08x", length) + HEX.formatHex(rest);
            }
        }
    }

    @Test
    @Timeout(60)
    void theBytesOfAConversation() throws Exception {
        try (EventLoops loops = new EventLoops("test", 1, Clock.system());
                NettyTransport transport = new NettyTransport(loops);
                Listener listener =
                        transport.listen(new Endpoint("127.0.0.1", 0), GoldenFramesTest::serve);
                Socket socket =
                        new Socket(InetAddress.getLoopbackAddress(), listener.endpoint().port())) {
            OutputStream out = socket.getOutputStream();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            out.write(HEX.parseHex(hello(1)));
            assertEquals(hello(1), read(in));
            out.write(HEX.parseHex(request(2, 1, "01aabb")));
            assertEquals(request(3, 1, "070809"), read(in));
            out.write(HEX.parseHex(request(2, 2, "02")));
            assertEquals(request(4, 2, "00000002" + "00000002" + "6e6f"), read(in));
        }
    }

    @Test
    @Timeout(60)
    void anotherProtocolVersionIsRefusedAndNamed() throws Exception {
        try (EventLoops loops = new EventLoops("test", 1, Clock.system());
                NettyTransport transport = new NettyTransport(loops);
                Listener listener =
                        transport.listen(new Endpoint("127.0.0.1", 0), GoldenFramesTest::serve);
                Socket socket =
                        new Socket(InetAddress.getLoopbackAddress(), listener.endpoint().port())) {
            socket.getOutputStream().write(HEX.parseHex(hello(2)));
            DataInputStream in = new DataInputStream(socket.getInputStream());
            assertEquals(hello(1), read(in), "each side tells its version before it refuses");
            assertEquals(-1, in.read(), "then the connection ends");
        }
    }
}
