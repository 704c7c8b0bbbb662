package io.cairn.metadata.tree;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import org.junit.jupiter.api.Test;

class SubtreeQueriesTest {
    private final Bench bench = new Bench();
    private final long a = bench.mkdir(ROOT, "a").ino();
    private final long b = bench.mkdir(a, "b").ino();
    private final long other = bench.mkdir(ROOT, "other").ino();

    private List<Long> trail(String... names) {
        return bench.namespace.trail(List.of(names).stream().map(Name::of).toList());
    }

    private boolean isBelow(long ino, long directoryIno) {
        return bench.namespace.isBelow(ino, directoryIno);
    }

    @Test
    void aTrailGoesAsFarAsThereAreNames() {
        assertEquals(List.of(ROOT), trail());
        assertEquals(List.of(ROOT, a, b), trail("a", "b"));
        assertEquals(List.of(ROOT, a), trail("a", "c", "b"));
    }

    @Test
    void whatIsBelowIsSoAtOnceAndByAnyName() {
        long file = bench.create(b, "f").ino();
        assertTrue(isBelow(file, b));
        assertTrue(isBelow(file, a));
        assertTrue(isBelow(file, ROOT));
        assertTrue(isBelow(a, a));
        assertFalse(isBelow(a, b));
        assertFalse(isBelow(file, other));
        assertFalse(isBelow(4711, ROOT));
        bench.ok(new TreeMutation.Link(file, other, Name.of("l")));
        assertTrue(isBelow(file, other));
        assertTrue(isBelow(file, a));
        bench.ok(new TreeMutation.Rename(ROOT, Name.of("a"), other, Name.of("a"), 0, 0, 0));
        assertTrue(isBelow(b, other));
        bench.unlink(b, "f");
        assertFalse(isBelow(file, a));
        assertTrue(isBelow(file, other));
        bench.unlink(other, "l");
        assertFalse(isBelow(file, ROOT), "a file without a name is nowhere");
    }
}
