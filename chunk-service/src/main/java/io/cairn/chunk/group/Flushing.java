package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.cluster.Layout;
import io.cairn.net.Message;
import io.cairn.trace.Scope;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.Flush;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes a chunk durable on all current members at once. A replica whose sync failed is fenced by
 * its target: it is replaced from a member that has it durable, never synced again; only when there
 * is none the client gets the error. Thread-safe.
 */
public final class Flushing {

    /** A member that has not flushed; null for this server. */
    private record Failure(@Nullable Peer peer, FsException error) {}

    private final PeerContext station;
    private final GroupMember member;

    Flushing(PeerContext station, GroupMember member) {
        this.station = station;
        this.member = member;
    }

    /** Head: flushes everywhere. */
    public CompletableFuture<WriteReply> everywhere(Flush flush) {
        Term term = member.enterAsHead(flush.chunk().epoch());
        ChunkAddress chunk = flush.chunk();
        ChunkKey key = new ChunkKey(chunk.oid(), chunk.index());
        Headship headship = member.headship(term);
        List<Peer> live = headship.live();
        return checkNotLost(term, flush)
                .thenCompose(Scope.carried(there -> attempt(term, chunk, live)))
                .thenCompose(
                        Scope.carried(
                                failures -> {
                                    if (failures.isEmpty() || term.peers().isEmpty()) {
                                        return CompletableFuture.completedFuture(failures);
                                    }
                                    headship.agreement().doubt(key);
                                    return member.turns()
                                            .exclusive(key, () -> headship.agreement().ensure(key))
                                            .thenCompose(
                                                    Scope.carried(
                                                            agreed -> attempt(term, chunk, live)));
                                }))
                .thenCompose(failures -> conclude(term, key, failures))
                .thenCompose(done -> station.onDisk(() -> reply(term, key)));
    }

    /**
     * EIO unless the writes that the client wants to be durable are there. They are when one of the
     * members has kept its memory since; else what the chunk stood at when the group came back
     * tells, and its checksums: power loss may leave a header without the data.
     */
    private CompletableFuture<Void> checkNotLost(Term term, Flush flush) {
        List<WriteMark> old =
                flush.marks().stream().filter(m -> m.epoch() < term.unbrokenSince()).toList();
        ChunkKey key = new ChunkKey(flush.chunk().oid(), flush.chunk().index());
        if (old.isEmpty() || station.tombstones().holds(key)) {
            return Futures.DONE;
        }
        return member.turns()
                .exclusive(key, () -> member.headship(term).agreement().ensure(key))
                .thenCompose(Scope.carried(agreed -> station.fromDisk(() -> vouch(term, key, old))))
                .thenCompose(
                        Scope.carried(
                                there -> station.fromDisk(() -> checkWhole(term, flush.chunk()))));
    }

    private CompletableFuture<Void> vouch(Term term, ChunkKey key, List<WriteMark> marks) {
        ChunkState state = member.state(term, key);
        WriteMark origin = member.origins().find(term.unbrokenSince(), key);
        boolean changed = state.epoch() >= term.unbrokenSince();
        if (origin == null && changed) {
            return askWhoChanged(term, key, marks);
        }
        WriteMark left = changed ? origin : new WriteMark(state.epoch(), state.sequence());
        return holds(term, left, marks) ? Futures.DONE : lost(key, marks, String.valueOf(left));
    }

    private static boolean holds(Term term, @Nullable WriteMark origin, List<WriteMark> marks) {
        return marks.stream().allMatch(mark -> term.shows(origin, mark));
    }

    private static CompletableFuture<Void> lost(ChunkKey key, List<WriteMark> marks, String left) {
        return Futures.failed(
                Errno.EIO,
                "of %s the writes %s were lost when all servers of the group stopped; left: %s"
                        .formatted(key, marks, left));
    }

    /**
     * This server synced the chunk when it had been changed: another one saw what it was before.
     */
    private CompletableFuture<Void> askWhoChanged(Term term, ChunkKey key, List<WriteMark> marks) {
        ChunkAddress chunk = member.address(term, key, Layout.STANDARD_CHUNK_SIZE_LOG2);
        Flush question = new Flush(chunk, marks, true);
        CompletableFuture<Void> answer =
                lost(key, marks, "nobody knows, the chunk has changed since");
        for (Peer peer : term.servingPeers()) {
            answer =
                    answer.exceptionallyCompose(
                            unknown ->
                                    Futures.failure(unknown).errno() == Errno.EIO
                                            ? ask(term, peer, question, unknown)
                                            : CompletableFuture.failedFuture(unknown));
        }
        return answer;
    }

