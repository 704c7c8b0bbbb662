package io.cairn.client.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Acl;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import java.nio.charset.StandardCharsets;

/**
 * The rights of callers: all rules of POSIX (and of Linux where POSIX is silent) in one place. Each
 * method throws EACCES or EPERM, or returns what the caller may do. Callers that the kernel has
 * checked ({@link Caller#checked()}) pass every test; what remains even for them is said at the
 * method. Pure functions; thread-safe.
 */
public final class Permissions {
    private static final int SETUID = 04000;
    private static final int SETGID = 02000;
    private static final int STICKY = 01000;
    private static final int GROUP_EXECUTE = 010;
    private static final int ANY_EXECUTE = 0111;

    /** Operations on an extended attribute. */
    enum XattrUse {
        GET,
        SET
    }

    private Permissions() {}

    private static boolean isFree(Caller caller) {
        return caller.checked() || caller.uid() == 0;
    }

    private static boolean isOwner(Caller caller, Attributes inode) {
        return caller.uid() == 0 || caller.uid() == inode.uid();
    }

    /** Whether mode bits and access control list grant all of the {@code ACCESS_} bits. */
    static boolean grants(Caller caller, Attributes inode, int accessBits) {
        if (caller.checked()) {
            return true;
        }
        int mode = inode.mode();
        if (caller.uid() == 0) {
            return (accessBits & FileSystem.ACCESS_EXECUTE) == 0
                    || inode.isDirectory()
                    || (mode & ANY_EXECUTE) != 0;
        }
        Acl acl = inode.acls().access();
        if (acl != null && caller.uid() != inode.uid()) {
            return acl.grants(caller, inode.gid(), accessBits);
        }
        int granted;
        if (caller.uid() == inode.uid()) {
            granted = mode >> 6;
        } else if (caller.isInGroup(inode.gid())) {
            granted = mode >> 3;
        } else {
            granted = mode;
        }
        return (granted & accessBits) == accessBits;
    }

    /** EACCES unless mode bits and access control list grant all of the {@code ACCESS_} bits. */
    public static void require(Caller caller, Attributes inode, int accessBits) {
        if ((accessBits & FileSystem.ACCESS_WRITE) != 0) {
            PastInode.requireLiving(inode.ino());
            requireMutable(inode);
        }
        if (!grants(caller, inode, accessBits)) {
            throw new FsException(Errno.EACCES);
        }
    }

    /** EPERM for an immutable inode, which is told before a missing right. */
    public static void requireMutable(Attributes inode) {
        if (inode.hasFlag(Attributes.IMMUTABLE)) {
            throw new FsException(Errno.EPERM, "inode " + inode.ino() + " is immutable");
        }
    }

    /** EPERM for an append-only inode. */
    public static void requireNoAppend(Attributes inode) {
        if (inode.hasFlag(Attributes.APPEND)) {
            throw new FsException(Errno.EPERM, "inode " + inode.ino() + " is append-only");
        }
    }

    /** ENOTDIR for anything but a directory, before rights are checked. */
    private static void requireDirectory(Attributes inode) {
        if (!inode.isDirectory()) {
            throw new FsException(Errno.ENOTDIR, "inode " + inode.ino() + " is not a directory");
        }
    }

    /** To look a name up. */
    public static void search(Caller caller, Attributes directory) {
        requireDirectory(directory);
        require(caller, directory, FileSystem.ACCESS_EXECUTE);
    }

    /** To list the names. */
    static void list(Caller caller, Attributes directory) {
        requireDirectory(directory);
        require(caller, directory, FileSystem.ACCESS_READ);
    }

    /** To add a name. */
    static void add(Caller caller, Attributes directory) {
        requireDirectory(directory);
        require(caller, directory, FileSystem.ACCESS_EXECUTE | FileSystem.ACCESS_WRITE);
    }

    /** To take a name away: in a sticky directory only from the owner of either. */
    static void remove(Caller caller, Attributes directory, Attributes victim) {
        add(caller, directory);
        if ((directory.mode() & STICKY) != 0
                && !caller.checked()
                && !isOwner(caller, directory)
                && !isOwner(caller, victim)) {
            throw new FsException(Errno.EPERM, "the directory is sticky");
        }
    }

    /** To move a directory to another parent, which rewrites its {@code ..}. */
    static void reparent(Caller caller, Attributes directory) {
        require(caller, directory, FileSystem.ACCESS_WRITE);
    }

