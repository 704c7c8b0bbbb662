package io.cairn.metadata.content;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.content.SharedObjects.Part;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.state.Counters;
import io.cairn.metadata.state.InodeCache;
import io.cairn.metadata.state.InodeWatch;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

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

    /** A store that counts how often inodes are read. */
    private static final class CountingStore implements Store {
        private final Store store;
        private int inodes;

        CountingStore(Store store) {
            this.store = store;
        }

        @Override
        public byte @Nullable [] get(Family family, byte[] key) {
            inodes += family == Family.INODE ? 1 : 0;
            return store.get(family, key);
        }

        @Override
        public void scan(Family family, byte[] prefix, byte[] from, Visitor visitor) {
            store.scan(family, prefix, from, visitor);
        }

        @Override
        public long appliedTerm() {
            return store.appliedTerm();
        }

        @Override
        public long appliedIndex() {
            return store.appliedIndex();
        }

        @Override
        public void commit(List<Change> changes, long term, long index) {
            store.commit(changes, term, index);
        }

        @Override
        public StoredState snapshot() {
            return store.snapshot();
        }

        @Override
        public void close() {
            store.close();
        }
    }

    private static Inode clone(Bench bench, long source, String name) {
        Name target = Name.of(name);
        bench.leader(new SnapshotMutation.BeginClone(source, Bench.ROOT, target));
        int begun = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        bench.leader(new SnapshotMutation.FinishSnapshot(begun));
        return bench.inodeOf(new Query.Lookup(Bench.ROOT, target));
    }

    private static Layout layoutOf(Inode inode) {
        return Objects.requireNonNull(inode.layout());
    }

    /** A mutation that releases thousands of chunks decodes the layout of each file once. */
    @Example
    void filesAreReadOnceForAMutationAndAgainWhenItChangesThem() {
        Bench bench = Bench.withPools(1);
        Inode file = bench.create(Bench.ROOT, "f");
        long sizeBytes = 3L << Layout.STANDARD_CHUNK_SIZE_LOG2;
        long version = file.attributes().version();
        bench.ok(new ContentMutation.Spill(file.ino(), version, sizeBytes, sizeBytes, 5));
        clone(bench, file.ino(), "c1");
        Inode last = clone(bench, file.ino(), "c2");
        long oid = layoutOf(last).runOf(0).oid();
        CountingStore store = new CountingStore(bench.store);
        Transaction transaction = new Transaction(store, new InodeCache(), Counters.load(store));
        SharedObjects shared = new SharedObjects(store, transaction, InodeWatch.NONE);
        transaction.watch(shared);
        transaction.begin(store.appliedIndex() + 1);
        transaction.beginMutation(0, 0);
        for (long chunk = 3; chunk < 100; chunk++) {
            Part part = new Part(chunk, chunk + 1);
            assertEquals(List.of(part), shared.unused(oid, file.ino(), chunk, chunk + 1));
        }
        assertEquals(2, store.inodes);
        Part beyond = new Part(5, 6);
        InodeDraft draft = new InodeDraft(last);
        List<Layout.Run> runs = new ArrayList<>(layoutOf(last).runs());
        runs.set(runs.size() - 1, Layout.Run.of(3, 1, oid));
        draft.layout = layoutOf(last).withRuns(runs);
        transaction.records().put(last, draft.seal());
        assertEquals(List.of(), shared.unused(oid, file.ino(), 5, 6), "it has that now");
        transaction.records().put(draft.seal(), last);
        assertEquals(List.of(beyond), shared.unused(oid, file.ino(), 5, 6), "and no more");
        transaction.beginMutation(1, 0);
        assertEquals(List.of(beyond), shared.unused(oid, file.ino(), 5, 6));
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
