package io.cairn.fuse.jnr;

import static io.cairn.fuse.sys.RawMemory.getInt;
import static io.cairn.fuse.sys.RawMemory.getLong;
import static io.cairn.fuse.sys.RawMemory.putInt;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.fuse.jnr.JnrFuse.Call1;
import io.cairn.fuse.jnr.JnrFuse.Call3;
import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.sys.Failures;
import io.cairn.fuse.sys.Opcode;
import io.cairn.fuse.sys.RawMemory;
import io.cairn.os.MountCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import jnr.ffi.Pointer;
import jnr.ffi.provider.ClosureManager;
import org.jspecify.annotations.Nullable;

/**
 * A channel of libfuse that says ESTALE where libfuse says ENOENT, for requests about a file that
 * the kernel has looked up before: that its path leads nowhere means that the kernel's entry is out
 * of date. Told so the kernel looks the name up again. Without this a file that is being replaced
 * by rename seems absent for a moment.
 *
 * <p>struct fuse_chan_ops: receive +0, send +8, destroy +16. struct iovec: base +0, length +8.
 */
final class StaleChannel implements AutoCloseable {
    private static final Set<Opcode> ABOUT_KNOWN =
            Set.of(
                    Opcode.GETATTR,
                    Opcode.SETATTR,
                    Opcode.READLINK,
                    Opcode.OPEN,
                    Opcode.OPENDIR,
                    Opcode.ACCESS,
                    Opcode.SETXATTR,
                    Opcode.GETXATTR,
                    Opcode.LISTXATTR,
                    Opcode.REMOVEXATTR);

    private static final int IOVEC_BYTES = 16;
    private static final int SLOTS = 1 << 14;

    /** Node numbers of directories that were asked for, those of the same slot displaced. */
    private final AtomicLongArray directories = new AtomicLongArray(SLOTS);

    private final JnrFuse libFuse;
    private final Arena arena = Arena.ofShared();
    private final Call3 send;
    private final Call1 destroy = channel -> 0;
    private final long address;

    private StaleChannel(JnrFuse libFuse, int fd, long bufferBytes) {
        this.libFuse = libFuse;
        this.send = (channel, vectors, count) -> send(fd, vectors, (int) count);
        MemorySegment operations = arena.allocate(24, 8);
        ClosureManager closures = libFuse.runtime().getClosureManager();
        Pointer sendPointer = closures.getClosurePointer(Call3.class, send);
        Pointer destroyPointer = closures.getClosurePointer(Call1.class, destroy);
        RawMemory.putLong(operations.address() + 8, sendPointer.address());
        RawMemory.putLong(operations.address() + 16, destroyPointer.address());
        address = libFuse.functions().fuse_chan_new(operations.address(), fd, bufferBytes, 0);
    }

    /** A channel on the descriptor of a mount; the descriptor is not closed with it. */
    static StaleChannel open(JnrFuse libFuse, int fd, long bufferBytes) {
        return new StaleChannel(libFuse, fd, bufferBytes);
    }

    /** Whether a kind of request is about a file that the kernel knows. */
    static boolean serves(@Nullable Opcode opcode) {
        return opcode != null && ABOUT_KNOWN.contains(opcode);
    }

    /** The first piece of a reply is its fuse_out_header. */
    private int send(int fd, long vectors, int count) {
        try {
            long header = getLong(vectors);
            int error = getInt(header + 4);
            LoopThread thread = LoopThread.current();
            if (error == 0 && thread.opcode() == Opcode.GETATTR) {
                remember(thread.node(), getLong(vectors + IOVEC_BYTES));
            } else if (error == -Errno.ENOENT.number() && !isDirectory(thread.node())) {
                putInt(header + 4, -Errno.ESTALE.number());
            }
            return (int) Math.min(0, MountCalls.writev(fd, vectors, count));
        } catch (Throwable e) {
            return Failures.errno(e);
        }
    }

    /** Of a fuse_attr_out the mode is at +76. */
    private void remember(long node, long attributes) {
        if ((getInt(attributes + 76) & FileType.MODE_MASK) == FileType.DIRECTORY.modeBits()) {
            directories.set(slot(node), node);
        }
    }

    private boolean isDirectory(long node) {
        return directories.get(slot(node)) == node;
    }

    private static int slot(long node) {
        return (int) node & (SLOTS - 1);
    }

    long address() {
        return address;
    }

    @Override
    public void close() {
        libFuse.functions().fuse_chan_destroy(address);
        arena.close();
    }
}
