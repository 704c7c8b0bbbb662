package io.cairn.fuse.jnr;

import static io.cairn.fuse.sys.RawMemory.getInt;
import static io.cairn.fuse.sys.RawMemory.getLong;
import static io.cairn.fuse.sys.RawMemory.getShort;
import static io.cairn.fuse.sys.RawMemory.putInt;
import static io.cairn.fuse.sys.RawMemory.putLong;
import static io.cairn.fuse.sys.RawMemory.putShort;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.loop.Capabilities;
import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.loop.MountState;
import io.cairn.fuse.loop.OpenFiles;
import io.cairn.fuse.sys.RawMemory;
import io.cairn.fuse.sys.StatLayout;
import java.nio.ByteBuffer;

/**
 * The callbacks of libfuse 2 on what is open. They go by the handle and never look at the path,
 * which libfuse does not even compute ({@code nopath}). Arguments are addresses of C structures.
 *
 * <pre>
 *   struct fuse_file_info: flags +0, writepage +16, bits +20 (1 direct_io, 2 keep_cache,
 *                          16 flock_release), fh +24, lock_owner +32
 *   struct flock:          type +0, whence +2 (2 bytes each), start +8, len +16, pid +24
 * </pre>
 */
final class FileCallbacks {
    private static final int WRITE_PAGE = 16;
    private static final int BITS = 20;
    private static final int HANDLE = 24;
    private static final int OWNER = 32;
    private static final int DIRECT_IO = 1;
    private static final int KEEP_CACHE = 2;
    private static final int FLOCK_RELEASE = 16;
    private static final int SET_IDS = 06000;

    private static final int F_GETLK = 5;
    private static final int F_SETLKW = 7;
    private static final int LOCK_SH = 1;
    private static final int LOCK_NB = 4;
    private static final int LOCK_UN = 8;
    private static final int F_RDLCK = 0;
    private static final int F_WRLCK = 1;
    private static final int F_UNLCK = 2;

    private final FileSystem fileSystem;
    private final OpenFiles files;
    private final HiddenFiles hidden;
    private final Capabilities capabilities;

    FileCallbacks(MountState state, HiddenFiles hidden) {
        this.fileSystem = state.fileSystem();
        this.files = state.files();
        this.hidden = hidden;
        this.capabilities = new Capabilities(fileSystem, state.capabilities());
    }

    /**
     * Tells the kernel how to cache an open file.
     *
     * <p>Appending goes past the page cache: the kernel would put the bytes where it thinks the end
     * is. So do files with several names, because for libfuse 2 each name is a file with pages of
     * its own.
     */
    void opened(LoopThread thread, long handle, OpenFile file, long info) {
        Attributes attributes = file.attributes();
        int bits = getInt(info + BITS) & ~(DIRECT_IO | KEEP_CACHE);
        boolean keeps = files.keepsPages(handle, thread.node(), attributes.version());
        if ((file.flags() & FileSystem.O_APPEND) != 0 || attributes.nlink() > 1) {
            bits |= DIRECT_IO;
        } else if (keeps) {
            bits |= KEEP_CACHE;
        }
        putInt(info + BITS, bits);
        putLong(info + HANDLE, handle);
    }

    /** A file that has just been created: the kernel has no pages of it. */
    void created(long handle, OpenFile file, long info) {
        int bits = getInt(info + BITS) & ~(DIRECT_IO | KEEP_CACHE);
        if ((file.flags() & FileSystem.O_APPEND) != 0) {
            bits |= DIRECT_IO;
        }
        putInt(info + BITS, bits);
        putLong(info + HANDLE, handle);
    }

    private OpenFile file(long info) {
        return files.get(getLong(info + HANDLE));
    }

    int getattr(long stat, long info) {
        StatLayout.putStat(stat, file(info).attributes());
        return 0;
    }

    int truncate(long size, long info) {
        AttributeChange change = AttributeChange.NONE.withSize(size);
        killPrivilege(file(info));
        fileSystem.setAttributes(LoopThread.current().caller(), file(info).ino(), change);
        return 0;
    }

