package io.cairn.testkit.posix;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * System calls over any {@link FileSystem}: what the kernel does above a filesystem, in its
 * simplest form. Thread-safe.
 */
public final class SeamPosix implements Posix {
    private static final long LOCK_WAIT_MS = 30_000;
    private static final int PAGE_ENTRIES = 7;
    private static final int MODE_BITS = 07777;

    private final FileSystem fs;
    private final SeamLimits limits;
    private final SeamPaths paths;
    private final SeamDescriptors table;
    private final Caller caller;

    /**
     * The capabilities and limits of the filesystem below.
     *
     * @param capabilities what cases may ask of it
     * @param reachableLinks see {@link Posix#reachableLinks}
     */
    public record SeamLimits(Set<Capability> capabilities, int reachableLinks) {
        /** All that a seam can express without a kernel, with this LINK_MAX. */
        public static SeamLimits all(int reachableLinks) {
            return new SeamLimits(
                    EnumSet.complementOf(EnumSet.of(Capability.MMAP, Capability.FILE_CAPABILITIES)),
                    reachableLinks);
        }
    }

    /** A process of the superuser in the root directory. */
    public SeamPosix(FileSystem fs, SeamLimits limits) {
        this(
                fs,
                limits,
                new SeamPaths(fs, Caller.ROOT, FileSystem.ROOT_INO, "/"),
                new SeamDescriptors(fs, new AtomicLong()));
    }

    private SeamPosix(FileSystem fs, SeamLimits limits, SeamPaths paths, SeamDescriptors table) {
        this.fs = fs;
        this.limits = limits;
        this.paths = paths;
        this.caller = paths.caller();
        this.table = table;
    }

    @Override
    public Set<Capability> capabilities() {
        return limits.capabilities();
    }

    @Override
    public int reachableLinks() {
        return limits.reachableLinks();
    }

    @Override
    public Posix as(Caller other) {
        return new SeamPosix(fs, limits, paths.as(other), table);
    }

    @Override
    public Posix process(String directory) {
        return new SeamPosix(fs, limits, paths.in(directory), table.another());
    }

    @Override
    public String workingDirectory() {
        return paths.workingDirectory();
    }

    @Override
    public int open(String path, int flags, int mode) {
        SeamPaths.Opened opened = paths.open(path, flags, mode);
        return table.add(opened.ino(), flags, opened.file());
    }

    @Override
    public int dup(int fd) {
        return table.duplicate(fd);
    }

    @Override
    public void close(int fd) {
        table.close(fd);
    }

    @Override
    public byte[] read(int fd, int length) {
        OpenFile file = table.file(fd, Errno.EISDIR);
        SeamDescriptor description = table.get(fd);
        synchronized (description) {
            byte[] bytes = read(file, length, description.offset);
            description.offset += bytes.length;
            return bytes;
        }
    }

    @Override
    public byte[] pread(int fd, int length, long offset) {
        return read(table.file(fd, Errno.EISDIR), length, offset);
    }

    private static byte[] read(OpenFile file, int length, long offset) {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        file.read(requireOffset(offset), buffer);
        byte[] bytes = new byte[buffer.position()];
        buffer.flip().get(bytes);
        return bytes;
    }

    private static long requireOffset(long offset) {
        if (offset < 0) {
            throw new FsException(Errno.EINVAL, "offset " + offset);
        }
        return offset;
    }

    @Override
    public int write(int fd, byte[] bytes) {
        OpenFile file = table.file(fd, Errno.EBADF);
        return table.get(fd).write(file, bytes);
    }

    @Override
    public void setAppend(int fd, boolean append) {
        table.get(fd).setAppend(append);
    }

    @Override
    public int pwrite(int fd, byte[] bytes, long offset) {
        if (offset > Long.MAX_VALUE - bytes.length) {
            throw new FsException(Errno.EINVAL, "offset " + offset);
        }
        boolean append = table.get(fd).appends();
        OpenFile file = table.file(fd, Errno.EBADF);
        return file.write(requireOffset(offset), ByteBuffer.wrap(bytes), append);
    }

    @Override
    public long lseek(int fd, long offset, int whence) {
        OpenFile file = table.file(fd, Errno.EINVAL);
        SeamDescriptor description = table.get(fd);
        synchronized (description) {
            long target =
                    switch (whence) {
                        case SEEK_SET -> offset;
                        case SEEK_CUR -> description.offset + offset;
                        case SEEK_END -> file.attributes().size() + offset;
                        case SEEK_DATA -> seek(file, offset, true);
                        case SEEK_HOLE -> seek(file, offset, false);
                        default -> -1;
                    };
            description.offset = requireOffset(target);
            return target;
        }
    }

    private static long seek(OpenFile file, long offset, boolean data) {
        if (offset < 0) {
            throw new FsException(Errno.ENXIO, "offset " + offset);
        }
        return file.seek(offset, data);
    }

    @Override
    public void fsync(int fd) {
        sync(fd, false);
    }

