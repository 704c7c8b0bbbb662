package io.cairn.client.chunk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Backoff;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Inode;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Reply;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one file that chunk servers do not change because a snapshot has them. The master
 * gives them new objects, which are cloned from the old ones before the first write ({@link
 * ChunkClones}). One mutation is under way at a time, for all chunks that were refused meanwhile.
 * Thread-safe; never blocks.
 */
public final class ChunkRenewals {
    private static final long LONGEST_PAUSE_MS = 100;

    private final long ino;
    private final MasterChannel master;
    private final ClientRuntime runtime;
    private final long timeoutMs;
    private final Supplier<CompletableFuture<Void>> tellClones;
    private final Consumer<Inode> adopt;

    @GuardedBy("this")
    private Map<Long, Long> wanted = new TreeMap<>();

    @GuardedBy("this")
    private CompletableFuture<Void> next = new CompletableFuture<>();

    @GuardedBy("this")
    private boolean running;

    /** What a file does with the answers. */
    public record Effects(Supplier<CompletableFuture<Void>> tellClones, Consumer<Inode> adopt) {}

    /** One mutation with its tries. */
    private record Round(
            ContentMutation.RenewChunks mutation,
            CompletableFuture<Void> promise,
            Backoff backoff,
            long deadlineMs) {}

    /**
     * Of a file.
     *
     * @param timeoutMs a snapshot that is being taken is waited for so long
     * @param effects tells the master of clones that were made; takes over what the master says
     */
    public ChunkRenewals(
            long ino,
            MasterChannel master,
            ClientRuntime runtime,
            long timeoutMs,
            Effects effects) {
        this.ino = ino;
        this.master = master;
        this.runtime = runtime;
        this.timeoutMs = timeoutMs;
        this.tellClones = effects.tellClones;
        this.adopt = effects.adopt;
    }

    /** A chunk was refused; the promise is kept when the master knows a new object for it. */
    public CompletableFuture<Void> renew(ChunkPlace place) {
        CompletableFuture<Void> mine;
        synchronized (this) {
            wanted.put(place.index(), place.oid());
            mine = next;
        }
        begin();
        return mine;
    }

    private void begin() {
        Round round;
        synchronized (this) {
            if (running || wanted.isEmpty()) {
                return;
            }
            running = true;
            long[] indices = wanted.keySet().stream().mapToLong(Long::longValue).toArray();
            long[] oids = wanted.values().stream().mapToLong(Long::longValue).toArray();
            round =
                    new Round(
                            new ContentMutation.RenewChunks(ino, indices, oids),
                            next,
                            new Backoff(runtime.random(), LONGEST_PAUSE_MS),
                            runtime.clock().millis() + timeoutMs);
            wanted = new TreeMap<>();
            next = new CompletableFuture<>();
        }
        send(round);
    }

    private void send(Round round) {
        Promises.whenDone(
                Promises.then(tellClones.get(), _ -> master.mutate(round.mutation, 0)),
                (reply, failure) -> answered(round, reply, failure));
    }

    private void answered(Round round, @Nullable Reply reply, @Nullable Throwable failure) {
        if (reply instanceof Reply.Failure refused
                && refused.errno() == Errno.EAGAIN
                && runtime.clock().millis() < round.deadlineMs) {
            runtime.scheduler().schedule(() -> send(round), round.backoff.nextMs());
            return;
        }
        if (reply instanceof Reply.EntryReply entry) {
            adopt.accept(entry.inode());
        }
        synchronized (this) {
            running = false;
        }
        if (reply instanceof Reply.EntryReply) {
            round.promise.complete(null);
        } else if (reply instanceof Reply.Failure refused) {
            round.promise.completeExceptionally(
                    new FsException(refused.errno(), refused.message()));
        } else {
            round.promise.completeExceptionally(Promises.cause(failure));
        }
        begin();
    }
}
