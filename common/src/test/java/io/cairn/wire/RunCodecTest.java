package io.cairn.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RunCodecTest {
    private static final long OID = 1L << 47;

    private static byte[] encoded(List<Run> runs) {
        Encoder out = new Encoder();
        RunCodec.encode(out, runs);
        return out.toBytes();
    }

    private static void requireSame(List<Run> runs) {
        Decoder in = new Decoder(encoded(runs));
        assertEquals(runs, RunCodec.decode(in));
        assertEquals(0, in.remaining());
    }

    @Test
    void anyRunsComeBack() {
        Random random = new Random(3);
        for (int count = 1; count < 60; count++) {
            List<Run> runs = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Run run =
                        new Run(
                                random.nextLong(0, Long.MAX_VALUE),
                                random.nextInt(),
                                random.nextLong(),
                                random.nextInt(3) == 0 ? 0 : random.nextLong() | 1,
                                0,
                                random.nextInt(3));
                boolean isPlain = run.sourceOid() == 0 && random.nextBoolean();
                runs.add(isPlain ? run : run.cloning(run.sourceOid(), i * 77L));
            }
            requireSame(runs);
        }
    }

    /** The most runs that there may be, in the way that snapshots make them. */
    @Test
    void oneMessageHoldsTheLargestLayout() {
        List<Run> whole = new ArrayList<>();
        List<Run> cloning = new ArrayList<>();
        for (int i = 0; i < Layout.MAX_RUNS; i++) {
            long oid = OID + (i % 50 << 24);
            whole.add(Run.of(3L * i, 1, oid));
            cloning.add(whole.getLast().cloning(oid - (50 << 24), 1 << 26));
        }
        requireSame(whole);
        requireSame(cloning);
        assertTrue(encoded(whole).length <= 4 * Layout.MAX_RUNS);
        assertTrue(encoded(cloning).length < Limits.MAX_HEADER_BYTES - (64 << 10));
    }

    @Test
    void anythingElseIsRefused() {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            runs.add(Run.of(i, 1, i % 2 + 1));
        }
        byte[] good = encoded(runs);
        for (int length = 0; length < good.length; length++) {
            byte[] part = Arrays.copyOf(good, length);
            assertThrows(MalformedMessageException.class, () -> RunCodec.decode(new Decoder(part)));
        }
        byte[] wrong = good.clone();
        wrong[wrong.length - 1] = 100; // a place that is not in the list
        assertThrows(MalformedMessageException.class, () -> RunCodec.decode(new Decoder(wrong)));
    }
}
