package io.cairn.fuse.jnr;

import static io.cairn.fuse.sys.RawMemory.getLong;
import static io.cairn.fuse.sys.RawMemory.putByte;
import static io.cairn.fuse.sys.RawMemory.putBytes;
import static io.cairn.fuse.sys.RawMemory.putLong;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Acl;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.jnr.PathResolver.Place;
import io.cairn.fuse.loop.Capabilities;
import io.cairn.fuse.loop.CapabilityMemory;
import io.cairn.fuse.loop.DirectoryCursor;
import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.loop.MountState;
import io.cairn.fuse.sys.Opcode;
import io.cairn.fuse.sys.RawMemory;
import io.cairn.fuse.sys.StatLayout;
import io.cairn.fuse.sys.Xattrs;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * The callbacks of libfuse 2 that go by path. Arguments are addresses of C strings and structures;
 * results are 0, a length, or a negated error number; failures are thrown.
 */
final class PathCallbacks {
    private static final int HANDLE = 24;
    private static final long UTIME_NOW = (1L << 30) - 1;
    private static final long UTIME_OMIT = (1L << 30) - 2;
    private static final int MAX_NAME_BYTES = 256;
    private static final int MAX_WALKS = 1000;

    private final FileSystem fileSystem;
    private final MountState state;
    private final PathResolver resolver;
    private final HiddenFiles hidden;
    private final FileCallbacks fileCallbacks;
    private final Capabilities capabilities;

    PathCallbacks(MountState state, HiddenFiles hidden, FileCallbacks fileCallbacks) {
        this.capabilities = new Capabilities(state.fileSystem(), state.capabilities());
        this.fileSystem = state.fileSystem();
        this.state = state;
        this.hidden = hidden;
        this.fileCallbacks = fileCallbacks;
        this.resolver = new PathResolver(fileSystem, state.rootIno(), state.files(), hidden);
    }

    private static Caller caller() {
        return LoopThread.current().caller();
    }

    /**
     * An operation on a path. The inode of the name may have been replaced since it was looked up,
     * and then another one has it. A name that others replace without rest may be lost many times
     * in a row; that ends in {@link #MAX_WALKS} steps, so that nothing waits for ever.
     */
    private static <T> T current(Supplier<T> question) {
        for (int walks = 1; ; walks++) {
            try {
                return question.get();
            } catch (FsException e) {
                if (e.errno() != Errno.ESTALE || walks == MAX_WALKS) {
                    throw e;
                }
            }
        }
    }

    int getattr(long path, long stat) {
        StatLayout.putStat(stat, current(() -> resolver.attributes(caller(), path)));
        return 0;
    }

    int readlink(long path, long buffer, long sizeBytes) {
        Caller caller = caller();
        byte[] target = current(() -> fileSystem.readlink(caller, resolver.ino(caller, path)));
        byte[] fitting = Arrays.copyOf(target, (int) Math.min(target.length, sizeBytes - 1));
        putBytes(buffer, fitting);
        putByte(buffer + fitting.length, 0);
        return 0;
    }

    int mknod(long path, int mode, long rdev) {
        FileType type = FileType.ofMode(mode);
        if (type == null || type == FileType.DIRECTORY || type == FileType.SYMLINK) {
            throw new FsException(Errno.EINVAL);
        }
        Caller caller = caller();
        Place place = resolver.place(caller, path);
        fileSystem.mknod(caller, place.parentIno(), place.name(), type, mode & 07777, rdev);
        return 0;
    }

    int mkdir(long path, int mode) {
        Caller caller = caller();
        Place place = resolver.place(caller, path);
        fileSystem.mkdir(caller, place.parentIno(), place.name(), mode & 07777);
        return 0;
    }

    int unlink(long path) {
        Caller caller = caller();
        Place place = resolver.place(caller, path);
        if (!hidden.remove(place.name())) {
            fileSystem.unlink(caller, place.parentIno(), place.name());
        }
        return 0;
    }

    int rmdir(long path) {
        Caller caller = caller();
        Place place = resolver.place(caller, path);
        fileSystem.rmdir(caller, place.parentIno(), place.name());
        return 0;
    }

