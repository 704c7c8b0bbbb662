package io.cairn.client.file;

import io.cairn.client.cache.MetadataCache;
import io.cairn.client.cache.RemovedInodes;
import io.cairn.client.chunk.BufferPool;
import io.cairn.client.chunk.ChunkIo;
import io.cairn.client.chunk.UnsyncedChunks;
import io.cairn.client.session.Await;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.ClientSettings;
import io.cairn.client.session.MasterChannel;
import io.cairn.fs.Attributes;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.WaitCause;
import java.util.concurrent.CompletableFuture;

/**
 * Shared by all open inodes of one client.
 *
 * @param cache attributes and names
 * @param dirty which of them have something to commit
 * @param unsynced which chunks were written and not made durable since
 * @param removed which inodes without a name the kernel still knows
 */
public record Mount(
        ClientSettings settings,
        ClientRuntime runtime,
        MasterChannel master,
        ChunkIo chunks,
        BufferPool pool,
        MetadataCache cache,
        DirtyInodes dirty,
        UnsyncedChunks unsynced,
        RemovedInodes removed) {

    public long nowMs() {
        return runtime.clock().millis();
    }

    /**
     * The time for a change of a file: the master's clock, after the last change. The estimate of
     * that clock is late by a round trip, and a program that compares times must see the change.
     */
    long fileTimeNs(Attributes known) {
        return Math.max(master.session().masterClock().nowNs(), known.ctimeNs() + 1);
    }

    /** Waits for the master as {@link Await#get}, and looks for the answers itself for a while. */
    public <T> T await(CompletableFuture<T> result, long timeoutMs) {
        long sinceNs = PendingRequest.waitClockNs();
        try {
            master.look(result);
            return Await.get(result, timeoutMs);
        } finally {
            PendingRequest.waitedFor(WaitCause.MASTER, sinceNs);
        }
    }

    public long timeoutMs() {
        return settings.requestTimeoutMs();
    }
}