    /** To make a special file: devices are for the superuser. */
    static void makeNode(Caller caller, FileType type) {
        boolean device = type == FileType.CHARACTER_DEVICE || type == FileType.BLOCK_DEVICE;
        if (device && !isFree(caller)) {
            throw new FsException(Errno.EPERM, "only root may make devices");
        }
    }

    /** The mode of a new file: no setgid for a group that the caller is not in. */
    static int modeOfNew(Caller caller, Attributes parent, int mode) {
        boolean foreign =
                !isFree(caller) && (parent.mode() & SETGID) != 0 && !caller.isInGroup(parent.gid());
        int both = SETGID | GROUP_EXECUTE;
        return foreign && (mode & both) == both ? mode & ~SETGID : mode;
    }

    /** To open a file with flags as for open(2). */
    public static void open(Caller caller, Attributes file, int flags) {
        int bits =
                switch (flags & FileSystem.O_ACCMODE) {
                    case FileSystem.O_RDONLY -> FileSystem.ACCESS_READ;
                    case FileSystem.O_WRONLY -> FileSystem.ACCESS_WRITE;
                    case FileSystem.O_RDWR -> FileSystem.ACCESS_READ | FileSystem.ACCESS_WRITE;
                    default -> throw new FsException(Errno.EINVAL, "open flags " + flags);
                };
        if ((flags & FileSystem.O_TRUNC) != 0) {
            bits |= FileSystem.ACCESS_WRITE;
        }
        require(caller, file, bits);
        boolean appends = (flags & FileSystem.O_APPEND) != 0;
        boolean writes = (flags & FileSystem.O_ACCMODE) != FileSystem.O_RDONLY;
        if (writes && !appends || (flags & FileSystem.O_TRUNC) != 0) {
            requireNoAppend(file);
        }
    }

    /** Whether a write or truncation by this caller takes setuid and setgid away. */
    public static boolean losesPrivilege(Caller caller, Attributes file) {
        int both = SETGID | GROUP_EXECUTE;
        return !isFree(caller) && ((file.mode() & SETUID) != 0 || (file.mode() & both) == both);
    }

    /**
     * To change attributes; returns the change to make. For every caller, changing owner or group
     * of anything but a directory takes setuid and setgid away.
     */
    static AttributeChange change(Caller caller, Attributes inode, AttributeChange wanted) {
        AttributeChange change = wanted;
        if (wanted.has(AttributeChange.UID | AttributeChange.GID)) {
            requireChown(caller, inode, wanted);
            if (!inode.isDirectory()) {
                change = change.withBits(AttributeChange.KILL_PRIVILEGE);
            }
        }
        if (wanted.has(AttributeChange.MODE) && !isFree(caller)) {
            if (!isOwner(caller, inode)) {
                throw new FsException(Errno.EPERM, "only the owner may change the mode");
            }
            int gid = wanted.has(AttributeChange.GID) ? wanted.gid() : inode.gid();
            if (!caller.isInGroup(gid)) {
                change = change.withMode(change.mode() & ~SETGID);
            }
        }
        if (wanted.has(AttributeChange.SIZE)) {
            require(caller, inode, FileSystem.ACCESS_WRITE);
            requireNoAppend(inode);
            if (losesPrivilege(caller, inode)) {
                change = change.withBits(AttributeChange.KILL_PRIVILEGE);
            }
        }
        if (wanted.has(AttributeChange.FLAGS)) {
            requireFlags(caller, inode, wanted);
        }
        if (wanted.has(AttributeChange.ATIME | AttributeChange.MTIME)) {
            requireUtimes(caller, inode, wanted);
        }
        return change;
    }

    /**
     * Even of callers that the kernel has checked only root protects an inode, or opens it. Kernels
     * before 5.13 do not check the owner either.
     */
    private static void requireFlags(Caller caller, Attributes inode, AttributeChange wanted) {
        if (!isOwner(caller, inode)) {
            throw new FsException(Errno.EPERM, "only the owner may change the flags");
        }
        int changed = wanted.flagsAfter(inode.flags()) ^ inode.flags();
        if ((changed & Attributes.PROTECTING) != 0 && caller.uid() != 0) {
            throw new FsException(
                    Errno.EPERM, "only root makes inodes immutable or append-only, or undoes it");
        }
    }

