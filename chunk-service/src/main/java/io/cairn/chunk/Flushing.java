package io.cairn.chunk;

import io.cairn.chunk.Term.Peer;
import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.net.Message;
import io.cairn.wire.ChunkReply.ChunkState;
import io.cairn.wire.ChunkReply.WriteReply;
import io.cairn.wire.ChunkRequest.ChunkAddress;
import io.cairn.wire.ChunkRequest.ChunkKey;
import io.cairn.wire.ChunkRequest.Flush;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes a chunk durable on all current members at once. A replica whose sync failed is fenced by
 * its target: it is replaced from a member that has it durable, never synced again; only when there
 * is none the client gets the error. Thread-safe.
 */
final class Flushing {
    private static final byte[] NO_TICKET = {};

    /** A member that has not flushed; null for this server. */
    private record Failure(@Nullable Peer peer, FsException error) {}

    private final Station station;
    private final GroupMember member;

    Flushing(Station station, GroupMember member) {
        this.station = station;
        this.member = member;
    }

    /** Head: flushes everywhere. */
    CompletableFuture<WriteReply> everywhere(Flush flush) {
        Term term = member.enterAsHead(flush.chunk().epoch());
        ChunkAddress chunk = flush.chunk();
        ChunkKey key = new ChunkKey(chunk.oid(), chunk.index());
        Headship headship = member.headship(term);
        List<Peer> live = headship.live();
        return attempt(term, chunk, live)
                .thenCompose(
                        failures -> {
                            if (failures.isEmpty() || live.isEmpty()) {
                                return CompletableFuture.completedFuture(failures);
                            }
                            headship.agreement().doubt(key);
                            return member.turns()
                                    .exclusive(key, () -> headship.agreement().ensure(key))
                                    .thenCompose(agreed -> attempt(term, chunk, live));
                        })
                .thenCompose(failures -> conclude(term, failures))
                .thenCompose(done -> station.onDisk(() -> reply(term, key)));
    }

    private WriteReply reply(Term term, ChunkKey key) {
        ChunkState state = member.state(term, key);
        member.check(term);
        return new WriteReply(state.sequence(), state.lengthBytes(), 0);
    }

    /** Member: flushes here. */
    CompletableFuture<WriteReply> here(Flush flush) {
        Term term = member.enterAsMember(flush.chunk().epoch());
        ChunkKey key = new ChunkKey(flush.chunk().oid(), flush.chunk().index());
        return station.onDisk(
                () -> {
                    term.target().flush(flush.chunk());
                    return reply(term, key);
                });
    }

    private CompletableFuture<List<Failure>> attempt(
            Term term, ChunkAddress chunk, List<Peer> live) {
        Flush forwarded = new Flush(chunk, true, NO_TICKET);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        List<Failure> failures = new ArrayList<>();
        for (Peer peer : live) {
            all.add(
                    station.members()
                            .ask(term, peer, () -> Message.of(forwarded.toBytes()))
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

    private CompletableFuture<Void> conclude(Term term, List<Failure> failures) {
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
            return CompletableFuture.failedFuture(here);
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
