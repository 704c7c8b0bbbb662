package io.cairn.client;

import io.cairn.wire.ChunkRequest.ChunkKey;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chunks that this mount has written and not made durable since, by inode, also after the file
 * was closed: an fsync through a later open makes them durable. Bounded: when there are too many,
 * those of the inode closed longest ago are flushed in the background and forgotten then.
 * Thread-safe; never blocks.
 */
final class UnsyncedChunks {
    private static final Logger LOG = LoggerFactory.getLogger(UnsyncedChunks.class);
    private static final int MAX_CHUNKS = 65_536;

    private final ChunkIo io;
    private final int maxChunks;
    private final LinkedHashMap<Long, Map<ChunkKey, ChunkPlace>> byIno = new LinkedHashMap<>();
    private int count;

    UnsyncedChunks(ChunkIo io) {
        this(io, MAX_CHUNKS);
    }

    UnsyncedChunks(ChunkIo io, int maxChunks) {
        this.io = io;
        this.maxChunks = maxChunks;
    }

    /** A chunk of an inode was written. */
    void add(long ino, ChunkPlace place) {
        ChunkKey key = new ChunkKey(place.oid(), place.index());
        long eldest = 0;
        synchronized (this) {
            Map<ChunkKey, ChunkPlace> chunks = byIno.computeIfAbsent(ino, _ -> new HashMap<>());
            if (chunks.put(key, place) == null && ++count > maxChunks) {
                eldest = byIno.keySet().iterator().next();
            }
        }
        if (eldest != 0) {
            long flushed = eldest;
            Promises.whenDone(
                    flush(eldest),
                    (_, failure) -> {
                        if (failure != null) {
                            LOG.warn(
                                    "background flush of inode {}: {}",
                                    flushed,
                                    Await.failure(failure).getMessage());
                        }
                    });
        }
    }

    /** The inode is gone. */
    synchronized void forget(long ino) {
        Map<ChunkKey, ChunkPlace> chunks = byIno.remove(ino);
        if (chunks != null) {
            count -= chunks.size();
        }
    }

    /**
     * Makes all chunks of an inode durable that were written before. Those that fail stay listed.
     */
    CompletableFuture<Void> flush(long ino) {
        Map<ChunkKey, ChunkPlace> chunks;
        synchronized (this) {
            chunks = byIno.remove(ino);
            if (chunks == null) {
                return CompletableFuture.completedFuture(null);
            }
            count -= chunks.size();
        }
        CompletableFuture<?>[] flushes = new CompletableFuture<?>[chunks.size()];
        int at = 0;
        for (ChunkPlace place : chunks.values()) {
            flushes[at++] =
                    io.flush(place)
                            .whenComplete(
                                    (_, failure) -> {
                                        if (failure != null) {
                                            putBack(ino, place);
                                        }
                                    });
        }
        return CompletableFuture.allOf(flushes);
    }

    private synchronized void putBack(long ino, ChunkPlace place) {
        ChunkKey key = new ChunkKey(place.oid(), place.index());
        Map<ChunkKey, ChunkPlace> chunks = byIno.computeIfAbsent(ino, _ -> new HashMap<>());
        if (chunks.putIfAbsent(key, place) == null) {
            count++;
        }
    }
}