    private static void requireChown(Caller caller, Attributes inode, AttributeChange wanted) {
        if (isFree(caller)) {
            return;
        }
        boolean owner = caller.uid() == inode.uid();
        boolean uidOk = !wanted.has(AttributeChange.UID) || (owner && wanted.uid() == inode.uid());
        boolean gidOk =
                !wanted.has(AttributeChange.GID)
                        || (owner
                                && (wanted.gid() == inode.gid() || caller.isInGroup(wanted.gid())));
        if (!uidOk || !gidOk) {
            throw new FsException(Errno.EPERM, "only root may give files away");
        }
    }

    /** Explicit times are the owner's; the current time may also be set by who may write. */
    private static void requireUtimes(Caller caller, Attributes inode, AttributeChange wanted) {
        if (isFree(caller) || isOwner(caller, inode)) {
            return;
        }
        int now = AttributeChange.ATIME_NOW | AttributeChange.MTIME_NOW;
        if ((wanted.mask() & now) != now) {
            throw new FsException(Errno.EPERM, "only the owner may set these times");
        }
        require(caller, inode, FileSystem.ACCESS_WRITE);
    }

    /**
     * To use an extended attribute by name. EOPNOTSUPP for namespaces that there are not, for every
     * caller.
     */
    static void xattr(Caller caller, Attributes inode, byte[] name, XattrUse use) {
        if (name.length == 0 || name.length > Name.MAX_BYTES) {
            throw new FsException(Errno.ERANGE, "attribute name of " + name.length + " bytes");
        }
        String text = new String(name, StandardCharsets.ISO_8859_1);
        if (text.startsWith("user.")) {
            requireSuffix(text, "user.");
            userXattr(caller, inode, use);
        } else if (text.startsWith("trusted.")) {
            requireSuffix(text, "trusted.");
            if (!isFree(caller)) {
                throw new FsException(use == XattrUse.GET ? Errno.ENODATA : Errno.EPERM);
            }
        } else if (text.startsWith("security.")) {
            requireSuffix(text, "security.");
            if (use == XattrUse.SET && !isFree(caller)) {
                throw new FsException(Errno.EPERM, "only root may set security attributes");
            }
        } else if (isAcl(name)) {
            acl(caller, inode, use);
        } else {
            throw new FsException(Errno.EOPNOTSUPP, "no attribute namespace for " + text);
        }
    }

    private static void requireSuffix(String name, String prefix) {
        if (name.length() == prefix.length()) {
            throw new FsException(Errno.EINVAL, "attribute name without a name");
        }
    }

    /** Whether an attribute is one of the access control lists. */
    static boolean isAcl(byte[] name) {
        String text = new String(name, StandardCharsets.ISO_8859_1);
        return text.equals(Acl.ACCESS_ATTRIBUTE) || text.equals(Acl.DEFAULT_ATTRIBUTE);
    }

    private static void acl(Caller caller, Attributes inode, XattrUse use) {
        if (inode.type() == FileType.SYMLINK) {
            throw new FsException(Errno.EOPNOTSUPP, "a symbolic link has no ACL");
        }
        if (use == XattrUse.SET && !isFree(caller) && !isOwner(caller, inode)) {
            throw new FsException(Errno.EPERM, "only the owner may change the ACL");
        }
    }

    /** Whether setting the access list takes setgid away: whose group the caller is not in. */
    static boolean losesSetgid(Caller caller, Attributes inode) {
        return !isFree(caller) && (inode.mode() & SETGID) != 0 && !caller.isInGroup(inode.gid());
    }

    private static void userXattr(Caller caller, Attributes inode, XattrUse use) {
        if (inode.type() != FileType.FILE && inode.type() != FileType.DIRECTORY) {
            throw new FsException(use == XattrUse.GET ? Errno.ENODATA : Errno.EPERM);
        }
        if (use == XattrUse.SET
                && inode.isDirectory()
                && (inode.mode() & STICKY) != 0
                && !isFree(caller)
                && !isOwner(caller, inode)) {
            throw new FsException(Errno.EPERM, "the directory is sticky");
        }
        require(
                caller,
                inode,
                use == XattrUse.GET ? FileSystem.ACCESS_READ : FileSystem.ACCESS_WRITE);
    }

    /**
     * Whether a listing shows an attribute to a caller. The kernel leaves this one to the
     * filesystem, so it holds for callers that it has checked, too (xattr(7): trusted).
     */
    static boolean lists(Caller caller, byte[] name) {
        return caller.uid() == 0
                || !new String(name, StandardCharsets.ISO_8859_1).startsWith("trusted.");
    }
}
