package io.cairn.fuse.loop;

import io.cairn.base.FsException;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files whose name a rename has just given to another file: they stay open for a moment. Opening a
 * path is two requests, and a rename may come between them: then the kernel opens a file that has
 * lost its name meanwhile. It would try once more after ESTALE and then give up; so a name that is
 * replaced again and again would seem absent at times. The old file is a right answer, because it
 * had the name when the open began. Thread-safe.
 */
public final class ReplacedFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplacedFiles.class);
    private static final long HOLD_MS = 500;
    private static final int MAX_HELD = 4096;
    private static final long NONE = -1;

    private final FileSystem fileSystem;
    private final OpenFiles files;
    private final SeenNames names = new SeenNames();
    private final Semaphore places = new Semaphore(MAX_HELD);
    private final CountDownLatch closed = new CountDownLatch(1);

    ReplacedFiles(FileSystem fileSystem, OpenFiles files) {
        this.fileSystem = fileSystem;
        this.files = files;
    }

    /** The names that the kernel was told. */
    public SeenNames names() {
        return names;
    }

    /** Renames without flags, and keeps what lost its name by that. */
    public void rename(Caller caller, long parentIno, Name name, long newParentIno, Name newName) {
        long held = open(names.find(newParentIno, newName));
        boolean done = false;
        try {
            fileSystem.rename(caller, parentIno, name, newParentIno, newName, 0);
            done = true;
        } finally {
            if (held != NONE) {
                keep(held, done);
            }
        }
        moved(parentIno, name, newParentIno, newName);
    }

    /**
     * Begins to rename without flags.
     *
     * @return null when {@link #rename} must be called
     */
    public @Nullable CompletableFuture<Void> beginRename(
            Caller caller, long parentIno, Name name, long newParentIno, Name newName) {
        AsyncChanges changes =
                names.find(newParentIno, newName) == 0 ? fileSystem.async(caller) : null;
        return changes == null
                ? null
                : changes.rename(caller, parentIno, name, newParentIno, newName, 0)
                        .thenRun(() -> moved(parentIno, name, newParentIno, newName));
    }

    private void moved(long parentIno, Name name, long newParentIno, Name newName) {
        long ino = names.remove(parentIno, name);
        if (ino == 0) {
            names.remove(newParentIno, newName);
        } else {
            names.put(newParentIno, newName, ino);
        }
    }

    private long open(long ino) {
        if (ino == 0 || !places.tryAcquire()) {
            return NONE;
        }
        try {
            return files.open(Caller.checkedByKernel(0, 0), ino, FileSystem.O_RDONLY);
        } catch (FsException e) {
            places.release();
            LOG.debug("inode {} is not held: {}", ino, e.getMessage());
            return NONE;
        }
    }

    private void keep(long handle, boolean moment) {
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                if (moment) {
                                    closed.await(HOLD_MS, TimeUnit.MILLISECONDS);
                                }
                                files.release(handle, null);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            } catch (FsException e) {
                                LOG.debug("a replaced file: {}", e.getMessage());
                            } finally {
                                places.release();
                            }
                        });
    }

    /** Lets go of everything. */
    @Override
    public void close() {
        closed.countDown();
    }
}
