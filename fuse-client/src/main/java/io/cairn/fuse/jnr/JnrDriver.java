package io.cairn.fuse.jnr;

import static io.cairn.fuse.sys.RawMemory.getLong;

import io.cairn.base.Errno;
import io.cairn.fuse.jnr.JnrFuse.Call1;
import io.cairn.fuse.jnr.JnrFuse.Call2;
import io.cairn.fuse.jnr.JnrFuse.Call3;
import io.cairn.fuse.jnr.JnrFuse.Call4;
import io.cairn.fuse.jnr.JnrFuse.Call5;
import io.cairn.fuse.jnr.JnrFuse.Call6;
import io.cairn.fuse.loop.Driver;
import io.cairn.fuse.loop.FuseArguments;
import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.loop.MountState;
import io.cairn.fuse.loop.Request;
import io.cairn.fuse.loop.SignalledRequests;
import io.cairn.fuse.sys.Failures;
import io.cairn.fuse.sys.MountException;
import io.cairn.fuse.sys.RawMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jnr.ffi.BaseStruct;
import jnr.ffi.Memory;
import jnr.ffi.Pointer;
import jnr.ffi.Struct;
import jnr.ffi.provider.ClosureManager;
import ru.serce.jnrfuse.struct.FuseOperations;

/**
 * The driver on libfuse 2 by way of jnr-fuse: the structure of operations is jnr-fuse's, its
 * function fields are set to callbacks that take addresses. Requests are read by the threads of
 * Cairn, because callbacks on libfuse's own threads attach to and detach from the JVM each time,
 * and because the request tells what the callbacks do not: who asks, and for what.
 *
 * <p>libfuse 2 has no requests of more than 128 KiB, no flags of renameat2, no SEEK_HOLE, no
 * READDIRPLUS, and does not know hard links as one file. The kernel must never answer for one name
 * what was changed through another. So it caches no attributes unless asked to.
 */
public final class JnrDriver implements Driver {
    private static final int FLAGS_OFFSET = 304;
    private static final int NULLPATH_OK = 1;
    private static final int NOPATH = 2;
    private static final int UTIME_OMIT_OK = 4;

    private final JnrFuse libFuse;
    private final MountState state;
    private final Arena arena = Arena.ofShared();

    /** The callbacks for libfuse: they must be reachable as long as it may call them. */
    private final List<Object> anchors = new ArrayList<>();

    private final FuseOperations operations;
    private final long fuse;
    private final long mountpoint;
    private final long session;
    private final long channel;
    private final StaleChannel staleChannel;
    private final int fd;
    private final SignalledRequests signalled;
    private final long bufferBytes;

    private JnrDriver(JnrFuse libFuse, MountState state, Path path) {
        this.libFuse = libFuse;
        this.state = state;
        this.operations = new FuseOperations(libFuse.runtime());
        int size = Struct.size(operations);
        operations.useMemory(Memory.allocateDirect(libFuse.runtime(), size));
        long address = Struct.getMemory(operations).address();
        RawMemory.zero(address, size);
        bind();
        RawMemory.putInt(address + FLAGS_OFFSET, NULLPATH_OK | NOPATH | UTIME_OMIT_OK);
        MemorySegment mountpointOut = arena.allocate(ValueLayout.ADDRESS);
        fuse = libFuse.setup(arguments(path), address, size, mountpointOut);
        if (fuse == 0) {
            arena.close();
            throw FuseArguments.refused(path);
        }
        mountpoint = getLong(mountpointOut.address());
        session = libFuse.functions().fuse_get_session(fuse);
        channel = libFuse.functions().fuse_session_next_chan(session, 0);
        fd = libFuse.functions().fuse_chan_fd(channel);
        signalled = new SignalledRequests(fd);
        bufferBytes = libFuse.functions().fuse_chan_bufsize(channel);
        staleChannel = StaleChannel.open(libFuse, fd, bufferBytes);
    }

    /** Mounts. */
    public static JnrDriver mount(MountState state, Path path) {
        if (state.options().acl()) {
            throw new MountException(
                    MountException.Category.USAGE, "option acl needs driver=kernel");
        }
        return new JnrDriver(JnrFuse.load(), state, path);
    }

    private List<String> arguments(Path path) {
        MountOptions options = state.options();
        long attributeTimeoutMs = Math.max(0, options.attributeTimeoutMs());
        List<String> words = FuseArguments.common(options);
        words.add("big_writes");
        words.add("use_ino");
        words.add("atomic_o_trunc");
        words.add("negative_timeout=0");
        words.add("attr_timeout=" + attributeTimeoutMs / 1000.0);
        words.add("entry_timeout=" + options.entryTimeoutMs() / 1000.0);
        words.add("max_background=" + options.maxBackground());
        words.add("congestion_threshold=" + Math.max(1, options.maxBackground() * 3 / 4));
        return List.of("cairn", "-f", "-o", String.join(",", words), path.toString());
    }

    private void bind() {
        HiddenFiles hidden = new HiddenFiles();
        FileCallbacks file = new FileCallbacks(state, hidden);
        PathCallbacks path = new PathCallbacks(state, hidden, file);
        bindFile(file, path);
        bindPath(path);
    }

