package io.cairn.client.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Layout;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chunks that this mount has written, or let a file share, and not made durable since. They are
 * kept by inode, also after the file was closed: an fsync through a later open makes them durable.
 * A flush names the writes that were acknowledged. It fails when they were lost meanwhile, with the
 * power of all servers. A chunk written before and after such a stop is flushed in the background,
 * so that the question does not stay open. Bounded: when there are too many, those of the inode
 * closed longest ago are flushed in the background and forgotten then. Thread-safe; never blocks.
 */
public final class UnsyncedChunks {
    private static final Logger LOG = LoggerFactory.getLogger(UnsyncedChunks.class);
    private static final int MAX_CHUNKS = 65_536;

    private record Unsynced(ChunkPlace place, WriteMarks marks) {}

    private final ChunkIo io;
    private final int maxChunks;
    private final LinkedHashMap<Long, Map<ChunkKey, Unsynced>> byIno = new LinkedHashMap<>();
    private final Map<Long, CompletableFuture<Void>> running = new HashMap<>();
    private int count;

    public UnsyncedChunks(ChunkIo io) {
        this(io, MAX_CHUNKS);
    }

    public UnsyncedChunks(ChunkIo io, int maxChunks) {
        this.io = io;
        this.maxChunks = maxChunks;
    }

    /** A chunk of an inode was written. */
    public void add(long ino, ChunkPlace place, WriteReply reply) {
        WriteMarks marks =
                reply.sequence() == 0
                        ? WriteMarks.NONE
                        : WriteMarks.NONE.with(new WriteMark(reply.epoch(), reply.sequence()), 0);
        long flushed;
        synchronized (this) {
            boolean survivor = put(ino, new Unsynced(place, marks));
            flushed = survivor ? ino : surplus();
        }
        flushInBackground(flushed);
    }

    /** The inode to flush because there are too many; 0 when there are not, or one is flushed. */
    private long surplus() {
        if (count <= maxChunks) {
            return 0;
        }
        long oldest = byIno.keySet().iterator().next();
        return running.containsKey(oldest) ? 0 : oldest;
    }

    private void flushInBackground(long ino) {
        if (ino == 0) {
            return;
        }
        Promises.whenDone(
                flush(ino, _ -> true, null),
                (_, failure) -> {
                    if (failure != null) {
                        LOG.warn(
                                "background flush of inode {}: {}",
                                ino,
                                Await.failure(failure).getMessage());
                    }
                });
    }

    /**
     * Returns whether the chunk was written before and after a stop of all servers: whether what
     * was written before is there can be told until the next one only.
     */
    private synchronized boolean put(long ino, Unsynced chunk) {
        ChunkPlace place = chunk.place;
        long unbrokenSince = io.unbrokenSince(place);
        Map<ChunkKey, Unsynced> chunks = byIno.computeIfAbsent(ino, _ -> new HashMap<>());
        Unsynced before = chunks.get(key(place));
        WriteMarks marks =
                before == null ? chunk.marks : before.marks.and(chunk.marks, unbrokenSince);
        chunks.put(key(place), new Unsynced(place, marks));
        count += before == null ? 1 : 0;
        return before != null
                && marks.list().size() > 1
                && marks.list().size() > before.marks.list().size();
    }

    private static ChunkKey key(ChunkPlace place) {
        return new ChunkKey(place.oid(), place.index());
    }

    /**
     * A file has chunks of another one now. All of them count as not durable, whoever wrote them;
     * of what this mount wrote a flush tells as well whether it was lost.
     *
     * @param layout of the file
     * @param firstChunk the first one that it shares
     * @param endChunk behind the last one
     */
    public void share(long fromIno, long toIno, Layout layout, long firstChunk, long endChunk) {
        long flushed;
        synchronized (this) {
            Map<ChunkKey, Unsynced> written = byIno.getOrDefault(fromIno, Map.of());
            for (long index = firstChunk; index < endChunk; index++) {
                Layout.Run run = layout.runOf(index);
                boolean isPending = layout.isPending(index, run.oid());
                long oid = isPending ? run.sourceOid() : run.oid();
                ChunkPlace place = new ChunkPlace(layout, oid, index);
                Unsynced known = written.get(key(place));
                put(toIno, new Unsynced(place, known == null ? WriteMarks.NONE : known.marks));
            }
            flushed = surplus();
        }
        flushInBackground(flushed);
    }

    /** The inode is gone. */
    public void forget(long ino) {
        var _ = take(ino);
    }

    /**
     * Makes all chunks of an inode durable that were written before. Waits for a flush under way
     * and then takes on what that one could not do, so that its failure is told by one of them.
     * Those that fail stay listed.
     *
     * @param needed which chunks still belong to the inode; others are forgotten
     * @param lost told of each chunk whose bytes are lost: that chunk will not fail again for what
     *     was written before; null: it will
     */
    public CompletableFuture<Void> flush(
            long ino, Predicate<ChunkPlace> needed, @Nullable Consumer<FsException> lost) {
        return flush(ino, needed, _ -> true, lost);
    }

    /**
     * The same for some of the chunks. The others stay listed.
     *
     * @param chosen which of those that are needed
     */
    public CompletableFuture<Void> flush(
            long ino,
            Predicate<ChunkPlace> needed,
            Predicate<ChunkPlace> chosen,
            @Nullable Consumer<FsException> lost) {
        CompletableFuture<Void> before;
        CompletableFuture<Void> promise = new CompletableFuture<>();
        synchronized (this) {
            before = running.getOrDefault(ino, Promises.DONE);
            if (before.isDone() && !byIno.containsKey(ino)) {
                return Promises.DONE;
            }
            running.put(ino, promise);
        }
        CompletableFuture<Void> flushed =
                Promises.then(
                        before.handle((_, _) -> true), _ -> flushListed(ino, needed, chosen, lost));
        Promises.forward(flushed.whenComplete((_, _) -> ended(ino, promise)), promise);
        return promise;
    }

    private CompletableFuture<Void> flushListed(
            long ino,
            Predicate<ChunkPlace> needed,
            Predicate<ChunkPlace> chosen,
            @Nullable Consumer<FsException> lost) {
        List<CompletableFuture<?>> flushes = new ArrayList<>();
        for (Unsynced chunk : take(ino)) {
            boolean isNeeded = needed.test(chunk.place);
            if (isNeeded && chosen.test(chunk.place)) {
                flushes.add(flush(ino, chunk, lost));
            } else if (isNeeded) {
                put(ino, chunk);
            }
        }
        return CompletableFuture.allOf(flushes.toArray(CompletableFuture<?>[]::new));
    }

    private synchronized Collection<Unsynced> take(long ino) {
        Map<ChunkKey, Unsynced> chunks = byIno.remove(ino);
        if (chunks == null) {
            return List.of();
        }
        count -= chunks.size();
        return chunks.values();
    }

    private synchronized void ended(long ino, CompletableFuture<Void> flush) {
        running.remove(ino, flush);
    }

    private CompletableFuture<WriteReply> flush(
            long ino, Unsynced chunk, @Nullable Consumer<FsException> lost) {
        return io.flush(chunk.place, chunk.marks.list())
                .whenComplete(
                        (_, failure) -> {
                            if (failure == null) {
                                return;
                            }
                            FsException error = Await.failure(failure);
                            if (lost == null || error.errno() != Errno.EIO) {
                                put(ino, chunk);
                            } else {
                                put(ino, new Unsynced(chunk.place, WriteMarks.NONE));
                                lost.accept(error);
                            }
                        });
    }
}
