package io.cairn.metadata.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeProtection;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.trash.TrashBin;
import io.cairn.metadata.usage.QuotaTable;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.TreeMutation.Rename;
import org.jspecify.annotations.Nullable;

/**
 * Rename, with all that renameat2(2) knows, and with its errors in the order in which Linux finds
 * them. Belongs to the apply thread.
 */
public final class RenameOperation {
    private final Transaction transaction;
    private final InodeTable inodes;
    private final DirectoryTable directories;
    private final TrashBin trash;

    /** The two names of a rename and what they stand for, checked. */
    private record Plan(
            Rename request, Inode from, Inode to, Dentry source, @Nullable Dentry target) {
        boolean exchange() {
            return request.flags() == FileSystem.RENAME_EXCHANGE;
        }

        boolean whiteout() {
            return (request.flags() & FileSystem.RENAME_WHITEOUT) != 0;
        }

        boolean acrossDirectories() {
            return from.ino() != to.ino();
        }
    }

    public RenameOperation(
            Transaction transaction,
            InodeTable inodes,
            DirectoryTable directories,
            TrashBin trash) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.directories = directories;
        this.trash = trash;
    }

    public EntryReply rename(Rename m) {
        Plan plan = plan(m);
        requireNoLoop(plan);
        Dentry target = plan.target;
        if (target != null && target.ino() == plan.source.ino()) {
            Inode same = inodes.require(target.ino());
            return reply(plan, same, plan.from, plan.to, null);
        }
        requireAllowed(plan);
        requireRoom(plan);
        if (target == null) {
            return move(plan, null);
        }
        return plan.exchange() ? exchange(plan, target) : replace(plan, target);
    }

    private Plan plan(Rename m) {
        boolean noReplace = (m.flags() & FileSystem.RENAME_NOREPLACE) != 0;
        boolean exchange = m.flags() == FileSystem.RENAME_EXCHANGE;
        int together = FileSystem.RENAME_NOREPLACE | FileSystem.RENAME_WHITEOUT;
        if ((m.flags() & ~together) != 0 && !exchange) {
            throw new FsException(Errno.EINVAL, "rename flags " + m.flags());
        }
        TrashBin.requireOutside(m.newParentIno());
        TrashBin.requireOther(m.parentIno(), m.name());
        TrashBin.requireOther(m.newParentIno(), m.newName());
        Inode from = inodes.directory(m.parentIno());
        Inode to = inodes.directory(m.newParentIno());
        Dentry source = directories.require(m.parentIno(), m.name());
        Dentry target = directories.find(m.newParentIno(), m.newName());
        if (target != null && noReplace) {
            throw DirectoryTable.exists(m.newParentIno(), m.newName());
        }
        DirectoryTable.requireAllowed(m.newName());
        if (target == null && exchange) {
            throw DirectoryTable.missing(m.newParentIno(), m.newName());
        }
        requireWayOut(m, source);
        return new Plan(m, from, to, source, target);
    }

    /** Files are moved out of the trash as they are; whoever moves a directory has to copy it. */
    private static void requireWayOut(Rename m, Dentry source) {
        if (!TrashPlace.isDirectory(m.parentIno())) {
            return;
        }
        if ((m.flags() & ~FileSystem.RENAME_NOREPLACE) != 0) {
            TrashBin.requireOutside(m.parentIno());
        }
        if (source.isDirectory()) {
            throw new FsException(
                    Errno.EXDEV,
                    "a directory is not moved out of the trash: copy it, or use cairn trash"
                            + " restore");
        }
    }

    /** EPERM when a directory keeps its names, or an inode its own. */
    private void requireAllowed(Plan plan) {
        InodeProtection.requireRemovable(plan.from, inodes.require(plan.source.ino()));
        if (plan.target == null) {
            InodeProtection.requireGrowing(plan.to);
        } else {
            InodeProtection.requireRemovable(plan.to, inodes.require(plan.target.ino()));
        }
    }

    /** What is replaced counts until it has gone. */
    private void requireRoom(Plan plan) {
        QuotaTable quotas = inodes.quotas();
        if (quotas.version() == 0) {
            return;
        }
        Rename m = plan.request;
        quotas.requireMove(inodes.require(plan.source.ino()), m.parentIno(), m.newParentIno());
        Dentry target = plan.target;
        if (target != null && plan.exchange()) {
            quotas.requireMove(inodes.require(target.ino()), m.newParentIno(), m.parentIno());
        }
    }

    private void requireNoLoop(Plan plan) {
        if (!plan.acrossDirectories()) {
            return;
        }
        if (plan.source.isDirectory() && isWithin(plan.to, plan.source.ino())) {
            throw new FsException(
                    Errno.EINVAL, "directory " + plan.source.ino() + " cannot move into itself");
        }
        Dentry target = plan.target;
        if (target != null && target.isDirectory() && isWithin(plan.from, target.ino())) {
            throw new FsException(
                    plan.exchange() ? Errno.EINVAL : Errno.ENOTEMPTY,
                    "directory " + target.ino() + " holds the source");
        }
    }

    /** Whether a directory is {@code ancestorIno} or lies below it. */
    private boolean isWithin(Inode directory, long ancestorIno) {
        Inode at = directory;
        while (at.ino() != ancestorIno) {
            if (at.ino() == FileSystem.ROOT_INO) {
                return false;
            }
            Inode parent = transaction.inode(at.parentIno());
            if (parent == null) {
                throw new IllegalStateException(
                        "I11 reachability: directory " + at.ino() + " hangs on no directory");
            }
            at = parent;
        }
        return true;
    }

    private EntryReply replace(Plan plan, Dentry target) {
        if (plan.source.isDirectory() && !target.isDirectory()) {
            throw new FsException(
                    Errno.ENOTDIR, "'" + plan.request.newName() + "' is not a directory");
        }
        if (!plan.source.isDirectory() && target.isDirectory()) {
            throw new FsException(Errno.EISDIR, "'" + plan.request.newName() + "' is a directory");
        }
        Inode replaced = inodes.require(target.ino());
        if (target.isDirectory()) {
            NameOperations.requireEmpty(replaced);
            transaction.history().requireNoRoot(replaced.ino());
        }
        return move(plan, replaced);
    }

    private EntryReply move(Plan plan, @Nullable Inode replaced) {
        Rename m = plan.request;
        if (plan.whiteout()) {
            transaction.counters().requireRoom();
        }
        Attributes lost =
                replaced == null
                        ? null
                        : trash.remove(replaced, m.newParentIno(), m.newName()).attributes();
        // Read again: what is replaced may go to the directory of the trash that the source leaves.
        InodeDraft from = touched(inodes.require(plan.from.ino()));
        InodeDraft to = plan.acrossDirectories() ? touched(plan.to) : from;
        from.entryCount--;
        to.entryCount++;
        if (plan.source.isDirectory()) {
            from.nlink--;
            to.nlink++;
        }
        if (replaced != null) {
            to.entryCount--;
            if (replaced.attributes().isDirectory()) {
                to.nlink--;
            }
        }
        directories.remove(m.parentIno(), m.name());
        directories.put(m.newParentIno(), m.newName(), plan.source);
        if (plan.whiteout()) {
            from.entryCount++;
            InodeDraft nothing =
                    inodes.draft(FileType.CHARACTER_DEVICE, plan.from, 0, m.uid(), m.gid());
            inodes.links().named(nothing, m.parentIno(), m.name());
            inodes.put(nothing);
            directories.put(m.parentIno(), m.name(), new Dentry(nothing.ino, nothing.type));
        }
        return finish(plan, from, to, lost);
    }

    private EntryReply exchange(Plan plan, Dentry target) {
        Rename m = plan.request;
        Dentry source = plan.source;
        InodeDraft from = touched(plan.from);
        InodeDraft to = plan.acrossDirectories() ? touched(plan.to) : from;
        if (source.isDirectory()) {
            from.nlink--;
            to.nlink++;
        }
        if (target.isDirectory()) {
            to.nlink--;
            from.nlink++;
        }
        directories.put(m.parentIno(), m.name(), target);
        directories.put(m.newParentIno(), m.newName(), source);
        InodeDraft other = renamed(target);
        trash.moved(other.type);
        inodes.links().renamed(other, m.newParentIno(), m.newName(), m.parentIno(), m.name());
        return finish(plan, from, to, inodes.put(other).attributes());
    }

    private EntryReply finish(
            Plan plan, InodeDraft from, InodeDraft to, @Nullable Attributes replaced) {
        Rename m = plan.request;
        InodeDraft source = renamed(plan.source);
        if (TrashPlace.isDirectory(m.parentIno())) {
            trash.takeBack(source);
        }
        trash.moved(source.type);
        inodes.links().renamed(source, m.parentIno(), m.name(), m.newParentIno(), m.newName());
        Inode moved = inodes.put(source);
        Inode changedFrom = inodes.put(from);
        trash.left(changedFrom);
        Inode changedTo = plan.acrossDirectories() ? inodes.put(to) : changedFrom;
        return reply(plan, moved, changedFrom, changedTo, replaced);
    }

    private InodeDraft touched(Inode directory) {
        InodeDraft draft = new InodeDraft(directory);
        draft.touchNames(transaction.nowNs());
        return draft;
    }

    private InodeDraft renamed(Dentry dentry) {
        InodeDraft draft = new InodeDraft(inodes.require(dentry.ino()));
        draft.ctimeNs = transaction.nowNs();
        return draft;
    }

    private static EntryReply reply(
            Plan plan, Inode moved, Inode from, Inode to, @Nullable Attributes replaced) {
        return new EntryReply(
                moved,
                from.directoryState(),
                plan.acrossDirectories() ? to.directoryState() : null,
                replaced);
    }
}
