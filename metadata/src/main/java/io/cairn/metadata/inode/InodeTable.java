package io.cairn.metadata.inode;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.cluster.Policy;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.classes.ClassTable;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import io.cairn.metadata.usage.QuotaTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The inodes, and the checks that nearly every mutation begins with. Belongs to the apply thread.
 */
public final class InodeTable {
    private static final byte[] PRESENT = {Keys.FORMAT};

    /** Of an orphan that never had a name and may get one. */
    private static final byte[] LINKABLE = {Keys.FORMAT, 1};

    private final Transaction transaction;
    private final XattrTable xattrs;
    private final LinkTable links;
    private final QuotaTable quotas;
    private final ClassTable classes;

    public InodeTable(
            Transaction transaction, XattrTable xattrs, QuotaTable quotas, ClassTable classes) {
        this.transaction = transaction;
        this.xattrs = xattrs;
        this.quotas = quotas;
        this.classes = classes;
        links = new LinkTable(transaction);
    }

    /** Where the names of inodes are kept. */
    public LinkTable links() {
        return links;
    }

    /** How much may be made. */
    public QuotaTable quotas() {
        return quotas;
    }

    /** An inode, or ESTALE; EROFS for one in a snapshot. */
    public Inode require(long ino) {
        PastInode.requireLiving(ino);
        Inode inode = transaction.inode(ino);
        if (inode == null) {
            throw stale(ino);
        }
        return inode;
    }

    public static FsException stale(long ino) {
        return new FsException(Errno.ESTALE, "inode " + ino + " is gone");
    }

    /** A directory in which something can be found or made: ESTALE, ENOTDIR, ENOENT if removed. */
    public Inode directory(long ino) {
        return liveDirectory(require(ino));
    }

    /** The same check on an inode at hand. */
    public static Inode liveDirectory(Inode inode) {
        if (!inode.attributes().isDirectory()) {
            throw new FsException(Errno.ENOTDIR, "inode " + inode.ino() + " is not a directory");
        }
        if (inode.attributes().nlink() == 0) {
            throw new FsException(Errno.ENOENT, "directory " + inode.ino() + " has been removed");
        }
        return inode;
    }

    /** A regular file: ESTALE, EISDIR, or EINVAL for anything else. */
    public Inode file(long ino) {
        return requireFile(require(ino));
    }

    /** A regular file as it was; ESTALE, EISDIR, EINVAL. */
    public static Inode file(View past, long ino) {
        Inode inode = past.inode(ino);
        if (inode == null) {
            throw new FsException(Errno.ESTALE, "inode " + ino + " is not in the snapshot");
        }
        return requireFile(inode);
    }

    private static Inode requireFile(Inode inode) {
        if (!inode.attributes().isFile()) {
            throw new FsException(
                    inode.attributes().isDirectory() ? Errno.EISDIR : Errno.EINVAL,
                    "inode " + inode.ino() + " is not a regular file");
        }
        return inode;
    }

    /** A new inode in a directory, with the group that the directory decides. */
    public InodeDraft draft(FileType type, Inode parent, int mode, int uid, int gid) {
        return draft(type, parent, null, mode, uid, gid);
    }

    /** The same for a name, which may decide about the policy of a file. */
    public InodeDraft draft(
            FileType type, Inode parent, @Nullable Name name, int mode, int uid, int gid) {
        InodeDraft draft =
                new InodeDraft(transaction.counters().takeIno(), type, transaction.nowNs());
        return filled(draft, parent, name, mode, uid, gid);
    }

    /** A new file under a number that was given for it before. */
    public InodeDraft file(long ino, Inode parent, Name name, int mode, int uid, int gid) {
        InodeDraft draft = new InodeDraft(ino, FileType.FILE, transaction.nowNs());
        return filled(draft, parent, name, mode, uid, gid);
    }

    /** A new directory under such a number. */
    public InodeDraft directory(long ino, Inode parent, int mode, int uid, int gid) {
        InodeDraft draft = new InodeDraft(ino, FileType.DIRECTORY, transaction.nowNs());
        return filled(draft, parent, null, mode, uid, gid);
    }

    private InodeDraft filled(
            InodeDraft draft, Inode parent, @Nullable Name name, int mode, int uid, int gid) {
        FileType type = draft.type;
        draft.mode = mode & 07777;
        draft.uid = uid;
        draft.gid = gid;
        if ((parent.attributes().mode() & InodeDraft.SETGID) != 0) {
            draft.gid = parent.attributes().gid();
            if (type == FileType.DIRECTORY) {
                draft.mode |= InodeDraft.SETGID;
            }
        }
        draft.flags = parent.attributes().flags() & Attributes.INHERITED;
        AclOperation.inherit(parent.attributes().acls(), draft);
        if (type == FileType.DIRECTORY) {
            draft.nlink = 2;
            draft.sizeBytes = InodeDraft.DIRECTORY_SIZE_BYTES;
        }
        if (type == FileType.DIRECTORY) {
            draft.policy = parent.policy();
        } else if (type == FileType.FILE) {
            draft.policy = classes.policyIn(parent, name, draft.uid, draft.gid);
        }
        return draft;
    }

