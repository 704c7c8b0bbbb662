package io.cairn.metadata.job;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.classes.ClassTable;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.job.JobRecord.State;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.metadata.snapshot.SnapshotTable;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.tree.EditOperation;
import io.cairn.metadata.tree.NameOperations;
import io.cairn.metadata.tree.TreeClone;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.JobReply;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The tree jobs: their orders, what is asked of them, their steps. Belongs to the apply thread;
 * only {@link #published} may be used by others.
 *
 * <p>At most {@value #MAX_RUNNING} run at a time, the others wait in the order of their numbers.
 * The last {@value #MAX_FINISHED} finished ones are kept.
 */
public final class JobTable {
    public static final int MAX_RUNNING = 2;

    /** Jobs that are not finished. */
    public static final int MAX_UNFINISHED = 1000;

    public static final int MAX_FINISHED = 1000;

    /** Length of a path in an order, in bytes. */
    static final int MAX_PATH_BYTES = 1 << 14;

    private static final byte[] ALL = {};
    private static final long[] NONE = {};

    private final Transaction transaction;
    private final DirectoryTable directories;
    private final NameOperations tree;
    private final EditOperation edits;
    private final ClassTable classes;
    private final Cluster cluster;
    private final CloneWalk.Tables clones;
    private final SortedMap<Long, JobRecord> jobs = new TreeMap<>();
    private final Map<Long, JobStack> stacks = new HashMap<>();
    private final Set<Long> touched = new HashSet<>();
    private final ConcurrentNavigableMap<Long, JobRecord> published = new ConcurrentSkipListMap<>();
    private long nextJob = 1;

    /** The tables that jobs read and change. */
    public record Tables(
            Transaction transaction,
            DirectoryTable directories,
            NameOperations tree,
            EditOperation edits,
            ClassTable classes,
            Cluster cluster,
            SnapshotTable snapshots,
            TreeClone clones) {}

    /** Reads them from the store. */
    public JobTable(Store store, Tables tables) {
        transaction = tables.transaction;
        directories = tables.directories;
        tree = tables.tree;
        edits = tables.edits;
        classes = tables.classes;
        cluster = tables.cluster;
        clones = new CloneWalk.Tables(transaction, directories, tables.snapshots, tables.clones);
        byte[] next = store.get(Family.META, Keys.jobs());
        if (next != null) {
            nextJob = Keys.open(Family.META, next).i64();
        }
        store.scan(
                Family.JOB,
                ALL,
                ALL,
                (key, value) -> {
                    if (Keys.isJob(key)) {
                        JobRecord record = JobRecord.decode(key, value);
                        jobs.put(record.job(), record);
                    }
                    return true;
                });
        published.putAll(jobs);
    }

    /** All jobs as they are committed, by number. Any thread. */
    public Collection<JobRecord> published() {
        return published.values();
    }

    /** A job as it is committed, or null. Any thread. */
    public @Nullable JobRecord published(long job) {
        return published.get(job);
    }

    /** Shows what has changed; within the commit. */
    public void publish() {
        for (long job : touched) {
            JobRecord record = jobs.get(job);
            if (record == null) {
                published.remove(job);
            } else {
                published.put(job, record);
            }
        }
        touched.clear();
    }

    public Reply apply(JobMutation mutation) {
        return switch (mutation) {
            case JobMutation.Submit m -> submit(m);
            case JobMutation.Control m -> control(m);
            case JobMutation.Step m -> step(m);
            case JobMutation.EditInode m -> edits.edit(m);
        };
    }

    private Reply submit(JobMutation.Submit m) {
        for (JobRecord known : jobs.values()) {
            if (known.request() == m.request()) {
                return new JobReply(known.job(), NONE, NONE);
            }
        }
        requirePossible(m.order());
        if (m.order().kind() == JobOrder.Kind.CLONE) {
            CloneWalk.requirePossible(clones, m.order());
        } else {
            requireTree(m.order());
        }
        if (jobs.values().stream().filter(j -> !j.state().isFinished()).count() >= MAX_UNFINISHED) {
            throw new FsException(
                    Errno.EAGAIN,
                    MAX_UNFINISHED + " jobs are not finished yet: wait or cancel some");
        }
        JobRecord record =
                JobRecord.ordered(nextJob++, m.request(), m.order(), transaction.nowNs());
        transaction.records().put(Family.META, Keys.jobs(), Keys.value(9).i64(nextJob).toBytes());
        put(record);
        promote();
        return new JobReply(record.job(), NONE, NONE);
    }

    private static void requirePossible(JobOrder order) {
        requirePace(order.maxPerSecond());
        if (order.path().length > MAX_PATH_BYTES || order.owner().length() > MAX_PATH_BYTES) {
            throw new FsException(
                    Errno.ENAMETOOLONG, "a path of more than " + MAX_PATH_BYTES + " bytes");
        }
        switch (order.kind()) {
            case REMOVE -> {
                if (order.name() == null) {
                    throw new FsException(
                            Errno.EBUSY, "the root of the filesystem cannot be removed");
                }
            }
            case USAGE, CLASS, CLONE -> {
                // It does not tell what to change.
            }
            case CHOWN -> requireEdit(order, order.edit().hasOwner());
            case CHMOD -> requireEdit(order, order.edit().mode() != null);
            case POLICY -> requireEdit(order, order.edit().policyMask() != 0);
        }
    }

    private static void requireEdit(JobOrder order, boolean isThere) {
        EditOperation.requirePossible(order.edit());
        if (!isThere) {
            throw new FsException(Errno.EINVAL, "the order does not tell what to change");
        }
    }

    private static void requirePace(int maxPerSecond) {
        if (maxPerSecond < 1 || maxPerSecond > JobOrder.MAX_PER_SECOND) {
            throw new FsException(
                    Errno.EINVAL,
                    "a pace of "
                            + maxPerSecond
                            + " names a second is not within 1.."
                            + JobOrder.MAX_PER_SECOND);
        }
    }

    private void requireTree(JobOrder order) {
        Inode root = transaction.peek(order.ino());
        Name name = order.name();
        Dentry dentry = name == null ? null : directories.find(order.parentIno(), name);
        boolean isRoot = name == null && order.ino() == FileSystem.ROOT_INO;
        if (root == null || (!isRoot && (dentry == null || dentry.ino() != order.ino()))) {
            throw new FsException(Errno.ESTALE, "the tree is not there any more");
        }
    }

    private Reply control(JobMutation.Control m) {
        JobRecord record = jobs.get(m.job());
        if (record == null) {
            throw new FsException(Errno.ENOENT, "there is no job " + m.job());
        }
        if (m.serial() != -1 && m.serial() != record.serial()) {
            throw new FsException(Errno.ECANCELED, "job " + m.job() + " has changed meanwhile");
        }
        if (m.action() == JobMutation.Action.FORGET) {
            forget(record);
        } else {
            ask(record, m);
        }
        promote();
        return new JobReply(m.job(), NONE, NONE);
    }

    private void ask(JobRecord record, JobMutation.Control m) {
        boolean isOver =
                m.action() == JobMutation.Action.CANCEL && record.state() == State.CANCELLED;
        if (record.state().isFinished() && !isOver) {
            throw new FsException(Errno.EBUSY, "job " + record.job() + " has ended already");
        }
        JobOrder order = record.order();
        if (m.maxPerSecond() != 0 || m.action() == JobMutation.Action.PACE) {
            requirePace(m.maxPerSecond());
            order = order.withMaxPerSecond(m.maxPerSecond());
        }
        State wanted =
                switch (m.action()) {
                    case PAUSE -> State.PAUSED;
                    case RESUME -> record.state() == State.PAUSED ? State.QUEUED : record.state();
                    case CANCEL -> State.CANCELLED;
                    case PACE, FORGET -> record.state();
                };
        boolean isSamePace = order.maxPerSecond() == record.order().maxPerSecond();
        if (wanted == record.state() && isSamePace) {
            return;
        }
        JobRecord asked = record.asked(order);
        if (wanted == State.CANCELLED) {
            asked = end(asked, stack(record), wanted, "");
        } else if (wanted != record.state()) {
            asked = asked.in(wanted, transaction.nowNs(), "");
            stacks.remove(record.job());
        }
        put(asked);
    }

    private void forget(JobRecord record) {
        if (!record.state().isFinished()) {
            throw new FsException(
                    Errno.EBUSY, "job " + record.job() + " has not ended: cancel it first");
        }
        if (!record.isSwept()) {
            throw new FsException(
                    Errno.EAGAIN,
                    "job " + record.job() + " is still being cleaned up: ask again in a second");
        }
        remove(record);
    }

    private void remove(JobRecord record) {
        long job = record.job();
        long errors = Math.min(record.totals().get(Count.ERRORS), TreeWalk.MAX_ERRORS);
        for (long number = 0; number < errors; number++) {
            transaction.records().delete(Family.JOB, Keys.jobError(job, number));
        }
        transaction.records().delete(Family.JOB, Keys.of(job));
        jobs.remove(job);
        touched.add(job);
    }

    private void put(JobRecord record) {
        transaction.records().put(Family.JOB, Keys.of(record.job()), record.encode());
        jobs.put(record.job(), record);
        touched.add(record.job());
    }

    /** Lets jobs run while there is room, and forgets finished ones that are too many. */
    private void promote() {
        long running = jobs.values().stream().filter(j -> j.state() == State.RUNNING).count();
        for (JobRecord record : jobs.values().toArray(JobRecord[]::new)) {
            if (running < MAX_RUNNING && record.state() == State.QUEUED) {
                put(record.in(State.RUNNING, transaction.nowNs(), ""));
                running++;
            }
        }
        long finished = jobs.values().stream().filter(j -> j.state().isFinished()).count();
        for (JobRecord record : jobs.values().toArray(JobRecord[]::new)) {
            if (finished > MAX_FINISHED && record.state().isFinished() && record.isSwept()) {
                remove(record);
                finished--;
            }
        }
    }

    private JobStack stack(JobRecord record) {
        return stacks.computeIfAbsent(record.job(), _ -> JobStack.load(transaction, record));
    }

    private Reply step(JobMutation.Step m) {
        JobRecord record = jobs.get(m.job());
        if (m.max() < 1 || m.max() > JobMutation.Step.MAX_NAMES) {
            throw new FsException(Errno.EINVAL, "a step of " + m.max() + " names");
        }
        if (record == null || record.steps() != m.step() || !record.needsSteps()) {
            return new JobReply(m.job(), NONE, NONE);
        }
        if (record.state().isFinished()) {
            sweep(record, m.max());
            return new JobReply(m.job(), NONE, NONE);
        }
        JobStack stack = stack(record);
        TreeTask task = record.order().kind() == JobOrder.Kind.CLONE ? null : task(record);
        StepResult walked =
                task == null
                        ? new CloneWalk(clones, record, stack).run(m.max())
                        : new TreeWalk(transaction, directories, record, stack, task).run(m.max());
        JobRecord stepped = record.stepped(stack.depth(), walked.totals());
        State end = walked.end();
        if (end == null) {
            stack.save(transaction);
            put(stepped);
        } else {
            put(end(stepped, stack, end, walked.message()));
            promote();
        }
        long[] relaid = task == null ? NONE : task.relaid();
        return new JobReply(m.job(), walked.changedDirectories(), relaid);
    }

    /** A job ends; its cursor is removed. */
    private JobRecord end(JobRecord record, JobStack stack, State end, String message) {
        stack.cut(0);
        stack.save(transaction);
        stacks.remove(record.job());
        return record.in(end, transaction.nowNs(), message).swept(0);
    }

    private TreeTask task(JobRecord record) {
        return switch (record.order().kind()) {
            case REMOVE -> new TreeTask.Remove(tree);
            case USAGE -> new TreeTask.Usage(transaction, cluster, record.job());
            case CLASS -> new TreeTask.Classed(edits, classes, transaction);
            case CHOWN, CHMOD, POLICY -> new TreeTask.Edit(edits, record.order());
            case CLONE -> throw new IllegalArgumentException("a clone walks through a snapshot");
        };
    }

    /** Removes what a finished job remembers. */
    private void sweep(JobRecord record, int max) {
        byte[] prefix = Keys.jobSeen(record.job());
        var page = transaction.page(Family.JOB, prefix, prefix, max);
        page.forEach(entry -> transaction.records().delete(Family.JOB, entry.key()));
        put(record.swept(page.size()));
    }
}
