package io.cairn.fuse.loop;

import io.cairn.fuse.sys.Opcode;
import io.cairn.fuse.sys.RawMemory;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.Stopwatch;
import org.jspecify.annotations.Nullable;

/** A request of the kernel on its way. Thread-safe. */
public final class Request extends PendingRequest {
    /** Bit of the write_flags of fuse_write_in: a page of a memory map, which nobody waits for. */
    private static final int WRITE_PAGE = 1;

    private static final int WRITE_FLAGS_OFFSET = 20;

    private final LoopThread thread;
    private final long unique;
    private final @Nullable Opcode opcode;
    private final int process;
    private final long node;
    private final Stopwatch age = Stopwatch.begin();
    private final boolean mayFail;
    private volatile boolean interrupted;
    private volatile boolean unmeasured;

    /**
     * The one in a buffer.
     *
     * @param thread works on it
     * @param buffer address of its fuse_in_header
     */
    Request(LoopThread thread, long buffer) {
        this.thread = thread;
        opcode = Opcode.of(RawMemory.getInt(buffer + 4));
        unique = RawMemory.getLong(buffer + 8);
        node = RawMemory.getLong(buffer + 16);
        process = RawMemory.getInt(buffer + 32);
        // Pages of a map that were not written would be lost with an error.
        boolean isPage =
                opcode == Opcode.WRITE
                        && (RawMemory.getInt(buffer + LoopThread.ARGUMENTS + WRITE_FLAGS_OFFSET)
                                        & WRITE_PAGE)
                                != 0;
        mayFail = (opcode == null || opcode.mayFail()) && !isPage;
    }

    @Override
    protected void handOver() {
        thread.loop().handOver(thread);
    }

    @Override
    protected void glance() {
        thread.loop().glance(thread);
    }

    /** Its number. */
    long unique() {
        return unique;
    }

    /** The thread of the application; 0 when the kernel cannot name it here. */
    int process() {
        return process;
    }

    /** The operation; null for one that this release does not know. */
    @Nullable Opcode opcode() {
        return opcode;
    }

    /** The inode that it is about, the directory where it is about a name. */
    long ino() {
        return thread.inoOf(node);
    }

    /** How long it has been under way. */
    long ageNs() {
        return age.passedNs();
    }

    /** The process got a signal, which may be one that it goes on after. */
    void interrupt() {
        interrupted = true;
    }

    /**
     * Whether it should end for a signal that does not kill. Not a read, as it may be for a page
     * fault: who gets an error there is killed by it. Nor a lock that was asked for without
     * waiting: it may be granted to a process that knows nothing of it and goes on.
     */
    @Override
    public boolean isInterrupted() {
        return interrupted && opcode != Opcode.READ && opcode != Opcode.SETLK;
    }

    /** It asks for what is measured, and is not measured itself. */
    void leaveUnmeasured() {
        unmeasured = true;
    }

    /** Whether it is not measured. */
    boolean isUnmeasured() {
        return unmeasured;
    }

    /** Whether it may be answered EINTR. */
    boolean mayFail() {
        return mayFail;
    }
}
