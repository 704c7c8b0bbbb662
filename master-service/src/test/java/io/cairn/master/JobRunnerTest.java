package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.master.job.JobRunner;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.job.JobRecord;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JobRunnerTest {
    private static final long ROOT = FileSystem.ROOT_INO;

    private final HandScheduler time = new HandScheduler();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final List<Long> told = new ArrayList<>();
    private final List<Long> relaid = new ArrayList<>();
    private final JobRunner runner =
            new JobRunner(() -> namespace, this::submit, told::add, relaid::add, time, time);
    private long latencyMs;
    private int steps;
    private long session;
    private long sequence;
    private long tree;

    @BeforeEach
    void plant() {
        apply(0, 0, new LeaderMutation.Found(7, 1, 4096));
        Reply opened = apply(0, 1, new SessionMutation.OpenSession("test"));
        session = assertInstanceOf(Reply.SessionReply.class, opened).session();
        tree = made(new TreeMutation.Mkdir(ROOT, Name.of("t"), 0755, 0, 0)).ino();
        for (int i = 0; i < 999; i++) {
            made(
                    new TreeMutation.Create(
                            tree,
                            Name.of("f" + i),
                            FileType.FILE,
                            0644,
                            0,
                            0,
                            0,
                            false,
                            0,
                            new byte[0],
                            false));
        }
    }

    private Reply apply(long of, long number, Mutation mutation) {
        byte[] envelope = new Envelope(of, number, number - 1, 0, mutation).toBytes();
        return log.submit(envelope, 0).join().reply();
    }

    private Inode made(Mutation mutation) {
        Reply reply = apply(session, ++sequence, mutation);
        return assertInstanceOf(Reply.EntryReply.class, reply).inode();
    }

    /** The log answers after a while. */
    private CompletableFuture<Reply> submit(LeaderMutation mutation) {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        if (!log.leads) {
            answer.completeExceptionally(new FsException(Errno.NOT_LEADER, ""));
            return answer;
        }
        steps += mutation instanceof JobMutation.Step ? 1 : 0;
        time.schedule(() -> answer.complete(apply(0, 0, mutation)), latencyMs);
        return answer;
    }

    private long order(JobOrder.Kind kind, int maxPerSecond) {
        return order(kind, maxPerSecond, InodeEdit.NONE);
    }

    private long order(JobOrder.Kind kind, int maxPerSecond, InodeEdit edit) {
        JobOrder order =
                new JobOrder(
                        kind,
                        new byte[] {'/', 't'},
                        tree,
                        ROOT,
                        Name.of("t"),
                        edit,
                        "me",
                        maxPerSecond);
        Reply reply = apply(0, 0, new JobMutation.Submit(maxPerSecond, order));
        return assertInstanceOf(Reply.JobReply.class, reply).job();
    }

    private JobRecord record(long job) {
        JobRecord record = namespace.job(job);
        assertNotNull(record);
        return record;
    }

    private long names(long job) {
        return record(job).totals().get(Count.NAMES);
    }

    @Test
    void aJobKeepsItsPace() {
        long job = order(JobOrder.Kind.USAGE, 100);
        runner.tick();
        time.pass(5_000);
        long names = names(job);
        assertTrue(names >= 450 && names <= 510, names + " names in 5 s");
        assertEquals(100, runner.namesPerSecond(job), 15);
        time.pass(6_000);
        assertEquals(JobRecord.State.DONE, record(job).state());
        assertEquals(0, runner.namesPerSecond(job));
    }

    @Test
    void aSlowLogIsLeftAloneHalfOfTheTime() {
        latencyMs = 200;
        long job = order(JobOrder.Kind.USAGE, JobOrder.MAX_PER_SECOND);
        runner.tick();
        time.pass(2_000);
        assertTrue(steps <= 6, steps + " steps");
        assertTrue(names(job) > 0);
    }

    @Test
    void aChangedPaceCountsFromNowOn() {
        long job = order(JobOrder.Kind.USAGE, 1);
        runner.tick();
        time.pass(3_000);
        assertTrue(names(job) <= 4);
        apply(0, 0, new JobMutation.Control(job, -1, JobMutation.Action.PACE, 10_000));
        time.pass(3_000);
        assertEquals(JobRecord.State.DONE, record(job).state());
    }

    @Test
    void whoseDirectoriesChangeIsTold() {
        long job = order(JobOrder.Kind.REMOVE, 10_000);
        runner.tick();
        time.pass(3_000);
        assertEquals(JobRecord.State.DONE, record(job).state());
        assertTrue(told.contains(tree));
        assertTrue(told.contains(ROOT));
    }

    @Test
    void whoHoldsASmallFileThatIsLaidOutAnewIsTold() {
        Policy larger = new Policy(0, 24, -1);
        InodeEdit edit = new InodeEdit(-1, -1, null, InodeEdit.CHUNK_SIZE, larger);
        long job = order(JobOrder.Kind.POLICY, 10_000, edit);
        runner.tick();
        time.pass(3_000);
        assertEquals(JobRecord.State.DONE, record(job).state());
        assertEquals(999, new HashSet<>(relaid).size());
        relaid.clear();
        order(JobOrder.Kind.POLICY, 10_000, edit);
        runner.tick();
        time.pass(3_000);
        assertEquals(List.of(), relaid, "they are laid out so already");
    }

    @Test
    void whoDoesNotLeadWaitsUntilItDoes() {
        long job = order(JobOrder.Kind.USAGE, 10_000);
        log.leads = false;
        runner.tick();
        time.pass(3_000);
        assertEquals(0, names(job));
        log.leads = true;
        runner.tick();
        time.pass(3_000);
        assertEquals(JobRecord.State.DONE, record(job).state());
    }

    @Test
    void aPausedJobGetsNoTurns() {
        long job = order(JobOrder.Kind.USAGE, 100);
        runner.tick();
        time.pass(1_000);
        apply(0, 0, new JobMutation.Control(job, -1, JobMutation.Action.PAUSE, 0));
        long names = names(job);
        int before = steps;
        time.pass(1_000);
        runner.tick();
        time.pass(1_000);
        assertEquals(names, names(job));
        assertTrue(steps <= before + 1);
    }

    @Test
    void whatEndedLongAgoIsForgotten() {
        long job = order(JobOrder.Kind.USAGE, 10_000);
        runner.tick();
        time.pass(3_000);
        time.pass(TimeUnit.DAYS.toMillis(6));
        runner.tick();
        time.pass(10);
        assertNotNull(namespace.job(job));
        time.pass(TimeUnit.DAYS.toMillis(2));
        runner.tick();
        time.pass(10);
        assertNull(namespace.job(job));
    }
}
