package io.cairn.metadata.job;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.Name;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.job.JobRecord.State;
import io.cairn.metadata.job.JobStack.Frame;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.JobOrder;
import java.util.List;

/**
 * One step of a tree job: goes on through the tree, depth first, each directory in the order of its
 * cookies, from where the last step ended. It sees the tree as it is at this place of the log, so
 * that nothing can change between looking and doing. Symbolic links are not followed.
 *
 * <p>Changes by others between two steps:
 *
 * <ul>
 *   <li>A directory that the job is in was moved or removed: the job leaves it, and all below it.
 *       It goes on in the directory above. So it never works outside of its tree.
 *   <li>Names that were made behind the cursor are not seen; only a removal looks again, at most
 *       {@value #MAX_PASSES} times, when a directory is not empty at its end.
 *   <li>The tree itself was removed: a removal has what it wanted, other jobs fail. It was moved or
 *       replaced: a removal fails, for it was told a place; others go on, wherever the tree is.
 * </ul>
 */
public final class TreeWalk {
    /** Errors of a job that are kept. */
    public static final int MAX_ERRORS = 100;

    /** Paths in errors are cut in front to this length, in bytes. */
    public static final int MAX_PATH_BYTES = 4096;

    static final int MAX_PASSES = 3;

    private static final int PAGE = 32;

    private final Transaction transaction;
    private final DirectoryTable directories;
    private final JobRecord record;
    private final JobStack stack;
    private final TreeTask task;
    private final JobTotals totals;
    private final ErrorLog errors;
    private final StepResult result;

    /** The next step of a job. */
    TreeWalk(
            Transaction transaction,
            DirectoryTable directories,
            JobRecord record,
            JobStack stack,
            TreeTask task) {
        this.transaction = transaction;
        this.directories = directories;
        this.record = record;
        this.stack = stack;
        this.task = task;
        result = new StepResult(record);
        totals = result.totals();
        errors = new ErrorLog(transaction, record, stack, totals);
    }

    /** Goes through at most {@code max} names. */
    StepResult run(int max) {
        if (!isTreeThere()) {
            stack.cut(0);
            return result;
        }
        cutWhatHasGone();
        int budget = max;
        if (totals.get(Count.NAMES) == 0) {
            visitRoot();
            budget--;
        }
        while (budget > 0 && stack.depth() > 0) {
            budget -= goOn(stack.top(), budget);
        }
        if (stack.depth() == 0 && result.end() == null) {
            finish();
        }
        return result;
    }

    private void finish() {
        boolean isLeft =
                record.order().kind() == JobOrder.Kind.REMOVE && totals.get(Count.ERRORS) > 0;
        result.end(
                isLeft ? State.FAILED : State.DONE,
                isLeft ? "not everything could be removed" : "");
    }

    private boolean isTreeThere() {
        JobOrder order = record.order();
        Inode root = transaction.peek(order.ino());
        boolean isGone = root == null || root.attributes().nlink() == 0;
        Name name = order.name();
        if (order.kind() == JobOrder.Kind.REMOVE && name != null) {
            Dentry dentry = directories.find(order.parentIno(), name);
            if (isGone && dentry == null) {
                result.end(State.DONE, "somebody else has removed the rest of it");
                return false;
            }
            if (dentry == null || dentry.ino() != order.ino()) {
                result.end(
                        State.FAILED, "the tree was moved or replaced while it was being removed");
                return false;
            }
        } else if (isGone) {
            result.end(State.FAILED, "the tree was removed meanwhile");
            return false;
        }
        return true;
    }

    /** Leaves the directories that are not where they were. */
    private void cutWhatHasGone() {
        for (int depth = 0; depth < stack.depth(); depth++) {
            Inode inode = transaction.peek(stack.at(depth).ino);
            boolean isHere =
                    inode != null
                            && inode.attributes().nlink() > 0
                            && (depth == 0 || inode.parentIno() == stack.at(depth - 1).ino);
            if (!isHere) {
                stack.cut(depth);
                return;
            }
        }
    }

