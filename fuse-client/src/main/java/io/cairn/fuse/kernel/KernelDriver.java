package io.cairn.fuse.kernel;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fuse.loop.Capabilities;
import io.cairn.fuse.loop.Driver;
import io.cairn.fuse.loop.FuseArguments;
import io.cairn.fuse.loop.KernelNotices;
import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.loop.MountState;
import io.cairn.fuse.loop.Request;
import io.cairn.fuse.loop.SignalledRequests;
import io.cairn.fuse.sys.Failures;
import io.cairn.fuse.sys.KernelProtocol;
import io.cairn.fuse.sys.LibFuse;
import io.cairn.fuse.sys.Opcode;
import io.cairn.fuse.sys.RawMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;

/**
 * The driver that speaks the protocol of {@code /dev/fuse} itself. libfuse only mounts, because it
 * knows how users without privileges do that.
 *
 * <p>The node numbers of the kernel are inode numbers, so that hard links are one file, files
 * without a name stay what they are, and nothing has to be resolved.
 */
public final class KernelDriver implements Driver {
    /** The result of a request that is answered later, or never. */
    static final int NO_REPLY = -1;

    /** Room for the header and the arguments of the longest request beside its payload. */
    private static final int EXTRA_BYTES = 4096;

    /** How long the kernel may keep attributes: opens take back what is stale. */
    private static final long ATTRIBUTE_MS = 1000;

    private final LibFuse libFuse;
    private final MountState state;
    private final Arena arena = Arena.ofShared();
    private final long mountpoint;
    private final long channel;
    private final int fd;
    private final SignalledRequests signalled;
    private final AsyncReplies later;
    private final KernelNotices notices;
    private final NodeRequests nodes;
    private final FileRequests files;
    private final DirectoryRequests directories;
    private final ControlRequests controls;

    private KernelDriver(LibFuse libFuse, MountState state, Path path) {
        this.libFuse = libFuse;
        this.state = state;
        mountpoint = arena.allocateFrom(path.toString()).address();
        channel = libFuse.mount(mountpoint, arguments());
        if (channel == 0) {
            arena.close();
            throw FuseArguments.refused(path);
        }
        fd = libFuse.descriptor(channel);
        signalled = new SignalledRequests(fd);
        later = new AsyncReplies(fd, signalled, state);
        long wanted = state.options().attributeTimeoutMs();
        long attributeMs = wanted == MountOptions.CHOICE_OF_DRIVER ? ATTRIBUTE_MS : wanted;
        Capabilities capabilities = new Capabilities(state.fileSystem(), state.capabilities());
        notices = new KernelNotices(fd);
        nodes = new NodeRequests(state, capabilities, later, attributeMs, notices);
        files = new FileRequests(state, capabilities, nodes, later, notices);
        directories = new DirectoryRequests(state, attributeMs);
        controls = new ControlRequests(state, notices);
    }

    /** Mounts. */
    public static KernelDriver mount(MountState state, Path path) {
        return new KernelDriver(LibFuse.load(), state, path);
    }

    /** struct fuse_args: argc +0, argv +8, allocated +16. */
    private long arguments() {
        String options = String.join(",", FuseArguments.common(state.options()));
        List<String> words = List.of("cairn", "-o", options);
        MemorySegment arguments = arena.allocate(24, 8);
        arguments.set(ValueLayout.JAVA_INT, 0, words.size());
        arguments.set(ValueLayout.ADDRESS, 8, LibFuse.vector(arena, words));
        return arguments.address();
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
        return Negotiation.MAX_IO_BYTES + EXTRA_BYTES;
    }

    @Override
    public long replyBytes() {
        return Negotiation.MAX_IO_BYTES + EXTRA_BYTES;
    }

