package io.cairn.nfs.rpc;

import static io.cairn.nfs.rpc.EchoServer.call;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.nfs.RpcClient;
import io.cairn.nfs.RpcClient.Answer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What RFC 5531 says about calls, answers and records. */
final class RpcServerTest {
    private static @Nullable EchoServer shared;

    private final EchoServer echo = new EchoServer(RpcLimits.STANDARD);

    @AfterEach
    void stop() {
        echo.close();
    }

    private static Answer ask(RpcClient client, int version, int procedure, int argument) {
        return client.call(
                EchoProgram.NUMBER, version, procedure, Credential.NONE, out -> out.i32(argument));
    }

    @Test
    void nullAnswersWithoutCredential() {
        try (RpcClient client = echo.client()) {
            byte[] strange =
                    RpcClient.encode(
                            new int[] {5, 0, 2, EchoProgram.NUMBER, 3, 0},
                            Credential.NONE,
                            out -> {});
            strange[27] = 99;
            client.send(strange);
            Answer answer = client.receive();
            assertTrue(answer.accepted());
            assertEquals(RpcReply.SUCCESS, answer.status());
        }
    }

    @Test
    void errorsAreThoseOfTheStandard() {
        try (RpcClient client = echo.client()) {
            Answer other = client.call(77, 1, 1, Credential.NONE, out -> {});
            assertEquals(RpcReply.PROG_UNAVAIL, other.status());
            Answer version = ask(client, 4, 1, 0);
            assertEquals(RpcReply.PROG_MISMATCH, version.status());
            assertEquals(2, version.results().i32());
            assertEquals(3, version.results().i32());
            assertEquals(RpcReply.PROC_UNAVAIL, ask(client, 3, 8, 0).status());
            assertEquals(RpcReply.PROC_UNAVAIL, ask(client, 3, -1, 0).status());
            Answer garbage = ask(client, 3, EchoProgram.ECHO, 5);
            assertEquals(RpcReply.GARBAGE_ARGS, garbage.status());
            assertEquals(RpcReply.SYSTEM_ERR, ask(client, 3, EchoProgram.FAIL, 0).status());
            Answer denied = ask(client, 3, EchoProgram.DENY, 0);
            assertFalse(denied.accepted());
            assertEquals(1, denied.status());
            assertEquals(RpcDenied.AUTH_TOOWEAK, denied.results().i32());
            assertEquals(RpcReply.SUCCESS, ask(client, 3, EchoProgram.COUNT, 0).status());
        }
    }

    @Test
    void anotherRpcVersionIsAMismatch() {
        try (RpcClient client = echo.client()) {
            client.send(
                    RpcClient.encode(
                            new int[] {5, 0, 3, EchoProgram.NUMBER, 3, 1},
                            Credential.NONE,
                            out -> {}));
            Answer answer = client.receive();
            assertFalse(answer.accepted());
            assertEquals(0, answer.status());
            assertEquals(2, answer.results().i32());
            assertEquals(2, answer.results().i32());
        }
    }

    @Test
    void credentialsAreTaken() {
        try (RpcClient client = echo.client()) {
            Credential sixteen = Credential.sys(-2, 5, new int[16]);
            Answer answer = client.call(EchoProgram.NUMBER, 2, EchoProgram.WHO, sixteen, out -> {});
            assertEquals(-2, answer.results().i32());
            assertEquals(5, answer.results().i32());
            assertEquals(16, answer.results().i32());
        }
    }

