package io.cairn.nfs.rpc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.nfs.RpcClient;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Headers of calls, credentials, and questions to the port mapper, changed at random: they are
 * taken, or refused as RPC has it.
 */
final class StrangerCallsFuzzTest {
    private static final int ROUNDS = Integer.getInteger("cairn.fuzz.rounds", 20_000);
    private static final long SEED = Long.getLong("cairn.fuzz.seed", 1);
    private static final int LONGER = 100;
    private static final int MAX_REPLY_BYTES = 64 << 10;
    private static final InetSocketAddress HERE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 111);

    private static byte[] changed(Random random, byte[] sample) {
        byte[] bytes = sample.clone();
        for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes[at] = (byte) 0xff;
                default -> bytes = Arrays.copyOf(bytes, at);
            }
        }
        return bytes;
    }

    private static byte[] call(int procedure) {
        return RpcClient.encode(
                new int[] {1, 0, 2, PortmapProgram.NUMBER, 4, procedure},
                Credential.sys(1000, 1000, 1, 2, 3),
                out -> {
                    out.i32(100003).i32(3).opaque(new byte[] {'t', 'c', 'p'});
                    out.opaque(new byte[10]).opaque(new byte[4]);
                });
    }

    private static void run(int rounds) {
        Random random = new Random(SEED);
        PortmapProgram portmap =
                new PortmapProgram(
                        List.of(
                                new PortmapProgram.Mapping(100003, 3, PortmapProgram.TCP, 2049),
                                new PortmapProgram.Mapping(100005, 3, PortmapProgram.UDP, 2049)));
        for (int round = 0; round < rounds; round++) {
            byte[] bytes = changed(random, call(random.nextInt(12)));
            String what = "seed %d, round %d".formatted(SEED, round);
            ByteBuf reply = Unpooled.buffer();
            try {
                serve(portmap, new XdrReader(Unpooled.wrappedBuffer(bytes)), reply);
            } catch (XdrException | RpcDenied e) {
                // What a connection answers, or ends with.
            } catch (RuntimeException e) {
                throw new AssertionError(what, e);
            }
            assertTrue(reply.readableBytes() <= MAX_REPLY_BYTES, what);
        }
    }

    private static void serve(PortmapProgram portmap, XdrReader in, ByteBuf reply) {
        RpcHeader header = RpcHeader.decode(in);
        Credential credential = Credential.ofCall(in, header.procedure() != 0);
        int version = Math.clamp(header.version(), portmap.lowVersion(), portmap.highVersion());
        if (!portmap.hasProcedure(version, header.procedure())) {
            return;
        }
        RpcCall call =
                new RpcCall(
                        header.xid(),
                        PortmapProgram.NUMBER,
                        version,
                        header.procedure(),
                        credential,
                        HERE,
                        HERE);
        if (header.procedure() != 0) {
            portmap.serve(call, in, new XdrWriter(reply));
        }
    }

    @Test
    void changedCallsAreTakenOrRefused() {
        run(ROUNDS);
    }

    @Test
    @Tag("long")
    @Timeout(3600)
    void forLong() {
        run(LONGER * ROUNDS);
    }
}
