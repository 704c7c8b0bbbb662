package io.cairn.testkit.posix;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fs.Usage;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The calls of {@link SeamPosix} for which the form of a path matters: what follows, what may end
 * in a slash, what {@code .} and {@code ..} mean at the end. Immutable.
 */
record SeamPaths(FileSystem fs, Caller caller, long directoryIno, String workingDirectory) {
    private static final int MAX_WALKS = 20;

    /** The result of an open: the file is null for a directory. */
    record Opened(long ino, @Nullable OpenFile file) {}

    SeamPaths as(Caller other) {
        return new SeamPaths(fs, other, directoryIno, workingDirectory);
    }

    SeamPaths in(String directory) {
        Attributes found = find(directory, true);
        if (!found.isDirectory()) {
            throw new FsException(Errno.ENOTDIR, directory);
        }
        String base = workingDirectory.equals("/") ? "" : workingDirectory;
        String path =
                directory.equals(".")
                        ? workingDirectory
                        : directory.startsWith("/") ? directory : base + "/" + directory;
        return new SeamPaths(fs, caller, found.ino(), path);
    }

    private SeamWalk walk() {
        return new SeamWalk(fs, caller, directoryIno);
    }

    Attributes find(String path, boolean follow) {
        return walk().find(path, follow);
    }

    /**
     * Opens by path: a lookup and an open. A file that is replaced between the two is gone, and the
     * path is walked again, as a kernel does.
     */
    Opened open(String path, int flags, int mode) {
        for (int walks = 1; ; walks++) {
            try {
                return openOnce(path, flags, mode);
            } catch (FsException e) {
                if (e.errno() != Errno.ESTALE || walks == MAX_WALKS) {
                    throw e;
                }
            }
        }
    }

    private Opened openOnce(String path, int flags, int mode) {
        if ((flags & Posix.O_TMPFILE) == Posix.O_TMPFILE) {
            return openUnnamed(find(path, true), flags, mode);
        }
        if ((flags & Posix.O_CREAT) == 0) {
            Attributes found = find(path, (flags & Posix.O_NOFOLLOW) == 0);
            return openFound(found, flags);
        }
        if ((flags & Posix.O_DIRECTORY) != 0) {
            throw new FsException(Errno.EINVAL, "O_CREAT with O_DIRECTORY");
        }
        boolean exclusive = (flags & Posix.O_EXCL) != 0;
        boolean follow = !exclusive && (flags & Posix.O_NOFOLLOW) == 0;
        SeamWalk.Parent parent = follow ? walk().creatable(path) : walk().parent(path);
        if (parent.slash() && !parent.isDots()) {
            throw new FsException(Errno.EISDIR, path);
        }
        if (parent.isDots()) {
            throw new FsException(exclusive ? Errno.EEXIST : Errno.EISDIR, path);
        }
        Attributes found = walk().lookup(parent);
        if (found == null) {
            FileSystem.Created created =
                    fs.create(
                            caller,
                            parent.directoryIno(),
                            parent.name(),
                            mode & 07777,
                            pure(flags));
            return new Opened(created.attributes().ino(), created.file());
        }
        if (exclusive) {
            throw new FsException(Errno.EEXIST, path);
        }
        if (found.isDirectory()) {
            throw new FsException(Errno.EISDIR, path);
        }
        return openFound(found, flags & ~Posix.O_CREAT);
    }

    private Opened openUnnamed(Attributes directory, int flags, int mode) {
        if ((flags & FileSystem.O_ACCMODE) == FileSystem.O_RDONLY) {
            throw new FsException(Errno.EINVAL, "O_TMPFILE is for writing");
        }
        FileSystem.Created created =
                fs.createUnnamed(
                        caller,
                        directory.ino(),
                        mode & 07777,
                        flags & ~(Posix.O_TMPFILE | Posix.O_NOFOLLOW));
        return new Opened(created.attributes().ino(), created.file());
    }

    private Opened openFound(Attributes found, int flags) {
        if (!found.isDirectory()) {
            if ((flags & Posix.O_DIRECTORY) != 0) {
                throw new FsException(Errno.ENOTDIR, "inode " + found.ino());
            }
            if (found.type() == FileType.SYMLINK) {
                throw new FsException(Errno.ELOOP, "inode " + found.ino());
            }
            return new Opened(found.ino(), fs.open(caller, found.ino(), pure(flags)));
        }
        if ((flags & (FileSystem.O_ACCMODE | Posix.O_TRUNC)) != 0) {
            throw new FsException(Errno.EISDIR, "inode " + found.ino());
        }
        fs.access(caller, found.ino(), FileSystem.ACCESS_READ);
        return new Opened(found.ino(), null);
    }

