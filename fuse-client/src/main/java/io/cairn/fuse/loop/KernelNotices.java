package io.cairn.fuse.loop;

import io.cairn.fuse.sys.RawMemory;
import io.cairn.os.MountCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Notices to the kernel, on the descriptor of a mount: to forget something. Thread-safe.
 *
 * <p>struct fuse_out_header with the notification in place of an error and no request number, then
 * struct fuse_notify_inval_inode_out: ino +16, off +24, len +32.
 */
public final class KernelNotices {
    private static final int INVAL_INODE = 2;
    private static final int BYTES = 40;
    private static final long NO_PAGES = -1;
    private static final long ALL_PAGES = 0;

    private final int fd;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    /** Guarded by the lock. */
    private boolean closed;

    private final ThreadLocal<MemorySegment> memory =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(BYTES, 8));

    public KernelNotices(int fd) {
        this.fd = fd;
    }

    /** To forget the attributes of an inode. */
    public void forgetAttributes(long ino) {
        forget(ino, NO_PAGES);
    }

    /**
     * To drop the pages of a file, and its attributes. Returns when the reads and writes of pages
     * that are under way have been answered, which has to be done by other threads, and no page
     * from before is left.
     */
    public void dropPages(long node) {
        forget(node, ALL_PAGES);
    }

    /** ENOENT, that the kernel does not know the inode, is as good. */
    private void forget(long node, long offset) {
        long at = memory.get().address();
        RawMemory.putInt(at, BYTES);
        RawMemory.putInt(at + 4, INVAL_INODE);
        RawMemory.putLong(at + 8, 0);
        RawMemory.putLong(at + 16, node);
        RawMemory.putLong(at + 24, offset);
        RawMemory.putLong(at + 32, 0);
        lock.readLock().lock();
        try {
            if (!closed) {
                MountCalls.write(fd, at, BYTES);
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Tells nothing any more: the mount is gone, and its descriptor may soon be another file. */
    public void close() {
        lock.writeLock().lock();
        try {
            closed = true;
        } finally {
            lock.writeLock().unlock();
        }
    }
}
