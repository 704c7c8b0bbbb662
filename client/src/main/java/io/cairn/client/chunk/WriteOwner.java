package io.cairn.client.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.cluster.Layout;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Whose data {@link WriteBack} has. All called with its lock held but {@link #locked}. */
public interface WriteOwner {
    /** Handles an answer with the lock held that guards the data. */
    <T> T locked(Supplier<T> event);

    /** Where chunks live now. */
    Layout layout();

    /** The permit that an extent needs when it is sent now. */
    WritePermit permit();

    /** The chunk can be written: exists under its own object. */
    CompletableFuture<Void> prepare(ChunkPlace place);

    /**
     * Asks the master where the file is now, or to put a chunk elsewhere that belongs to a
     * snapshot, or whose servers have no room. Never blocks.
     *
     * @param refusal what the chunk server answered
     */
    CompletableFuture<?> look(ChunkPlace place, FsException refusal);

    /** Whether what was refused may be stored elsewhere, once the master was asked. */
    static boolean mayBeElsewhere(FsException refusal) {
        return refusal.errno() == Errno.ESTALE
                || refusal.errno() == Errno.EROFS
                || refusal.errno() == Errno.ENOSPC;
    }

    /**
     * What a writer is told of a refusal, whose chunk was looked for then.
     *
     * @param why that failed; tells more than that a chunk belongs to a snapshot
     */
    static @Nullable Throwable told(@Nullable Throwable refusal, @Nullable Throwable why) {
        boolean isOfSnapshot = why != null && Await.failure(refusal).errno() == Errno.EROFS;
        return isOfSnapshot ? why : refusal;
    }

    /** An extent is at the servers. */
    void written(ChunkPlace place, long end, WriteReply reply);

    /** An extent is lost. */
    void lost(FsException error);
}