    /** Makes the root directory; it belongs to who founds the cluster. */
    public void makeRoot(int uid, int gid) {
        InodeDraft root =
                new InodeDraft(FileSystem.ROOT_INO, FileType.DIRECTORY, transaction.nowNs());
        root.mode = 0755;
        root.uid = uid;
        root.gid = gid;
        root.nlink = 2;
        root.parentIno = FileSystem.ROOT_INO;
        root.sizeBytes = InodeDraft.DIRECTORY_SIZE_BYTES;
        put(root);
    }

    /** The trash as an inode, as it is when nothing is in it. */
    static InodeDraft trash(long nowNs) {
        InodeDraft trash = new InodeDraft(TrashPlace.INO, FileType.DIRECTORY, nowNs);
        trash.mode = 0555;
        trash.nlink = 2;
        trash.parentIno = FileSystem.ROOT_INO;
        trash.nameCookie = TrashPlace.NAME.cookie();
        trash.sizeBytes = InodeDraft.DIRECTORY_SIZE_BYTES;
        return trash;
    }

    /** The trash, made if it was never used. */
    public Inode requireTrash() {
        Inode trash = transaction.inode(TrashPlace.INO);
        return trash != null ? trash : put(trash(transaction.nowNs()));
    }

    /** A new directory with owner, rights, times and policy of another one, and no names. */
    public InodeDraft directoryLike(long ino, Attributes model, Policy policy) {
        InodeDraft draft = new InodeDraft(ino, FileType.DIRECTORY, transaction.nowNs());
        draft.uid = model.uid();
        draft.gid = model.gid();
        draft.takeRights(model);
        draft.atimeNs = model.atimeNs();
        draft.mtimeNs = model.mtimeNs();
        draft.nlink = 2;
        draft.sizeBytes = InodeDraft.DIRECTORY_SIZE_BYTES;
        draft.policy = policy;
        return draft;
    }

    /** Gives an inode the extended attributes of another one, in place of its own. */
    public void copyXattrs(long fromIno, long toIno) {
        xattrs.copyAll(fromIno, toIno);
    }

    /** Gives a new inode the extended attributes that one had in the past. */
    public void copyXattrs(View past, long fromIno, long toIno) {
        xattrs.copyAll(past, fromIno, toIno);
    }

    /** Stores a draft with the version of the current mutation. */
    public Inode put(InodeDraft draft) {
        draft.version = transaction.version();
        return putQuietly(draft);
    }

    /** Stores a draft without a new version: nothing changed that a cache could miss. */
    public Inode putQuietly(InodeDraft draft) {
        Inode inode = draft.seal();
        transaction.records().put(draft.stored, inode);
        draft.stored = inode;
        return inode;
    }

    /** An inode loses one name; with the last one it becomes an orphan. A directory has one. */
    public Inode unlink(Inode inode, long parentIno, Name name) {
        InodeDraft draft = new InodeDraft(inode);
        links.unnamed(draft, parentIno, name);
        if (draft.type == FileType.DIRECTORY) {
            classes.forget(draft.ino);
        }
        draft.nlink = draft.type == FileType.DIRECTORY ? 0 : draft.nlink - 1;
        draft.ctimeNs = transaction.nowNs();
        if (draft.nlink == 0) {
            transaction.records().put(Family.ORPHAN, Keys.of(draft.ino), PRESENT);
        }
        return put(draft);
    }

    /**
     * Stores a new file without a name: an orphan from the beginning, purged when nobody holds it
     * open any more.
     */
    public Inode putUnnamed(InodeDraft draft, boolean linkable) {
        draft.nlink = 0;
        transaction.records().put(Family.ORPHAN, Keys.of(draft.ino), linkable ? LINKABLE : PRESENT);
        return put(draft);
    }

    /** Whether an inode never had a name, and may get one. */
    public boolean isLinkable(long ino) {
        return Arrays.equals(transaction.get(Family.ORPHAN, Keys.of(ino)), LINKABLE);
    }

    /** It has got one. */
    public void named(long ino) {
        transaction.records().delete(Family.ORPHAN, Keys.of(ino));
    }

    /** Whether an inode waits to be purged. */
    public boolean isOrphan(long ino) {
        return transaction.get(Family.ORPHAN, Keys.of(ino)) != null;
    }

    /** Forgets an orphan. */
    public void remove(Inode inode) {
        xattrs.removeAll(inode.ino());
        transaction.records().delete(Family.ORPHAN, Keys.of(inode.ino()));
        transaction.records().remove(inode);
    }
}