    @Test
    void badCredentialsAreDenied() {
        try (RpcClient client = echo.client()) {
            Credential seventeen = Credential.sys(1, 1, new int[17]);
            Answer many = client.call(EchoProgram.NUMBER, 3, EchoProgram.WHO, seventeen, o -> {});
            assertEquals(RpcDenied.AUTH_BADCRED, denial(many));
            byte[] flavor =
                    RpcClient.encode(
                            new int[] {9, 0, 2, EchoProgram.NUMBER, 3, EchoProgram.WHO},
                            Credential.NONE,
                            out -> {});
            flavor[27] = 6;
            client.send(flavor);
            assertEquals(RpcDenied.AUTH_REJECTEDCRED, denial(client.receive()));
            ByteBuf huge = Unpooled.buffer();
            for (int field : new int[] {3, 0, 2, EchoProgram.NUMBER, 3, 7, 1, 404}) {
                huge.writeInt(field);
            }
            byte[] bytes = new byte[huge.readableBytes() + 404];
            huge.readBytes(bytes, 0, huge.readableBytes());
            client.send(bytes);
            assertEquals(RpcDenied.AUTH_BADCRED, denial(client.receive()));
        }
    }

    private static int denial(Answer answer) {
        assertFalse(answer.accepted());
        assertEquals(1, answer.status(), "AUTH_ERROR");
        return answer.results().i32();
    }

    @Test
    void manyCallsAreAnsweredInWhateverOrder() {
        try (RpcClient client = echo.client()) {
            int calls = 1000;
            Thread sender =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        for (int i = 0; i < calls; i++) {
                                            client.send(call(i, EchoProgram.BYTES, size(i)));
                                        }
                                    });
            Set<Integer> seen = new HashSet<>();
            for (int i = 0; i < calls; i++) {
                Answer answer = client.receive();
                assertTrue(seen.add(answer.xid()));
                assertEquals(answer.xid() % 37 * 1000, answer.results().opaque(1 << 20).length);
            }
            assertFalse(sender.isInterrupted());
        }
    }

    private static java.util.function.Consumer<XdrWriter> size(int i) {
        return out -> out.i32(i % 37 * 1000);
    }

    @Test
    void largeRecordsArriveWhole() {
        byte[] data = new byte[1 << 20];
        new Random(7).nextBytes(data);
        try (RpcClient client = echo.client()) {
            for (int i = 0; i < 8; i++) {
                Answer answer =
                        client.call(
                                EchoProgram.NUMBER,
                                3,
                                EchoProgram.ECHO,
                                Credential.NONE,
                                out -> out.opaque(data));
                assertArrayEquals(data, answer.results().opaque(1 << 20));
            }
        }
    }

    // ---- fragments, on one server for all tries

    @BeforeContainer
    static void startShared() {
        shared = new EchoServer(RpcLimits.STANDARD);
    }

    @AfterContainer
    static void stopShared() {
        EchoServer server = shared;
        if (server != null) {
            server.close();
        }
    }

    @Property(tries = 60)
    void anyWayToCutARecordIsTheSameRecord(
            @ForAll long seed,
            @ForAll @IntRange(max = 40_000) int length,
            @ForAll @IntRange(min = 1, max = 3000) int largest) {
        EchoServer server = shared;
        if (server == null) {
            throw new AssertionError("no server");
        }
        Random random = new Random(seed);
        byte[] data = new byte[length];
        random.nextBytes(data);
        try (RpcClient client = server.client()) {
            client.sendRaw(
                    cut(call(3, EchoProgram.ECHO, out -> out.opaque(data)), largest, random));
            assertArrayEquals(data, client.receive().results().opaque(1 << 20));
        }
    }

    private static byte[] cut(byte[] record, int largest, Random random) {
        ByteBuf out = Unpooled.buffer();
        int at = 0;
        while (at < record.length) {
            int length = Math.min(record.length - at, random.nextInt(largest) + 1);
            boolean last = at + length == record.length;
            out.writeInt(length | (last ? 1 << 31 : 0)).writeBytes(record, at, length);
            at += length;
            if (!last && random.nextInt(1000) == 0) {
                out.writeInt(0);
            }
        }
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    @Test
    void anEmptyLastFragmentEndsARecord() {
        byte[] record = call(3, EchoProgram.COUNT, out -> {});
        ByteBuf out = Unpooled.buffer().writeInt(record.length).writeBytes(record);
        out.writeInt(1 << 31);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        try (RpcClient client = echo.client()) {
            client.sendRaw(bytes);
            assertEquals(1, client.receive().results().i32());
        }
    }
}
