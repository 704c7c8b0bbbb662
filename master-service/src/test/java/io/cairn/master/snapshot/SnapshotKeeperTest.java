package io.cairn.master.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Inode;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import org.junit.jupiter.api.Test;

/** Sweeps behind dropped snapshots, with a clock that a test moves. */
final class SnapshotKeeperTest {
    private final ManualClock clock = new ManualClock(1_000_000);
    private final Bench bench = Bench.withPools(1);
    private final SnapshotKeeper keeper = SilentWatch.keeper(bench, clock);

    private SnapshotRecord taken(String name) {
        return keeper.take(Bench.ROOT, Name.of(name)).join();
    }

    private boolean isSweptAfter(long ms) {
        clock.advance(ms);
        keeper.tick();
        return !bench.namespace.snapshotStatus().isSweeping();
    }

    @Test
    void clonesDoNotKeepTheSweepWaiting() {
        Inode file = bench.create(Bench.ROOT, "file");
        long version = file.attributes().version();
        bench.ok(new ContentMutation.Spill(file.ino(), version, 1 << 20, 5, 1 << 20));
        keeper.drop(taken("s")).join();
        boolean isSwept = isSweptAfter(0);
        assertFalse(isSwept);
        for (int i = 0; i < 10 && !isSwept; i++) {
            keeper.cloneFile(file.ino(), Bench.ROOT, Name.of("clone" + i)).join();
            isSwept = isSweptAfter(500);
        }
        assertTrue(isSwept);
        bench.verify();
    }

    /** Also under a leader that was none when the last clone went. */
    @Test
    void theFenceOfClonesGoesWhenNothingIsShared() {
        Inode file = bench.create(Bench.ROOT, "file");
        long version = file.attributes().version();
        bench.ok(new ContentMutation.Spill(file.ino(), version, 1 << 20, 5, 1 << 20));
        keeper.cloneFile(file.ino(), Bench.ROOT, Name.of("clone")).join();
        Inode clone = bench.inodeOf(new Query.Lookup(Bench.ROOT, Name.of("clone")));
        keeper.tick();
        long fence = bench.namespace.snapshotStatus().fence().version();
        assertTrue(bench.namespace.snapshotStatus().fence().firstOid() > 0);
        bench.unlink(Bench.ROOT, "clone");
        bench.leader(new LeaderMutation.Purge(new long[] {clone.ino()}));
        assertFalse(bench.namespace.snapshotStatus().isFenceIdle(), "chunks of it were sealed");
        bench.unlink(Bench.ROOT, "file");
        bench.leader(new LeaderMutation.Purge(new long[] {file.ino()}));
        assertTrue(bench.namespace.snapshotStatus().isFenceIdle());
        keeper.lead();
        keeper.tick();
        assertFalse(bench.namespace.snapshotStatus().isFenceIdle());
        assertEquals(0, bench.namespace.snapshotStatus().fence().firstOid());
        assertTrue(bench.namespace.snapshotStatus().fence().version() > fence);
        bench.verify();
    }

    @Test
    void eachDropAndEachLeaderWaitAnew() {
        SnapshotRecord first = taken("a");
        SnapshotRecord second = taken("b");
        keeper.drop(first).join();
        assertFalse(isSweptAfter(0));
        assertFalse(isSweptAfter(2_000));
        keeper.drop(second).join();
        assertFalse(isSweptAfter(0));
        assertFalse(isSweptAfter(2_000));
        keeper.lead();
        assertFalse(isSweptAfter(2_000));
        assertFalse(isSweptAfter(2_000));
        assertTrue(isSweptAfter(2_000));
        assertTrue(bench.namespace.snapshots().isEmpty());
    }
}
