package io.cairn.metadata.content;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Inode;
import io.cairn.metadata.Bench;
import io.cairn.metadata.content.ObjectUses.Use;
import io.cairn.metadata.state.InodeCache;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Store.Visitor;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.View;
import io.cairn.wire.master.ContentMutation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The uses of objects, range by range. */
class ObjectUseScanTest {
    private final Bench bench = Bench.withPools(1);
    private final Counted state = new Counted();

    /** Counts the inodes that are read. */
    private final class Counted implements StoredState {
        private long inodes;

        @Override
        public byte @Nullable [] get(Family family, byte[] key) {
            return bench.store.get(family, key);
        }

        @Override
        public void scan(Family family, byte[] prefix, byte[] from, Visitor visitor) {
            bench.store.scan(
                    family,
                    prefix,
                    from,
                    (key, value) -> {
                        inodes += family == Family.INODE ? 1 : 0;
                        return visitor.visit(key, value);
                    });
        }

        @Override
        public long appliedTerm() {
            return bench.store.appliedTerm();
        }

        @Override
        public long appliedIndex() {
            return bench.store.appliedIndex();
        }

        @Override
        public void close() {}
    }

    private void makeFiles(int count) {
        for (int i = 0; i < count; i++) {
            bench.create(ROOT, "f" + i);
        }
    }

    /** A file gets an object that is younger than those of the files beside it. */
    private void renew(String name) {
        long ino = bench.create(ROOT, name).ino();
        makeOthers(name);
        long oid = oid(bench.inode(ino));
        bench.ok(new ContentMutation.RenewTail(ino, oid));
        assertTrue(oid(bench.inode(ino)) > oid + 1);
    }

    private void makeOthers(String name) {
        for (int i = 0; i < 100; i++) {
            bench.create(ROOT, name + "-" + i);
        }
    }

    private static long oid(Inode inode) {
        return Objects.requireNonNull(inode.layout()).lastOid();
    }

    private List<Use> ranges(int max) {
        ObjectUseScan scan = new ObjectUseScan(new View(state, new InodeCache()));
        List<Use> all = new ArrayList<>();
        long after = Long.MIN_VALUE;
        while (after != Long.MAX_VALUE) {
            ObjectUses uses = scan.after(after, max);
            all.addAll(uses.all());
            after = uses.lastOid();
        }
        return all;
    }

    @Test
    void allRangesTogetherAreTheWhole() {
        makeFiles(300);
        for (int i = 0; i < 10; i++) {
            renew("renewed" + i);
        }
        List<Use> whole = ranges(1 << 20);
        Set<Long> inos = new HashSet<>();
        whole.forEach(use -> inos.add(use.ino()));
        assertEquals(300 + 10 * 101, inos.size());
        for (int max : new int[] {1, 7, 64, 500}) {
            assertEquals(whole, ranges(max), "ranges of " + max);
        }
    }

    @Test
    void manyRangesReadEachInodeAFewTimes() {
        int files = 6_400;
        makeFiles(files);
        assertEquals(files, ranges(100).size());
        assertTrue(state.inodes < 10L * files, state.inodes + " inodes read");
    }
}
