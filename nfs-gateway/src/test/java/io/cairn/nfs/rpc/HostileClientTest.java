package io.cairn.nfs.rpc;

import static io.cairn.nfs.rpc.EchoServer.awaitTrue;
import static io.cairn.nfs.rpc.EchoServer.call;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.nfs.RpcClient;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that mean harm or are broken; another client has its answers within two seconds. */
final class HostileClientTest {
    private static final int MIB = 1 << 20;
    private static final RpcLimits LIMITS =
            RpcLimits.STANDARD.withTimes(60_000, 6_000).withBudgetBytes(24 << 20);

    private final EchoServer echo = new EchoServer(LIMITS);
    private final List<RpcClient> clients = new ArrayList<>();

    @AfterEach
    void stop() {
        clients.forEach(RpcClient::close);
        echo.close();
    }

    private RpcClient client() {
        RpcClient client = echo.client();
        clients.add(client);
        return client;
    }

    private void othersAreServed() {
        long start = System.nanoTime();
        try (RpcClient other = echo.client()) {
            other.send(call(1, EchoProgram.BYTES, out -> out.i32(MIB)));
            assertEquals(MIB, other.receive().results().opaque(MIB).length);
        }
        long ms = (System.nanoTime() - start) / 1_000_000;
        assertTrue(ms < 5000, "another client waited " + ms + " ms");
    }

    @Test
    void recordsBeyondTheLimitEndTheConnection() {
        for (int mark : new int[] {Integer.MAX_VALUE, -1, 4 << 20}) {
            RpcClient client = client();
            client.sendRaw(Unpooled.buffer(4).writeInt(mark).array());
            assertTrue(client.isClosedByServer(), "mark " + mark);
        }
        othersAreServed();
    }

    @Test
    void fragmentsThatAddUpBeyondTheLimitEndTheConnection() {
        RpcClient client = client();
        ByteBuf fragment = Unpooled.buffer().writeInt(1000).writeZero(1000);
        byte[] bytes = new byte[fragment.readableBytes()];
        fragment.readBytes(bytes);
        try {
            for (int i = 0; i < 2000; i++) {
                client.sendRaw(bytes);
            }
        } catch (UncheckedIOException e) {
            // Closed while sending, as it should be.
        }
        assertTrue(client.isClosedByServer());
    }

    @Test
    void otherProtocolsEndTheConnection() {
        byte[] http = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] tls = {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3};
        for (byte[] bytes : List.of(http, tls)) {
            RpcClient client = client();
            client.sendRaw(bytes);
            assertTrue(client.isClosedByServer());
        }
    }

    @Test
    void emptyFragmentsWithoutEndEndTheConnection() {
        RpcClient client = client();
        try {
            client.sendRaw(new byte[400_000]);
        } catch (UncheckedIOException e) {
            // Closed while sending, as it should be.
        }
        assertTrue(client.isClosedByServer());
        othersAreServed();
    }

    @Test
    void repliesAndShortRecordsEndTheConnection() {
        byte[] reply = call(1, EchoProgram.ECHO, out -> {});
        reply[7] = 1;
        for (byte[] record : List.of(reply, new byte[0], new byte[10])) {
            RpcClient client = client();
            client.send(record);
            assertTrue(client.isClosedByServer());
        }
    }

    @Test
    void callsCutWithinTheirCredentialAreNeverDone() {
        for (int procedure : new int[] {0, EchoProgram.ECHO}) {
            byte[] whole =
                    RpcClient.encode(
                            new int[] {1, 0, 2, EchoProgram.NUMBER, 3, procedure},
                            Credential.sys(0, 0, 1, 2),
                            out -> out.i32(0));
            int arguments = 4;
            for (int length = 24; length < whole.length - arguments; length += 4) {
                RpcClient client = client();
                client.send(Arrays.copyOf(whole, length));
                try {
                    boolean accepted = client.receive().accepted();
                    assertFalse(accepted, procedure + " cut after " + length + " bytes");
                } catch (UncheckedIOException e) {
                    // Closed, as after any header that is no header.
                }
            }
        }
    }

    @Test
    void oneByteFragmentsAreSlowButLegal() {
        byte[] record = call(9, EchoProgram.ECHO, out -> out.opaque(new byte[50]));
        RpcClient client = client();
        for (int i = 0; i < record.length; i++) {
            boolean last = i == record.length - 1;
            ByteBuf fragment = Unpooled.buffer(5).writeInt(last ? (1 << 31) | 1 : 1);
            client.sendRaw(fragment.writeByte(record[i]).array());
        }
        assertEquals(9, client.receive().xid());
    }

    @Test
    void clientsThatDoNotReadTakeNoMoreThanTheirShare() throws Exception {
        for (int c = 0; c < 8; c++) {
            RpcClient client = client();
            client.readNothing();
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    for (int i = 0; i < 2000; i++) {
                                        client.send(
                                                call(i, EchoProgram.BYTES, out -> out.i32(MIB)));
                                    }
                                } catch (UncheckedIOException e) {
                                    // The server has lost patience, or stopped reading.
                                }
                            });
        }
        awaitTrue("memory is used", () -> echo.server.usedBytes() > 4 << 20);
        for (int i = 0; i < 5; i++) {
            othersAreServed();
            assertTrue(
                    echo.server.usedBytes() <= 2 * LIMITS.budgetBytes(),
                    "used: " + echo.server.usedBytes());
        }
        awaitTrue("they are gone", () -> echo.server.connectionCount() == 0);
        awaitTrue("and so is their memory", () -> echo.server.usedBytes() == 0);
    }

    @Test
    void callsThatNeverEndTakeNoMemoryFromOthersForLong() throws Exception {
        for (int c = 0; c < 60; c++) {
            RpcClient client = client();
            client.sendRaw(Unpooled.buffer(8).writeInt((1 << 31) | MIB).writeInt(1).array());
        }
        othersAreServedEventually();
        awaitTrue("they are gone", () -> echo.server.connectionCount() == 0);
        assertEquals(0, echo.server.usedBytes());
    }

    private void othersAreServedEventually() {
        try (RpcClient other = echo.client()) {
            long start = System.nanoTime();
            byte[] data = new byte[MIB];
            other.send(call(1, EchoProgram.ECHO, out -> out.opaque(data)));
            assertEquals(MIB, other.receive().results().opaque(MIB).length);
            long ms = (System.nanoTime() - start) / 1_000_000;
            assertTrue(ms < 5000, "another client waited " + ms + " ms");
        }
    }

    @Test
    void fiveHundredIdleConnectionsDoNotMatter() {
        for (int c = 0; c < 500; c++) {
            client();
        }
        othersAreServed();
    }

    @Test
    void idleConnectionsEndAfterAWhile() throws Exception {
        try (EchoServer impatient = new EchoServer(RpcLimits.STANDARD.withTimes(300, 60_000));
                RpcClient idle = impatient.client()) {
            awaitTrue("connected", () -> impatient.server.connectionCount() == 1);
            assertTrue(idle.isClosedByServer());
        }
    }

    @Test
    void mutatedCallsAreAnsweredOrRefused() {
        Random random = new Random(11);
        byte[] good = call(5, EchoProgram.ECHO, out -> out.opaque(new byte[100]));
        for (int i = 0; i < 300; i++) {
            byte[] bad = good.clone();
            for (int n = random.nextInt(4); n >= 0; n--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try (RpcClient client = echo.client()) {
                client.send(bad);
                client.send(call(6, EchoProgram.COUNT, out -> {}));
                client.receive();
            } catch (UncheckedIOException e) {
                // Closed, because it was not a call.
            }
        }
        othersAreServed();
    }
}