    int symlink(long target, long path) {
        byte[] bytes = RawMemory.getString(target, FileSystem.MAX_PATH_BYTES);
        Caller caller = caller();
        Place place = resolver.place(caller, path);
        fileSystem.symlink(caller, place.parentIno(), place.name(), bytes);
        return 0;
    }

    int rename(long from, long to) {
        Caller caller = caller();
        Place source = resolver.place(caller, from);
        Place target = resolver.place(caller, to);
        if (HiddenFiles.isHiddenName(target.name()) && !isAskedFor(target.name())) {
            hide(caller, source, target.name());
            return 0;
        }
        fileSystem.rename(
                caller, source.parentIno(), source.name(), target.parentIno(), target.name(), 0);
        return 0;
    }

    /**
     * libfuse hides an open file, because somebody unlinks it, or renames another file over it. In
     * the second case the rename itself follows at once and replaces the name atomically.
     */
    private void hide(Caller caller, Place place, Name hiddenName) {
        long ino = fileSystem.lookup(caller, place.parentIno(), place.name()).ino();
        hidden.add(hiddenName, ino);
        if (LoopThread.current().opcode() != Opcode.UNLINK) {
            return;
        }
        try {
            fileSystem.unlink(caller, place.parentIno(), place.name());
        } catch (FsException e) {
            hidden.remove(hiddenName);
            throw e;
        }
    }

    /** Whether the process itself asked for this new name: it is the last string of the request. */
    private static boolean isAskedFor(Name name) {
        LoopThread thread = LoopThread.current();
        if (thread.opcode() == Opcode.UNLINK) {
            return false;
        }
        long oldName = thread.arguments() + 8;
        int oldLength = RawMemory.stringLength(oldName, MAX_NAME_BYTES);
        byte[] newName = RawMemory.getString(oldName + oldLength + 1, MAX_NAME_BYTES);
        return Arrays.equals(newName, name.bytes());
    }

    int link(long from, long to) {
        Caller caller = caller();
        long ino = resolver.ino(caller, from);
        Place place = resolver.place(caller, to);
        fileSystem.link(caller, ino, place.parentIno(), place.name());
        return 0;
    }

    private int change(long path, AttributeChange change) {
        Caller caller = caller();
        boolean takes =
                change.has(AttributeChange.SIZE | AttributeChange.UID | AttributeChange.GID);
        return current(
                () -> {
                    long ino = resolver.ino(caller, path);
                    if (takes) {
                        capabilities.clear(caller, ino);
                    }
                    fileSystem.setAttributes(caller, ino, change);
                    return 0;
                });
    }

    int chmod(long path, int mode) {
        return change(path, AttributeChange.NONE.withMode(mode & 07777));
    }

    /** The kernel asks for chmod itself when setuid and setgid have to go. */
    int chown(long path, int uid, int gid) {
        AttributeChange change = AttributeChange.NONE;
        if (uid != -1) {
            change = change.withUid(uid);
        }
        if (gid != -1) {
            change = change.withGid(gid);
        }
        return change(path, change);
    }

    int truncate(long path, long size) {
        return change(path, AttributeChange.NONE.withSize(size));
    }

    int utimens(long path, long times) {
        AttributeChange change = AttributeChange.NONE;
        long atimeNs = getLong(times + 8);
        if (atimeNs == UTIME_NOW) {
            change = change.withAtime(0).withBits(AttributeChange.ATIME_NOW);
        } else if (atimeNs != UTIME_OMIT) {
            change = change.withAtime(StatLayout.timeNs(getLong(times), atimeNs));
        }
        long mtimeNs = getLong(times + 24);
        if (mtimeNs == UTIME_NOW) {
            change = change.withMtime(0).withBits(AttributeChange.MTIME_NOW);
        } else if (mtimeNs != UTIME_OMIT) {
            change = change.withMtime(StatLayout.timeNs(getLong(times + 16), mtimeNs));
        }
        return change(path, change);
    }

    int access(long path, int bits) {
        Caller caller = caller();
        return current(
                () -> {
                    fileSystem.access(caller, resolver.ino(caller, path), bits);
                    return 0;
                });
    }

