package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.cluster.Policy;
import io.cairn.fs.FileType;
import io.cairn.fs.ModeChange;
import io.cairn.fs.Name;
import io.cairn.metadata.job.JobRecord;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.JobOrder.Kind;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Orders jobs at a work bench and lets them do their steps. */
public final class JobBench {
    public final Bench bench;
    private long requests = 100;

    public JobBench(Bench bench) {
        this.bench = bench;
    }

    /** What a name stands for. */
    public Inode find(long parentIno, String name) {
        Reply reply = bench.read(new Query.Lookup(parentIno, Name.of(name)));
        return assertInstanceOf(Reply.EntryReply.class, reply).inode();
    }

    /** The order of a clone out of a snapshot that is taken now; its name has a 2 at the end. */
    private JobOrder cloneOf(long parentIno, String name) {
        long ino = find(parentIno, name).ino();
        bench.leader(new SnapshotMutation.BeginSnapshot(ino, Name.of("s" + requests)));
        int number = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        assertEquals(new Reply.Done(), bench.leader(new SnapshotMutation.FinishSnapshot(number)));
        return new JobOrder(
                Kind.CLONE,
                ("/" + name + "2").getBytes(StandardCharsets.UTF_8),
                PastInode.of(number, ino),
                parentIno,
                Name.of(name + "2"),
                InodeEdit.NONE,
                "somebody",
                JobOrder.STANDARD_PER_SECOND);
    }

    public JobOrder order(Kind kind, long parentIno, @Nullable String name, InodeEdit edit) {
        if (kind == Kind.CLONE) {
            return cloneOf(parentIno, Objects.requireNonNull(name));
        }
        return new JobOrder(
                kind,
                ("/" + (name == null ? "" : name)).getBytes(StandardCharsets.UTF_8),
                name == null ? Bench.ROOT : find(parentIno, name).ino(),
                parentIno,
                name == null ? null : Name.of(name),
                edit,
                "somebody",
                JobOrder.STANDARD_PER_SECOND);
    }

    public long submit(Kind kind, @Nullable String name, InodeEdit edit) {
        return submit(order(kind, Bench.ROOT, name, edit));
    }

    public long submit(JobOrder order) {
        Reply reply = bench.leader(new JobMutation.Submit(++requests, order));
        return assertInstanceOf(Reply.JobReply.class, reply, reply.toString()).job();
    }

    public Errno refusal(JobMutation mutation) {
        return assertInstanceOf(Reply.Failure.class, bench.leader(mutation)).errno();
    }

    public void ask(long job, JobMutation.Action action) {
        Reply reply = bench.leader(new JobMutation.Control(job, -1, action, 0));
        assertInstanceOf(Reply.JobReply.class, reply, reply.toString());
    }

    public JobRecord record(long job) {
        JobRecord record = bench.namespace.job(job);
        assertNotNull(record);
        return record;
    }

    public Reply step(long job, int max) {
        return bench.leader(new JobMutation.Step(job, record(job).steps(), max));
    }

    /** Lets a job do all of its steps. */
    public JobRecord finish(long job, int max) {
        int steps = 0;
        while (record(job).needsSteps()) {
            step(job, max);
            assertEquals(true, ++steps < 100_000, "the job does not end");
        }
        return record(job);
    }

    public static InodeEdit mode(String text) {
        return InodeEdit.mode(ModeChange.parse(text));
    }

    public static InodeEdit replicas(int replicas) {
        return InodeEdit.policy(InodeEdit.REPLICAS, new Policy(replicas, 0, -1));
    }

    /** Everything in the filesystem: path -> type, mode, owner, group, replicas asked for. */
    public SortedMap<String, String> tree() {
        SortedMap<String, String> tree = new TreeMap<>();
        describe("", Bench.ROOT, tree);
        return tree;
    }

    private void describe(String path, long ino, SortedMap<String, String> tree) {
        Inode inode = bench.inode(ino);
        var a = inode.attributes();
        tree.put(
                path.isEmpty() ? "/" : path,
                String.format(
                        "%s %o %d:%d %d",
                        a.type(), a.mode(), a.uid(), a.gid(), inode.policy().replicas()));
        if (a.type() != FileType.DIRECTORY) {
            return;
        }
        long cookie = 0;
        boolean isEnd = false;
        while (!isEnd) {
            Reply reply = bench.read(new Query.ReadDirectory(ino, cookie, 1000, false));
            var page = assertInstanceOf(Reply.DirectoryReply.class, reply);
            for (var entry : page.entries()) {
                describe(path + "/" + entry.name(), entry.ino(), tree);
                cookie = entry.cookie();
            }
            isEnd = page.end();
        }
    }
}
