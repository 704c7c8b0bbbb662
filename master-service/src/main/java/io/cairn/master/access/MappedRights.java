package io.cairn.master.access;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.Acl;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SharingMutation;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.Numbered;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The rights of a mount whose users are mapped. When all are one user, it has the rights of this
 * user. When root is mapped, it has those of all other users together: whoever is root of a machine
 * can be any of them. Clients check their users one by one; this is what holds for a client that
 * lies. EACCES or EPERM, as POSIX has it. For one request.
 */
final class MappedRights {
    private static final int READ = FileSystem.ACCESS_READ;
    private static final int WRITE = FileSystem.ACCESS_WRITE;
    private static final int SEARCH = FileSystem.ACCESS_EXECUTE;
    private static final int STICKY = 01000;
    private static final int SETGID = 02000;
    private static final int GROUP_EXECUTE = 010;

    private final Namespace namespace;
    private final UserMapping mapping;
    private final boolean isOne;

    MappedRights(Namespace namespace, UserMapping mapping) {
        this.namespace = namespace;
        this.mapping = mapping;
        this.isOne = mapping.kind() == UserMapping.Kind.ALL;
    }

    void require(Mutation mutation) {
        switch (mutation) {
            case TreeMutation.Create m -> {
                boolean isDevice =
                        m.fileType() == FileType.CHARACTER_DEVICE
                                || m.fileType() == FileType.BLOCK_DEVICE;
                if (isDevice) {
                    throw new FsException(Errno.EPERM, "only root may make devices");
                }
                add(m.parentIno());
                setgidOfNew(m.parentIno(), m.mode());
                if (m.orExisting() || m.verifier() != 0) {
                    openExisting(m.parentIno(), m.name());
                }
            }
            case TreeMutation.CreateUnnamed m -> {
                add(m.parentIno());
                setgidOfNew(m.parentIno(), m.mode());
            }
            case TreeMutation.Mkdir m -> add(m.parentIno());
            case TreeMutation.Symlink m -> add(m.parentIno());
            case TreeMutation.Link m -> add(m.newParentIno());
            case TreeMutation.Unlink m -> remove(m.parentIno(), m.name());
            case TreeMutation.Rmdir m -> remove(m.parentIno(), m.name());
            case TreeMutation.Rename m -> {
                remove(m.parentIno(), m.name());
                remove(m.newParentIno(), m.newName());
            }
            case TreeMutation.SetAttributes m -> change(m);
            case TreeMutation.WriteAndSet m -> {
                write(m.write().ino());
                change(m.set());
            }
            case TreeMutation.SetXattr m -> setXattr(m.ino(), m.name());
            case TreeMutation.ReplaceXattr m -> setXattr(m.ino(), m.name());
            case TreeMutation.RemoveXattr m -> setXattr(m.ino(), m.name());
            case TreeMutation.SetPolicy m -> own(m.ino());
            case TreeMutation.Witnessed m -> require(m.mutation());
            case ContentMutation.WriteInline m -> write(m.ino());
            case ContentMutation.CommitSize m -> write(m.ino());
            case ContentMutation.Spill m -> write(m.ino());
            case ContentMutation.CloneDone m -> replace(m.ino());
            case ContentMutation.RenewChunks m -> replace(m.ino());
            case ContentMutation.SwapContents m -> swap(m);
            case ContentMutation.RenewTail m -> replace(m.ino());
            case ContentMutation.TakeDetour m -> replace(m.ino());
            case ContentMutation.TakePartialDetour m -> replace(m.ino());
            case ContentMutation.MoveChunks m -> replace(m.ino());
            case SharingMutation.ShareChunks m -> share(m.ino(), m.sourceIno());
            case Numbered _ ->
                    throw new FsException(
                            Errno.EPERM, "users that a rule maps make inodes by themselves");
            case SessionMutation.SetLock m -> lock(m.ino(), m.lock());
            case HostMutation.SetHostLock m -> lock(m.ino(), m.lock());
            case SessionMutation _, HostMutation _, LeaderMutation _ -> {}
        }
    }

    void require(Query query) {
        switch (query) {
            case Query.Lookup m -> demand(attributes(m.parentIno()), SEARCH);
            case Query.LookupMany m -> demand(attributes(m.parentIno()), SEARCH);
            case Query.ReadDirectory m -> demand(attributes(m.ino()), READ);
            case Query.GetXattr m -> getXattr(m);
            case Query.Open m -> open(m.ino());
            case Query.TestLock m -> open(m.ino());
            case Query.TestHostLock m -> open(m.ino());
            case Query.HoldStill m -> write(m.ino());
            case Query.GetAllowance m -> write(m.ino());
            case Query.OfState _, Query.OfLeader _, Query.OfLogin _ -> {}
        }
    }