    @Override
    public void serve(LoopThread thread, int lengthBytes) {
        int error = 0;
        int bodyBytes = 0;
        try {
            bodyBytes = execute(thread);
        } catch (Throwable e) {
            error = Failures.errno(e);
        }
        if (bodyBytes == NO_REPLY) {
            return;
        }
        Request request = thread.errand();
        if (request == null || request.finish()) {
            KernelProtocol.send(fd, thread.reply(), thread.unique(), error, bodyBytes);
            state.view().told(error == 0);
            state.slow().done(request);
            return;
        }
        state.view().told(false);
        if (error == 0) {
            takeBack(thread);
        }
    }

    /** Nobody will close what was opened for a process that was told that it was interrupted. */
    private void takeBack(LoopThread thread) {
        Opcode opcode = thread.opcode();
        if (opcode == null) {
            return;
        }
        long body = thread.reply() + KernelProtocol.OUT_HEADER_BYTES;
        switch (opcode.opened()) {
            case FILE -> state.files().release(RawMemory.getLong(body), null);
            case NAMED_FILE ->
                    state.files()
                            .release(RawMemory.getLong(body + KernelProtocol.ENTRY_BYTES), null);
            case DIRECTORY -> state.directories().remove(RawMemory.getLong(body));
            case NOTHING -> {}
        }
    }

    private int execute(LoopThread thread) {
        return switch (thread.opcode()) {
            case LOOKUP -> nodes.lookup(thread);
            case GETATTR -> nodes.getattr(thread);
            case SETATTR -> nodes.setattr(thread);
            case READLINK -> nodes.readlink(thread);
            case SYMLINK -> nodes.symlink(thread);
            case MKNOD -> nodes.mknod(thread);
            case MKDIR -> nodes.mkdir(thread);
            case UNLINK -> nodes.unlink(thread);
            case RMDIR -> nodes.rmdir(thread);
            case RENAME -> nodes.rename(thread);
            case RENAME2 -> nodes.renameWithFlags(thread);
            case LINK -> nodes.link(thread);
            case ACCESS -> nodes.access(thread);
            case STATFS -> nodes.statfs(thread);
            case SETXATTR -> nodes.setxattr(thread);
            case GETXATTR -> nodes.getxattr(thread);
            case LISTXATTR -> nodes.listxattr(thread);
            case REMOVEXATTR -> nodes.removexattr(thread);
            case OPEN -> files.open(thread);
            case CREATE -> files.create(thread);
            case TMPFILE -> files.createUnnamed(thread);
            case STATX -> nodes.statx(thread);
            case READ -> files.read(thread);
            case WRITE -> files.write(thread);
            case FLUSH -> files.flush(thread);
            case RELEASE -> files.release(thread);
            case FSYNC -> files.sync(thread);
            case FALLOCATE -> files.allocate(thread);
            case LSEEK -> files.seek(thread);
            case COPY_FILE_RANGE, COPY_FILE_RANGE_64 -> files.copy(thread);
            case GETLK -> files.testLock(thread);
            case SETLK -> files.setLock(thread, false);
            case SETLKW -> files.setLock(thread, true);
            case OPENDIR -> directories.open(thread);
            case READDIR -> directories.read(thread, false);
            case READDIRPLUS -> directories.read(thread, true);
            case RELEASEDIR -> directories.release(thread);
            case FSYNCDIR -> directories.sync(thread);
            case DESTROY -> 0;
            case INIT -> init(thread);
            case FORGET -> nodes.forget(thread);
            case BATCH_FORGET -> nodes.forgetMany(thread);
            case NOTIFY_REPLY -> NO_REPLY;
            case IOCTL -> controls.control(thread);
            // The request loop takes interruptions.
            case INTERRUPT -> NO_REPLY;
            case null -> throw new FsException(Errno.ENOSYS);
        };
    }

    private int init(LoopThread thread) {
        state.fileSystem().keepRemoved();
        return Negotiation.answer(thread.arguments(), thread.reply() + 16, state.options());
    }

    @Override
    public void destroy() {
        later.close();
        notices.close();
        libFuse.unmount(mountpoint, channel);
        arena.close();
    }
}
