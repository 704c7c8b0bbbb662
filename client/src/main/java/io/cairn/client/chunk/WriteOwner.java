package io.cairn.client.chunk;

import io.cairn.base.FsException;
import io.cairn.cluster.Layout;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import java.util.concurrent.CompletableFuture;

/** Whose data {@link WriteBack} has. All called with the lock held. */
public interface WriteOwner {
    /** Where chunks live now. */
    Layout layout();

    /** The permit that an extent needs when it is sent now. */
    WritePermit permit();

    /** The chunk can be written: exists under its own object. */
    CompletableFuture<Void> prepare(ChunkPlace place);

    /** Asks the master where the file is now. Never blocks. */
    CompletableFuture<?> look();

    /** An extent is at the servers. */
    void written(ChunkPlace place, long end, WriteReply reply);

    /** An extent is lost. */
    void lost(FsException error);
}
