package io.cairn.fs;

import io.cairn.fs.FileSystem.Created;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Changes that are begun, each as the method of the same name of {@link FileSystem}: what it
 * returns or throws is known later, on whichever thread has the answer. The continuation must not
 * wait. For the caller for whom it was asked only. Thread-safe.
 */
public interface AsyncChanges {
    /**
     * Begins {@link FileSystem#create}.
     *
     * @return null when that must be called
     */
    @Nullable CompletableFuture<Created> create(
            Caller caller, long parentIno, Name name, int mode, int flags);

    /**
     * Begins {@link FileSystem#setAttributes}.
     *
     * @param change not of the size
     * @return null when that must be called
     */
    @Nullable CompletableFuture<Attributes> setAttributes(
            Caller caller, long ino, AttributeChange change);

    /** Begins {@link FileSystem#mkdir}. */
    CompletableFuture<Attributes> mkdir(Caller caller, long parentIno, Name name, int mode);

    /** Begins {@link FileSystem#unlink}. */
    CompletableFuture<Void> unlink(Caller caller, long parentIno, Name name);

    /** Begins {@link FileSystem#rmdir}. */
    CompletableFuture<Void> rmdir(Caller caller, long parentIno, Name name);

    /** Begins {@link FileSystem#rename}. */
    CompletableFuture<Void> rename(
            Caller caller, long parentIno, Name name, long newParentIno, Name newName, int flags);
}
