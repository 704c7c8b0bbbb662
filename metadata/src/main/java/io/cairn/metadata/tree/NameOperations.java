package io.cairn.metadata.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.content.LayoutChoice;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeProtection;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.trash.TrashBin;
import io.cairn.metadata.usage.QuotaTable;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.SessionMutation.MakeDirectory;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.TreeMutation;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The mutations that make and remove names, except rename. Each one checks everything before it
 * changes anything. Belongs to the apply thread.
 */
public final class NameOperations {
    private static final byte[] NOTHING = {};

    private final Transaction transaction;
    private final InodeTable inodes;
    private final DirectoryTable directories;
    private final LayoutChoice layouts;
    private final Cluster cluster;
    private final TrashBin trash;

    public NameOperations(
            Transaction transaction,
            InodeTable inodes,
            DirectoryTable directories,
            LayoutChoice layouts,
            Cluster cluster,
            TrashBin trash) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.directories = directories;
        this.layouts = layouts;
        this.cluster = cluster;
        this.trash = trash;
    }

    /** A directory in which names may be made, unless it is immutable. */
    private Inode parent(long ino) {
        TrashBin.requireOutside(ino);
        return inodes.directory(ino);
    }

    /** The same, for a name that must not be there yet: EEXIST, then EPERM. */
    Inode parent(long ino, Name name) {
        Inode parent = parent(ino);
        directories.requireFree(ino, name);
        InodeProtection.requireGrowing(parent);
        return parent;
    }

    public EntryReply create(TreeMutation.Create m) {
        FileType type = m.fileType();
        if (type == FileType.DIRECTORY || type == FileType.SYMLINK) {
            throw new FsException(Errno.EINVAL, "create cannot make a " + type);
        }
        Inode parent = parent(m.parentIno());
        Dentry existing = directories.find(m.parentIno(), m.name());
        if (existing != null) {
            return existing(m, existing, parent);
        }
        DirectoryTable.requireAllowed(m.name());
        InodeProtection.requireGrowing(parent);
        if (type != FileType.FILE && m.inline().length > 0) {
            throw new FsException(Errno.EINVAL, "a " + type + " has no contents");
        }
        requireInline(m, cluster.inlineLimitBytes());
        transaction.counters().requireRoom();
        InodeDraft file = inodes.draft(type, parent, m.name(), m.mode(), m.uid(), m.gid());
        requireOutside(m, file);
        if (type == FileType.FILE) {
            file.setInline(m.inline());
            file.layout = layouts.fresh(file.ino, file.policy);
            file.exclusiveVerifier = m.verifier();
        } else if (type == FileType.CHARACTER_DEVICE || type == FileType.BLOCK_DEVICE) {
            file.rdev = m.rdev();
        }
        requireRoom(parent, file);
        return enter(parent, m.name(), file);
    }

    /** Contents of a file that is encrypted at rest are never in the inode. */
    private static void requireOutside(TreeMutation.Create m, InodeDraft file) {
        if (file.policy.key() > 0) {
            requireInline(m, 0);
        }
    }

    private static void requireInline(TreeMutation.Create m, int limitBytes) {
        if (m.inline().length > limitBytes) {
            throw new FsException(
                    Errno.EFBIG,
                    m.inline().length + " bytes do not fit into the inode; write chunks");
        }
    }

    /**
     * Makes a file under a number that the session may use.
     *
     * @param setter sets the attributes that are not those of a creation
     */
    EntryReply make(MakeFile m, Consumer<InodeDraft> setter) {
        TreeMutation.Create create = m.create();
        boolean isPlain = create.fileType() == FileType.FILE && !create.orExisting();
        if (!isPlain || create.verifier() != 0 || !m.change().fitsWrite()) {
            throw new FsException(Errno.EINVAL, "no file to be made at once");
        }
        Inode parent = parent(create.parentIno(), create.name());
        requireInline(create, cluster.inlineLimitBytes());
        transaction.counters().requireRoom();
        InodeDraft file =
                inodes.file(
                        m.ino(), parent, create.name(), create.mode(), create.uid(), create.gid());
        requireOutside(create, file);
        file.setInline(create.inline());
        file.layout = layouts.fresh(file.ino, file.policy);
        file.atimeNs = m.timeNs();
        file.mtimeNs = m.timeNs();
        setter.accept(file);
        requireRoom(parent, file);
        EntryReply made = enter(parent, create.name(), file);
        Inode told = made.inode().withContents(made.inode().layout(), null);
        return new EntryReply(told, made.parent(), null, null);
    }

    public EntryReply createUnnamed(TreeMutation.CreateUnnamed m) {
        Inode parent = parent(m.parentIno());
        InodeProtection.requireGrowing(parent);
        transaction.counters().requireRoom();
        InodeDraft file = inodes.draft(FileType.FILE, parent, m.mode(), m.uid(), m.gid());
        file.setInline(NOTHING);
        file.layout = layouts.fresh(file.ino, file.policy);
        return new EntryReply(inodes.putUnnamed(file, m.linkable()), null, null, null);
    }

    private EntryReply existing(TreeMutation.Create m, Dentry existing, Inode parent) {
        if (m.fileType() == FileType.FILE && existing.type() == FileType.FILE) {
            Inode file = inodes.require(existing.ino());
            boolean retried = m.verifier() != 0 && file.exclusiveVerifier() == m.verifier();
            if (m.orExisting() || retried) {
                return reply(file, parent);
            }
        }
        throw DirectoryTable.exists(m.parentIno(), m.name());
    }

    public EntryReply mkdir(TreeMutation.Mkdir m) {
        return mkdir(
                m, parent -> inodes.draft(FileType.DIRECTORY, parent, m.mode(), m.uid(), m.gid()));
    }

    /** Makes a directory under a number that the session may use. */
    EntryReply make(MakeDirectory m) {
        TreeMutation.Mkdir d = m.mkdir();
        return mkdir(d, parent -> inodes.directory(m.ino(), parent, d.mode(), d.uid(), d.gid()));
    }

    private EntryReply mkdir(TreeMutation.Mkdir m, Function<Inode, InodeDraft> draft) {
        Inode parent = parent(m.parentIno(), m.name());
        transaction.counters().requireRoom();
        InodeDraft made = draft.apply(parent);
        requireRoom(parent, made);
        return enter(parent, m.name(), made);
    }

    public EntryReply symlink(TreeMutation.Symlink m) {
        byte[] target = m.target();
        if (target.length == 0) {
            throw new FsException(Errno.ENOENT, "a symbolic link needs a target");
        }
        if (target.length >= FileSystem.MAX_PATH_BYTES) {
            throw new FsException(
                    Errno.ENAMETOOLONG, "symbolic link target of " + target.length + " bytes");
        }
        for (byte b : target) {
            if (b == 0) {
                throw new FsException(Errno.EINVAL, "symbolic link target with a NUL");
            }
        }
        Inode parent = parent(m.parentIno(), m.name());
        transaction.counters().requireRoom();
        InodeDraft link = inodes.draft(FileType.SYMLINK, parent, 0777, m.uid(), m.gid());
        link.inline = target;
        link.sizeBytes = target.length;
        requireRoom(parent, link);
        return enter(parent, m.name(), link);
    }

    public EntryReply link(TreeMutation.Link m) {
        Inode inode = inodes.require(m.ino());
        Inode parent = parent(m.newParentIno(), m.newName());
        InodeProtection.requireFree(inode);
        if (inode.attributes().isDirectory()) {
            throw new FsException(Errno.EPERM, "inode " + m.ino() + " is a directory");
        }
        if (TrashBin.isTrashed(inode)) {
            throw new FsException(
                    Errno.ENOENT, "inode " + m.ino() + " is in the trash: move it out of there");
        }
        boolean unnamed = inode.attributes().nlink() == 0;
        if (unnamed && !inodes.isLinkable(m.ino())) {
            throw new FsException(Errno.ENOENT, "inode " + m.ino() + " has lost its last name");
        }
        if (inode.attributes().nlink() >= FileSystem.MAX_LINKS) {
            throw new FsException(
                    Errno.EMLINK, "inode " + m.ino() + " has " + FileSystem.MAX_LINKS + " links");
        }
        InodeDraft linked = new InodeDraft(inode);
        if (unnamed) {
            requireRoom(parent, linked);
            inodes.named(m.ino());
        }
        linked.nlink++;
        linked.ctimeNs = transaction.nowNs();
        return enter(parent, m.newName(), linked);
    }

    public EntryReply unlink(TreeMutation.Unlink m) {
        Inode parent = inodes.directory(m.parentIno());
        Dentry dentry = directories.require(m.parentIno(), m.name());
        Inode inode = inodes.require(dentry.ino());
        InodeProtection.requireRemovable(parent, inode);
        if (dentry.isDirectory()) {
            throw new FsException(Errno.EISDIR, "'" + m.name() + "' in directory " + m.parentIno());
        }
        return leave(parent, m.name(), inode);
    }

    public EntryReply rmdir(TreeMutation.Rmdir m) {
        TrashBin.requireOther(m.parentIno(), m.name());
        Inode parent = inodes.directory(m.parentIno());
        Dentry dentry = directories.require(m.parentIno(), m.name());
        Inode directory = inodes.require(dentry.ino());
        InodeProtection.requireRemovable(parent, directory);
        if (!dentry.isDirectory()) {
            throw new FsException(
                    Errno.ENOTDIR, "'" + m.name() + "' in directory " + m.parentIno());
        }
        requireEmpty(directory);
        transaction.history().requireNoRoot(directory.ino());
        return leave(parent, m.name(), directory);
    }

    static void requireEmpty(Inode directory) {
        if (directory.entryCount() > 0) {
            throw new FsException(
                    Errno.ENOTEMPTY,
                    "directory " + directory.ino() + " has " + directory.entryCount() + " entries");
        }
    }

    /** EDQUOT when an inode that is not stored yet would be too much for its directory. */
    void requireRoom(Inode home, InodeDraft inode) {
        QuotaTable quotas = inodes.quotas();
        if (quotas.version() != 0) {
            quotas.require(home.ino(), inode.seal());
        }
    }

    /** Stores an inode and gives it a name. */
    EntryReply enter(Inode parent, Name name, InodeDraft inode) {
        InodeDraft changed = new InodeDraft(parent);
        changed.touchNames(transaction.nowNs());
        changed.entryCount++;
        if (inode.type == FileType.DIRECTORY) {
            changed.nlink++;
        }
        directories.put(parent.ino(), name, new Dentry(inode.ino, inode.type));
        inodes.links().named(inode, parent.ino(), name);
        return reply(inodes.put(inode), inodes.put(changed));
    }

    /** Takes a name from an inode. */
    private EntryReply leave(Inode parent, Name name, Inode inode) {
        InodeDraft changed = new InodeDraft(parent);
        changed.touchNames(transaction.nowNs());
        changed.entryCount--;
        Inode left = trash.remove(inode, parent.ino(), name);
        if (inode.attributes().isDirectory()) {
            changed.nlink--;
        }
        directories.remove(parent.ino(), name);
        Inode remaining = inodes.put(changed);
        trash.left(remaining);
        return reply(left, remaining);
    }

    private static EntryReply reply(Inode inode, Inode parent) {
        return new EntryReply(inode, parent.directoryState(), null, null);
    }
}
