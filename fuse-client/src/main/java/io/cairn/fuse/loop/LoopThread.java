package io.cairn.fuse.loop;

import io.cairn.fs.Caller;
import io.cairn.fuse.sys.KernelProtocol;
import io.cairn.fuse.sys.Opcode;
import io.cairn.fuse.sys.RawMemory;
import io.cairn.os.MountCalls;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A thread that takes requests from the kernel, with the buffer that holds the one it works on.
 *
 * <pre>
 *   buffer: struct fuse_in_header, then the arguments of the request
 *   +0    +4      +8      +16     +24  +28  +32  +36     +40
 *   +-----+-------+-------+-------+----+----+----+-------+-----------
 *   | len | opcode| unique| nodeid| uid| gid| pid| unused| arguments
 *   +-----+-------+-------+-------+----+----+----+-------+-----------
 * </pre>
 *
 * Everything but {@link #start}, {@link #join}, {@link #request}, {@link #errand} and {@link
 * #mayRelease} is for the thread itself.
 */
public final class LoopThread extends Thread {
    private static final ScopedValue<LoopThread> CALLED_BACK = ScopedValue.newInstance();

    /** Where the arguments of the request begin. */
    static final int ARGUMENTS = 40;

    private final RequestLoop loop;
    private final long bufferBytes;
    private final long replyBytes;
    private long buffer;
    private long reply;
    private ByteBuffer view = ByteBuffer.allocate(0);
    private ByteBuffer replyView = view;
    private volatile long servedAndServing;
    private volatile boolean mayRelease;
    private volatile @Nullable Request request;
    private Caller caller = Caller.checkedByKernel(0, 0);

    LoopThread(RequestLoop loop, String name, Driver driver) {
        super(name);
        this.loop = loop;
        this.bufferBytes = driver.bufferBytes();
        this.replyBytes = driver.replyBytes();
        setDaemon(true);
    }

    /** Does its request in callbacks, which find it by {@link #current}. */
    public void callBack(Runnable work) {
        ScopedValue.where(CALLED_BACK, this).run(work);
    }

    /** The thread whose request a callback of libfuse is for. */
    public static LoopThread current() {
        return CALLED_BACK.get();
    }

    @Override
    public void run() {
        long memory = MountCalls.map(bufferBytes + replyBytes);
        try {
            buffer = memory;
            view = RawMemory.buffer(buffer, (int) bufferBytes);
            reply = memory + bufferBytes;
            replyView = RawMemory.buffer(reply, (int) replyBytes);
            loop.run(this);
        } finally {
            MountCalls.unmap(memory, bufferBytes + replyBytes);
            loop.ended(this);
        }
    }

    /** A request is going to be read, if there is one. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Only this thread writes.
    void begin() {
        mayRelease = true;
        servedAndServing++;
    }

    /** There is one. */
    void received() {
        request = new Request(this, buffer);
    }

    /** The request that it works on. For any thread. */
    public @Nullable Request errand() {
        return request;
    }

    /** It is no release. */
    void noRelease() {
        mayRelease = false;
    }

    /** There was none, or it was served. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Only this thread writes.
    void end() {
        mayRelease = false;
        request = null;
        servedAndServing++;
    }

    /** Whether what is being read or served may be the last close of a file. For any thread. */
    boolean mayRelease() {
        return mayRelease;
    }

    /** Whether a request is being served. For any thread. */
    boolean isBusy() {
        return request != null;
    }

    /**
     * A number that is odd while a request is being read or served, another one for each. For any
     * thread.
     */
    long request() {
        return servedAndServing;
    }

    RequestLoop loop() {
        return loop;
    }

    /** Address of the request. */
    public long buffer() {
        return buffer;
    }

    /** Address of its arguments. */
    public long arguments() {
        return buffer + ARGUMENTS;
    }

    /** The operation; null for one that this release does not know. */
    public @Nullable Opcode opcode() {
        return Opcode.of(RawMemory.getInt(buffer + 4));
    }

    public long unique() {
        return RawMemory.getLong(buffer + 8);
    }

    /** The inode that a request is about. */
    public long node() {
        return inoOf(RawMemory.getLong(buffer + 16));
    }

    /** The inode of a node number of the kernel: the same but for the root of the mount. */
    public long inoOf(long node) {
        return node == KernelProtocol.ROOT_NODE ? loop.rootIno() : node;
    }

    /** The thread of the application. */
    public int process() {
        return RawMemory.getInt(buffer + 32);
    }

    /** On whose behalf. */
    public Caller caller() {
        int uid = RawMemory.getInt(buffer + 24);
        int gid = RawMemory.getInt(buffer + 28);
        Caller last = caller;
        if (last.uid() == uid && last.gid() == gid) {
            return last;
        }
        caller = Caller.checkedByKernel(uid, gid);
        return caller;
    }

    /** Address of the memory for the reply. */
    public long reply() {
        return reply;
    }

    /** A part of the memory for the reply as a buffer that is valid until the next request. */
    public ByteBuffer replySlice(long address, int lengthBytes) {
        int from = (int) (address - reply);
        return replyView.limit(from + lengthBytes).position(from);
    }

    /** A part of the request as a buffer that is valid until the next request. */
    public ByteBuffer slice(long address, int lengthBytes) {
        int from = (int) (address - buffer);
        if (from < 0 || from + lengthBytes > bufferBytes) {
            return RawMemory.buffer(address, lengthBytes);
        }
        return view.limit(from + lengthBytes).position(from);
    }
}
