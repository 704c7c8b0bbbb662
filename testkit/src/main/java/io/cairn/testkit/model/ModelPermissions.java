package io.cairn.testkit.model;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import java.nio.charset.StandardCharsets;

/**
 * The permission rules of POSIX in their simplest form, written apart from those of the client so
 * that one can be held against the other. Every method passes callers that the kernel has checked.
 */
final class ModelPermissions {
    private ModelPermissions() {}

    /** Throws EACCES unless all {@code ACCESS_} bits are granted. */
    static void require(Caller caller, ModelNode node, int bits) {
        if ((bits & FileSystem.ACCESS_WRITE) != 0) {
            requireNone(node, Attributes.IMMUTABLE);
        }
        if (caller.checked() || (bits & ~granted(caller, node)) == 0) {
            return;
        }
        throw new FsException(Errno.EACCES, "inode " + node.ino + ": permission denied");
    }

    /** EPERM when a node has one of these flags, for every caller. */
    static void requireNone(ModelNode node, int flags) {
        if ((node.flags & flags) != 0) {
            throw new FsException(Errno.EPERM, "inode " + node.ino + " has flags " + node.flags);
        }
    }

    private static int granted(Caller caller, ModelNode node) {
        if (caller.uid() == 0) {
            boolean execute = node.isDirectory() || (node.mode & 0111) != 0;
            return execute ? 7 : 6;
        }
        if (caller.uid() == node.uid) {
            return (node.mode >> 6) & 7;
        }
        return caller.isInGroup(node.gid) ? (node.mode >> 3) & 7 : node.mode & 7;
    }

    /** The rights that {@code open} with these flags needs. */
    static void requireOpen(Caller caller, ModelNode node, int flags) {
        int bits =
                switch (flags & FileSystem.O_ACCMODE) {
                    case FileSystem.O_RDONLY -> FileSystem.ACCESS_READ;
                    case FileSystem.O_WRONLY -> FileSystem.ACCESS_WRITE;
                    default -> FileSystem.ACCESS_READ | FileSystem.ACCESS_WRITE;
                };
        if ((flags & FileSystem.O_TRUNC) != 0) {
            bits |= FileSystem.ACCESS_WRITE;
        }
        require(caller, node, bits);
        boolean writes = (flags & FileSystem.O_ACCMODE) != FileSystem.O_RDONLY;
        if ((flags & FileSystem.O_TRUNC) != 0 || writes && (flags & FileSystem.O_APPEND) == 0) {
            requireNone(node, Attributes.APPEND);
        }
    }

    /** The rights for adding a name to a directory. */
    static void requireAdd(Caller caller, ModelNode directory) {
        require(caller, directory, FileSystem.ACCESS_WRITE | FileSystem.ACCESS_EXECUTE);
    }

    /** The rights for removing a name: write and search, and in a sticky directory ownership. */
    static void requireRemove(Caller caller, ModelNode directory, ModelNode victim) {
        requireAdd(caller, directory);
        requireNone(directory, Attributes.APPEND);
        requireNone(victim, Attributes.PROTECTING);
        boolean sticky = (directory.mode & 01000) != 0;
        if (sticky && !isOwner(caller, victim) && !isOwner(caller, directory)) {
            throw new FsException(Errno.EPERM, "inode " + victim.ino + " in a sticky directory");
        }
    }

    private static boolean isOwner(Caller caller, ModelNode node) {
        return caller.checked() || caller.uid() == 0 || caller.uid() == node.uid;
    }

    /** Whether setgid on a node of this group may be given by the caller. */
    static boolean maySetgid(Caller caller, int gid) {
        return caller.checked() || caller.uid() == 0 || caller.isInGroup(gid);
    }

    /** The rules of chmod, chown, truncate and utimensat. */
    static void requireChange(Caller caller, ModelNode node, AttributeChange change) {
        if (change.has(AttributeChange.SIZE)) {
            ModelTree.requireSize(node, change.size());
        }
        requireUnprotected(node, change);
        requireFlags(caller, node, change);
        if (change.has(AttributeChange.MODE) && !isOwner(caller, node)) {
            throw new FsException(Errno.EPERM, "chmod: not the owner of inode " + node.ino);
        }
        requireChown(caller, node, change);
        if (change.has(AttributeChange.SIZE)) {
            require(caller, node, FileSystem.ACCESS_WRITE);
        }
        int both = AttributeChange.ATIME_NOW | AttributeChange.MTIME_NOW;
        if (change.has(AttributeChange.ATIME | AttributeChange.MTIME) && !isOwner(caller, node)) {
            if ((change.mask() & both) != both) {
                throw new FsException(Errno.EPERM, "utimensat: not the owner of " + node.ino);
            }
            require(caller, node, FileSystem.ACCESS_WRITE);
        }
    }

