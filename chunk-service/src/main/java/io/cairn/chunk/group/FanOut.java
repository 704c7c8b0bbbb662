package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Replies;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.net.Message;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.OperationId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One change on its way to all current members of a group, on the head, which holds the chunk's
 * exclusive turn. It is acknowledged when every one has it. A member that answers that it lacks the
 * predecessor gets the whole chunk. One that fails is taken out of the group; one that has no room
 * makes the change undone.
 */
final class FanOut {
    /** With less room than this the head writes first: if it has no room nobody else has begun. */
    private static final long TIGHT_BYTES = 256L << 20;

    /**
     * @param applied whether the member has the change
     * @param error why not; null when it lacks the predecessor
     */
    private record Outcome(Peer peer, boolean applied, @Nullable FsException error) {}

    private final PeerContext station;
    private final GroupMember member;
    private final Term term;
    private final ChunkAddress chunk;
    private final ChunkKey key;
    private final @Nullable OperationId operation;
    private final Headship headship;

    FanOut(
            PeerContext station,
            GroupMember member,
            Term term,
            ChunkAddress chunk,
            @Nullable OperationId operation) {
        this.station = station;
        this.member = member;
        this.term = term;
        this.chunk = chunk;
        this.key = new ChunkKey(chunk.oid(), chunk.index());
        this.operation = operation;
        this.headship = member.headship(term);
    }

    /** Makes the change of a chunk in this state. On a disk thread. */
    CompletableFuture<WriteReply> run(ChunkState before, Change change) {
        List<Peer> live = headship.live();
        member.origins().note(term, before);
        if (live.isEmpty()) {
            WriteReply reply = applyHere(change);
            member.check(term);
            return CompletableFuture.completedFuture(reply);
        }
        member.unsettled().mark(key);
        WriteReply reply = null;
        if (term.target().freeBytes() < TIGHT_BYTES) {
            try {
                reply = applyHere(change);
            } catch (FsException e) {
                return failed(before, e, List.of());
            }
        }
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>(live.size());
        for (Peer peer : live) {
            outcomes.add(tell(peer, change));
        }
        FsException own = null;
        if (reply == null) {
            try {
                reply = applyHere(change);
            } catch (FsException e) {
                own = e;
            }
        }
        FsException error = own;
        WriteReply done = reply;
        return Futures.all(outcomes).thenCompose(all -> conclude(before, done, error, outcomes));
    }

    private WriteReply applyHere(Change change) {
        int deltaBytes = change.apply();
        WriteReply reply =
                new WriteReply(
                        change.sequence(), change.lengthAfterBytes(), deltaBytes, chunk.epoch());
        if (operation != null) {
            station.memory().remember(key, operation, reply);
        }
        return reply;
    }

    private CompletableFuture<Outcome> tell(Peer peer, Change change) {
        return station.members()
                .ask(term, peer, change::forMember)
                .handle(
                        (reply, thrown) ->
                                thrown != null
                                        ? new Outcome(peer, false, Futures.failure(thrown))
                                        : outcome(peer, reply, change.sequence()));
    }

    private static Outcome outcome(Peer peer, Message reply, long sequence) {
        try {
            return new Outcome(peer, Replies.write(reply).sequence() == sequence, null);
        } catch (FsException e) {
            return new Outcome(peer, false, e);
        } finally {
            reply.release();
        }
    }

    private CompletableFuture<WriteReply> conclude(
            ChunkState before,
            @Nullable WriteReply reply,
            @Nullable FsException own,
            List<CompletableFuture<Outcome>> futures) {
        List<Outcome> outcomes = new ArrayList<>(futures.size());
        for (CompletableFuture<Outcome> future : futures) {
            Outcome outcome = future.join();
            boolean excused =
                    outcome.error != null
                            && !outcome.peer.serving()
                            && headship.excuses(outcome.peer, outcome.error);
            if (!excused) {
                outcomes.add(outcome);
            }
        }
        boolean told = outcomes.stream().allMatch(o -> o.error == null);
        if (reply == null || !told) {
            return failed(before, own, outcomes);
        }
        List<Peer> behind = peers(outcomes, o -> !o.applied);
        if (behind.isEmpty()) {
            return CompletableFuture.completedFuture(settled(reply));
        }
        List<Peer> same = peers(outcomes, o -> o.applied && o.peer.serving());
        BlobCopy copy = new BlobCopy(station, term);
        return station.fromDisk(
                        () -> {
                            ChunkState now = member.state(term, key);
                            return Futures.forEach(
                                    behind,
                                    behind.size(),
                                    peer -> pushed(copy.push(now, peer, same), peer));
                        })
                .thenApply(done -> settled(reply))
                .exceptionally(
                        thrown -> {
                            headship.agreement().doubt(key);
                            throw wrongEpoch();
                        });
    }

