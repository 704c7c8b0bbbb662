package io.cairn.metadata.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import io.cairn.metadata.trash.TrashBin;

/**
 * Makes the parts of a tree that are no files as they were in the past, and finishes files. All of
 * it is charged to directories and owners. Belongs to the apply thread.
 */
public final class TreeClone {
    private final Transaction transaction;
    private final InodeTable inodes;
    private final NameOperations names;

    public TreeClone(Transaction transaction, InodeTable inodes, NameOperations names) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.names = names;
    }

    /** Whether names can be made in a directory, as far as it is still there. */
    public boolean isDirectory(long ino) {
        Inode inode = transaction.peek(ino);
        return inode != null && inode.attributes().isDirectory() && inode.attributes().nlink() > 0;
    }

    /** Whether a file can get one more name. */
    public boolean isLinkable(long ino) {
        Inode inode = transaction.peek(ino);
        return inode != null
                && inode.attributes().nlink() > 0
                && inode.attributes().nlink() < FileSystem.MAX_LINKS
                && !TrashBin.isTrashed(inode);
    }

    /** Fails with EEXIST, ENOTDIR, ESTALE, ENOENT, EPERM when a name cannot be made. */
    public void requireFree(long parentIno, Name name) {
        names.parent(parentIno, name);
    }

    /**
     * Makes a directory without names, a symbolic link or a special file.
     *
     * @return the number of the new inode
     * @throws FsException EEXIST, ENOTDIR, ESTALE, ENOENT, EPERM, EDQUOT, ENOSPC; nothing was made
     */
    public long copy(View past, Inode source, long parentIno, Name name) {
        Attributes model = source.attributes();
        if (model.isFile()) {
            throw new IllegalArgumentException("inode " + source.ino() + " is a file");
        }
        Inode parent = names.parent(parentIno, name);
        transaction.counters().requireRoom();
        long ino = transaction.counters().takeIno();
        InodeDraft draft =
                model.isDirectory()
                        ? inodes.directoryLike(ino, model, source.policy())
                        : other(ino, source);
        names.requireRoom(parent, draft);
        names.enter(parent, name, draft);
        inodes.copyXattrs(past, source.ino(), ino);
        return ino;
    }

    private InodeDraft other(long ino, Inode source) {
        Attributes model = source.attributes();
        InodeDraft draft = new InodeDraft(ino, model.type(), transaction.nowNs());
        draft.uid = model.uid();
        draft.gid = model.gid();
        draft.takeRights(model);
        draft.rdev = model.rdev();
        draft.atimeNs = model.atimeNs();
        draft.mtimeNs = model.mtimeNs();
        draft.sizeBytes = model.size();
        draft.inline = source.inline();
        draft.policy = source.policy();
        draft.flags = model.flags();
        return draft;
    }

    /** Gives a file one more name, also one that is protected: it was made just now. */
    public void link(long ino, long parentIno, Name name) {
        Inode inode = inodes.require(ino);
        Inode parent = names.parent(parentIno, name);
        if (!isLinkable(ino)) {
            throw new FsException(Errno.EMLINK, "inode " + ino + " can get no more names");
        }
        InodeDraft linked = new InodeDraft(inode);
        linked.nlink++;
        linked.ctimeNs = transaction.nowNs();
        names.enter(parent, name, linked);
    }

    /** Gives a complete file or directory the times and flags of its source. */
    public void settle(Inode source, long ino) {
        Inode inode = transaction.peek(ino);
        if (inode == null || inode.attributes().nlink() == 0) {
            return;
        }
        Attributes model = source.attributes();
        InodeDraft draft = new InodeDraft(inode);
        draft.atimeNs = model.atimeNs();
        draft.mtimeNs = model.mtimeNs();
        draft.ctimeNs = transaction.nowNs();
        draft.flags = model.flags();
        inodes.put(draft);
    }
}
