package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Inode;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Brings what was written to one inode to the chunk servers and then the size to the master: what
 * close(2) promises. One commit of an inode runs at a time; who asks meanwhile waits for the next
 * one. Never blocks.
 *
 * <pre>
 *   drain -> CloneDone for clones made -> WriteInline | Spill | CommitSize
 *     ^                                        |
 *     +-- ESTALE, EFBIG: look at the inode again
 * </pre>
 */
final class Committer {
    /** How often the inode may have changed under a commit before it fails. */
    private static final int MAX_ROUNDS = 30;

    private final InodeState state;
    private final Mount mount;
    private CompletableFuture<Void> last = Promises.DONE;

    Committer(InodeState state, Mount mount) {
        this.state = state;
        this.mount = mount;
    }

    /** Whether a commit is under way or waits. Guarded by the lock of the inode. */
    boolean isBusy() {
        return !last.isDone();
    }

    /** Commits what was written before; fails with the error that the inode has noted then. */
    CompletableFuture<Void> commit() {
        return commit(null);
    }

    /** Commits before locks are given back; what cannot be committed is given up. Never fails. */
    CompletableFuture<Void> commitOrGiveUp() {
        return commit().handle(
                        (_, failure) -> {
                            if (failure != null && state.isDirty()) {
                                state.giveUp(Await.failure(failure));
                                state.tail().leave();
                            }
                            return null;
                        });
    }

    /** Commits in the background what has waited for a while, unless a commit is under way. */
    void commitIfOld(long ageMs) {
        synchronized (state) {
            boolean isOld = state.isDirty() && mount.nowMs() - state.dirtySinceMs() >= ageMs;
            if (!isOld || state.gate().isClosed() || isBusy()) {
                return;
            }
        }
        Promises.whenDone(commit(), (_, _) -> {});
    }

    /** As {@link #commit} if that is at most one call to the master; null if it is more. */
    @Nullable CompletableFuture<Void> commitInOneCall() {
        synchronized (state) {
            if (isBusy() || state.isDirty() && state.contents().inline() == null) {
                return null;
            }
        }
        return commit();
    }

    /** As {@link #commit}, on a thread that is going to wait: it may ask the master itself. */
    CompletableFuture<Void> commitNow() {
        return commit(Thread.currentThread());
    }