    int read(long buffer, long lengthBytes, long offset, long info) {
        ByteBuffer target = RawMemory.buffer(buffer, (int) lengthBytes);
        return files.read(getLong(info + HANDLE), offset, target);
    }

    int write(long buffer, long lengthBytes, long offset, long info) {
        OpenFile file = file(info);
        boolean isPage = getInt(info + WRITE_PAGE) != 0;
        if (!isPage) {
            killPrivilege(file);
        }
        ByteBuffer source = LoopThread.current().slice(buffer, (int) lengthBytes);
        boolean append = !isPage && appends(getInt(info));
        return file.write(offset, source, append);
    }

    private static boolean appends(int flags) {
        return (flags & FileSystem.O_APPEND) != 0;
    }

    /** The kernel does so before it writes to its pages, but not before it writes past them. */
    private void killPrivilege(OpenFile file) {
        Caller caller = LoopThread.current().caller();
        capabilities.clear(caller, file.ino());
        if (caller.uid() != 0 && (file.attributes().mode() & SET_IDS) != 0) {
            AttributeChange kill = AttributeChange.NONE.withBits(AttributeChange.KILL_PRIVILEGE);
            fileSystem.setAttributes(caller, file.ino(), kill);
        }
    }

    int flush(long info) {
        files.flush(getLong(info + HANDLE), getLong(info + OWNER));
        return 0;
    }

    int release(long info) {
        boolean unlocks = (getInt(info + BITS) & FLOCK_RELEASE) != 0;
        long handle = getLong(info + HANDLE);
        long ino = files.release(handle, unlocks ? getLong(info + OWNER) : null);
        if (ino != 0) {
            hidden.removeInode(ino);
        }
        return 0;
    }

    int sync(int dataOnly, long info) {
        file(info).sync(dataOnly != 0);
        return 0;
    }

    int allocate(int mode, long offset, long lengthBytes, long info) {
        killPrivilege(file(info));
        file(info).allocate(mode, offset, lengthBytes);
        return 0;
    }

    /** POSIX locks; libfuse calls this also to drop them when a descriptor is closed. */
    int lock(long info, int command, long flock) {
        long start = getLong(flock + 8);
        long length = getLong(flock + 16);
        long end = length == 0 ? Lock.TO_END : start + length - 1;
        Lock.Mode mode = mode(getShort(flock));
        Lock lock =
                new Lock(
                        Lock.Kind.POSIX,
                        mode,
                        getLong(info + OWNER),
                        start,
                        end,
                        getInt(flock + 24));
        long handle = getLong(info + HANDLE);
        if (command == F_GETLK) {
            Lock other = files.testLock(handle, lock);
            if (other == null) {
                putShort(flock, F_UNLCK);
            } else {
                putShort(flock, other.mode() == Lock.Mode.SHARED ? F_RDLCK : F_WRLCK);
                putShort(flock + 2, 0);
                putLong(flock + 8, other.startByte());
                boolean open = other.endByte() == Lock.TO_END;
                putLong(flock + 16, open ? 0 : other.endByte() - other.startByte() + 1);
                putInt(flock + 24, other.pid());
            }
            return 0;
        }
        return files.lock(LoopThread.current(), handle, lock, command == F_SETLKW);
    }

    private static Lock.Mode mode(int type) {
        return switch (type) {
            case F_RDLCK -> Lock.Mode.SHARED;
            case F_WRLCK -> Lock.Mode.EXCLUSIVE;
            case F_UNLCK -> Lock.Mode.UNLOCK;
            default -> throw new FsException(Errno.EINVAL);
        };
    }

    int flock(long info, int operation) {
        Lock.Mode mode =
                (operation & LOCK_UN) != 0
                        ? Lock.Mode.UNLOCK
                        : (operation & LOCK_SH) != 0 ? Lock.Mode.SHARED : Lock.Mode.EXCLUSIVE;
        Lock lock = new Lock(Lock.Kind.FLOCK, mode, getLong(info + OWNER), 0, Lock.TO_END, 0);
        return files.lock(
                LoopThread.current(), getLong(info + HANDLE), lock, (operation & LOCK_NB) == 0);
    }
}
