package io.cairn.nfs.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.nfs.ModelGateway;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsSettings;
import io.cairn.nfs.RpcClient;
import io.cairn.nfs.lock.NlmClient.Range;
import io.cairn.nfs.rpc.Credential;
import io.cairn.runtime.Clock;
import io.cairn.testkit.model.ModelFileSystem;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Arguments of all procedures of NLM and NSM, mutated: an answer that RPC knows, never a defect.
 */
final class LockFuzzTest {
    private static final int ROUNDS = Integer.getInteger("cairn.fuzz.rounds", 4000);
    private static final int SYSTEM_ERR = 5;
    private static final int[] PROCEDURES = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23
    };

    private final FakeLockd lockd = new FakeLockd();
    private final ModelGateway gateway =
            new ModelGateway(
                    new ModelFileSystem(Clock.system()),
                    NfsSettings.of(new Endpoint("127.0.0.1", 0))
                            .withLockPace(new LockPace(lockd.port(), 300, 200, 2, 500)),
                    "/ *(rw,no_root_squash,insecure)");
    private final NfsClient nfs = gateway.client();

    @AfterEach
    void stop() {
        nfs.close();
        gateway.close();
        lockd.close();
    }

    @Test
    void mutatedArgumentsAreAnswered() {
        long seed = Long.getLong("cairn.fuzz.seed", System.nanoTime());
        Random random = new Random(seed);
        byte[] handle = nfs.create(nfs.mount("/"), "f", 1, AttributeChange.NONE).handle().bytes();
        for (int i = 0; i < ROUNDS; i++) {
            boolean monitor = random.nextInt(10) == 0;
            int procedure =
                    monitor ? 1 + random.nextInt(6) : PROCEDURES[random.nextInt(PROCEDURES.length)];
            byte[] arguments = arguments(random, monitor ? 0 : procedure, handle);
            RpcClient.Answer answer =
                    nfs.rpc()
                            .call(
                                    monitor ? NlmClient.NSM : NlmClient.NLM,
                                    monitor ? 1 : 4,
                                    procedure,
                                    Credential.sys(random.nextInt(2) * 1000, 0),
                                    out -> out.raw(arguments));
            String what = "seed " + seed + " round " + i + " procedure " + procedure;
            assertTrue(answer.accepted(), what);
            assertNotEquals(SYSTEM_ERR, answer.status(), what);
            boolean hasStatus = !monitor && (procedure <= 4 || procedure >= 20) && procedure < 23;
            if (answer.status() == 0 && hasStatus) {
                answer.results().opaque(1024);
                int status = answer.results().i32();
                assertTrue(status >= 0 && status <= 9, what + " status " + status);
            }
        }
        try (NlmClient clean = new NlmClient(gateway.endpoint(), "clean")) {
            Range far = new Range(handle, 1, 1L << 60, 1);
            assertEquals(NlmClient.GRANTED, clean.unlock(far));
        }
    }

    /** As the procedure has them, some words changed or cut off. */
    private static byte[] arguments(Random random, int procedure, byte[] handle) {
        ByteBuf out = Unpooled.buffer();
        opaque(out, random, new byte[random.nextInt(9)]);
        boolean isShare = procedure == 20 || procedure == 21;
        for (int flag = flags(procedure); flag > 0; flag--) {
            out.writeInt(random.nextInt(2));
        }
        opaque(out, random, new byte[] {(byte) ('a' + random.nextInt(3))});
        opaque(out, random, handle);
        opaque(out, random, new byte[] {(byte) random.nextInt(3)});
        if (isShare) {
            out.writeInt(random.nextInt(4)).writeInt(random.nextInt(4)).writeInt(0);
        } else {
            out.writeInt(random.nextInt(3));
            out.writeLong(random.nextInt(10) == 0 ? random.nextLong() : random.nextInt(20));
            out.writeLong(random.nextInt(10) == 0 ? random.nextLong() : random.nextInt(20));
            out.writeInt(random.nextInt(2)).writeInt(random.nextInt(3));
        }
        int length = out.readableBytes();
        byte[] bytes = new byte[random.nextInt(8) == 0 ? random.nextInt(length) : length];
        out.readBytes(bytes);
        if (bytes.length > 0 && random.nextInt(4) == 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }

    /** How many booleans stand before the lock. */
    private static int flags(int procedure) {
        return switch (procedure) {
            case 1, 6, 5, 10 -> 1;
            case 2, 3, 7, 8, 22 -> 2;
            default -> 0;
        };
    }

    private static void opaque(ByteBuf out, Random random, byte[] bytes) {
        int length = random.nextInt(200) == 0 ? random.nextInt() : bytes.length;
        out.writeInt(length).writeBytes(bytes).writeZero(-bytes.length & 3);
    }
}
