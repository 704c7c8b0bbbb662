package io.cairn.testkit.posix;

import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The system calls of one process with a working directory, umask 0 and a table of descriptors: the
 * door through which the contract suite speaks to a filesystem.
 *
 * <p>Paths, names and link targets are strings of bytes: each char is one byte, 0..255 ({@link
 * #text} makes one of UTF-8). Relative paths start at the working directory. Times are nanoseconds
 * since the epoch. Every failure is an {@link io.cairn.base.FsException} with the errno of the
 * call.
 *
 * <p>Thread rule: a door may be used by several threads, but a door of the real system runs one
 * call at a time; concurrent work takes a {@link #process} for each thread.
 */
public interface Posix extends AutoCloseable {
    int O_RDONLY = FileSystem.O_RDONLY;
    int O_WRONLY = FileSystem.O_WRONLY;
    int O_RDWR = FileSystem.O_RDWR;
    int O_CREAT = FileSystem.O_CREAT;
    int O_EXCL = FileSystem.O_EXCL;
    int O_TRUNC = FileSystem.O_TRUNC;
    int O_APPEND = FileSystem.O_APPEND;
    int O_DSYNC = FileSystem.O_DSYNC;
    int O_SYNC = FileSystem.O_SYNC;

    /** Values of x86_64; a door translates them where they differ. */
    int O_DIRECTORY = 0200000;

    int O_NOFOLLOW = 0400000;

    /** With the bit of O_DIRECTORY, as it is used. */
    int O_TMPFILE = 020200000;

    int RENAME_WHITEOUT = FileSystem.RENAME_WHITEOUT;

    int FALLOC_KEEP_SIZE = 1;
    int FALLOC_PUNCH_HOLE = 2;
    int FALLOC_ZERO_RANGE = 16;

    int SEEK_SET = 0;
    int SEEK_CUR = 1;
    int SEEK_END = 2;
    int SEEK_DATA = 3;
    int SEEK_HOLE = 4;

    int R_OK = FileSystem.ACCESS_READ;
    int W_OK = FileSystem.ACCESS_WRITE;
    int X_OK = FileSystem.ACCESS_EXECUTE;
    int F_OK = 0;

    /** Times for {@link #utimens}. */
    long UTIME_NOW = Long.MIN_VALUE;

    long UTIME_OMIT = Long.MIN_VALUE + 1;

    /** Capabilities that not every door or filesystem has. */
    enum Capability {
        /** renameat2 with RENAME_NOREPLACE and RENAME_EXCHANGE. */
        RENAME_FLAGS,
        /** lseek with SEEK_DATA and SEEK_HOLE tells holes of 64 KiB. */
        SEEK_HOLES,
        /** fallocate with mode 0 and KEEP_SIZE. */
        FALLOCATE,
        /** fallocate with PUNCH_HOLE. */
        PUNCH_HOLE,
        /** Files of exbibytes; ext4 ends at 16 TiB. */
        HUGE_FILES,
        /** fallocate gets all that it asks for or nothing; others keep what they got. */
        WHOLE_ALLOCATION,
        /** fallocate with ZERO_RANGE. */
        ZERO_RANGE,
        /** copy_file_range within the filesystem. */
        COPY_RANGE,
        /** Shared writable memory maps. */
        MMAP,
        /** Extended attributes user.*, trusted.* and security.*. */
        XATTR,
        /** Extended attribute values up to 64 KiB. */
        LARGE_XATTR,
        /** FIFOs, sockets, devices. */
        SPECIAL_FILES,
        /** fcntl locks. */
        LOCKS,
        /** flock locks. */
        FLOCK,
        /** Deadlocks between fcntl locks are found. */
        DEADLOCK,
        /** Access times follow the rule of relatime. */
        RELATIME,
        /** Calls on an open file work after its last name has gone, fstat and fchmod included. */
        OPEN_UNLINKED,
        /** A name that rename replaces again and again can be opened at any moment. */
        ATOMIC_REPLACE,
        /** Appends of several processes never overlap. */
        ATOMIC_APPEND,
        /** Times before 1970. */
        OLD_TIMES,
        /** Writing and truncating by an unprivileged caller clears setuid and setgid. */
        KILL_PRIVILEGE,
        /** open with O_TMPFILE, and linkat of such a file. */
        UNNAMED_FILES,
        /** renameat2 with RENAME_WHITEOUT. */
        WHITEOUT,
        /** statx tells when a file was made. */
        BIRTH_TIME,
        /** Changes of the contents take security.capability away. */
        FILE_CAPABILITIES,
        /** The flags of chattr: immutable, append-only, no dump, no access times. */
        INODE_FLAGS,
        /** An immutable file refuses other flags, and writes through what was open, as on ext4. */
        STRICT_IMMUTABLE
    }

    /**
     * The answer to {@code stat}, and to statx for the birth (0 when it does not tell); {@code
     * mode} has the permission bits only, 0..07777, and {@code rdev} is in the 64-bit Linux
     * encoding.
     */
    record Stat(
            long ino,
            FileType type,
            int mode,
            int nlink,
            int uid,
            int gid,
            long rdev,
            long size,
            long blocks,
            long atimeNs,
            long mtimeNs,
            long ctimeNs,
            long birthNs) {

        /** The same from the seam. */
        static Stat of(Attributes a) {
            return new Stat(
                    a.ino(),
                    a.type(),
                    a.mode(),
                    a.nlink(),
                    a.uid(),
                    a.gid(),
                    a.rdev(),
                    a.size(),
                    a.blocks(),
                    a.atimeNs(),
                    a.mtimeNs(),
                    a.ctimeNs(),
                    a.birthNs());
        }
    }

    /** One entry of a listing, {@code .} and {@code ..} included; cookie continues after it. */
    record Entry(String name, long ino, @Nullable FileType type, long cookie) {}

    /** The answer to {@code statvfs}. */
    record Volume(
            long blockBytes,
            long blocks,
            long freeBlocks,
            long availableBlocks,
            long files,
            long freeFiles,
            int maxNameBytes) {}

    /** The capabilities of this door; fixed. */
    Set<Capability> capabilities();

    /** LINK_MAX if it is small enough to be reached in a test, else 0. */
    int reachableLinks();

    /** The same process, its descriptors included, acting as another user. */
    Posix as(Caller caller);

    /** Another process in another working directory: own descriptors, own owner of fcntl locks. */
    Posix process(String directory);

    /** The absolute path of the working directory, as a symbolic link would name it. */
    String workingDirectory();

    int open(String path, int flags, int mode);

    int dup(int fd);

    void close(int fd);

    byte[] read(int fd, int length);

    byte[] pread(int fd, int length, long offset);

    int write(int fd, byte[] bytes);

    int pwrite(int fd, byte[] bytes, long offset);

    /** fcntl F_SETFL: sets or clears O_APPEND of an open file. */
    void setAppend(int fd, boolean append);

    long lseek(int fd, long offset, int whence);

    void fsync(int fd);

    void fdatasync(int fd);

    void ftruncate(int fd, long length);

    void fallocate(int fd, int mode, long offset, long length);

    /** copy_file_range with offsets and flags 0; how many bytes were copied. */
    long copyRange(int from, long fromOffset, int to, long toOffset, long length);

    Stat fstat(int fd);

    void fchmod(int fd, int mode);

    void fchown(int fd, int uid, int gid);

    void futimens(int fd, long atimeNs, long mtimeNs);

    /** Copies bytes out of a shared map of the file. */
    byte[] mapRead(int fd, long offset, int length);

    /** Changes bytes through a shared map of the file, msync included. */
    void mapWrite(int fd, long offset, byte[] bytes);

    Stat stat(String path);

    Stat lstat(String path);

    void access(String path, int bits);

    void mkdir(String path, int mode);

    /** mknod: {@code mode} with or without permission bits only, the type apart. */
    void mknod(String path, FileType type, int mode, long rdev);

    void symlink(String target, String path);

    String readlink(String path);

    void link(String existing, String path);

    /** linkat with AT_EMPTY_PATH: gives a name to what is open. */
    void linkOpen(int fd, String path);

    void unlink(String path);

    void rmdir(String path);

    /** renameat2; with flags 0 the same as rename. */
    void rename(String from, String to, int flags);

    void chmod(String path, int mode);

    /** chown; -1 leaves an id. */
    void chown(String path, int uid, int gid);

    void lchown(String path, int uid, int gid);

    void truncate(String path, long length);

    void utimens(String path, long atimeNs, long mtimeNs);

    /** utimensat with AT_SYMLINK_NOFOLLOW. */
    void lutimens(String path, long atimeNs, long mtimeNs);

    Volume statvfs(String path);

    /** getxattr with a buffer of {@code size} bytes; size 0 gives an array of zeros as long. */
    byte[] getxattr(String path, String name, int size);

    void setxattr(String path, String name, byte[] value, int flags);

    void removexattr(String path, String name);

    List<String> listxattr(String path);

    /** The same calls on a symbolic link itself. */
    void lsetxattr(String path, String name, byte[] value, int flags);

    /** FS_IOC_GETFLAGS, as {@link Attributes#flags}. */
    int getflags(String path);

    /** FS_IOC_SETFLAGS: these of {@link Attributes#flags} and no others of them. */
    void setflags(String path, int flags);

    default int opendir(String path) {
        return open(path, O_RDONLY | O_DIRECTORY, 0);
    }

    /** The next entries of an open directory, at least one unless it has ended. */
    List<Entry> readdir(int fd);

    /** Continues after the entry that had this cookie; 0 rewinds. */
    void seekdir(int fd, long cookie);

    /** flock; UNLOCK, SHARED or EXCLUSIVE. Without {@code wait} EAGAIN when it is locked. */
    void flock(int fd, Lock.Mode mode, boolean wait);

    /** fcntl F_SETLK or F_SETLKW; {@code length} 0 reaches to the end whatever it becomes. */
    void setlk(int fd, Lock.Mode mode, long start, long length, boolean wait);

    /**
     * fcntl F_GETLK: the lock in the way, or null. Of the answer kind, mode and range are
     * meaningful, not the owner.
     */
    @Nullable Lock getlk(int fd, Lock.Mode mode, long start, long length);

    /** Ends the process: closes all its descriptors. Idempotent. */
    @Override
    void close();

    /** Makes an empty file, or truncates one. */
    default void create(String path, int mode) {
        close(open(path, O_CREAT | O_WRONLY | O_TRUNC, mode));
    }

    /** The names of a directory, without {@code .} and {@code ..}, sorted. */
    default List<String> list(String path) {
        int fd = opendir(path);
        List<String> names = new ArrayList<>();
        for (List<Entry> page = readdir(fd); !page.isEmpty(); page = readdir(fd)) {
            page.forEach(entry -> names.add(entry.name()));
        }
        close(fd);
        names.removeIf(name -> name.equals(".") || name.equals(".."));
        names.sort(null);
        return names;
    }

    /** The UTF-8 bytes of a text, as this door spells bytes. */
    static String text(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** A device number in the 64-bit Linux encoding. */
    static long device(int major, int minor) {
        return ((major & 0xfffff000L) << 32)
                | ((major & 0xfffL) << 8)
                | ((minor & 0xffffff00L) << 12)
                | (minor & 0xffL);
    }
}