    @Override
    public void fdatasync(int fd) {
        sync(fd, true);
    }

    private void sync(int fd, boolean dataOnly) {
        OpenFile file = table.get(fd).file;
        if (file != null) {
            file.sync(dataOnly);
        }
    }

    @Override
    public void ftruncate(int fd, long length) {
        SeamDescriptor description = table.get(fd);
        if (length < 0 || description.file == null || (description.flags & 3) == O_RDONLY) {
            throw new FsException(Errno.EINVAL, "ftruncate to " + length);
        }
        AttributeChange change = AttributeChange.NONE.withSize(length);
        fs.setAttributes(SeamDescriptors.trusted(caller), description.ino, change);
    }

    @Override
    public void fallocate(int fd, int mode, long offset, long length) {
        OpenFile file = table.file(fd, Errno.EBADF);
        file.allocate(mode, offset, length);
    }

    @Override
    public long copyRange(int from, long fromOffset, int to, long toOffset, long length) {
        return table.copyRange(from, fromOffset, to, toOffset, length);
    }

    @Override
    public Stat fstat(int fd) {
        SeamDescriptor description = table.get(fd);
        OpenFile file = description.file;
        return Stat.of(
                file == null ? fs.getAttributes(caller, description.ino) : file.attributes());
    }

    @Override
    public void fchmod(int fd, int mode) {
        change(table.get(fd).ino, AttributeChange.NONE.withMode(mode & MODE_BITS));
    }

    @Override
    public void fchown(int fd, int uid, int gid) {
        change(table.get(fd).ino, SeamPaths.owner(uid, gid));
    }

    @Override
    public void futimens(int fd, long atimeNs, long mtimeNs) {
        SeamDescriptor description = table.get(fd);
        if (atimeNs != UTIME_OMIT || mtimeNs != UTIME_OMIT) {
            change(description.ino, SeamPaths.times(atimeNs, mtimeNs));
        }
    }

    private void change(long ino, AttributeChange change) {
        fs.setAttributes(caller, ino, change);
    }

    @Override
    public byte[] mapRead(int fd, long offset, int length) {
        throw new FsException(Errno.ENODEV, "memory maps need a kernel");
    }

    @Override
    public void mapWrite(int fd, long offset, byte[] bytes) {
        throw new FsException(Errno.ENODEV, "memory maps need a kernel");
    }

    @Override
    public Stat stat(String path) {
        return Stat.of(paths.find(path, true));
    }

    @Override
    public Stat lstat(String path) {
        return Stat.of(paths.find(path, false));
    }

    @Override
    public void access(String path, int bits) {
        if ((bits & ~7) != 0) {
            throw new FsException(Errno.EINVAL, "access bits " + bits);
        }
        fs.access(caller, paths.find(path, true).ino(), bits);
    }

    @Override
    public void mkdir(String path, int mode) {
        SeamWalk.Parent parent = paths.addable(path, true);
        fs.mkdir(caller, parent.directoryIno(), parent.name(), mode & 01777);
    }

    @Override
    public void mknod(String path, FileType type, int mode, long rdev) {
        SeamWalk.Parent parent = paths.addable(path, false);
        int bits = mode & MODE_BITS;
        fs.mknod(caller, parent.directoryIno(), parent.name(), type, bits, rdev);
    }

    @Override
    public void symlink(String target, String path) {
        if (target.isEmpty()) {
            throw new FsException(Errno.ENOENT, "a symbolic link to nothing");
        }
        if (target.length() >= FileSystem.MAX_PATH_BYTES) {
            throw new FsException(Errno.ENAMETOOLONG, "target of " + target.length());
        }
        SeamWalk.Parent parent = paths.addable(path, false);
        fs.symlink(caller, parent.directoryIno(), parent.name(), SeamPaths.bytes(target));
    }

    @Override
    public String readlink(String path) {
        return SeamPaths.text(fs.readlink(caller, paths.find(path, false).ino()));
    }

    @Override
    public void link(String existing, String path) {
        Attributes node = paths.find(existing, false);
        SeamWalk.Parent parent = paths.addable(path, false);
        fs.link(caller, node.ino(), parent.directoryIno(), parent.name());
    }

    @Override
    public void linkOpen(int fd, String path) {
        SeamWalk.Parent parent = paths.addable(path, false);
        fs.link(caller, table.get(fd).ino, parent.directoryIno(), parent.name());
    }

    @Override
    public void unlink(String path) {
        paths.unlink(path);
    }

    @Override
    public void rmdir(String path) {
        paths.rmdir(path);
    }

    @Override
    public void rename(String from, String to, int flags) {
        paths.rename(from, to, flags);
    }

    @Override
    public void chmod(String path, int mode) {
        change(paths.find(path, true).ino(), AttributeChange.NONE.withMode(mode & MODE_BITS));
    }

    @Override
    public void chown(String path, int uid, int gid) {
        change(paths.find(path, true).ino(), SeamPaths.owner(uid, gid));
    }

