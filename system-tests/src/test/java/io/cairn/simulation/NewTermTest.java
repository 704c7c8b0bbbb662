package io.cairn.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.simulation.StagedWork.Step;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What two clients see of each other's names while the master gets its office anew. */
final class NewTermTest {
    private static final Name NAME = Name.of("x");
    private static final long LIMIT_MS = 60_000;

    private final SimulatedCluster cluster = new SimulatedCluster(11, 3);
    private final AtomicInteger stage = new AtomicInteger();
    private @Nullable Errno seen;

    /** Why a client believes that a name is absent. */
    enum Belief {
        LOOKED_UP,
        LISTED,
        REMOVED
    }

    private StagedWork work(Step... steps) {
        return new StagedWork(stage, 0, List.of(steps));
    }

    private static void make(FileSystem fs) {
        fs.mknod(Caller.ROOT, FileSystem.ROOT_INO, NAME, FileType.FILE, 0644, 0);
    }

    private static @Nullable Errno find(FileSystem fs) {
        try {
            fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, NAME);
            return null;
        } catch (FsException e) {
            return e.errno();
        }
    }

    private static void believe(FileSystem fs, Belief belief) {
        switch (belief) {
            case LOOKED_UP -> find(fs);
            case LISTED -> fs.readDirectory(Caller.ROOT, FileSystem.ROOT_INO, 0, 100, false);
            case REMOVED -> {
                make(fs);
                fs.unlink(Caller.ROOT, FileSystem.ROOT_INO, NAME);
            }
        }
        assertEquals(Errno.ENOENT, find(fs));
    }

    private void runUntilStage(int wanted) {
        assertTrue(
                cluster.simulation.runUntil(() -> stage.get() == wanted, LIMIT_MS),
                () -> "stage " + stage + ", not " + wanted + ": " + cluster.history.report());
    }

    /** It has no lease any more when another one may lead. */
    @Test
    void aLeaderThatIsCutOffTellsNothingOld() {
        cluster.begin();
        SimulatedClient looker = cluster.clients.getFirst();
        SimulatedClient maker = cluster.clients.getLast();
        Step looking = new Step(3, fs -> seen = find(fs));
        looker.start(work(new Step(0, NewTermTest::find), looking), 0);
        maker.start(work(new Step(2, NewTermTest::make)), 0);
        runUntilStage(1);
        String cutOff = Objects.requireNonNull(cluster.masters.leader()).node();
        Set<String> others = new TreeSet<>(cluster.masters.names());
        others.remove(cutOff);
        others.add(maker.node());
        cluster.network.partition(Set.of(looker.node(), cutOff), others);
        stage.incrementAndGet();
        runUntilStage(3);
        cluster.simulation.run(1_000);
        assertEquals(3, stage.get(), () -> "told " + seen + ": " + cluster.history.report());
        cluster.network.heal();
        runUntilStage(4);
        assertNull(seen);
        assertNull(cluster.history.violation());
    }

    /** It does not know yet which chunk servers may write, and to what. */
    @Test
    void aLeaderThatHasNotHeardChunkServersTakesNoSnapshot() {
        cluster.begin();
        cluster.simulation.run(5_000);
        SimulatedMaster before = Objects.requireNonNull(cluster.masters.leader());
        before.log().stepDown(10_000);
        assertTrue(cluster.simulation.runUntil(() -> cluster.masters.leader() != null, LIMIT_MS));
        SimulatedMaster next = Objects.requireNonNull(cluster.masters.leader());
        assertNotSame(before, next);
        // Whether it comes to be is not told by who had not begun to lead when it was asked for.
        var _ = next.service().snapshots().take(FileSystem.ROOT_INO, NAME);
        cluster.simulation.run(1_000);
        List<SnapshotRecord> begun = cluster.masters.namespace().snapshots();
        assertEquals(1, begun.size());
        assertFalse(begun.getFirst().isLive());
        assertTrue(cluster.simulation.runUntil(this::hasSnapshot, LIMIT_MS));
    }

    private boolean hasSnapshot() {
        return cluster.masters.namespace().snapshots().stream().anyMatch(SnapshotRecord::isLive);
    }

    /** The master cannot reach it, and does not know what it was told in the last term. */
    @ParameterizedTest
    @EnumSource
    void aNameThatWasMadeInANewTermIsFound(Belief belief) {
        cluster.begin();
        SimulatedClient believer = cluster.clients.getFirst();
        SimulatedClient maker = cluster.clients.getLast();
        Step looking = new Step(3, fs -> seen = find(fs));
        believer.start(work(new Step(0, fs -> believe(fs, belief)), looking), 1000);
        maker.start(work(new Step(2, NewTermTest::make)), 1000);
        runUntilStage(1);
        cluster.network.partition(Set.of(believer.node()), Set.copyOf(cluster.masters.names()));
        Objects.requireNonNull(cluster.masters.leader()).log().stepDown(10);
        stage.incrementAndGet();
        runUntilStage(3);
        cluster.simulation.run(5);
        cluster.network.heal();
        runUntilStage(4);
        assertNull(seen);
        assertNull(cluster.history.violation());
    }
}
