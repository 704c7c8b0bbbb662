package io.cairn.client.chunk;

import io.cairn.base.FsException;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Layout;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Has written data of a file that stays where it is, and hears what becomes of it. */
public final class FakeWriteOwner implements WriteOwner {
    private final Layout layout;
    final List<Long> writtenEnds = Collections.synchronizedList(new ArrayList<>());
    final List<FsException> lost = Collections.synchronizedList(new ArrayList<>());
    final AtomicLong allocatedBytes = new AtomicLong();
    private final WritePermit permit;

    public FakeWriteOwner(Layout layout, WritePermit permit) {
        this.layout = layout;
        this.permit = permit;
    }

    @Override
    public synchronized <T> T locked(Supplier<T> event) {
        return event.get();
    }

    @Override
    public Layout layout() {
        return layout;
    }

    @Override
    public WritePermit permit() {
        return permit;
    }

    @Override
    public CompletableFuture<Void> prepare(ChunkPlace place) {
        return Promises.DONE;
    }

    @Override
    public CompletableFuture<?> look(ChunkPlace place, FsException refusal) {
        return Promises.DONE;
    }

    @Override
    public void written(ChunkPlace place, long end, WriteReply reply) {
        writtenEnds.add(end);
        allocatedBytes.addAndGet(reply.allocatedDeltaBytes());
    }

    @Override
    public void lost(FsException error) {
        lost.add(error);
    }
}
