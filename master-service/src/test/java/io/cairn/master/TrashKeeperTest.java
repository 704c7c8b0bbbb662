package io.cairn.master;

import static io.cairn.metadata.trash.TrashQueries.Position.BEGIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.trash.TrashRecord;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class TrashKeeperTest {
    private static final long ROOT = FileSystem.ROOT_INO;
    private static final int MANY = 1_300;
    private static final long KEPT_S = 60;

    private final HandScheduler time = new HandScheduler();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final List<Reply.TrashReply.Made> announced = new ArrayList<>();
    private final CompletableFuture<Void> told = new CompletableFuture<>();
    private final Set<Long> open = new HashSet<>();
    private final TrashKeeper keeper =
            new TrashKeeper(
                    () -> namespace,
                    this::submit,
                    made -> {
                        announced.addAll(made);
                        return told;
                    },
                    open::contains,
                    () -> 0,
                    time);
    private final long session;
    private int entries;
    private long sequence;

    TrashKeeperTest() {
        apply(0, 0, new LeaderMutation.Found(77, 1, 4096));
        Reply opened = apply(0, 1, new SessionMutation.OpenSession("test"));
        session = assertInstanceOf(Reply.SessionReply.class, opened).session();
        apply(0, 0, new TrashMutation.SetRetention(0, KEPT_S));
    }

    private Reply apply(long of, long number, Mutation mutation) {
        log.nowNs = time.wallNs();
        byte[] frame =
                new Envelope(of, number, Math.max(0, number - 1), time.wallNs(), mutation)
                        .toBytes();
        return log.submit(frame, 0).join().reply();
    }

    private CompletableFuture<Reply> submit(LeaderMutation mutation) {
        entries++;
        return CompletableFuture.completedFuture(apply(0, 0, mutation));
    }

    private long makeAndRemove(String name) {
        Reply made = apply(session, ++sequence, Bench.creation(ROOT, name, ""));
        apply(session, ++sequence, new TreeMutation.Unlink(ROOT, Name.of(name)));
        return assertInstanceOf(Reply.EntryReply.class, made).inode().ino();
    }

    @Test
    void purgesWhatHasBeenThereForItsTimeInFewEntries() {
        for (int i = 0; i < MANY; i++) {
            makeAndRemove("f" + i);
        }
        keeper.tick();
        assertEquals(0, entries);
        assertEquals(MANY, namespace.trashSums().files());
        time.pass(KEPT_S * 1000 + 1);
        long late = makeAndRemove("late");
        keeper.tick();
        assertEquals(1, namespace.trashSums().files());
        assertEquals(3, entries);
        assertTrue(namespace.orphanCount() >= MANY);
        assertEquals(namespace.orphanCount(), keeper.awaiting());
        assertFalse(namespace.orphans(0, 10_000).contains(late));
        assertEquals(List.of(), namespace.check());
    }

    /** Purging does not run ahead of deleting: what waits in between is in memory. */
    @Test
    void waitsWhileManyInodesAreToBeDeleted() {
        keeper.limitAhead(10, 100);
        List<Long> inos = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            inos.add(makeAndRemove("f" + i));
        }
        time.pass(KEPT_S * 1000 + 1);
        keeper.tick();
        assertEquals(1, entries);
        assertEquals(0, namespace.trashSums().files());
        makeAndRemove("late");
        time.pass(KEPT_S * 1000 + 1);
        keeper.tick();
        assertEquals(1, entries);
        assertEquals(1, namespace.trashSums().files());
        apply(0, 0, new LeaderMutation.Purge(inos.stream().mapToLong(Long::longValue).toArray()));
        keeper.tick();
        assertEquals(0, namespace.trashSums().files());
    }

    /** Files that somebody holds open are no reason to wait, and none to wait no more. */
    @Test
    void openFilesDoNotReleaseTheBrake() {
        List<Long> inos = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            inos.add(makeAndRemove("f" + i));
        }
        time.pass(KEPT_S * 1000 + 1);
        keeper.tick();
        assertEquals(1, entries);
        keeper.limitAhead((int) namespace.orphanCount() - 2, 10);
        makeAndRemove("late");
        time.pass(KEPT_S * 1000 + 1);
        open.addAll(inos.subList(0, 2));
        keeper.tick();
        assertEquals(1, entries, "as many as the limit wait");
        open.add(inos.get(2));
        keeper.tick();
        assertEquals(2, entries, "fewer wait");
        assertEquals(0, namespace.trashSums().files());
    }

    @Test
    void restoresAndWaitsUntilEverybodyCanKnow() {
        long ino = makeAndRemove("f");
        CompletableFuture<Reply> restored = keeper.restore(new long[] {ino});
        assertFalse(restored.isDone());
        assertEquals(List.of(new Reply.TrashReply.Made(ROOT, Name.of("f"))), announced);
        told.complete(null);
        assertInstanceOf(Reply.TrashReply.class, restored.join());
    }

    /** What a snapshot shows frees nothing: it is kept, and what is younger goes. */
    @Test
    void purgesForSpaceOnlyWhatFreesSome() {
        Bench bench = Bench.withPools(1);
        List<Long> purged = new ArrayList<>();
        TrashKeeper space =
                new TrashKeeper(
                        () -> bench.namespace,
                        mutation -> {
                            if (mutation instanceof TrashMutation.PurgeTrash purge) {
                                Arrays.stream(purge.inos()).forEach(purged::add);
                            }
                            return CompletableFuture.completedFuture(bench.leader(mutation));
                        },
                        _ -> CompletableFuture.completedFuture(null),
                        _ -> false,
                        () -> 1 << 20,
                        time);
        bench.nowNs = time.wallNs();
        bench.leader(new TrashMutation.SetRetention(0, 3600));
        long small = bench.create(ROOT, "small", "in the inode").ino();
        long old = fileInChunks(bench, "old");
        bench.leader(new SnapshotMutation.BeginSnapshot(ROOT, Name.of("s")));
        int number = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        bench.leader(new SnapshotMutation.FinishSnapshot(number));
        long young = fileInChunks(bench, "young");
        for (String name : List.of("small", "old", "young")) {
            bench.nowNs += 1;
            bench.unlink(ROOT, name);
        }
        TrashRecord held = Objects.requireNonNull(bench.namespace.trash(BEGIN, 9)).records().get(1);
        assertEquals(old, held.ino());
        assertEquals(new TrashKeeper.Space(0, 1 << 20), space.space(held));
        space.tick();
        assertEquals(List.of(young), purged);
        bench.leader(new LeaderMutation.Purge(new long[] {young}));
        bench.leader(new LeaderMutation.Collected(new long[] {1}));
        for (int i = 0; i < 30; i++) {
            time.pass(1000);
            space.tick();
        }
        assertEquals(List.of(young), purged);
        bench.leader(new SnapshotMutation.DropSnapshot(number));
        time.pass(20_000);
        space.tick();
        time.pass(20_000);
        space.tick();
        assertEquals(List.of(young, old), purged);
        assertEquals(List.of(small), bench.namespace.trashEnding(Long.MAX_VALUE, 1));
        bench.verify();
    }

    /** What a clone shows frees nothing either, until the clone is in the trash as well. */
    @Test
    void whatACloneNeedsIsHeld() {
        Bench bench = Bench.withPools(1);
        TrashKeeper space =
                new TrashKeeper(
                        () -> bench.namespace,
                        mutation -> CompletableFuture.completedFuture(bench.leader(mutation)),
                        _ -> CompletableFuture.completedFuture(null),
                        _ -> false,
                        () -> 0,
                        time);
        bench.nowNs = time.wallNs();
        bench.leader(new TrashMutation.SetRetention(0, 3600));
        long file = fileInChunks(bench, "file");
        bench.leader(new SnapshotMutation.BeginClone(file, ROOT, Name.of("clone")));
        int number = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        bench.leader(new SnapshotMutation.FinishSnapshot(number));
        bench.unlink(ROOT, "file");
        TrashRecord record = Objects.requireNonNull(bench.namespace.trashed(file));
        assertEquals(new TrashKeeper.Space(0, 1 << 20), space.space(record));
        bench.unlink(ROOT, "clone");
        assertEquals(new TrashKeeper.Space(1 << 20, 0), space.space(record));
        bench.verify();
    }

    private static long fileInChunks(Bench bench, String name) {
        Inode file = bench.create(ROOT, name);
        long version = file.attributes().version();
        return bench.ok(new ContentMutation.Spill(file.ino(), version, 1 << 20, 5, 1 << 20))
                .inode()
                .ino();
    }
}
