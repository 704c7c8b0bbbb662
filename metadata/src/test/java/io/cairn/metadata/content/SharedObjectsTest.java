package io.cairn.metadata.content;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.Layout;
import io.cairn.metadata.content.SharedObjects.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

final class SharedObjectsTest {
    private static final long OID = 7;
    private static final int CHUNKS = 40;

    private static Layout layout(Random random) {
        List<Layout.Run> runs = new ArrayList<>();
        for (long chunk = 0; chunk < CHUNKS; chunk += 1 + random.nextInt(4)) {
            Layout.Run run = Layout.Run.of(chunk, 1, OID + random.nextInt(3));
            runs.add(random.nextInt(3) == 0 ? run.cloning(OID - random.nextInt(2), 5) : run);
        }
        return new Layout(Layout.STANDARD_CHUNK_SIZE_LOG2, 0, 0, runs);
    }

    private static boolean needs(Layout layout, long chunk) {
        Layout.Run run = layout.runOf(chunk);
        return run.oid() == OID || (run.sourceOid() == OID && run.firstChunk() == chunk);
    }

    /** Whatever the layouts are: a chunk is left exactly when no layout needs it. */
    @Property(tries = 500)
    void whatNoLayoutNeedsIsLeft(@ForAll long seed) {
        Random random = new Random(seed);
        long from = random.nextInt(CHUNKS);
        boolean isOpen = random.nextInt(4) == 0;
        long end = isOpen ? ObjectLedger.TO_END : from + 1 + random.nextInt(CHUNKS);
        List<Layout> layouts = new ArrayList<>();
        List<Part> left = List.of(new Part(from, end));
        for (int users = random.nextInt(4); users > 0; users--) {
            Layout layout = layout(random);
            layouts.add(layout);
            left = SharedObjects.without(left, SharedObjects.uses(layout, OID, from, end));
        }
        List<Part> expected = new ArrayList<>();
        long last = Math.min(end, 3 * CHUNKS);
        for (long chunk = from; chunk < last; chunk++) {
            long at = chunk;
            if (layouts.stream().anyMatch(layout -> needs(layout, at))) {
                continue;
            }
            boolean continues = !expected.isEmpty() && expected.getLast().endChunk() == chunk;
            long begin = continues ? expected.removeLast().fromChunk() : chunk;
            expected.add(new Part(begin, isOpen && chunk + 1 == last ? end : chunk + 1));
        }
        assertEquals(expected, left);
    }

    @Example
    void oneChunkIsNeededOrNot() {
        Layout.Run cloning = Layout.Run.of(3, 1, OID + 1).cloning(OID, 5);
        Layout layout =
                new Layout(
                        Layout.STANDARD_CHUNK_SIZE_LOG2,
                        0,
                        0,
                        List.of(Layout.Run.of(0, 1, OID), cloning));
        Part[] chunks = {new Part(2, 3), new Part(3, 4), new Part(4, 5)};
        int[] left = {0, 0, 1};
        for (int i = 0; i < chunks.length; i++) {
            List<Part> uses =
                    SharedObjects.uses(layout, OID, chunks[i].fromChunk(), chunks[i].endChunk());
            assertEquals(left[i], SharedObjects.without(List.of(chunks[i]), uses).size());
        }
    }
}