    private CompletableFuture<Void> commit(@Nullable Thread waiter) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> before;
        synchronized (state) {
            before = last;
            if (before.isDone() && !state.isDirty()) {
                last = Promises.DONE;
                return Promises.DONE;
            }
            last = mine;
        }
        // Without the lock: the round may wait for the master.
        if (before.isDone()) {
            Promises.forward(round(0, waiter), mine);
        } else {
            Promises.forward(
                    Promises.then(before.handle((_, _) -> true), _ -> round(0, null)), mine);
        }
        return mine;
    }

    private CompletableFuture<Void> round(int number, @Nullable Thread waiter) {
        if (number == 0 && state.isDirty() && state.doubts().isOpen()) {
            // What is buffered here goes where the file is now.
            CompletableFuture<Void> promise = new CompletableFuture<>();
            Promises.whenDone(
                    state.doubts().ask(),
                    (answer, trouble) ->
                            Promises.forward(
                                    answer == null ? fail(Promises.cause(trouble)) : looked(answer),
                                    promise));
            return promise;
        }
        CompletableFuture<Void> drained = state.drain();
        return drained.isDone()
                ? tellClones(number, waiter)
                : Promises.then(drained, _ -> tellClones(number, null));
    }

    private CompletableFuture<Void> looked(Reply answer) {
        if (answer instanceof Reply.EntryReply) {
            return round(1, null);
        }
        return answer instanceof Reply.Failure failure
                ? refused(failure)
                : fail(new FsException(Errno.EPROTO, "the master answered " + answer));
    }

    private CompletableFuture<Void> tellClones(int number, @Nullable Thread waiter) {
        List<CompletableFuture<?>> told = new ArrayList<>(0);
        for (long oid : state.clones().untold()) {
            told.add(
                    replace(new ContentMutation.CloneDone(state.ino(), oid), 0)
                            .thenAccept(_ -> state.clones().told(oid)));
        }
        return told.isEmpty()
                ? tell(number, waiter)
                : Promises.then(
                        CompletableFuture.allOf(told.toArray(CompletableFuture<?>[]::new))
                                .handle((_, failure) -> failure),
                        failure -> failure == null ? tell(number, null) : fail(failure));
    }

    private CompletableFuture<Void> tell(int number, @Nullable Thread waiter) {
        Mutation mutation;
        long session;
        synchronized (state) {
            Contents contents = state.contents();
            if (contents.hasForeign()) {
                if (!state.appendToken().isOurs()) {
                    return obtainToken(number);
                }
                contents.moveForeign();
            }
            if (contents.isMoveBuffered()) {
                // The contents moved after the drain, here or at the master.
                return round(number, null);
            }
            mutation = state.nextMutation();
            session = state.lockingSession();
        }
        if (mutation == null) {
            return Promises.DONE;
        }
        CompletableFuture<Void> promise = new CompletableFuture<>();
        Promises.whenDone(
                mutation instanceof ContentMutation.Spill && movesStored()
                        ? replace(mutation, session)
                        : send(asked(mutation, session), session, waiter),
                (reply, failure) -> {
                    CompletableFuture<Void> next =
                            reply == null
                                    ? fail(Promises.cause(failure))
                                    : told(mutation, reply, number);
                    Promises.forward(next, promise);
                });
        return promise;
    }

    /**
     * Asks what a commit began with if somebody wants to know and the reply would not tell: under
     * locks it saves reading again what nobody else has changed.
     */
    private Mutation asked(Mutation mutation, long session) {
        return mutation instanceof ContentMutation.CommitSize
                        && (session != 0 || state.ownChanges().isWatched())
                ? new TreeMutation.Witnessed(mutation)
                : mutation;
    }

    private CompletableFuture<Reply> send(
            Mutation mutation, long session, @Nullable Thread waiter) {
        if (!Thread.currentThread().equals(waiter)) {
            return mount.master().mutate(mutation, session);
        }
        try {
            return CompletableFuture.completedFuture(mount.master().change(mutation, session));
        } catch (FsException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<Void> obtainToken(int number) {
        if (number == MAX_ROUNDS) {
            return fail(new FsException(Errno.ETIMEDOUT, "the right to append is lost each time"));
        }
        CompletableFuture<Void> promise = new CompletableFuture<>();
        Promises.whenDone(
                state.appendToken().obtain(),
                (_, failure) ->
                        Promises.forward(
                                failure == null ? tell(number + 1, null) : fail(failure), promise));
        return promise;
    }

    private boolean movesStored() {
        byte[] stored = state.inode().inline();
        return stored != null && stored.length > 0;
    }

    /**
     * Tells that chunks hold now what is on stable media elsewhere, and what the master forgets
     * then: they must be on stable media before.
     */
    private CompletableFuture<Reply> replace(Mutation mutation, long session) {
        return Promises.then(
                mount.unsynced().flush(state.ino(), _ -> true, _ -> {}),
                _ -> mount.master().mutate(mutation, session));
    }

    private CompletableFuture<Void> told(Mutation mutation, Reply reply, int number) {
        if (reply instanceof Reply.EntryReply entry) {
            synchronized (state) {
                if (state.ownChanges().isUnbroken(mutation, entry)) {
                    state.ownChanges().committed(entry.inode().attributes());
                }
                state.committed(mutation, entry.inode());
            }
            return done(number);
        }
        if (reply instanceof Reply.WrittenReply written
                && mutation instanceof ContentMutation.WriteInline write) {
            return isAdopted(write, written) ? done(number) : lookAfter(write, number);
        }
        if (!(reply instanceof Reply.Failure failure)) {
            return fail(new FsException(Errno.EPROTO, "the master answered " + reply));
        }
        boolean moved = failure.errno() == Errno.ESTALE || failure.errno() == Errno.EFBIG;
        if (moved && number < MAX_ROUNDS) {
            CompletableFuture<Void> promise = new CompletableFuture<>();
            Promises.whenDone(
                    mount.master().query(new Query.GetInode(state.ino())),
                    (answer, trouble) ->
                            Promises.forward(
                                    answer == null
                                            ? fail(Promises.cause(trouble))
                                            : again(mutation, failure.errno(), answer, number),
                                    promise));
            return promise;
        }
        return refused(failure);
    }

    /** The master did it. What moved to the chunks before that was known has to go there, too. */
    private CompletableFuture<Void> done(int number) {
        boolean moved;
        synchronized (state) {
            moved = state.contents().isMoveBuffered();
        }
        return moved ? round(number + 1, null) : Promises.DONE;
    }

    /** Takes over what was written into the inode, if it is the one that is known here. */
    private boolean isAdopted(ContentMutation.WriteInline write, Reply.WrittenReply reply) {
        synchronized (state) {
            byte[] known = state.inode().inline();
            if (known == null || state.inode().attributes().version() != reply.versionBefore()) {
                return false;
            }
            Inode fresh = reply.inode();
            state.ownChanges().committed(fresh.attributes());
            state.committed(write, fresh.withContents(fresh.layout(), write.applyTo(known)));
            return true;
        }
    }

    /** Others have written between: takes the inode as it is now. */
    private CompletableFuture<Void> lookAfter(ContentMutation.WriteInline write, int number) {
        CompletableFuture<Void> promise = new CompletableFuture<>();
        Promises.whenDone(
                mount.master().query(new Query.GetInode(state.ino())),
                (answer, trouble) -> {
                    if (answer instanceof Reply.EntryReply entry) {
                        state.committed(write, entry.inode());
                        Promises.forward(done(number), promise);
                    } else if (answer instanceof Reply.Failure failure) {
                        Promises.forward(refused(failure), promise);
                    } else {
                        Promises.forward(fail(Promises.cause(trouble)), promise);
                    }
                });
        return promise;
    }

    private CompletableFuture<Void> again(
            Mutation mutation, Errno errno, Reply answer, int number) {
        if (!(answer instanceof Reply.EntryReply entry)) {
            return answer instanceof Reply.Failure failure
                    ? refused(failure)
                    : fail(new FsException(Errno.EPROTO, "the master answered " + answer));
        }
        try {
            state.adopt(entry.inode());
            state.rejected(mutation, errno);
        } catch (FsException e) {
            state.failed(e, true);
            return CompletableFuture.failedFuture(e);
        }
        return round(number + 1, null);
    }

    /** The master will never do it: the inode is gone, or there is no space for it. */
    private CompletableFuture<Void> refused(Reply.Failure failure) {
        FsException error =
                new FsException(
                        failure.errno(),
                        "commit of inode " + state.ino() + ": " + failure.message());
        state.failed(error, true);
        return CompletableFuture.failedFuture(error);
    }

    /** No master answered: what was written stays, and the next commit tries again. */
    private CompletableFuture<Void> fail(Throwable failure) {
        FsException error = Await.failure(failure);
        state.failed(error, false);
        return CompletableFuture.failedFuture(error);
    }
}
