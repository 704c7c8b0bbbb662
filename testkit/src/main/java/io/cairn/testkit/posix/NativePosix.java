package io.cairn.testkit.posix;

import io.cairn.fs.Caller;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The system calls of the real Linux below this JVM, in a directory of a real filesystem: a local
 * one proves the suite, a mount of Cairn is proved by it. Needs the superuser for {@link #as}.
 */
public final class NativePosix implements Posix {
    private static final int CAP_LINUX_IMMUTABLE = 9;
    private static final int AT_FDCWD = -100;
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_BASIC_STATS_AND_BTIME = 0xfff;
    private static final int STATX_BYTES = 256;
    private static final int DIRECTORY_BUFFER_BYTES = 512;
    private static final int MAX_LIST_BYTES = 65_536;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final int MS_SYNC = 4;
    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

    private final NativeProcess process;
    private final Caller caller;
    private final Set<Capability> capabilities;
    private final int reachableLinks;

    /**
     * A process of the superuser.
     *
     * @param directory its working directory, which others must be able to reach
     * @param capabilities what the filesystem there can do
     * @param reachableLinks see {@link Posix#reachableLinks}
     */
    public NativePosix(Path directory, Set<Capability> capabilities, int reachableLinks) {
        this(
                new NativeProcess(Posix.text(directory.toAbsolutePath().toString())),
                Caller.ROOT,
                withinRights(capabilities),
                reachableLinks);
    }

    /** Not even the superuser protects inodes in a container without CAP_LINUX_IMMUTABLE. */
    private static Set<Capability> withinRights(Set<Capability> capabilities) {
        if (capabilities.isEmpty() || NativeProcess.hasCapability(CAP_LINUX_IMMUTABLE)) {
            return capabilities;
        }
        Set<Capability> left = EnumSet.copyOf(capabilities);
        left.remove(Capability.INODE_FLAGS);
        left.remove(Capability.STRICT_IMMUTABLE);
        return left;
    }

    private NativePosix(
            NativeProcess process,
            Caller caller,
            Set<Capability> capabilities,
            int reachableLinks) {
        this.process = process;
        this.caller = caller;
        this.capabilities = capabilities;
        this.reachableLinks = reachableLinks;
    }

    private long call(Libc function, Object... arguments) {
        return process.call(caller, function, arguments);
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public int reachableLinks() {
        return reachableLinks;
    }

    @Override
    public Posix as(Caller other) {
        return new NativePosix(process, other, capabilities, reachableLinks);
    }

    @Override
    public Posix process(String directory) {
        String path = directory.startsWith("/") ? directory : process.directory() + "/" + directory;
        return new NativePosix(new NativeProcess(path), caller, capabilities, reachableLinks);
    }

    @Override
    public String workingDirectory() {
        return process.directory();
    }

    @Override
    public int open(String path, int flags, int mode) {
        return (int) call(Libc.OPEN, path, nativeFlags(flags), mode);
    }

    private static int nativeFlags(int flags) {
        if (!ARM) {
            return flags;
        }
        int rest = flags & ~(O_DIRECTORY | O_NOFOLLOW);
        return rest
                | ((flags & O_DIRECTORY) != 0 ? 040000 : 0)
                | ((flags & O_NOFOLLOW) != 0 ? 0100000 : 0);
    }

    @Override
    public int dup(int fd) {
        return (int) call(Libc.DUP, fd);
    }

    @Override
    public void close(int fd) {
        call(Libc.CLOSE, fd);
    }

    @Override
    public byte[] read(int fd, int length) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(Math.max(1, length));
            return bytes(buffer, call(Libc.READ, fd, buffer, (long) length));
        }
    }

    @Override
    public byte[] pread(int fd, int length, long offset) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(Math.max(1, length));
            return bytes(buffer, call(Libc.PREAD, fd, buffer, (long) length, offset));
        }
    }

    private static byte[] bytes(MemorySegment buffer, long length) {
        return buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public int write(int fd, byte[] bytes) {
        return (int) call(Libc.WRITE, fd, bytes, (long) bytes.length);
    }

    @Override
    public int pwrite(int fd, byte[] bytes, long offset) {
        return (int) call(Libc.PWRITE, fd, bytes, (long) bytes.length, offset);
    }

    @Override
    public long lseek(int fd, long offset, int whence) {
        return call(Libc.LSEEK, fd, offset, whence);
    }

    @Override
    public void fsync(int fd) {
        call(Libc.FSYNC, fd);
    }

    @Override
    public void fdatasync(int fd) {
        call(Libc.FDATASYNC, fd);
    }

    @Override
    public void ftruncate(int fd, long length) {
        call(Libc.FTRUNCATE, fd, length);
    }

    @Override
    public void fallocate(int fd, int mode, long offset, long length) {
        call(Libc.FALLOCATE, fd, mode, offset, length);
    }

    @Override
    public long copyRange(int from, long fromOffset, int to, long toOffset, long length) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_LONG, fromOffset);
            MemorySegment out = arena.allocateFrom(ValueLayout.JAVA_LONG, toOffset);
            return call(Libc.COPY_FILE_RANGE, from, in, to, out, length, 0);
        }
    }

    @Override
    public Stat fstat(int fd) {
        return statx(fd, "", AT_EMPTY_PATH);
    }

    @Override
    public void fchmod(int fd, int mode) {
        call(Libc.FCHMOD, fd, mode);
    }

    @Override
    public void fchown(int fd, int uid, int gid) {
        call(Libc.FCHOWN, fd, uid, gid);
    }

    @Override
    public void futimens(int fd, long atimeNs, long mtimeNs) {
        call(Libc.FUTIMENS, fd, NativeStructs.times(atimeNs, mtimeNs));
    }

    @Override
    public byte[] mapRead(int fd, long offset, int length) {
        long address = map(fd, offset, length);
        byte[] bytes = bytes(memory(address, length), length);
        call(Libc.MUNMAP, address, (long) length);
        return bytes;
    }

    @Override
    public void mapWrite(int fd, long offset, byte[] bytes) {
        long address = map(fd, offset, bytes.length);
        MemorySegment memory = memory(address, bytes.length);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        call(Libc.MSYNC, address, (long) bytes.length, MS_SYNC);
        call(Libc.MUNMAP, address, (long) bytes.length);
    }

    @SuppressWarnings("restricted") // the address comes from mmap
    private static MemorySegment memory(long address, int length) {
        return MemorySegment.ofAddress(address).reinterpret(length);
    }

    private long map(int fd, long offset, int length) {
        return call(Libc.MMAP, 0L, (long) length, PROT_READ_WRITE, MAP_SHARED, fd, offset);
    }

    @Override
    public Stat stat(String path) {
        return statx(AT_FDCWD, path, 0);
    }

    @Override
    public Stat lstat(String path) {
        return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW);
    }

    private Stat statx(int fd, String path, int flags) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(STATX_BYTES, 8);
            call(Libc.STATX, fd, path, flags, STATX_BASIC_STATS_AND_BTIME, buffer);
            return NativeStructs.stat(buffer);
        }
    }

    @Override
    public void access(String path, int bits) {
        call(Libc.ACCESS, path, bits);
    }

    @Override
    public void mkdir(String path, int mode) {
        call(Libc.MKDIR, path, mode);
    }

    @Override
    public void mknod(String path, FileType type, int mode, long rdev) {
        call(Libc.MKNOD, path, type.modeBits() | mode, rdev);
    }

    @Override
    public void symlink(String target, String path) {
        call(Libc.SYMLINK, target, path);
    }

    @Override
    public String readlink(String path) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(8192);
            long length = call(Libc.READLINK, path, buffer, 8192L);
            return new String(bytes(buffer, length), StandardCharsets.ISO_8859_1);
        }
    }

    @Override
    public void link(String existing, String path) {
        call(Libc.LINK, existing, path);
    }

    @Override
    public void linkOpen(int fd, String path) {
        call(Libc.LINKAT, fd, "", AT_FDCWD, path, AT_EMPTY_PATH);
    }

    @Override
    public void unlink(String path) {
        call(Libc.UNLINK, path);
    }

    @Override
    public void rmdir(String path) {
        call(Libc.RMDIR, path);
    }

    @Override
    public void rename(String from, String to, int flags) {
        if (flags == 0) {
            call(Libc.RENAME, from, to);
        } else {
            call(Libc.RENAMEAT2, AT_FDCWD, from, AT_FDCWD, to, flags);
        }
    }

    @Override
    public void chmod(String path, int mode) {
        call(Libc.CHMOD, path, mode);
    }

    @Override
    public void chown(String path, int uid, int gid) {
        call(Libc.CHOWN, path, uid, gid);
    }

    @Override
    public void lchown(String path, int uid, int gid) {
        call(Libc.LCHOWN, path, uid, gid);
    }

    @Override
    public void truncate(String path, long length) {
        call(Libc.TRUNCATE, path, length);
    }

    @Override
    public void utimens(String path, long atimeNs, long mtimeNs) {
        call(Libc.UTIMENSAT, AT_FDCWD, path, NativeStructs.times(atimeNs, mtimeNs), 0);
    }

    @Override
    public void lutimens(String path, long atimeNs, long mtimeNs) {
        byte[] times = NativeStructs.times(atimeNs, mtimeNs);
        call(Libc.UTIMENSAT, AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
    }

    @Override
    public Volume statvfs(String path) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(256, 8);
            call(Libc.STATVFS, path, buffer);
            return NativeStructs.volume(buffer);
        }
    }

    @Override
    public byte[] getxattr(String path, String name, int size) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(Math.max(1, size));
            long length = call(Libc.GETXATTR, path, name, buffer, (long) size);
            return size == 0 ? new byte[(int) length] : bytes(buffer, length);
        }
    }

    @Override
    public void setxattr(String path, String name, byte[] value, int flags) {
        call(Libc.SETXATTR, path, name, value, (long) value.length, flags);
    }

    @Override
    public void lsetxattr(String path, String name, byte[] value, int flags) {
        call(Libc.LSETXATTR, path, name, value, (long) value.length, flags);
    }

    @Override
    public void removexattr(String path, String name) {
        call(Libc.REMOVEXATTR, path, name);
    }

    @Override
    public List<String> listxattr(String path) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(MAX_LIST_BYTES);
            long length = call(Libc.LISTXATTR, path, buffer, (long) MAX_LIST_BYTES);
            String names = new String(bytes(buffer, length), StandardCharsets.ISO_8859_1);
            return names.isEmpty() ? List.of() : Arrays.asList(names.split("\0"));
        }
    }

    @Override
    public int getflags(String path) {
        return NativeStructs.flags(flagWord(path));
    }

    private int flagWord(String path) {
        int fd = open(path, O_RDONLY, 0);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(8, 8);
            call(Libc.IOCTL, fd, NativeStructs.FS_IOC_GETFLAGS, word);
            return word.get(ValueLayout.JAVA_INT, 0);
        } finally {
            close(fd);
        }
    }

    @Override
    public void setflags(String path, int flags) {
        int fd = open(path, O_RDONLY, 0);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(8, 8);
            int wanted = NativeStructs.flagWord(flagWord(path), flags);
            word.set(ValueLayout.JAVA_INT, 0, wanted);
            call(Libc.IOCTL, fd, NativeStructs.FS_IOC_SETFLAGS, word);
        } finally {
            close(fd);
        }
    }

    @Override
    public List<Entry> readdir(int fd) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(DIRECTORY_BUFFER_BYTES, 8);
            long length = call(Libc.GETDENTS, fd, buffer, (long) DIRECTORY_BUFFER_BYTES);
            return NativeStructs.entries(buffer.asSlice(0, length));
        }
    }

    @Override
    public void seekdir(int fd, long cookie) {
        call(Libc.LSEEK, fd, cookie, SEEK_SET);
    }

    @Override
    public void flock(int fd, Lock.Mode mode, boolean wait) {
        int operation =
                switch (mode) {
                    case SHARED -> 1;
                    case EXCLUSIVE -> 2;
                    case UNLOCK -> 8;
                };
        call(Libc.FLOCK, fd, wait ? operation : operation | 4);
    }

    @Override
    public void setAppend(int fd, boolean append) {
        long flags = append ? O_APPEND : 0;
        call(Libc.FCNTL, fd, NativeStructs.F_SETFL, MemorySegment.ofAddress(flags));
    }

    @Override
    public void setlk(int fd, Lock.Mode mode, long start, long length, boolean wait) {
        int command = wait ? NativeStructs.F_SETLKW : NativeStructs.F_SETLK;
        call(Libc.FCNTL, fd, command, NativeStructs.flock(mode, start, length));
    }

    /** As {@link #setlk} by the open file description, fcntl F_OFD_SETLK or F_OFD_SETLKW. */
    public void setOfdLock(int fd, Lock.Mode mode, long start, long length, boolean wait) {
        int command = wait ? NativeStructs.F_OFD_SETLKW : NativeStructs.F_OFD_SETLK;
        call(Libc.FCNTL, fd, command, NativeStructs.flock(mode, start, length));
    }

    @Override
    public @Nullable Lock getlk(int fd, Lock.Mode mode, long start, long length) {
        try (Arena arena = Arena.ofShared()) {
            byte[] wanted = NativeStructs.flock(mode, start, length);
            MemorySegment buffer = arena.allocate(wanted.length, 8);
            MemorySegment.copy(wanted, 0, buffer, ValueLayout.JAVA_BYTE, 0, wanted.length);
            call(Libc.FCNTL, fd, NativeStructs.F_GETLK, buffer);
            return NativeStructs.lock(buffer);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
