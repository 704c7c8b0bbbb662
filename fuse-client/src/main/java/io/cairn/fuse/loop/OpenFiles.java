package io.cairn.fuse.loop;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.sys.ProcessStatus;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open files of a mount: what every driver does by handle number. Thread-safe; every operation
 * fails with {@link FsException}, EBADF for a handle that is not open.
 */
public final class OpenFiles {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);

    private final FileSystem fileSystem;
    private final HandleTable<Opened> table = new HandleTable<>();
    private final OpenInodes inodes = new OpenInodes();
    private final KernelPages pages = new KernelPages();
    private final LockWaits waits;

    /** The open file of a handle. */
    private static final class Opened {
        final OpenFile file;

        /** The fate of the kernel's pages before the application gets the handle. */
        volatile KernelPages.@Nullable Freshness dropping;

        /** Whether anything was written that a flush would commit. */
        volatile boolean isWritten;

        Opened(OpenFile file) {
            this.file = file;
        }
    }

    OpenFiles(FileSystem fileSystem, LockWaits waits) {
        this.fileSystem = fileSystem;
        this.waits = waits;
    }

    /** Opens a file; the handle. */
    public long open(Caller caller, long ino, int flags) {
        return add(fileSystem.open(caller, ino, flags));
    }

    /** Takes over a file that is open already; the handle. */
    public long add(OpenFile file) {
        inodes.opened(file.ino());
        try {
            return table.add(new Opened(file));
        } catch (FsException e) {
            inodes.closed(file.ino());
            file.close();
            throw e;
        }
    }

    /** The file of a handle that the application has: what the kernel did before is done. */
    public OpenFile get(long handle) {
        Opened opened = table.get(handle);
        KernelPages.Freshness dropped = opened.dropping;
        if (dropped != null) {
            opened.dropping = null;
            pages.dropped(dropped);
        }
        return opened.file;
    }

    /** The same to write to it. */
    public OpenFile toWrite(long handle) {
        OpenFile file = get(handle);
        table.get(handle).isWritten = true;
        return file;
    }

    /** Whether anything was written since this was asked last. */
    public boolean takeWritten(long handle) {
        Opened opened = table.get(handle);
        boolean written = opened.isWritten;
        opened.isWritten = false;
        return written;
    }

    /**
     * A file was opened: whether the pages that the kernel may have of it are still right. If not,
     * the kernel is to drop them before the application gets the handle.
     *
     * @param node the kernel's number of the file
     * @param version the version that the open found
     */
    public boolean keepsPages(long handle, long node, long version) {
        if (pages.areFresh(node, version)) {
            return true;
        }
        table.get(handle).dropping = new KernelPages.Freshness(node, version);
        return false;
    }

    /** Whether the inode is open in this mount, so that only the filesystem knows its size. */
    public boolean isOpen(long ino) {
        return inodes.isOpen(ino);
    }

    /** The attributes of an inode that was looked up; those of an open file as it is now. */
    public Attributes current(Caller caller, Attributes found) {
        return isOpen(found.ino()) ? fileSystem.getAttributes(caller, found.ino()) : found;
    }

    /**
     * Fills a buffer from a file as far as the file goes.
     *
     * @return bytes read
     */
    public int read(long handle, long offset, ByteBuffer target) {
        OpenFile file = get(handle);
        int total = 0;
        while (target.hasRemaining()) {
            int count = file.read(offset + total, target);
            if (count <= 0) {
                break;
            }
            total += count;
        }
        return total;
    }

    /**
     * Sets a lock, or waits for it with another thread of the loop taking the place of this one. A
     * holder that was granted one sees the writes of its holder before, also through the kernel's
     * pages.
     *
     * @return 0, or EAGAIN negated when it is not to wait
     */
    public int lock(LoopThread thread, long handle, Lock lock, boolean waits) {
        OpenFile file = get(handle);
        if (lock.kind() == Lock.Kind.POSIX
                && inodes.isLockedBeside(file.ino(), lock.owner(), handle)) {
            // The owner may be the last life of a description that the kernel has put away.
            boolean _ = thread.loop().awaitReleases(thread);
        }
        writeMapped(thread, file);
        int result = obtain(thread, handle, lock, waits);
        if (result == 0 && lock.mode() != Lock.Mode.UNLOCK) {
            refresh(thread, file);
        }
        return result;
    }

    /**
     * Has the kernel write what a process stored in a mapping of the file, before it gives a lock
     * back, and before it gets one, as an NFS client does (nfs_lock in Linux). Nobody tells of
     * mappings and of such pages, so the process is looked at. Also drops them: what is dropped for
     * the lock would be written over what others write meanwhile.
     */
    private static void writeMapped(LoopThread thread, OpenFile file) {
        if ((file.flags() & FileSystem.O_ACCMODE) == FileSystem.O_RDWR
                && ProcessStatus.mapsForWriting(thread.process(), file.ino())) {
            thread.loop().dropPages(thread, thread.node());
        }
    }

    private void refresh(LoopThread thread, OpenFile file) {
        long node = thread.node();
        KernelPages.Freshness now = null;
        try {
            now = new KernelPages.Freshness(node, file.changedByOthers());
            if (pages.areFresh(node, now.version())) {
                return;
            }
        } catch (FsException e) {
            LOG.debug("inode {} is as it may be: {}", file.ino(), e.getMessage());
        }
        thread.loop().dropPages(thread, node);
        if (now != null) {
            pages.dropped(now);
        }
    }

    private int obtain(LoopThread thread, long handle, Lock lock, boolean waits) {
        boolean mayBeFreed = lock.kind() == Lock.Kind.FLOCK && thread.loop().hasReleases(thread);
        if (tryLock(handle, lock)) {
            return 0;
        }
        if (!waits) {
            mayBeFreed |= lock.kind() == Lock.Kind.FLOCK && thread.loop().awaitReleases(thread);
            return mayBeFreed && tryLock(handle, lock) ? 0 : -Errno.EAGAIN.number();
        }
        thread.loop().beginLockWait(thread);
        try {
            long ino = get(handle).ino();
            this.waits.await(thread.unique(), ino, lock);
            noteOwner(ino, handle, lock);
        } finally {
            thread.loop().endLockWait();
        }
        return 0;
    }

    private void noteOwner(long ino, long handle, Lock lock) {
        if (lock.kind() == Lock.Kind.POSIX && lock.mode() != Lock.Mode.UNLOCK) {
            inodes.locked(ino, lock.owner(), handle);
        }
    }

    /** Begins {@link #flush} where no lock is to be dropped; null when it must be called. */
    public @Nullable CompletableFuture<Void> beginFlush(long handle, long lockOwner) {
        OpenFile file = get(handle);
        return inodes.isLocked(file.ino(), lockOwner) ? null : file.beginFlush();
    }

    /** As close(2) of one descriptor: flushes, and drops the POSIX locks of its process. */
    public void flush(long handle, long lockOwner) {
        OpenFile file = get(handle);
        try {
            file.flush();
        } finally {
            if (inodes.unlocked(file.ino(), lockOwner)) {
                fileSystem.releaseLocks(file.ino(), Lock.Kind.POSIX, lockOwner);
            }
        }
    }

    /**
     * The last descriptor of the handle is gone, and with it the locks of the open file
     * description.
     *
     * @param flockOwner whose flock(2) lock ends with it, or null
     * @return the inode when this was its last handle, else 0
     */
    public long release(long handle, @Nullable Long flockOwner) {
        OpenFile file = table.remove(handle).file;
        long ino = file.ino();
        boolean last;
        try {
            for (long owner : inodes.ownersOnlyOf(ino, handle)) {
                fileSystem.releaseLocks(ino, Lock.Kind.POSIX, owner);
            }
            if (flockOwner != null) {
                fileSystem.releaseLocks(ino, Lock.Kind.FLOCK, flockOwner);
            }
        } finally {
            try {
                file.close();
            } finally {
                last = inodes.closed(ino);
            }
        }
        return last ? ino : 0;
    }

    /** A conflicting lock or null, as F_GETLK. */
    public @Nullable Lock testLock(long handle, Lock wanted) {
        return fileSystem.testLock(get(handle).ino(), wanted);
    }

    private boolean tryLock(long handle, Lock lock) {
        long ino = get(handle).ino();
        noteOwner(ino, handle, lock);
        try {
            fileSystem.setLock(ino, lock, 0);
            noteOwner(ino, handle, lock);
            return true;
        } catch (FsException e) {
            if (e.errno() == Errno.EAGAIN) {
                return false;
            }
            throw e;
        }
    }

    /** Closes what the kernel did not come round to close before the mount ended. */
    public void closeAll() {
        for (Opened opened : table.drain()) {
            OpenFile file = opened.file;
            try {
                file.close();
            } catch (RuntimeException e) {
                LOG.warn("inode {} lost buffered writes: {}", file.ino(), e.getMessage());
            }
            inodes.closed(file.ino());
        }
    }
}