    /** Any other obstacle than not knowing is no answer of the member. */
    private CompletableFuture<Void> ask(Term term, Peer peer, Flush question, Throwable unknown) {
        return station.members()
                .ask(term, peer, () -> Message.of(question::toBytes))
                .thenAccept(Flushing::release)
                .exceptionallyCompose(
                        thrown ->
                                Futures.failure(thrown).errno() == Errno.EIO
                                        ? CompletableFuture.failedFuture(unknown)
                                        : Futures.failed(
                                                Errno.WRONG_EPOCH,
                                                "a member of " + term + " does not answer"));
    }

    private CompletableFuture<Void> checkWhole(Term term, ChunkAddress chunk) {
        if (term.target().verify(chunk)) {
            return Futures.DONE;
        }
        ChunkState state = member.state(term, new ChunkKey(chunk.oid(), chunk.index()));
        return new BlobCopy(station, term)
                .mend(state, term.servingPeers())
                .exceptionallyCompose(
                        thrown ->
                                Futures.failed(
                                        Errno.EIO,
                                        chunk + " was lost in part: " + Futures.failure(thrown)));
    }

    private WriteReply reply(Term term, ChunkKey key) {
        ChunkState state = member.state(term, key);
        member.check(term);
        return new WriteReply(state.sequence(), state.lengthBytes(), 0, state.epoch());
    }

    /**
     * Member: flushes here; EIO when it does not know for certain that the writes named are there.
     */
    public CompletableFuture<WriteReply> here(Flush flush) {
        Term term = member.enterAsMember(flush.chunk().epoch());
        ChunkKey key = new ChunkKey(flush.chunk().oid(), flush.chunk().index());
        return station.onDisk(
                () -> {
                    WriteMark origin = member.origins().find(term.unbrokenSince(), key);
                    if (!flush.marks().isEmpty() && !holds(term, origin, flush.marks())) {
                        throw new FsException(Errno.EIO, "nothing known of " + flush.marks());
                    }
                    term.target().flush(flush.chunk());
                    return reply(term, key);
                });
    }

    private CompletableFuture<List<Failure>> attempt(
            Term term, ChunkAddress chunk, List<Peer> live) {
        Flush forwarded = new Flush(chunk, List.of(), true);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        List<Failure> failures = new ArrayList<>();
        for (Peer peer : live) {
            all.add(
                    station.members()
                            .ask(term, peer, () -> Message.of(forwarded::toBytes))
                            .handle(
                                    (reply, thrown) -> {
                                        note(failures, peer, thrown);
                                        return reply;
                                    })
                            .thenAccept(Flushing::release));
        }
        all.add(
                station.doOnDisk(() -> term.target().flush(chunk))
                        .exceptionally(
                                thrown -> {
                                    note(failures, null, thrown);
                                    return null;
                                }));
        return Futures.all(all).thenApply(done -> failures);
    }

    private static void release(@Nullable Message reply) {
        if (reply != null) {
            reply.release();
        }
    }

    private static void note(
            List<Failure> failures, @Nullable Peer peer, @Nullable Throwable thrown) {
        if (thrown != null) {
            synchronized (failures) {
                failures.add(new Failure(peer, Futures.failure(thrown)));
            }
        }
    }

    private CompletableFuture<Void> conclude(Term term, ChunkKey key, List<Failure> failures) {
        if (failures.isEmpty()) {
            return Futures.DONE;
        }
        member.check(term);
        Headship headship = member.headship(term);
        FsException here = null;
        List<Peer> needed = new ArrayList<>();
        for (Failure failure : failures) {
            if (failure.peer == null) {
                here = failure.error;
            }
        }
        for (Failure failure : failures) {
            boolean blamed = failure.peer != null && (here == null || !failure.peer.serving());
            if (failure.peer != null
                    && !(blamed && headship.excuses(failure.peer, failure.error))) {
                needed.add(failure.peer);
            }
        }
        if (here == null && needed.isEmpty()) {
            return Futures.DONE;
        }
        if (here != null && needed.containsAll(term.servingPeers())) {
            FsException error = here;
            return station.doOnDisk(
                    () -> {
                        throw member.told(term, key, error);
                    });
        }
        if (here != null) {
            headship.expel(term.targetId(), String.valueOf(here.getMessage()));
        }
        return headship.expulsions()
                .thenCompose(
                        done ->
                                Futures.failed(
                                        Errno.WRONG_EPOCH, "a member of " + term + " failed"));
    }
}
