package io.cairn.fs;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The seam between a filesystem and its doors: inode-based, blocking, thread-safe. Doors (FUSE,
 * NFS, CLI) translate to it; the client and the model of the test kit implement it.
 *
 * <p>All operations fail with {@link FsException}. Besides the errors named, every operation may
 * fail with ESTALE (the inode is gone), EIO and ETIMEDOUT (the cluster stayed away beyond the
 * deadline). Permission failures are EACCES or EPERM as POSIX says for the call of the same name.
 */
public interface FileSystem extends AutoCloseable {
    /** The inode number of the root directory. */
    long ROOT_INO = 1;

    /**
     * PATH_MAX in bytes, including the terminating NUL that a door counts; also bounds symlink
     * targets.
     */
    int MAX_PATH_BYTES = 4096;

    /** Largest file: 2^63 bytes minus the largest chunk, so that the end of no chunk overflows. */
    long MAX_FILE_BYTES = Long.MAX_VALUE - (64 << 20) + 1;

    /** LINK_MAX of files; directories with more links show 1 ({@link Attributes#shownLinks}). */
    int MAX_LINKS = 65_000;

    /** Largest value of an extended attribute, in bytes (xattr(7)). */
    int MAX_XATTR_BYTES = 65_536;

    /** RENAME_NOREPLACE of renameat2(2). */
    int RENAME_NOREPLACE = 1;

    /** RENAME_EXCHANGE of renameat2(2). */
    int RENAME_EXCHANGE = 2;

    /**
     * RENAME_WHITEOUT of renameat2(2): the old name becomes a character device 0:0, which tells a
     * union filesystem that there is nothing.
     */
    int RENAME_WHITEOUT = 4;

    /** XATTR_CREATE of setxattr(2). */
    int XATTR_CREATE = 1;

    /** XATTR_REPLACE of setxattr(2). */
    int XATTR_REPLACE = 2;

    /** Open flags, Linux values (x86_64 and arm64 agree on these). */
    int O_RDONLY = 0;

    int O_WRONLY = 1;
    int O_RDWR = 2;
    int O_ACCMODE = 3;
    int O_CREAT = 0100;
    int O_EXCL = 0200;
    int O_TRUNC = 01000;
    int O_APPEND = 02000;
    int O_DSYNC = 010000;
    int O_SYNC = 04010000;

    /** Permission bits for {@link #access}. */
    int ACCESS_EXECUTE = 1;

    int ACCESS_WRITE = 2;
    int ACCESS_READ = 4;

    /** A file just created and opened: its attributes and the open file. */
    record Created(Attributes attributes, OpenFile file) {}

    /**
     * Finds a name in a directory.
     *
     * @throws FsException ENOENT; ENOTDIR; EACCES
     */
    Attributes lookup(Caller caller, long parentIno, Name name);

    /** The parent of a directory; the root is its own parent. ENOTDIR for anything else. */
    long parent(long directoryIno);

    /** The attributes, at most a second old unless this client has the file open. */
    Attributes getAttributes(Caller caller, long ino);

    /**
     * The attributes as they are now, for who decides by them about what others do: a size to
     * append at, or whether what is kept of the file still holds.
     */
    default Attributes freshAttributes(Caller caller, long ino) {
        return getAttributes(caller, ino);
    }

    /**
     * Changes attributes, atomically.
     *
     * @throws FsException EPERM, EACCES; EINVAL, EISDIR, EFBIG for a bad size
     */
    Attributes setAttributes(Caller caller, long ino, AttributeChange change);

    /**
     * Whether all of the {@code ACCESS_} bits are granted; throws EACCES when not. 0 asks for
     * existence.
     */
    void access(Caller caller, long ino, int accessBits);

    /**
     * Makes a directory. {@code mode} is taken as is: the door has applied the umask; setgid is
     * inherited.
     *
     * @throws FsException EEXIST; ENOSPC
     */
    Attributes mkdir(Caller caller, long parentIno, Name name, int mode);

    /**
     * Makes a file, FIFO, socket or device without opening it.
     *
     * @param type anything but DIRECTORY and SYMLINK
     * @param rdev device number for devices, else ignored
     */
    Attributes mknod(Caller caller, long parentIno, Name name, FileType type, int mode, long rdev);

    /**
     * Makes a symbolic link. ENAMETOOLONG when the target exceeds 4095 bytes, ENOENT when empty.
     */
    Attributes symlink(Caller caller, long parentIno, Name name, byte[] target);

    /** The target of a symbolic link; EINVAL for another type. */
    byte[] readlink(Caller caller, long ino);

    /** Makes a hard link; EPERM for directories, EMLINK, EEXIST. */
    Attributes link(Caller caller, long ino, long newParentIno, Name newName);

    /** Removes a name that is not a directory (EISDIR); the contents live until the last close. */
    void unlink(Caller caller, long parentIno, Name name);

    /** Removes an empty directory; ENOTEMPTY, ENOTDIR. */
    void rmdir(Caller caller, long parentIno, Name name);

