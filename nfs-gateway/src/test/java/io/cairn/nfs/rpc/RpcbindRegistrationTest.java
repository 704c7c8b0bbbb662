package io.cairn.nfs.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.nfs.rpc.PortmapProgram.Mapping;
import io.cairn.runtime.Clock;
import io.netty.buffer.ByteBuf;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class RpcbindRegistrationTest {
    /** As much of rpcbind as is asked for. */
    private static final class Rpcbind implements RpcProgram {
        final Map<List<Integer>, Integer> ports = new ConcurrentHashMap<>();

        /** Answers to SET as to a second one, when the answer to the first one was lost. */
        volatile boolean losesAnswers;

        volatile boolean refuses;

        @Override
        public int number() {
            return PortmapProgram.NUMBER;
        }

        @Override
        public int lowVersion() {
            return 2;
        }

        @Override
        public boolean hasProcedure(int version, int procedure) {
            return true;
        }

        @Override
        public int replyBytes(RpcCall call, ByteBuf arguments) {
            return 64;
        }

        @Override
        public void serve(RpcCall call, XdrReader in, XdrWriter out) {
            List<Integer> key = List.of(in.i32(), in.i32(), in.i32());
            switch (call.procedure()) {
                case 1 -> {
                    boolean isMade = !refuses && ports.putIfAbsent(key, in.i32()) == null;
                    out.bool(isMade && !losesAnswers);
                }
                case 2 -> {
                    int program = key.get(0);
                    int version = key.get(1);
                    out.bool(
                            ports.keySet()
                                    .removeIf(k -> k.get(0) == program && k.get(1) == version));
                }
                default -> out.i32(ports.getOrDefault(key, 0));
            }
        }
    }

    private final Rpcbind rpcbind = new Rpcbind();
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final int port = freePort();
    private final DatagramServer server =
            new DatagramServer(
                    new Endpoint("127.0.0.1", port), List.of(rpcbind), workers, Clock.system());

    private static int freePort() {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @AfterEach
    void stop() {
        server.close();
        workers.shutdown();
    }

    @Test
    void programsAreThereUntilItIsClosed() {
        List<Mapping> mappings =
                List.of(new Mapping(100003, 3, 6, 2049), new Mapping(100005, 3, 6, 2049));
        try (RpcbindRegistration _ = new RpcbindRegistration(port, mappings, 7)) {
            assertEquals(
                    Map.of(List.of(100003, 3, 6), 2049, List.of(100005, 3, 6), 2049),
                    rpcbind.ports);
        }
        assertTrue(rpcbind.ports.isEmpty());
    }

    @Test
    void whatTheDeadHaveLeftIsReplacedAndTheLivingAreNot() throws Exception {
        rpcbind.ports.put(List.of(100003, 3, 6), freePort());
        Mapping nfs = new Mapping(100003, 3, 6, 2050);
        new RpcbindRegistration(port, List.of(nfs), 7).close();
        try (ServerSocket living = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            rpcbind.ports.put(List.of(100003, 3, 6), living.getLocalPort());
            FsException e =
                    assertThrows(
                            FsException.class,
                            () ->
                                    new RpcbindRegistration(
                                            port, List.of(new Mapping(1, 1, 6, 5), nfs), 7));
            assertEquals(Errno.EBUSY, e.errno());
            assertEquals(1, rpcbind.ports.size(), "nothing is registered besides");
        }
    }

    @Test
    void aRegistrationWhoseAnswerWasLostCounts() {
        rpcbind.losesAnswers = true;
        Mapping nfs = new Mapping(100003, 3, 6, 2049);
        try (RpcbindRegistration _ = new RpcbindRegistration(port, List.of(nfs), 7)) {
            assertEquals(Map.of(List.of(100003, 3, 6), 2049), rpcbind.ports);
        }
        assertTrue(rpcbind.ports.isEmpty());
        rpcbind.refuses = true;
        FsException e =
                assertThrows(
                        FsException.class, () -> new RpcbindRegistration(port, List.of(nfs), 7));
        assertEquals(Errno.EACCES, e.errno());
    }

    @Test
    void nobodyThereIsSaid() {
        FsException e =
                assertThrows(
                        FsException.class,
                        () ->
                                new RpcbindRegistration(
                                        freePort(), List.of(new Mapping(1, 1, 6, 5)), 7));
        assertEquals(Errno.ENXIO, e.errno());
        assertTrue(String.valueOf(e.getMessage()).contains("rpcbind"));
    }
}
