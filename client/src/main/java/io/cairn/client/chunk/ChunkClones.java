package io.cairn.client.chunk;

import io.cairn.client.session.Promises;
import io.cairn.cluster.Layout;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The chunks of one file that a truncation left to be cloned: before the first write the head of
 * the group copies what remains of the old chunk; until then readers read the old one. Guarded by
 * the lock of its owner, which answers take themselves.
 */
public final class ChunkClones {
    private final WriteOwner owner;
    private final ChunkIo io;
    private final Set<Long> made = new HashSet<>();
    private final Set<Long> untold = new HashSet<>();
    private final Map<Long, CompletableFuture<Void>> running = new HashMap<>();

    public ChunkClones(WriteOwner owner, ChunkIo io) {
        this.owner = owner;
        this.io = io;
    }

    /** Where a chunk is read. */
    public ChunkSource source(Layout layout, long index) {
        Layout.Run run = layout.runOf(index);
        if (isPending(run, index)) {
            return new ChunkSource(
                    new ChunkPlace(layout, run.sourceOid(), index), run.sourceLengthBytes());
        }
        return new ChunkSource(new ChunkPlace(layout, run.oid(), index), layout.chunkSizeBytes());
    }

    private boolean isPending(Layout.Run run, long index) {
        return run.sourceOid() != 0 && run.firstChunk() == index && !made.contains(run.oid());
    }

    /** Makes the clone of a chunk if it has to be made; the promise is kept when it is there. */
    public CompletableFuture<Void> prepare(ChunkPlace place) {
        Layout.Run run = place.layout().runOf(place.index());
        if (!isPending(run, place.index())) {
            return Promises.DONE;
        }
        CompletableFuture<Void> known = running.get(run.oid());
        if (known != null) {
            return known;
        }
        CompletableFuture<Void> promise = new CompletableFuture<>();
        running.put(run.oid(), promise);
        Promises.whenDone(
                io.cloneFrom(place, run.sourceOid(), (int) run.sourceLengthBytes()),
                (reply, failure) -> {
                    boolean isMade = owner.locked(() -> answered(run.oid(), reply != null));
                    if (isMade) {
                        promise.complete(null);
                    } else {
                        promise.completeExceptionally(Promises.cause(failure));
                    }
                });
        return promise;
    }

    private boolean answered(long oid, boolean isMade) {
        running.remove(oid);
        if (isMade) {
            made.add(oid);
            untold.add(oid);
        }
        return isMade;
    }

    /** Whether a clone is made and not yet told to the master. */
    public boolean hasUntold() {
        return !untold.isEmpty();
    }

    /** The objects whose clone is made and not yet told to the master. */
    public List<Long> untold() {
        return List.copyOf(untold);
    }

    /** The master knows. */
    public void told(long oid) {
        untold.remove(oid);
    }
}