    private static void requireUnprotected(ModelNode node, AttributeChange change) {
        boolean given =
                change.has(AttributeChange.ATIME) && !change.has(AttributeChange.ATIME_NOW)
                        || change.has(AttributeChange.MTIME)
                                && !change.has(AttributeChange.MTIME_NOW);
        int rights =
                AttributeChange.MODE
                        | AttributeChange.UID
                        | AttributeChange.GID
                        | AttributeChange.SIZE;
        if (change.has(rights) || given) {
            requireNone(node, Attributes.PROTECTING);
        }
        if (change.has(AttributeChange.ATIME | AttributeChange.MTIME)) {
            requireNone(node, Attributes.IMMUTABLE);
        }
    }

    private static void requireFlags(Caller caller, ModelNode node, AttributeChange change) {
        int changed = change.flagsAfter(node.flags) ^ node.flags;
        if (!change.has(AttributeChange.FLAGS)) {
            return;
        }
        if (!isOwner(caller, node)
                || (changed & Attributes.PROTECTING) != 0 && caller.uid() != 0
                || changed != 0 && (node.flags & ~changed & Attributes.IMMUTABLE) != 0) {
            throw new FsException(Errno.EPERM, "flags of inode " + node.ino);
        }
        if ((change.flags() & Attributes.PROTECTING) != 0 && !carriesUserXattr(node)) {
            throw new FsException(Errno.EOPNOTSUPP, "flags of a " + node.type);
        }
    }

    private static void requireChown(Caller caller, ModelNode node, AttributeChange change) {
        if (caller.checked() || caller.uid() == 0) {
            return;
        }
        boolean gives = change.has(AttributeChange.UID) && change.uid() != node.uid;
        boolean groups =
                change.has(AttributeChange.GID)
                        && change.gid() != node.gid
                        && !caller.isInGroup(change.gid());
        boolean any = change.has(AttributeChange.UID | AttributeChange.GID);
        if (gives || groups || (any && caller.uid() != node.uid)) {
            throw new FsException(Errno.EPERM, "chown of inode " + node.ino);
        }
    }

    /** The rules of xattr(7) for reading a name: what must not be seen does not exist. */
    static void requireXattrRead(Caller caller, ModelNode node, byte[] name) {
        String text = checkedPrefix(name);
        if (text.startsWith("trusted.") && !isSuperuser(caller)) {
            throw new FsException(Errno.ENODATA);
        }
        if (text.startsWith("user.")) {
            if (!carriesUserXattr(node)) {
                throw new FsException(Errno.ENODATA);
            }
            require(caller, node, FileSystem.ACCESS_READ);
        }
    }

    /** The rules of xattr(7) for setting and removing a name. */
    static void requireXattrWrite(Caller caller, ModelNode node, byte[] name) {
        String text = checkedPrefix(name);
        requireNone(node, Attributes.PROTECTING);
        if (!text.startsWith("user.")) {
            if (!isSuperuser(caller)) {
                throw new FsException(Errno.EPERM, text + " is for the superuser");
            }
            return;
        }
        if (!carriesUserXattr(node)) {
            throw new FsException(Errno.EPERM, text + " on a " + node.type);
        }
        if (node.isDirectory() && (node.mode & 01000) != 0 && !isOwner(caller, node)) {
            throw new FsException(Errno.EPERM, text + " on a sticky directory");
        }
        require(caller, node, FileSystem.ACCESS_WRITE);
    }

    /** Whether listxattr shows a name. */
    static boolean showsXattr(Caller caller, String name) {
        return !name.startsWith("trusted.") || isSuperuser(caller);
    }

    /** Of a checked caller too: the kernel does not filter what a filesystem lists. */
    private static boolean isSuperuser(Caller caller) {
        return caller.uid() == 0;
    }

    private static boolean carriesUserXattr(ModelNode node) {
        return node.type == FileType.FILE || node.isDirectory();
    }

    private static String checkedPrefix(byte[] name) {
        String text = new String(name, StandardCharsets.ISO_8859_1);
        if (text.isEmpty() || text.length() > 255) {
            throw new FsException(Errno.ERANGE, "attribute name of " + text.length() + " bytes");
        }
        for (String prefix : new String[] {"user.", "trusted.", "security."}) {
            if (text.startsWith(prefix)) {
                if (text.length() == prefix.length()) {
                    throw new FsException(Errno.EINVAL, "attribute name without a name");
                }
                return text;
            }
        }
        throw new FsException(Errno.EOPNOTSUPP, "unknown attribute namespace: " + text);
    }
}
