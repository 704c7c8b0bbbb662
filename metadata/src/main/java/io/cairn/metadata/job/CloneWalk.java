package io.cairn.metadata.job;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Attributes;
import io.cairn.fs.Name;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.job.JobRecord.State;
import io.cairn.metadata.job.JobStack.Frame;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.snapshot.SnapshotTable;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.PastPage;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import io.cairn.metadata.tree.TreeClone;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.JobOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One step of a job that clones a tree out of a snapshot: goes on through the tree as it was, depth
 * first, and makes the same in the new tree. The source never changes. Directories, and files with
 * several names, are remembered with the inodes that were made for them. Lives within one step, on
 * the apply thread.
 *
 * <p>Changes by others in the new tree between two steps:
 *
 * <ul>
 *   <li>A directory in it was removed: the job leaves it, and counts an error. The whole was
 *       removed: the job fails.
 *   <li>A name was made there that is in the source, too: it stays, and counts as an error.
 *   <li>A file that is to get another name was removed: it is made again.
 * </ul>
 */
final class CloneWalk {
    private static final int PAGE = 32;

    /** Records that are read count like a name: reading is cheaper than making. */
    private static final int READ_PER_NAME = 4;

    /** Runs of the layout of a file that are shared count like a name: each makes records. */
    private static final int RUNS_PER_NAME = 4;

    private final Tables tables;
    private final Transaction transaction;
    private final JobRecord record;
    private final JobStack stack;
    private final JobTotals totals;
    private final ErrorLog errors;
    private final StepResult result;

    /** What the files made in this page have cost beyond their names. */
    private int extra;

    /** The tables that a clone needs. */
    record Tables(
            Transaction transaction,
            DirectoryTable directories,
            SnapshotTable snapshots,
            TreeClone tree) {}

    /** The source in this step. */
    private record Source(SnapshotRecord snapshot, View past) {
        Inode inode(long ino) {
            Inode inode = past.inode(ino);
            if (inode == null) {
                throw new IllegalStateException(
                        "snapshot " + snapshot.number() + " has lost inode " + ino);
            }
            return inode;
        }
    }

    /** The next step of a job. */
    CloneWalk(Tables tables, JobRecord record, JobStack stack) {
        this.tables = tables;
        this.record = record;
        this.stack = stack;
        transaction = tables.transaction;
        result = new StepResult(record);
        totals = result.totals();
        errors = new ErrorLog(transaction, record, stack, totals);
    }

    /** ESTALE, EINVAL, ENOTDIR, EEXIST and others when an order cannot be carried out. */
    static void requirePossible(Tables tables, JobOrder order) {
        Name name = order.name();
        if (name == null || !PastInode.isPast(order.ino()) || PastInode.isList(order.ino())) {
            throw new FsException(
                    Errno.EINVAL, "a clone of a tree needs a directory in a snapshot and a name");
        }
        SnapshotRecord snapshot = tables.snapshots.requireLive(PastInode.snapshotOf(order.ino()));
        Inode source =
                tables.transaction.at(snapshot.moment()).inode(PastInode.livingOf(order.ino()));
        if (source == null) {
            throw new FsException(Errno.ESTALE, "the tree is not in the snapshot");
        }
        if (!source.attributes().isDirectory()) {
            throw new FsException(Errno.ENOTDIR, "the source is not a directory");
        }
        tables.tree.requireFree(order.parentIno(), name);
    }

    /** Goes through about {@code max} names at most. */
    StepResult run(int max) {
        Source source = source();
        if (source == null || !isTargetThere()) {
            return result;
        }
        int budget = max;
        if (totals.get(Count.NAMES) == 0) {
            begin(source);
            budget--;
        }
        while (budget > 0 && stack.depth() > 0 && result.end() == null) {
            budget -= goOn(source, stack.top(), budget);
        }
        if (stack.depth() == 0 && result.end() == null) {
            finish();
        }
        return result;
    }

    /** Null when there is nothing to do in this step. */
    private @Nullable Source source() {
        try {
            SnapshotRecord snapshot =
                    tables.snapshots.requireLive(PastInode.snapshotOf(record.order().ino()));
            return new Source(snapshot, transaction.at(snapshot.moment()));
        } catch (FsException e) {
            if (e.errno() != Errno.EAGAIN) {
                fail("the snapshot was dropped");
            }
            return null;
        }
    }

    /** Leaves directories that somebody has removed; false when nothing is left of the tree. */
    private boolean isTargetThere() {
        for (int depth = 0; depth < stack.depth(); depth++) {
            if (tables.tree.isDirectory(target(stack.at(depth).ino))) {
                continue;
            }
            if (depth == 0) {
                fail("the new tree was removed meanwhile");
                return false;
            }
            stack.cut(depth + 1);
            errors.add(
                    null, new FsException(Errno.ENOENT, "somebody has removed it from the clone"));
            stack.cut(depth);
        }
        return true;
    }