    /** Without the flags that are of paths only. */
    private static int pure(int flags) {
        return flags & ~(Posix.O_DIRECTORY | Posix.O_NOFOLLOW);
    }

    /** Where a new name goes; only directories may be asked for with a slash at the end. */
    SeamWalk.Parent addable(String path, boolean directory) {
        SeamWalk.Parent parent = walk().parent(path);
        if (parent.isDots()) {
            throw new FsException(Errno.EEXIST, path);
        }
        if (parent.slash() && !directory) {
            boolean exists = walk().lookup(parent) != null;
            throw new FsException(exists ? Errno.EEXIST : Errno.ENOENT, path);
        }
        return parent;
    }

    Posix.Volume volume(String path) {
        Usage u = fs.usage(find(path, true).ino());
        return new Posix.Volume(
                4096,
                u.totalBytes() / 4096,
                u.freeBytes() / 4096,
                u.availableBytes() / 4096,
                u.inodes() + u.freeInodes(),
                u.freeInodes(),
                Name.MAX_BYTES);
    }

    void unlink(String path) {
        SeamWalk.Parent parent = walk().parent(path);
        if (parent.isDots()) {
            throw new FsException(Errno.EISDIR, path);
        }
        if (parent.slash()) {
            Attributes found = require(parent);
            throw new FsException(found.isDirectory() ? Errno.EISDIR : Errno.ENOTDIR, path);
        }
        fs.unlink(caller, parent.directoryIno(), parent.name());
    }

    void rmdir(String path) {
        SeamWalk.Parent parent = walk().parent(path);
        switch (parent.last()) {
            case "" -> throw new FsException(Errno.EBUSY, path);
            case "." -> throw new FsException(Errno.EINVAL, path);
            case ".." -> throw new FsException(Errno.ENOTEMPTY, path);
            default -> fs.rmdir(caller, parent.directoryIno(), parent.name());
        }
    }

    void rename(String oldPath, String newPath, int flags) {
        boolean noReplace = (flags & FileSystem.RENAME_NOREPLACE) != 0;
        boolean exchange = (flags & FileSystem.RENAME_EXCHANGE) != 0;
        if (flags < 0 || flags > 7 || (exchange && flags != FileSystem.RENAME_EXCHANGE)) {
            throw new FsException(Errno.EINVAL, "rename flags " + flags);
        }
        SeamWalk.Parent from = walk().parent(oldPath);
        SeamWalk.Parent to = walk().parent(newPath);
        if (from.isDots()) {
            throw new FsException(Errno.EBUSY, oldPath);
        }
        if (to.isDots()) {
            throw new FsException(noReplace ? Errno.EEXIST : Errno.EBUSY, newPath);
        }
        if (from.slash() || to.slash()) {
            Attributes source = require(from);
            Attributes target = exchange ? require(to) : walk().lookup(to);
            if (noReplace && target != null) {
                throw new FsException(Errno.EEXIST, newPath);
            }
            boolean otherIsDirectory =
                    !exchange || !to.slash() || (target != null && target.isDirectory());
            boolean sourceMatters = from.slash() || !exchange;
            if (!otherIsDirectory || (sourceMatters && !source.isDirectory())) {
                throw new FsException(Errno.ENOTDIR, oldPath + " to " + newPath);
            }
        }
        fs.rename(caller, from.directoryIno(), from.name(), to.directoryIno(), to.name(), flags);
    }

    private Attributes require(SeamWalk.Parent parent) {
        return fs.lookup(caller, parent.directoryIno(), parent.name());
    }

    /** A chown; -1 leaves an id. */
    static AttributeChange owner(int uid, int gid) {
        AttributeChange change = AttributeChange.NONE;
        if (uid != -1) {
            change = change.withUid(uid);
        }
        return gid == -1 ? change : change.withGid(gid);
    }

    /** A utimensat; of nothing when both times are UTIME_OMIT. */
    static AttributeChange times(long atimeNs, long mtimeNs) {
        AttributeChange change = AttributeChange.NONE;
        if (atimeNs == Posix.UTIME_NOW) {
            change = change.withBits(AttributeChange.ATIME | AttributeChange.ATIME_NOW);
        } else if (atimeNs != Posix.UTIME_OMIT) {
            change = change.withAtime(atimeNs);
        }
        if (mtimeNs == Posix.UTIME_NOW) {
            return change.withBits(AttributeChange.MTIME | AttributeChange.MTIME_NOW);
        }
        return mtimeNs == Posix.UTIME_OMIT ? change : change.withMtime(mtimeNs);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
