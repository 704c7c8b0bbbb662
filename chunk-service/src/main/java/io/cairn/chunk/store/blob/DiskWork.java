package io.cairn.chunk.store.blob;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.runtime.DiskFullException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The one place where errors of a target's disk become errors of the filesystem, and are counted.
 * Thread-safe.
 */
public final class DiskWork {
    /** Something that the disk does. */
    public interface Attempt<T extends @Nullable Object> {
        T run() throws IOException;
    }

    /** The same without a result. */
    public interface Step {
        void run() throws IOException;
    }

    /** A change of a blob. */
    public interface Change {
        void apply(Blob blob) throws IOException;
    }

    private final BlobContext shelf;
    private final BlobCache blobs;

    public DiskWork(BlobContext shelf, BlobCache blobs) {
        this.shelf = shelf;
        this.blobs = blobs;
    }

    public <T extends @Nullable Object> T on(BlobKey key, BlobCache.Use<T> use) {
        return attempt(() -> blobs.use(key, use));
    }

    public void run(BlobKey key, Change change) {
        boolean _ =
                on(
                        key,
                        blob -> {
                            change.apply(blob);
                            return true;
                        });
    }

    /** Puts a complete, synced replacement in the place of its blob; removed when that fails. */
    public void replace(BlobKey key, Replacement complete) {
        try {
            run(key, blob -> blob.replace(complete));
        } catch (RuntimeException e) {
            complete.giveUp(e);
            throw e;
        }
    }

    public <T extends @Nullable Object> T attempt(Attempt<T> attempt) {
        try {
            return attempt.run();
        } catch (DiskFullException e) {
            throw new FsException(Errno.ENOSPC, String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            shelf.meter.failed();
            shelf.notice(e);
            throw new FsException(Errno.EIO, shelf.paths.root() + ": " + e.getMessage(), e);
        }
    }

    /** Keys have changed: stores that durably, and closes what dropped ones encrypt. */
    void refreshKeys() {
        run(
                () -> {
                    blobs.closeDropped();
                    shelf.seals.refresh();
                });
    }

    public void run(Step step) {
        boolean _ =
                attempt(
                        () -> {
                            step.run();
                            return true;
                        });
    }
}