    private void bindFile(FileCallbacks file, PathCallbacks path) {
        FuseOperations o = operations;
        set(o.fgetattr, (Call3) (p, stat, info) -> file.getattr(stat, info));
        set(o.ftruncate, (Call3) (p, size, info) -> file.truncate(size, info));
        set(o.read, (Call5) (p, buffer, size, at, info) -> file.read(buffer, size, at, info));
        set(o.write, (Call5) (p, buffer, size, at, info) -> file.write(buffer, size, at, info));
        set(o.flush, (Call2) (p, info) -> file.flush(info));
        set(o.release, (Call2) (p, info) -> file.release(info));
        set(o.fsync, (Call3) (p, dataOnly, info) -> file.sync((int) dataOnly, info));
        set(
                o.fallocate,
                (Call5) (p, mode, at, size, info) -> file.allocate((int) mode, at, size, info));
        set(o.lock, (Call4) (p, info, command, lock) -> file.lock(info, (int) command, lock));
        set(o.flock, (Call3) (p, info, operation) -> file.flock(info, (int) operation));
        set(o.ioctl, (Call6) (p, command, a, info, flags, data) -> -Errno.ENOTTY.number());
        set(o.opendir, (Call2) path::opendir);
        set(o.readdir, (Call5) (p, buf, fill, at, info) -> path.readdir(buf, fill, at, info));
        set(o.releasedir, (Call2) (p, info) -> path.releasedir(info));
        // Changes of directories are durable before they are answered.
        set(o.fsyncdir, (Call3) (p, dataOnly, info) -> 0);
    }

    private void bindPath(PathCallbacks path) {
        FuseOperations o = operations;
        set(o.getattr, (Call2) path::getattr);
        set(o.readlink, (Call3) path::readlink);
        set(o.mknod, (Call3) (p, mode, rdev) -> path.mknod(p, (int) mode, rdev));
        set(o.mkdir, (Call2) (p, mode) -> path.mkdir(p, (int) mode));
        set(o.unlink, (Call1) path::unlink);
        set(o.rmdir, (Call1) path::rmdir);
        set(o.symlink, (Call2) path::symlink);
        set(o.rename, (Call2) path::rename);
        set(o.link, (Call2) path::link);
        set(o.chmod, (Call2) (p, mode) -> path.chmod(p, (int) mode));
        set(o.chown, (Call3) (p, uid, gid) -> path.chown(p, (int) uid, (int) gid));
        set(o.truncate, (Call2) path::truncate);
        set(o.utimens, (Call2) path::utimens);
        set(o.access, (Call2) (p, bits) -> path.access(p, (int) bits));
        set(o.open, (Call2) path::open);
        set(o.create, (Call3) (p, mode, info) -> path.create(p, (int) mode, info));
        set(o.statfs, (Call2) path::statfs);
        set(
                o.setxattr,
                (Call5)
                        (p, name, value, n, flags) ->
                                path.setxattr(p, name, value, n, (int) flags));
        set(o.getxattr, (Call4) path::getxattr);
        set(o.listxattr, (Call3) path::listxattr);
        set(o.removexattr, (Call2) path::removexattr);
    }

    private void set(BaseStruct.Func<?> field, Call1 call) {
        put(field, Call1.class, a -> guarded(() -> call.call(a)));
    }

    private void set(BaseStruct.Func<?> field, Call2 call) {
        put(field, Call2.class, (a, b) -> guarded(() -> call.call(a, b)));
    }

    private void set(BaseStruct.Func<?> field, Call3 call) {
        put(field, Call3.class, (a, b, c) -> guarded(() -> call.call(a, b, c)));
    }

    private void set(BaseStruct.Func<?> field, Call4 call) {
        put(field, Call4.class, (a, b, c, d) -> guarded(() -> call.call(a, b, c, d)));
    }

    private void set(BaseStruct.Func<?> field, Call5 call) {
        put(field, Call5.class, (a, b, c, d, e) -> guarded(() -> call.call(a, b, c, d, e)));
    }

    private void set(BaseStruct.Func<?> field, Call6 call) {
        put(field, Call6.class, (a, b, c, d, e, f) -> guarded(() -> call.call(a, b, c, d, e, f)));
    }

    /** An exception that left a callback would be taken for success. */
    private static int guarded(java.util.function.IntSupplier body) {
        try {
            return body.getAsInt();
        } catch (Throwable e) {
            return Failures.errno(e);
        }
    }

    private <T> void put(BaseStruct.Func<?> field, Class<T> type, T callback) {
        ClosureManager closures = libFuse.runtime().getClosureManager();
        Pointer pointer = closures.getClosurePointer(type, callback);
        anchors.add(callback);
        anchors.add(pointer);
        RawMemory.putLong(
                Struct.getMemory(operations).address() + field.offset(), pointer.address());
    }

    @Override
    public int fd() {
        return fd;
    }

    @Override
    public SignalledRequests signalled() {
        return signalled;
    }

    @Override
    public long bufferBytes() {
        return bufferBytes;
    }

    /** libfuse has memory of its own. */
    @Override
    public long replyBytes() {
        return 0;
    }

    @Override
    public void serve(LoopThread thread, int lengthBytes) {
        long replies = StaleChannel.serves(thread.opcode()) ? staleChannel.address() : channel;
        thread.callBack(
                () ->
                        libFuse.functions()
                                .fuse_session_process(
                                        session, thread.buffer(), lengthBytes, replies));
        Request request = thread.errand();
        if (request != null) {
            // What was answered EINTR already the kernel takes no second answer to.
            request.finish();
        }
    }

    @Override
    public void destroy() {
        // Not on a loop thread: libfuse may still unlink hidden files, by callbacks.
        staleChannel.close();
        libFuse.functions().fuse_teardown(fuse, mountpoint);
        arena.close();
        anchors.clear();
    }
}
