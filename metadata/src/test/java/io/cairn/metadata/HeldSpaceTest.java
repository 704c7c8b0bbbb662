package io.cairn.metadata;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.Name;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The space that snapshots hold after random changes, against a recount of every chunk. */
final class HeldSpaceTest {
    private static final long CHUNK_BYTES = 1L << Layout.STANDARD_CHUNK_SIZE_LOG2;
    private static final int STEPS = 80;

    private final Bench bench = Bench.withPools(1);
    private final List<String> files = new ArrayList<>();
    private long lastIno;
    private int names;
    private Random random = new Random(0);

    private long size() {
        long chunks = random.nextInt(20);
        return random.nextBoolean() ? chunks * CHUNK_BYTES : chunks * CHUNK_BYTES + 4711;
    }

    private Inode file() {
        String name = files.get(random.nextInt(files.size()));
        return bench.inodeOf(new Query.Lookup(ROOT, Name.of(name)));
    }

    private void create() {
        String name = "f" + names++;
        Inode file = bench.create(ROOT, name);
        long size = size() + 5000;
        bench.ok(new ContentMutation.Spill(file.ino(), file.attributes().version(), size, size, 5));
        files.add(name);
        lastIno = file.ino();
    }

    private void renew() {
        Inode file = file();
        Layout layout = Objects.requireNonNull(file.layout());
        long behind = layout.chunkBehind(file.attributes().size());
        if (behind > 0 && file.inline() == null) {
            long[] chunks = {random.nextInt((int) behind)};
            long[] oids = {layout.runOf(chunks[0]).oid()};
            Inode renewed =
                    bench.ok(new ContentMutation.RenewChunks(file.ino(), chunks, oids)).inode();
            if (random.nextBoolean()) {
                long[] made = {Objects.requireNonNull(renewed.layout()).runOf(chunks[0]).oid()};
                bench.as(1, new ContentMutation.CloneDone(file.ino(), chunks, made));
            }
        }
    }

    private void remove() {
        Inode file = file();
        String name = files.stream().filter(each -> ino(each) == file.ino()).findFirst().orElse("");
        bench.unlink(ROOT, name);
        files.remove(name);
        bench.leader(new LeaderMutation.Purge(new long[] {file.ino()}));
    }

    private long ino(String name) {
        return bench.inodeOf(new Query.Lookup(ROOT, Name.of(name))).ino();
    }

    private List<Integer> live() {
        return bench.namespace.snapshots().stream()
                .filter(SnapshotRecord::isLive)
                .map(SnapshotRecord::number)
                .toList();
    }

    private void take() {
        bench.leader(new SnapshotMutation.BeginSnapshot(ROOT, Name.of("s" + names++)));
        int number = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        bench.leader(new SnapshotMutation.FinishSnapshot(number));
    }

    private void drop() {
        List<Integer> live = live();
        if (!live.isEmpty()) {
            int number = live.get(random.nextInt(live.size()));
            bench.leader(new SnapshotMutation.DropSnapshot(number));
        }
    }

    private void step() {
        switch (files.isEmpty() ? 0 : random.nextInt(12)) {
            case 0, 1 -> create();
            case 2, 3, 4 -> bench.truncate(file().ino(), size());
            case 5, 6, 7 -> renew();
            case 8 -> remove();
            case 9, 10 -> take();
            default -> drop();
        }
        if (random.nextInt(4) == 0) {
            bench.leader(new SnapshotMutation.SweepHistory(1 + random.nextInt(20)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void isThatOfARecount(int seed) {
        random = new Random(seed);
        long most = 0;
        for (int i = 0; i < STEPS; i++) {
            step();
            most = Math.max(most, HeldRecount.compare(bench.namespace, lastIno).totalBytes());
        }
        assertEquals(List.of(), bench.namespace.check());
        while (!live().isEmpty()) {
            drop();
            assertTrue(HeldRecount.compare(bench.namespace, lastIno).totalBytes() <= most);
        }
        assertEquals(0, HeldRecount.compare(bench.namespace, lastIno).totalBytes());
    }
}