    int open(long path, long info) {
        LoopThread thread = LoopThread.current();
        Caller caller = thread.caller();
        int flags = RawMemory.getInt(info);
        long handle =
                current(
                        () -> {
                            long ino = resolver.ino(caller, path);
                            if ((flags & FileSystem.O_TRUNC) != 0) {
                                capabilities.clear(caller, ino);
                            }
                            return state.files().open(caller, ino, flags);
                        });
        fileCallbacks.opened(thread, handle, state.files().get(handle), info);
        return 0;
    }

    int create(long path, int mode, long info) {
        Caller caller = caller();
        Place place = resolver.place(caller, path);
        OpenFile file =
                fileSystem
                        .create(
                                caller,
                                place.parentIno(),
                                place.name(),
                                mode & 07777,
                                RawMemory.getInt(info))
                        .file();
        fileCallbacks.created(state.files().add(file), file, info);
        return 0;
    }

    int statfs(long path, long statvfs) {
        long ino = resolver.ino(caller(), path);
        StatLayout.putStatvfs(statvfs, fileSystem.usage(ino));
        return 0;
    }

    int opendir(long path, long info) {
        Caller caller = caller();
        long ino = resolver.ino(caller, path);
        DirectoryCursor cursor = new DirectoryCursor(fileSystem, state.files(), ino, true);
        putLong(info + HANDLE, state.directories().add(cursor));
        return 0;
    }

    int readdir(long buffer, long filler, long offset, long info) {
        LoopThread thread = LoopThread.current();
        DirectoryCursor cursor = state.directories().get(getLong(info + HANDLE));
        // The arguments are struct fuse_read_in: fh +0, offset +8, size +16.
        int sizeBytes = RawMemory.getInt(thread.arguments() + 16);
        try (FillerSink sink = new FillerSink(filler, buffer, sizeBytes)) {
            cursor.read(thread.caller(), offset, false, sink);
        }
        return 0;
    }

    int releasedir(long info) {
        state.directories().remove(getLong(info + HANDLE));
        return 0;
    }

    int setxattr(long path, long name, long value, long sizeBytes, int flags) {
        Caller caller = caller();
        long ino = resolver.ino(caller, path);
        byte[] nameBytes = RawMemory.getString(name, MAX_NAME_BYTES);
        state.capabilities().forget(ino);
        byte[] valueBytes = RawMemory.getBytes(value, (int) sizeBytes);
        fileSystem.setXattr(caller, ino, nameBytes, valueBytes, flags);
        state.capabilities().forget(ino);
        if (new String(nameBytes, StandardCharsets.ISO_8859_1).equals(Acl.ACCESS_ATTRIBUTE)) {
            state.dropSetgid(LoopThread.current(), ino);
        }
        return 0;
    }

    int getxattr(long path, long name, long buffer, long sizeBytes) {
        Caller caller = caller();
        long ino = resolver.ino(caller, path);
        byte[] nameBytes = RawMemory.getString(name, MAX_NAME_BYTES);
        boolean capability = CapabilityMemory.isCapability(nameBytes);
        if (capability && state.capabilities().hasNone(ino)) {
            return -Errno.ENODATA.number();
        }
        try {
            return answer(fileSystem.getXattr(caller, ino, nameBytes), buffer, sizeBytes);
        } catch (FsException e) {
            if (capability && e.errno() == Errno.ENODATA) {
                state.capabilities().sawNone(ino);
            }
            throw e;
        }
    }

    int listxattr(long path, long buffer, long sizeBytes) {
        Caller caller = caller();
        List<byte[]> names =
                current(() -> fileSystem.listXattr(caller, resolver.ino(caller, path)));
        return answer(Xattrs.join(names), buffer, sizeBytes);
    }

    /** The caller asks for the length first, with a size of 0. */
    private static int answer(byte[] bytes, long buffer, long sizeBytes) {
        if (sizeBytes > 0) {
            if (bytes.length > sizeBytes) {
                return -Errno.ERANGE.number();
            }
            putBytes(buffer, bytes);
        }
        return bytes.length;
    }

    int removexattr(long path, long name) {
        Caller caller = caller();
        byte[] nameBytes = RawMemory.getString(name, MAX_NAME_BYTES);
        fileSystem.removeXattr(caller, resolver.ino(caller, path), nameBytes);
        return 0;
    }
}
