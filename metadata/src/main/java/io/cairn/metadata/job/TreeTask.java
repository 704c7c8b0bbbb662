package io.cairn.metadata.job;

import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.fs.Name;
import io.cairn.metadata.classes.ClassTable;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.tree.EditOperation;
import io.cairn.metadata.tree.NameOperations;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The work of a tree job on the names that it comes by. Belongs to the apply thread. */
interface TreeTask {
    /**
     * Comes by a name. A directory is entered afterwards.
     *
     * @throws FsException the task failed at this name, and has changed nothing there
     */
    void visit(long parentIno, Name name, Inode inode, JobTotals totals);

    /** Comes by the root of the filesystem, which has no name. */
    default void visitRoot(Inode inode, JobTotals totals) {
        throw new IllegalStateException("the root of the filesystem has no name");
    }

    /** Files in their inodes that it has given another layout. */
    default long[] relaid() {
        return new long[0];
    }

    /** Removes names: files when it comes by, directories when the walk leaves them empty. */
    final class Remove implements TreeTask {
        private final NameOperations tree;

        Remove(NameOperations tree) {
            this.tree = tree;
        }

        @Override
        public void visit(long parentIno, Name name, Inode inode, JobTotals totals) {
            if (inode.attributes().isDirectory()) {
                return;
            }
            tree.unlink(new TreeMutation.Unlink(parentIno, name));
            totals.add(Count.CHANGED, 1);
            if (inode.attributes().isFile()) {
                totals.add(Count.FILES, 1);
                if (inode.attributes().nlink() == 1) {
                    totals.add(Count.SIZE_BYTES, inode.attributes().size());
                    totals.add(Count.ALLOCATED_BYTES, inode.attributes().usedBytes());
                }
            } else {
                totals.add(Count.OTHERS, 1);
            }
        }

        /** Removes a directory that has become empty. */
        void leave(long parentIno, Name name, JobTotals totals) {
            tree.rmdir(new TreeMutation.Rmdir(parentIno, name));
            totals.add(Count.CHANGED, 1);
            totals.add(Count.DIRECTORIES, 1);
        }
    }

    /** What a job has done to the inodes that it edits. */
    final class Edits {
        private final EditOperation operation;
        private final List<Long> relaid = new ArrayList<>();

        Edits(EditOperation operation) {
            this.operation = operation;
        }

        /** Counts an edit; the inode as it is now. Without an edit there was nothing to change. */
        Inode take(Inode before, @Nullable Inode changed, JobTotals totals) {
            if (changed == null) {
                return before;
            }
            totals.add(Count.CHANGED, 1);
            if (!Objects.equals(changed.layout(), before.layout())) {
                relaid.add(before.ino());
            }
            return changed;
        }

        void countMisplaced(Inode now, JobTotals totals) {
            if (operation.isMisplaced(now)) {
                totals.add(Count.MISPLACED_FILES, 1);
                totals.add(Count.MISPLACED_BYTES, now.attributes().usedBytes());
            }
        }

        long[] relaid() {
            return relaid.stream().mapToLong(Long::longValue).toArray();
        }
    }

    /** Changes inodes. */
    final class Edit implements TreeTask {
        private final EditOperation operation;
        private final JobOrder order;
        private final Edits edits;

        Edit(EditOperation operation, JobOrder order) {
            this.operation = operation;
            this.order = order;
            edits = new Edits(operation);
        }

        @Override
        public void visit(long parentIno, Name name, Inode inode, JobTotals totals) {
            visitRoot(inode, totals);
        }

        @Override
        public void visitRoot(Inode inode, JobTotals totals) {
            totals.add(countOf(inode), 1);
            Inode now = edits.take(inode, operation.apply(inode, order.edit()), totals);
            if (order.kind() == JobOrder.Kind.POLICY) {
                edits.countMisplaced(now, totals);
            }
        }

        @Override
        public long[] relaid() {
            return edits.relaid();
        }
    }

    /** Gives files the policies of their storage classes, which they had not when made. */
    final class Classed implements TreeTask {
        /** Names of one directory with the same cookie that are looked at; two are rare. */
        private static final int MAX_ALIKE = 16;

