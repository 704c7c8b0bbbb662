package io.cairn.client.file;

import io.cairn.base.FsException;
import io.cairn.client.chunk.ChunkClones;
import io.cairn.client.chunk.ChunkRenewals;
import io.cairn.client.session.Allowance;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeChange;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.WaitCause;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does for one inode what its {@link Committer} says. A caller that asks while a commit runs waits
 * for the next one. Never blocks.
 */
final class Commits {
    private static final Logger LOG = LoggerFactory.getLogger(Commits.class);
    private final OpenInode inode;
    private final Mount mount;
    private final Allowance allowance;

    Commits(OpenInode inode, Mount mount) {
        this.inode = inode;
        this.mount = mount;
        allowance = new Allowance(inode.ino(), mount.master(), inode::commitAndWait);
    }

    /** How far the file may be written under quotas until the next one. */
    Allowance allowance() {
        return allowance;
    }

    /** Commits before locks are given back; what cannot be committed is given up. Never fails. */
    CompletableFuture<Void> commitOrGiveUp() {
        return commit().handle(
                        (_, failure) -> {
                            if (failure != null) {
                                inode.giveUpIfDirty(Await.failure(failure));
                            }
                            return null;
                        });
    }

    /** Commits what was written before; fails with the error that the inode has noted then. */
    CompletableFuture<Void> commit() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> before = inode.with(s -> s.committer().queue(mine, s));
        if (before == null) {
            return Promises.DONE;
        }
        PendingRequest errand = PendingRequest.current();
        Promises.whenDone(
                before, (_, _) -> new Run(mine, errand).next(s -> s.committer().begin(s)));
        return mine;
    }

    /**
     * As {@link #commit}, and sets attributes in the same call to the master if there is something
     * to write into the inode.
     *
     * @param change one that {@link AttributeChange#fitsWrite}
     * @return whether they were set; false as well when the commit failed, unless they are times:
     *     then it fails
     */
    CompletableFuture<Boolean> commitWith(AttributeChange change) {
        Committer.Rider rider = new Committer.Rider(change);
        inode.tell(s -> s.committer().board(rider));
        return commit().handle(
                        (_, failure) -> {
                            inode.tell(s -> s.committer().leave(rider));
                            return rider.isDone(failure);
                        });
    }

    /** One commit on its way, which completes a promise. */
    private final class Run {
        private final CompletableFuture<Void> promise;
        private final @Nullable PendingRequest errand;
        private final long takenBefore = allowance.taken();

        Run(CompletableFuture<Void> promise, @Nullable PendingRequest errand) {
            this.promise = promise;
            this.errand = errand;
        }

        /** Tells what happened, and does what is next. */
        void next(Function<FileState, Committer.Step> event) {
            Committer.Step step = told(event);
            switch (step) {
                case Committer.Done _ -> {
                    allowance.settle(takenBefore);
                    promise.complete(null);
                }
                case Committer.Failed failed -> promise.completeExceptionally(failed.error());
                case Committer.Look _ ->
                        Promises.whenDone(
                                mount.master().query(new Query.GetInode(inode.ino())),
                                (reply, failure) ->
                                        next(s -> s.committer().looked(s, reply, failure)));
                case Committer.Drain _ ->
                        Promises.whenDone(
                                PendingRequest.counted(errand, WaitCause.CHUNKS, inode::drain),
                                (_, _) -> next(s -> s.committer().drained(s)));
                case Committer.TellClones clones ->
                        Promises.whenDone(
                                tellClones(clones.clones()),
                                (_, failure) -> next(s -> s.committer().clonesTold(s, failure)));
                case Committer.ObtainToken _ ->
                        Promises.whenDone(
                                inode.appends().obtain(),
                                (_, failure) -> next(s -> s.committer().obtained(s, failure)));
                case Committer.Tell tell ->
                        Promises.whenDone(
                                send(tell),
                                (reply, failure) ->
                                        next(s -> s.committer().answered(s, reply, failure)));
            }
        }

        private Committer.Step told(Function<FileState, Committer.Step> event) {
            try {
                return inode.with(event);
            } catch (RuntimeException e) {
                if (!(e instanceof FsException)) {
                    LOG.error("defect in a commit of inode {}", inode.ino(), e);
                }
                return inode.with(s -> Committer.fail(s, e));
            }
        }

        private CompletableFuture<Reply> send(Committer.Tell tell) {
            return tell.replaces()
                    ? replace(tell.mutation(), tell.session())
                    : mount.master().mutate(tell.mutation(), tell.session());
        }
    }

    /** The way around snapshots, which takes over an answer of the master. */
    ChunkRenewals renewals(Consumer<Inode> adopt) {
        return new ChunkRenewals(
                inode.ino(),
                mount.master(),
                mount.runtime(),
                mount.timeoutMs(),
                new ChunkRenewals.Effects(
                        () -> tellClones(inode.with(s -> s.clones().untold())), adopt));
    }

    private CompletableFuture<Void> tellClones(List<ChunkClones.Clone> clones) {
        if (clones.isEmpty()) {
            return Promises.DONE;
        }
        long[] indices = clones.stream().mapToLong(ChunkClones.Clone::index).toArray();
        long[] oids = clones.stream().mapToLong(ChunkClones.Clone::oid).toArray();
        return replace(new ContentMutation.CloneDone(inode.ino(), indices, oids), 0)
                .thenAccept(reply -> toldClones(clones, reply));
    }

    /** A refusal is no answer: the clones are told again by the next commit. */
    private void toldClones(List<ChunkClones.Clone> clones, Reply reply) {
        Await.expect(reply, Reply.Done.class);
        inode.tell(s -> s.clones().told(clones));
    }

    /**
     * Tells that chunks hold now what is on stable media elsewhere, and what the master forgets
     * then: they must be on stable media before.
     */
    private CompletableFuture<Reply> replace(Mutation mutation, long session) {
        return Promises.then(
                inode.flushChunks(_ -> true, _ -> {}),
                _ -> mount.master().mutate(mutation, session));
    }
}
