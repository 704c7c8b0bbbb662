package io.cairn.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.AttributeChange;
import io.cairn.nfs.ModelGateway;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsClient.Handle;
import io.cairn.nfs.RpcClient;
import io.cairn.nfs.rpc.Credential;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Arguments of all procedures, mutated: an answer that RPC or NFS knows, never a defect. */
final class NfsFuzzTest {
    private static final int ROUNDS = Integer.getInteger("cairn.fuzz.rounds", 4000);
    private static final int SYSTEM_ERR = 5;
    private static final int SERVERFAULT = 10006;

    private final ModelGateway gateway = new ModelGateway();
    private final NfsClient client = gateway.client();

    @AfterEach
    void stop() {
        client.close();
        gateway.close();
    }

    @Test
    void mutatedArgumentsAreAnswered() {
        long seed = Long.getLong("cairn.fuzz.seed", System.nanoTime());
        Random random = new Random(seed);
        Handle root = client.mount("/");
        Handle file = client.create(root, "f", 1, AttributeChange.NONE).handle();
        Handle directory = client.mkdir(root, "d").handle();
        List<Handle> handles = List.of(root, file, directory);
        for (int i = 0; i < ROUNDS; i++) {
            int program = random.nextInt(20) == 0 ? NfsClient.MOUNT : NfsClient.NFS;
            int procedure = random.nextInt(program == NfsClient.NFS ? 22 : 6);
            byte[] arguments = arguments(random, handles);
            RpcClient.Answer answer =
                    client.rpc()
                            .call(
                                    program,
                                    3,
                                    procedure,
                                    Credential.sys(random.nextInt(2) * 1000, 0),
                                    out -> out.raw(arguments));
            String what = "seed " + seed + " round " + i + " procedure " + procedure;
            assertTrue(answer.accepted(), what);
            assertNotEquals(SYSTEM_ERR, answer.status(), what);
            boolean hasStatus = procedure != 0 && program == NfsClient.NFS;
            if (answer.status() == 0 && hasStatus) {
                assertNotEquals(SERVERFAULT, answer.results().i32(), what);
            }
        }
        assertEquals(1, client.getattr(root).ino());
    }

    /** Words as procedures have them, some changed. */
    private static byte[] arguments(Random random, List<Handle> handles) {
        ByteBuf out = Unpooled.buffer();
        for (int part = random.nextInt(7); part >= 0; part--) {
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    byte[] handle = handles.get(random.nextInt(handles.size())).bytes();
                    out.writeInt(handle.length).writeBytes(handle);
                }
                case 2 -> {
                    int length = random.nextInt(20);
                    out.writeInt(length).writeZero(length + (-length & 3));
                    for (int i = 0; i < length; i++) {
                        int at = out.writerIndex() - 1 - i - (-length & 3);
                        out.setByte(at, "ab./\0".charAt(random.nextInt(5)));
                    }
                }
                case 3 -> out.writeInt(random.nextInt(4));
                default -> out.writeInt(random.nextInt());
            }
        }
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        if (bytes.length > 0 && random.nextInt(3) == 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }
}