    /** Null when it is gone: then the request itself says so. */
    private @Nullable Attributes attributes(long ino) {
        Inode inode = namespace.inode(ino);
        return inode == null ? null : inode.attributes();
    }

    private void demand(@Nullable Attributes inode, int bits) {
        if (inode != null && !grants(inode, bits)) {
            throw new FsException(
                    Errno.EACCES,
                    "the users of this mount (%s) have no such right to inode %d"
                            .formatted(mapping.text(), inode.ino()));
        }
    }

    private boolean grants(Attributes inode, int bits) {
        int mode = inode.mode();
        if (!isOne) {
            // The bits of a group are also the most that an access control list gives.
            boolean isShared = isInGroup(inode.gid()) || inode.acls().access() != null;
            return (inode.uid() != 0 && has(mode >> 6, bits))
                    || (isShared && has(mode >> 3, bits))
                    || has(mode, bits);
        }
        if (inode.uid() == mapping.uid()) {
            return has(mode >> 6, bits);
        }
        Acl acl = inode.acls().access();
        if (acl != null) {
            return acl.grants(Caller.of(mapping.uid(), mapping.gid()), inode.gid(), bits);
        }
        return has(inode.gid() == mapping.gid() ? mode >> 3 : mode, bits);
    }

    private static boolean has(int granted, int bits) {
        return (granted & bits) == bits;
    }

    private boolean owns(Attributes inode) {
        return isOne ? inode.uid() == mapping.uid() : inode.uid() != 0;
    }

    private void add(long directoryIno) {
        demand(attributes(directoryIno), WRITE | SEARCH);
    }

    private void remove(long directoryIno, Name name) {
        add(directoryIno);
        Attributes directory = attributes(directoryIno);
        boolean isFree = directory == null || (directory.mode() & STICKY) == 0 || owns(directory);
        if (!isFree
                && namespace.read(0, new Query.Lookup(directoryIno, name))
                        instanceof Reply.EntryReply victim
                && !owns(victim.inode().attributes())) {
            throw new FsException(Errno.EPERM, "the directory is sticky");
        }
    }

    /** To the owner it is always open: he may have opened it before he closed it. */
    private void write(long ino) {
        Attributes inode = attributes(ino);
        if (inode != null && !owns(inode)) {
            demand(inode, WRITE);
        }
    }

    /**
     * Whoever locks a file keeps others waiting: so only whoever may open it does. The token to
     * append keeps others from writing.
     */
    private void lock(long ino, Lock lock) {
        if (lock.mode() == Lock.Mode.UNLOCK) {
            return;
        }
        if (lock.kind() == Lock.Kind.APPEND) {
            write(ino);
        } else {
            open(ino);
        }
    }

    /** Other objects may have other bytes: those of an immutable file stay. */
    private void replace(long ino) {
        write(ino);
        Attributes inode = attributes(ino);
        if (inode != null && inode.hasFlag(Attributes.IMMUTABLE)) {
            throw new FsException(
                    Errno.EPERM,
                    "inode %d is immutable: take that away with chattr -i".formatted(ino));
        }
    }

    /** Whoever may write to one of them and read the other one could copy. */
    private void share(long ino, long sourceIno) {
        replace(ino);
        Attributes source = attributes(sourceIno);
        if (source != null && !owns(source)) {
            demand(source, READ);
        }
    }

    /** Protected contents stay. Only the owner changes the policy, which goes with them. */
    private void swap(ContentMutation.SwapContents m) {
        Inode one = namespace.inode(m.ino());
        Inode other = namespace.inode(m.otherIno());
        boolean isPolicyChange =
                one != null && other != null && !one.policy().equals(other.policy());
        for (long ino : new long[] {m.ino(), m.otherIno()}) {
            write(ino);
            requireUnprotected(ino);
            if (isPolicyChange) {
                own(ino);
            }
        }
    }

    private void requireUnprotected(long ino) {
        Attributes inode = attributes(ino);
        if (inode != null && inode.hasFlag(Attributes.PROTECTING)) {
            throw new FsException(
                    Errno.EPERM,
                    "inode %d is immutable or append-only: move its contents on a mount without"
                                    .formatted(ino)
                            + " maproot and mapall");
        }
    }

    /** A file that is there already is opened, and told. */
    private void openExisting(long directoryIno, Name name) {
        if (namespace.read(0, new Query.Lookup(directoryIno, name))
                instanceof Reply.EntryReply found) {
            open(found.inode().ino());
        }
    }