    @Override
    public void lchown(String path, int uid, int gid) {
        change(paths.find(path, false).ino(), SeamPaths.owner(uid, gid));
    }

    @Override
    public void truncate(String path, long length) {
        if (length < 0) {
            throw new FsException(Errno.EINVAL, "truncate to " + length);
        }
        change(paths.find(path, true).ino(), AttributeChange.NONE.withSize(length));
    }

    @Override
    public void utimens(String path, long atimeNs, long mtimeNs) {
        utimens(path, true, SeamPaths.times(atimeNs, mtimeNs));
    }

    @Override
    public void lutimens(String path, long atimeNs, long mtimeNs) {
        utimens(path, false, SeamPaths.times(atimeNs, mtimeNs));
    }

    private void utimens(String path, boolean follow, AttributeChange times) {
        if (times.mask() != 0) {
            change(paths.find(path, follow).ino(), times);
        }
    }

    @Override
    public Volume statvfs(String path) {
        return paths.volume(path);
    }

    @Override
    public byte[] getxattr(String path, String name, int size) {
        byte[] value = fs.getXattr(caller, paths.find(path, true).ino(), SeamPaths.bytes(name));
        if (size == 0) {
            return new byte[value.length];
        }
        if (value.length > size) {
            throw new FsException(Errno.ERANGE, "value of " + value.length + " bytes");
        }
        return value;
    }

    @Override
    public void setxattr(String path, String name, byte[] value, int flags) {
        setxattr(paths.find(path, true), name, value, flags);
    }

    @Override
    public void lsetxattr(String path, String name, byte[] value, int flags) {
        setxattr(paths.find(path, false), name, value, flags);
    }

    private void setxattr(Attributes node, String name, byte[] value, int flags) {
        fs.setXattr(caller, node.ino(), SeamPaths.bytes(name), value, flags);
    }

    @Override
    public void removexattr(String path, String name) {
        fs.removeXattr(caller, paths.find(path, true).ino(), SeamPaths.bytes(name));
    }

    @Override
    public List<String> listxattr(String path) {
        return fs.listXattr(caller, paths.find(path, true).ino()).stream()
                .map(SeamPaths::text)
                .toList();
    }

    @Override
    public int getflags(String path) {
        return paths.find(path, true).flags();
    }

    @Override
    public void setflags(String path, int flags) {
        AttributeChange change = AttributeChange.NONE.withFlags(Attributes.ALL_FLAGS, flags);
        change(paths.find(path, true).ino(), change);
    }

    @Override
    public List<Entry> readdir(int fd) {
        SeamDescriptor directory = table.get(fd);
        if (directory.file != null) {
            throw new FsException(Errno.ENOTDIR, "descriptor " + fd);
        }
        synchronized (directory) {
            List<Entry> entries = new ArrayList<>();
            if (directory.offset < 1) {
                entries.add(new Entry(".", directory.ino, FileType.DIRECTORY, 1));
            }
            if (directory.offset < 2) {
                long parent = fs.parent(directory.ino);
                entries.add(new Entry("..", parent, FileType.DIRECTORY, 2));
            }
            long cookie = directory.offset <= 2 ? 0 : directory.offset;
            Caller reader = SeamDescriptors.trusted(caller);
            DirectoryPage page =
                    fs.readDirectory(reader, directory.ino, cookie, PAGE_ENTRIES, false);
            for (DirectoryEntry e : page.entries()) {
                entries.add(
                        new Entry(SeamPaths.text(e.name().bytes()), e.ino(), e.type(), e.cookie()));
            }
            directory.offset = entries.isEmpty() ? directory.offset : entries.getLast().cookie();
            return entries;
        }
    }

    @Override
    public void seekdir(int fd, long cookie) {
        SeamDescriptor directory = table.get(fd);
        synchronized (directory) {
            directory.offset = cookie;
        }
    }

    @Override
    public void flock(int fd, Lock.Mode mode, boolean wait) {
        SeamDescriptor d = table.get(fd);
        Lock lock = new Lock(Lock.Kind.FLOCK, mode, d.owner, 0, Lock.TO_END, 1);
        fs.setLock(d.ino, lock, wait ? LOCK_WAIT_MS : 0);
    }

    @Override
    public void setlk(int fd, Lock.Mode mode, long start, long length, boolean wait) {
        SeamDescriptor d = table.get(fd);
        int access = d.flags & FileSystem.O_ACCMODE;
        if ((mode == Lock.Mode.SHARED && access == O_WRONLY)
                || (mode == Lock.Mode.EXCLUSIVE && access == O_RDONLY)) {
            throw new FsException(Errno.EBADF, "descriptor " + fd + " is not open for this");
        }
        fs.setLock(d.ino, table.posixLock(mode, start, length), wait ? LOCK_WAIT_MS : 0);
    }

    @Override
    public @Nullable Lock getlk(int fd, Lock.Mode mode, long start, long length) {
        return fs.testLock(table.get(fd).ino, table.posixLock(mode, start, length));
    }

    @Override
    public void close() {
        table.closeAll();
    }
}
