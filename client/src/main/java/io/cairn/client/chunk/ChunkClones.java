package io.cairn.client.chunk;

import io.cairn.client.session.Promises;
import io.cairn.cluster.Layout;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The chunks of one file that a truncation or a snapshot left to be cloned: before the first write
 * the head of the group copies what remains of the old chunk; until then readers read the old one.
 * Guarded by the lock of its owner, which answers take themselves.
 */
public final class ChunkClones {
    private static final int MAX_TOLD = 1 << 14;

    private final WriteOwner owner;
    private final ChunkIo io;
    private final Set<Clone> made = new HashSet<>();
    private final Set<Clone> untold = new LinkedHashSet<>();
    private final Map<Clone, CompletableFuture<Void>> running = new HashMap<>();

    /** The clone of a chunk to an object. */
    public record Clone(long index, long oid) {}

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
        return run.sourceOid() != 0
                && run.firstChunk() == index
                && !made.contains(new Clone(index, run.oid()));
    }

    /** Makes the clone of a chunk if it has to be made; the promise is kept when it is there. */
    public CompletableFuture<Void> prepare(ChunkPlace place) {
        Layout.Run run = place.layout().runOf(place.index());
        if (!isPending(run, place.index())) {
            return Promises.DONE;
        }
        Clone clone = new Clone(place.index(), run.oid());
        CompletableFuture<Void> known = running.get(clone);
        if (known != null) {
            return known;
        }
        CompletableFuture<Void> promise = new CompletableFuture<>();
        running.put(clone, promise);
        Promises.whenDone(
                io.cloneFrom(place, run.sourceOid(), (int) run.sourceLengthBytes()),
                (reply, failure) -> {
                    boolean isMade = owner.locked(() -> answered(clone, reply != null));
                    if (isMade) {
                        promise.complete(null);
                    } else {
                        promise.completeExceptionally(Promises.cause(failure));
                    }
                });
        return promise;
    }

    private boolean answered(Clone clone, boolean isMade) {
        running.remove(clone);
        if (isMade) {
            made.add(clone);
            untold.add(clone);
        }
        return isMade;
    }

    /** Whether a clone is made and not yet told to the master. */
    public boolean hasUntold() {
        return !untold.isEmpty();
    }

    /** Clones that are made and not yet told to the master: the first of them, if they are many. */
    public List<Clone> untold() {
        return untold.stream().limit(MAX_TOLD).toList();
    }

    /** The master knows. */
    public void told(List<Clone> clones) {
        clones.forEach(untold::remove);
    }
}
