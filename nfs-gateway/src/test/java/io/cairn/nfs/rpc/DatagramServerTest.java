package io.cairn.nfs.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.nfs.RpcClient;
import io.cairn.nfs.rpc.PortmapProgram.Mapping;
import io.cairn.runtime.Clock;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The port mapper by UDP. */
final class DatagramServerTest {
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final PortmapProgram portmap =
            new PortmapProgram(
                    List.of(
                            new Mapping(100003, 3, PortmapProgram.TCP, 2049),
                            new Mapping(100024, 1, PortmapProgram.UDP, 4711)));
    private Endpoint endpoint = new Endpoint("127.0.0.1", 0);
    private @Nullable DatagramServer server;
    private @Nullable DatagramSocket socket;

    @BeforeEach
    void start() throws Exception {
        try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            endpoint = new Endpoint("127.0.0.1", free.getLocalPort());
        }
        server = new DatagramServer(endpoint, List.of(portmap), workers, Clock.system());
        socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
        if (socket != null) {
            socket.close();
        }
        workers.shutdownNow();
    }

    /** The words of the answer behind the xid, or null when none comes. */
    private @Nullable XdrReader ask(byte[] datagram, int timeoutMs) throws IOException {
        DatagramSocket from = socket;
        if (from == null) {
            throw new IllegalStateException("not started");
        }
        from.setSoTimeout(timeoutMs);
        from.send(
                new DatagramPacket(
                        datagram,
                        datagram.length,
                        InetAddress.getLoopbackAddress(),
                        endpoint.port()));
        DatagramPacket answer = new DatagramPacket(new byte[9000], 9000);
        try {
            from.receive(answer);
        } catch (SocketTimeoutException e) {
            return null;
        }
        XdrReader reader =
                new XdrReader(Unpooled.copiedBuffer(answer.getData(), 0, answer.getLength()));
        assertEquals(77, reader.i32());
        assertEquals(1, reader.i32());
        return reader;
    }

    private static byte[] call(int program, int procedure, Consumer<XdrWriter> arguments) {
        return RpcClient.encode(
                new int[] {77, 0, 2, program, 2, procedure}, Credential.NONE, arguments);
    }

    private int status(byte[] datagram) throws IOException {
        XdrReader answer = ask(datagram, 10_000);
        if (answer == null) {
            throw new AssertionError("no answer");
        }
        assertEquals(0, answer.i32());
        answer.i64();
        return answer.i32();
    }

    private int port(int program, int version, int protocol) throws IOException {
        XdrReader answer =
                ask(
                        call(
                                PortmapProgram.NUMBER,
                                3,
                                out -> out.i32(program).i32(version).i32(protocol).i32(0)),
                        10_000);
        if (answer == null) {
            throw new AssertionError("no answer");
        }
        answer.i32();
        answer.i64();
        assertEquals(0, answer.i32());
        return answer.i32();
    }

    @Test
    void portsAreToldByProtocol() throws Exception {
        assertEquals(2049, port(100003, 3, PortmapProgram.TCP));
        assertEquals(0, port(100003, 3, PortmapProgram.UDP));
        assertEquals(4711, port(100024, 1, PortmapProgram.UDP));
        assertEquals(0, port(100024, 1, PortmapProgram.TCP));
    }

    @Test
    void badCallsAreRefused() throws Exception {
        assertEquals(0, status(call(PortmapProgram.NUMBER, 0, out -> {})));
        assertEquals(1, status(call(100003, 1, out -> {})));
        assertEquals(3, status(call(PortmapProgram.NUMBER, 9, out -> {})));
        assertEquals(4, status(call(PortmapProgram.NUMBER, 3, out -> out.i32(1))));
    }

    @Test
    void whatIsNoCallIsNotAnswered() throws Exception {
        assertNull(ask(new byte[0], 100));
        assertNull(ask(new byte[] {1, 2, 3}, 100));
        byte[] reply = call(PortmapProgram.NUMBER, 0, out -> {});
        reply[7] = 1;
        assertNull(ask(reply, 100));
        assertNull(ask(new byte[8900], 100));
        assertEquals(2049, port(100003, 3, PortmapProgram.TCP));
    }

    @Test
    void noiseHurtsNobody() throws Exception {
        Random random = new Random(5);
        DatagramSocket from = socket;
        for (int i = 0; i < 2000 && from != null; i++) {
            byte[] noise = call(PortmapProgram.NUMBER, random.nextInt(6), out -> out.i64(1));
            noise[8 + random.nextInt(noise.length - 8)] ^= (byte) (1 << random.nextInt(8));
            int length = random.nextInt(noise.length + 1);
            from.send(
                    new DatagramPacket(
                            noise, length, InetAddress.getLoopbackAddress(), endpoint.port()));
        }
        if (from != null) {
            from.close();
        }
        socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        byte[] good = call(PortmapProgram.NUMBER, 0, out -> {});
        int tries = 0;
        while (ask(good, 500) == null) {
            // Calls that come too fast are dropped, as datagrams are.
            assertTrue(++tries < 20, "no answer any more");
        }
    }

    @Test
    void aBusyPortIsNamed() {
        FsException e =
                assertThrows(
                        FsException.class,
                        () ->
                                new DatagramServer(
                                        endpoint, List.of(portmap), workers, Clock.system()));
        assertEquals(Errno.EBUSY, e.errno());
        assertTrue(String.valueOf(e.getMessage()).contains("in use"), e.getMessage());
    }
}