    /** The directory may give its group to what is made in it. */
    private void setgidOfNew(long directoryIno, int mode) {
        Attributes directory = attributes(directoryIno);
        if (directory != null && (directory.mode() & SETGID) != 0) {
            setgid(mode, directory.gid());
        }
    }

    /** Nobody runs programs as a group that no user of the mount is in. */
    private void setgid(int mode, int gid) {
        if ((mode & SETGID) != 0 && (mode & GROUP_EXECUTE) != 0 && !isInGroup(gid)) {
            throw new FsException(Errno.EPERM, "no user of this mount is in group " + gid);
        }
    }

    private boolean isInGroup(int gid) {
        return isOne ? gid == mapping.gid() : gid != 0;
    }

    private void open(long ino) {
        Attributes inode = attributes(ino);
        if (inode != null && !mayOpen(inode)) {
            demand(inode, READ);
        }
    }

    private boolean mayOpen(Attributes inode) {
        return owns(inode) || grants(inode, READ) || grants(inode, WRITE) || grants(inode, SEARCH);
    }

    /**
     * What is told of an inode: no contents of a file that nobody here may open. Whoever may only
     * write needs them, too: a client moves them to chunks when the file grows.
     */
    Inode readable(Inode inode) {
        byte[] inline = inode.inline();
        Attributes attributes = inode.attributes();
        if (inline == null || !attributes.isFile() || mayOpen(attributes)) {
            return inode;
        }
        return inode.withContents(inode.layout(), new byte[inline.length]);
    }

    private void own(long ino) {
        Attributes inode = attributes(ino);
        if (inode != null && !owns(inode)) {
            throw new FsException(
                    Errno.EPERM,
                    "inode %d does not belong to the users of this mount (%s)"
                            .formatted(ino, mapping.text()));
        }
    }

    private void change(TreeMutation.SetAttributes m) {
        Attributes inode = attributes(m.ino());
        AttributeChange change = m.change();
        if (inode == null) {
            return;
        }
        chown(inode, change);
        if (change.has(AttributeChange.MODE)) {
            own(m.ino());
            setgid(change.mode(), change.has(AttributeChange.GID) ? change.gid() : inode.gid());
        }
        if (change.has(AttributeChange.FLAGS)) {
            own(m.ino());
            requireUnprotecting(inode, change);
        }
        if (change.has(AttributeChange.SIZE | AttributeChange.KILL_PRIVILEGE)) {
            write(m.ino());
        }
        // As where it is applied: with a time that somebody sets it is no noted read.
        boolean isRead =
                change.has(AttributeChange.KEEP_CTIME) && !change.has(AttributeChange.MTIME);
        if (change.has(AttributeChange.ATIME | AttributeChange.MTIME) && !isRead) {
            boolean isNow =
                    (!change.has(AttributeChange.ATIME) || change.has(AttributeChange.ATIME_NOW))
                            && (!change.has(AttributeChange.MTIME)
                                    || change.has(AttributeChange.MTIME_NOW));
            if (isNow) {
                write(m.ino());
            } else {
                own(m.ino());
            }
        }
    }

    private static void requireUnprotecting(Attributes inode, AttributeChange change) {
        int changed = change.flagsAfter(inode.flags()) ^ inode.flags();
        if ((changed & Attributes.PROTECTING) != 0) {
            throw new FsException(
                    Errno.EPERM, "only root makes inodes immutable or append-only, or undoes it");
        }
    }

    /** What is told and what becomes of it when it is mapped: neither gives a file away. */
    private void chown(Attributes inode, AttributeChange change) {
        if (change.has(AttributeChange.UID)
                && (change.uid() != inode.uid() || mapping.mapUid(change.uid()) != inode.uid())) {
            throw new FsException(Errno.EPERM, "only root may give files away");
        }
        if (change.has(AttributeChange.GID)
                && (change.gid() != inode.gid() || mapping.mapGid(change.gid()) != inode.gid())) {
            own(inode.ino());
            if (!isInGroup(change.gid())) {
                throw new FsException(Errno.EPERM, "no user of this mount is in this group");
            }
        }
    }

    private void setXattr(long ino, byte[] name) {
        if (Needs.isAcl(name)) {
            own(ino);
        } else if (new String(name, StandardCharsets.ISO_8859_1).startsWith("user.")) {
            write(ino);
        } else {
            throw new FsException(Errno.EPERM, "only root may set attributes of the system");
        }
    }

    private void getXattr(Query.GetXattr m) {
        String name = new String(m.name(), StandardCharsets.ISO_8859_1);
        if (name.startsWith("trusted.")) {
            throw new FsException(Errno.ENODATA, "only root sees " + name);
        }
        if (name.startsWith("user.")) {
            demand(attributes(m.ino()), READ);
        }
    }
}