    private void begin(Source source) {
        JobOrder order = record.order();
        Inode root = source.inode(PastInode.livingOf(order.ino()));
        totals.add(Count.NAMES, 1);
        totals.add(Count.FOUND, 1);
        try {
            Name name = Objects.requireNonNull(order.name());
            enter(source, root, order.parentIno(), name, new Frame(root.ino(), null));
        } catch (FsException e) {
            result.end(State.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private void enter(Source source, Inode directory, long parentIno, Name name, Frame frame) {
        long made = tables.tree.copy(source.past, directory, parentIno, name);
        result.changed(parentIno);
        remember(directory.ino(), made);
        totals.add(Count.CHANGED, 1);
        totals.add(Count.DIRECTORIES, 1);
        totals.add(Count.FOUND, directory.entryCount());
        stack.push(frame);
    }

    /** Goes on in a directory; returns how much of the budget that took. */
    private int goOn(Source source, Frame frame, int budget) {
        long target = target(frame.ino);
        PastPage page =
                source.past.page(
                        Family.DENTRY, Keys.of(frame.ino), behind(frame), Math.min(budget, PAGE));
        int done = 0;
        extra = 0;
        for (Transaction.Entry entry : page.entries()) {
            frame.seen(entry.key());
            done++;
            Name name = Keys.nameOf(entry.key());
            if (visited(source, target, name, Dentry.decode(entry.value()))
                    || result.end() != null
                    || extra > 0 && done + extra >= budget) {
                return done + extra;
            }
        }
        byte[] last = page.last();
        if (last == null) {
            tables.tree.settle(source.inode(frame.ino), target);
            stack.cut(stack.depth() - 1);
        } else {
            frame.seen(last);
        }
        return Math.max(1, Math.max(done + extra, page.read() / READ_PER_NAME));
    }

    /** Behind all that was kept of the last name: see {@link View#page}. */
    private static byte[] behind(Frame frame) {
        byte[] from = frame.from();
        if (from.length > Long.BYTES) {
            from[from.length - 1] = 1;
        }
        return from;
    }

    /** Makes a name; true when it is a directory, which was entered. */
    private boolean visited(Source source, long target, Name name, Dentry dentry) {
        totals.add(Count.NAMES, 1);
        Inode inode = source.inode(dentry.ino());
        try {
            if (!dentry.isDirectory()) {
                make(source, inode, target, name);
                return false;
            }
            if (stack.depth() >= JobStack.MAX_DEPTH) {
                throw new FsException(
                        Errno.ELOOP,
                        "more than " + JobStack.MAX_DEPTH + " directories within each other");
            }
            enter(source, inode, target, name, new Frame(inode.ino(), name));
            return true;
        } catch (FsException e) {
            errors.add(name, e);
            if (e.errno() == Errno.EDQUOT || e.errno() == Errno.ENOSPC) {
                fail(String.valueOf(e.getMessage()));
            }
            return false;
        }
    }

    private void make(Source source, Inode inode, long target, Name name) {
        Attributes attributes = inode.attributes();
        long known = attributes.nlink() > 1 ? remembered(inode.ino()) : 0;
        if (known != 0 && tables.tree.isLinkable(known)) {
            tables.tree.link(known, target, name);
            totals.add(Count.LINKS, 1);
        } else {
            long made;
            if (attributes.isFile()) {
                tables.snapshots.cloneFile(source.snapshot, inode.ino(), target, name);
                Layout layout = inode.layout();
                extra += layout == null ? 0 : layout.runs().size() / RUNS_PER_NAME;
                made = tables.directories.require(target, name).ino();
                if (attributes.flags() != 0) {
                    tables.tree.settle(inode, made);
                }
                totals.add(Count.FILES, 1);
                totals.add(Count.SIZE_BYTES, attributes.size());
                totals.add(Count.ALLOCATED_BYTES, attributes.usedBytes());
            } else {
                made = tables.tree.copy(source.past, inode, target, name);
                totals.add(Count.OTHERS, 1);
            }
            if (attributes.nlink() > 1) {
                remember(inode.ino(), made);
            }
        }
        result.changed(target);
        totals.add(Count.CHANGED, 1);
    }

    private void finish() {
        if (totals.get(Count.ERRORS) == 0) {
            result.end(State.DONE, "");
        } else {
            fail("not everything could be cloned");
        }
    }

    /** The new tree stays as far as it is made, and is named. */
    private void fail(String why) {
        String message =
                totals.get(Count.DIRECTORIES) == 0
                        ? why
                        : "%s; what was made stays in '%s': remove it with 'cairn fs remove'"
                                .formatted(
                                        why,
                                        new String(record.order().path(), StandardCharsets.UTF_8));
        result.end(State.FAILED, message);
    }

    /** The directory that was made for one of the source. */
    private long target(long ino) {
        long target = remembered(ino);
        if (target == 0) {
            throw new IllegalStateException(
                    "job " + record.job() + " has lost the directory for inode " + ino);
        }
        return target;
    }

    /** The inode that was made for one of the source; 0 = none yet. */
    private long remembered(long ino) {
        byte[] value = transaction.get(Family.JOB, Keys.jobSeen(record.job(), ino));
        return value == null ? 0 : Keys.open(Family.JOB, value).i64();
    }

    /** There are no more of them than inodes that were made, so they need no limit. */
    private void remember(long ino, long made) {
        if (remembered(ino) == 0) {
            totals.add(Count.REMEMBERED, 1);
        }
        Encoder value = Keys.value(9).i64(made);
        byte[] key = Keys.jobSeen(record.job(), ino);
        transaction.records().put(Family.JOB, key, value.toBytes());
    }
}