    /** A member that lacked the predecessor gets the chunk, or has failed. */
    private CompletableFuture<Void> pushed(CompletableFuture<Void> push, Peer peer) {
        return push.exceptionallyCompose(
                thrown -> {
                    FsException error = Futures.failure(thrown);
                    return headship.excuses(peer, error)
                            ? Futures.DONE
                            : CompletableFuture.failedFuture(error);
                });
    }

    private WriteReply settled(WriteReply reply) {
        member.check(term);
        member.unsettled().settle(key);
        headship.notices()
                .add(
                        new ChunkState(
                                key.oid(),
                                key.index(),
                                chunk.chunkSizeLog2(),
                                reply.epoch(),
                                reply.sequence(),
                                reply.lengthBytes()));
        return reply;
    }

    private static List<Peer> peers(List<Outcome> outcomes, Predicate<Outcome> which) {
        return outcomes.stream().filter(which).map(Outcome::peer).toList();
    }

    private FsException wrongEpoch() {
        return new FsException(Errno.WRONG_EPOCH, "a member of " + term + " failed the write");
    }

    /** Somebody has the change and somebody has not. */
    private CompletableFuture<WriteReply> failed(
            ChunkState before, @Nullable FsException own, List<Outcome> outcomes) {
        if (outcomes.isEmpty() && own != null && own.errno() == Errno.ENOSPC) {
            return CompletableFuture.failedFuture(own);
        }
        headship.agreement().doubt(key);
        if (term.hasEnded()) {
            return CompletableFuture.failedFuture(wrongEpoch());
        }
        List<Outcome> errors = outcomes.stream().filter(o -> o.error != null).toList();
        // One that syncs leaves instead: others have room, and need not wait for its disk.
        boolean full =
                (own == null
                                ? errors.stream().anyMatch(o -> o.peer.serving())
                                : own.errno() == Errno.ENOSPC)
                        && errors.stream().allMatch(o -> isFull(o.error));
        if (full) {
            return undone(before, own == null, outcomes);
        }
        if (own == null) {
            for (Outcome outcome : errors) {
                if (outcome.error != null) {
                    var _ = headship.excuses(outcome.peer, outcome.error);
                }
            }
            return CompletableFuture.failedFuture(wrongEpoch());
        }
        if (errors.stream().filter(o -> o.peer.serving()).count() == term.servingPeers().size()) {
            return CompletableFuture.failedFuture(own);
        }
        headship.expel(term.targetId(), String.valueOf(own.getMessage()));
        return CompletableFuture.failedFuture(wrongEpoch());
    }

    private static boolean isFull(@Nullable FsException error) {
        return error != null && error.errno() == Errno.ENOSPC;
    }

    private CompletableFuture<WriteReply> undone(
            ChunkState before, boolean appliedHere, List<Outcome> outcomes) {
        List<Peer> applied = peers(outcomes, o -> o.applied);
        List<Peer> refused = peers(outcomes, o -> o.error != null);
        return new Undo(station, term, chunk)
                .run(before, appliedHere, applied, refused)
                .handle(
                        (done, thrown) -> {
                            station.memory().forget(key);
                            if (thrown == null) {
                                throw new FsException(
                                        Errno.ENOSPC, "a member of " + term + " is full");
                            }
                            FsException error = Futures.failure(thrown);
                            refused.forEach(peer -> headship.excuses(peer, error));
                            throw wrongEpoch();
                        });
    }
}
