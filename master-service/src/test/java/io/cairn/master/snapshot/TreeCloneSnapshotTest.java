package io.cairn.master.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.PastInode;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.JobBench;
import io.cairn.metadata.job.JobRecord.State;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Snapshots that were taken for clones of trees go when nobody needs them any more. */
final class TreeCloneSnapshotTest {
    private static final long REQUEST = 5;

    private final ManualClock clock = new ManualClock(1_000_000);
    private final Bench bench = Bench.withPools(1);
    private final JobBench jobs = new JobBench(bench);
    private final long dir = bench.mkdir(Bench.ROOT, "d").ino();
    private final SnapshotKeeper keeper = SilentWatch.keeper(bench, clock);

    private void pass(long ms) {
        clock.advance(ms);
        bench.nowNs += ms * 1_000_000;
        keeper.tick();
    }

    private boolean isLive() {
        return bench.namespace.snapshots().stream().anyMatch(SnapshotRecord::isLive);
    }

    private SnapshotRecord take(Name name) {
        bench.create(dir, "f");
        return keeper.take(dir, name).join();
    }

    @Test
    void oneWithoutAJobGoesAfterAMinute() {
        assertTrue(take(SnapshotRecord.forClone(REQUEST)).isLive());
        pass(30_000);
        assertTrue(isLive());
        pass(31_000);
        assertFalse(isLive());
    }

    @Test
    void oneStaysAsLongAsItsJob() {
        SnapshotRecord taken = take(SnapshotRecord.forClone(REQUEST));
        JobOrder order =
                new JobOrder(
                        JobOrder.Kind.CLONE,
                        "/c".getBytes(StandardCharsets.UTF_8),
                        PastInode.of(taken.number(), dir),
                        Bench.ROOT,
                        Name.of("c"),
                        InodeEdit.NONE,
                        "somebody",
                        JobOrder.STANDARD_PER_SECOND);
        Reply reply = bench.leader(new JobMutation.Submit(REQUEST, order));
        long job = assertInstanceOf(Reply.JobReply.class, reply).job();
        pass(300_000);
        assertTrue(isLive());
        assertEquals(State.DONE, jobs.finish(job, 10).state());
        pass(2_000);
        assertFalse(isLive());
        assertEquals(1, jobs.find(Bench.ROOT, "c").entryCount());
    }

    @Test
    void othersAreNobodysBusiness() {
        take(Name.of("clone-5"));
        pass(300_000);
        assertTrue(isLive());
    }
}