        private final EditOperation operation;
        private final ClassTable classes;
        private final Transaction transaction;
        private final Edits edits;

        Classed(EditOperation operation, ClassTable classes, Transaction transaction) {
            this.operation = operation;
            this.classes = classes;
            this.transaction = transaction;
            edits = new Edits(operation);
        }

        @Override
        public void visit(long parentIno, Name name, Inode inode, JobTotals totals) {
            totals.add(countOf(inode), 1);
            // The home decides, so that a file with several names has one class.
            Inode home = inode.attributes().isFile() ? transaction.peek(inode.parentIno()) : null;
            boolean isAtHome =
                    parentIno == inode.parentIno() && name.cookie() == inode.nameCookie();
            Name nameAtHome = isAtHome ? name : home == null ? null : nameAtHome(inode);
            if (home == null || nameAtHome == null) {
                return;
            }
            Policy policy = classes.policyOf(inode, home, nameAtHome);
            Inode changed = operation.apply(inode, policy);
            edits.countMisplaced(edits.take(inode, changed, totals), totals);
        }

        private @Nullable Name nameAtHome(Inode inode) {
            byte[] prefix = Keys.of(inode.parentIno(), inode.nameCookie());
            for (Transaction.Entry each :
                    transaction.page(Store.Family.DENTRY, prefix, prefix, MAX_ALIKE)) {
                if (Dentry.decode(each.value()).ino() == inode.ino()) {
                    return Keys.nameOf(each.key());
                }
            }
            return null;
        }

        @Override
        public void visitRoot(Inode inode, JobTotals totals) {
            totals.add(countOf(inode), 1); // it is a directory, and these have no class of files
        }

        @Override
        public long[] relaid() {
            return edits.relaid();
        }
    }

    /** Counts. */
    final class Usage implements TreeTask {
        /** Files with several names that one job remembers; further ones count at each name. */
        static final int MAX_REMEMBERED = 1 << 16;

        private static final byte[] PRESENT = {Keys.FORMAT};

        private final Transaction transaction;
        private final Cluster cluster;
        private final long job;

        Usage(Transaction transaction, Cluster cluster, long job) {
            this.transaction = transaction;
            this.cluster = cluster;
            this.job = job;
        }

        @Override
        public void visit(long parentIno, Name name, Inode inode, JobTotals totals) {
            visitRoot(inode, totals);
        }

        @Override
        public void visitRoot(Inode inode, JobTotals totals) {
            boolean isDirectory = inode.attributes().isDirectory();
            if (!isDirectory && inode.attributes().nlink() > 1 && isCounted(inode, totals)) {
                totals.add(Count.LINKS, 1);
                return;
            }
            totals.add(countOf(inode), 1);
            if (!inode.attributes().isFile()) {
                return;
            }
            long usedBytes = inode.attributes().usedBytes();
            int replicas = replicasOf(inode);
            totals.add(Count.SIZE_BYTES, inode.attributes().size());
            totals.add(Count.ALLOCATED_BYTES, usedBytes);
            totals.add(Count.STORED_BYTES, replicas * usedBytes);
            totals.addShare(replicas, inode.attributes().size(), usedBytes);
        }

        private boolean isCounted(Inode inode, JobTotals totals) {
            byte[] key = Keys.jobSeen(job, inode.ino());
            if (transaction.get(Store.Family.JOB, key) != null) {
                return true;
            }
            if (totals.get(Count.REMEMBERED) < MAX_REMEMBERED) {
                transaction.records().put(Store.Family.JOB, key, PRESENT);
                totals.add(Count.REMEMBERED, 1);
            }
            return false;
        }

        private int replicasOf(Inode inode) {
            var layout = inode.layout();
            return layout == null || inode.inline() != null ? 0 : cluster.map().copies(layout);
        }
    }

    private static Count countOf(Inode inode) {
        return switch (inode.attributes().type()) {
            case FILE -> Count.FILES;
            case DIRECTORY -> Count.DIRECTORIES;
            default -> Count.OTHERS;
        };
    }
}