    /**
     * Renames, atomically replacing the target where rename(2) allows it.
     *
     * @param flags 0, {@link #RENAME_EXCHANGE}, or {@link #RENAME_NOREPLACE} and {@link
     *     #RENAME_WHITEOUT} alone or together
     * @throws FsException EINVAL into an own subtree or for other flags; EEXIST; ENOTEMPTY; EISDIR;
     *     ENOTDIR; ENOSPC
     */
    void rename(
            Caller caller, long parentIno, Name name, long newParentIno, Name newName, int flags);

    /**
     * Creates and opens a regular file. Without O_EXCL an existing file is opened (and truncated
     * with O_TRUNC) instead.
     *
     * @throws FsException EEXIST with O_EXCL; EISDIR; ENOSPC; ELOOP when the name is a symlink
     */
    Created create(Caller caller, long parentIno, Name name, int mode, int flags);

    /**
     * Makes and opens a regular file without a name, as O_TMPFILE of open(2) does. It goes with the
     * last close, or with this client, unless {@link #link} has given it a name.
     *
     * @param parentIno the directory that decides group, lists and policy, and who may
     * @param flags of open(2); with O_EXCL it can never get a name
     * @throws FsException ENOTDIR; EACCES; ENOSPC; EOPNOTSUPP where there is no such thing
     */
    default Created createUnnamed(Caller caller, long parentIno, int mode, int flags) {
        throw new FsException(Errno.EOPNOTSUPP, "no files without a name");
    }

    /**
     * Makes a regular file without opening it, at most once: the verifier is kept with the file,
     * and the same call again gives the same file, through whichever client and after any restart
     * (RFC 1813, 3.3.8, EXCLUSIVE).
     *
     * @param verifier tells the calls apart; not 0
     * @throws FsException EEXIST when the name exists and was not made by the same call; ENOSPC
     */
    Attributes createExclusive(Caller caller, long parentIno, Name name, int mode, long verifier);

    /** Opens an existing regular file; sees all that was closed before, by whichever client. */
    OpenFile open(Caller caller, long ino, int flags);

    /**
     * A page of a directory, starting after {@code cookie} (0 = from the start). Entries that exist
     * during the whole listing appear exactly once.
     *
     * @param maxEntries 1..4096; a page may be longer by entries that share the last cookie
     * @param withAttributes whether each entry carries its attributes (READDIRPLUS)
     */
    DirectoryPage readDirectory(
            Caller caller, long ino, long cookie, int maxEntries, boolean withAttributes);

    /** The value of an extended attribute; ENODATA, EOPNOTSUPP for an unknown namespace prefix. */
    byte[] getXattr(Caller caller, long ino, byte[] name);

    /** The names of all extended attributes that the caller may see. */
    List<byte[]> listXattr(Caller caller, long ino);

    /**
     * Sets an extended attribute; flags 0, {@link #XATTR_CREATE} (EEXIST), {@link #XATTR_REPLACE}
     * (ENODATA).
     */
    void setXattr(Caller caller, long ino, byte[] name, byte[] value, int flags);

    /** Removes an extended attribute; ENODATA. */
    void removeXattr(Caller caller, long ino, byte[] name);

    /** Capacity and usage of the whole filesystem. */
    Usage usage();

    /** The same as an inode sees it: in a directory with a quota that is the whole. */
    default Usage usage(long ino) {
        return usage();
    }

    /**
     * The path of an inode from the root of the filesystem, for people.
     *
     * @throws FsException ENOENT when it has no name, ENOSYS when nobody can tell
     */
    default byte[] path(long ino) {
        throw new FsException(Errno.ENOSYS, "no paths of inodes");
    }

    /** A lock of another owner that would conflict with {@code wanted} (F_GETLK), or null. */
    @Nullable Lock testLock(long ino, Lock wanted);

    /**
     * Sets, changes or removes a lock.
     *
     * @param waitMs how long to wait for a conflicting lock: 0 fails at once with EAGAIN; when the
     *     wait ends without the lock, or the thread is interrupted, EINTR
     * @throws FsException EAGAIN, EINTR, EDEADLK, ENOLCK
     */
    void setLock(long ino, Lock lock, long waitMs);

    /** Removes all locks of a kind and owner on an inode, as closing a descriptor does. */
    void releaseLocks(long ino, Lock.Kind kind, long owner);

    /**
     * The locks of machines behind a gateway.
     *
     * @throws FsException EOPNOTSUPP unless this filesystem can stand behind such gateways
     */
    default HostLocks hostLocks() {
        throw new FsException(Errno.EOPNOTSUPP, "no locks for the machines behind a gateway");
    }

    /**
     * As fsync(2) of a directory: names that were made or taken away there are on stable media
     * afterwards. Mostly they are so before their change is answered, and nothing is done.
     *
     * @throws FsException what was refused after it had been answered
     */
    default void syncDirectory(long ino) {}

    /**
     * Changes whose caller goes on to other work meanwhile.
     *
     * @return null when they must be asked for as any other
     */
    default @Nullable AsyncChanges async(Caller caller) {
        return null;
    }

    /**
     * The door says what is {@link #forgotten}: until then an inode that loses its last name
     * through this filesystem can be asked for its attributes and opened by its number.
     */
    default void keepRemoved() {}

    /** Nobody behind the door knows an inode any more. Never blocks. */
    default void forgotten(long ino) {}

    /** Flushes what is buffered and releases everything. Idempotent. */
    @Override
    void close();
}