    private void visitRoot() {
        JobOrder order = record.order();
        Inode root = transaction.peek(order.ino());
        if (root == null) {
            throw new IllegalStateException("inode " + order.ino() + " was there just now");
        }
        totals.add(Count.NAMES, 1);
        totals.add(Count.FOUND, 1);
        try {
            Name name = order.name();
            if (name == null) {
                task.visitRoot(root, totals);
            } else {
                visit(order.parentIno(), name, root);
            }
        } catch (FsException e) {
            errors.add(null, e);
        }
        if (root.attributes().isDirectory()) {
            enter(new Frame(root.ino(), null), root);
        }
    }

    private void visit(long parentIno, Name name, Inode inode) {
        long before = totals.get(Count.CHANGED);
        task.visit(parentIno, name, inode, totals);
        if (task instanceof TreeTask.Remove && totals.get(Count.CHANGED) != before) {
            result.changed(parentIno);
        }
    }

    private void enter(Frame frame, Inode directory) {
        totals.add(Count.FOUND, directory.entryCount());
        stack.push(frame);
    }

    /** Goes on in a directory; returns how much of the budget that took. */
    private int goOn(Frame frame, int budget) {
        List<Transaction.Entry> page =
                transaction.page(
                        Family.DENTRY, Keys.of(frame.ino), frame.from(), Math.min(budget, PAGE));
        if (page.isEmpty()) {
            leave(frame);
            return 1;
        }
        int done = 0;
        for (Transaction.Entry entry : page) {
            frame.seen(entry.key());
            done++;
            if (visited(frame, Keys.nameOf(entry.key()), Dentry.decode(entry.value()))) {
                break;
            }
        }
        return done;
    }

    /** Visits a name; true when it is a directory, which was entered. */
    private boolean visited(Frame frame, Name name, Dentry dentry) {
        totals.add(Count.NAMES, 1);
        Inode inode = transaction.peek(dentry.ino());
        if (inode == null) {
            throw new IllegalStateException(
                    "'" + name + "' in directory " + frame.ino + " has no inode");
        }
        try {
            visit(frame, name, inode);
            if (!dentry.isDirectory()) {
                return false;
            }
            if (stack.depth() >= JobStack.MAX_DEPTH) {
                throw new FsException(
                        Errno.ELOOP,
                        "more than "
                                + JobStack.MAX_DEPTH
                                + " directories within each other: order a job for this one");
            }
            enter(new Frame(inode.ino(), name), inode);
            return true;
        } catch (FsException e) {
            frame.fail();
            errors.add(name, e);
            return false;
        }
    }

    /** Visits a name. A directory that is protected itself is noted, and entered all the same. */
    private void visit(Frame frame, Name name, Inode inode) {
        try {
            visit(frame.ino, name, inode);
        } catch (FsException e) {
            if (e.errno() != Errno.EPERM || !inode.attributes().isDirectory()) {
                throw e;
            }
            frame.fail();
            errors.add(name, e);
        }
    }

    /** The walk has seen a directory to its end. */
    private void leave(Frame frame) {
        if (!(task instanceof TreeTask.Remove remove)) {
            stack.cut(stack.depth() - 1);
            return;
        }
        Inode directory = transaction.peek(frame.ino);
        if (directory != null && directory.entryCount() > 0) {
            leaveFull(frame);
            return;
        }
        boolean isInner = stack.depth() > 1;
        JobOrder order = record.order();
        long parentIno = isInner ? stack.at(stack.depth() - 2).ino : order.parentIno();
        Name name = isInner ? frame.name : order.name();
        Dentry dentry = name == null ? null : directories.find(parentIno, name);
        if (name != null && dentry != null && dentry.ino() == frame.ino) {
            try {
                remove.leave(parentIno, name, totals);
            } catch (FsException e) {
                frame.fail();
                errors.add(null, e);
                leaveFull(frame);
                return;
            }
            result.changed(parentIno);
        }
        stack.cut(stack.depth() - 1);
    }

    private void leaveFull(Frame frame) {
        if (!frame.hasFailed() && frame.again() < MAX_PASSES) {
            return;
        }
        if (!frame.hasFailed()) {
            errors.add(
                    null,
                    new FsException(
                            Errno.ENOTEMPTY, "names are made in it as fast as they are removed"));
        }
        stack.cut(stack.depth() - 1);
        if (stack.depth() > 0) {
            stack.top().fail();
        }
    }
}
