package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.ChunkClones;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeChange;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The way of what was written to one inode to the chunk servers, and then of the size to the
 * master: what close(2) promises. It is told what happened and says what to do next; {@link
 * OpenInode} guards it, {@link Commits} does what it says. One commit of an inode runs at a time.
 *
 * <pre>
 *   [Look] -> Drain -> [TellClones] -> [ObtainToken] -> Tell -> Done
 *               ^                                         |
 *               +-------- ESTALE, EFBIG: Look ------------+
 * </pre>
 *
 * Attributes that are set meanwhile may go along with what is written into the inode. When the
 * master refuses both, the write is told alone: it may have been the attributes that were refused.
 */
final class Committer {
    /** How often the inode may have changed under a commit before it fails. */
    static final int MAX_ROUNDS = 30;

    /** The next step, after which an event tells how it went. */
    sealed interface Step {}

    /** Ask the master for the inode; {@link #looked} follows. */
    record Look() implements Step {}

    /** Bring all that is buffered to the chunk servers; {@link #drained} follows. */
    record Drain() implements Step {}

    /** Tell the master of clones that were made; {@link #clonesTold} follows. */
    record TellClones(List<ChunkClones.Clone> clones) implements Step {}

    /** Make the APPEND token ours; {@link #obtained} follows. */
    record ObtainToken() implements Step {}

    /**
     * Send a mutation to the master; {@link #answered} follows.
     *
     * @param session in which alone it may be executed; 0 for any
     * @param replaces whether the master forgets bytes with it, so that what is in the chunks must
     *     be on stable media before
     */
    record Tell(Mutation mutation, long session, boolean replaces) implements Step {}

    /** Nothing: all is committed. */
    record Done() implements Step {}

    /** Nothing: it failed, and the inode has noted the error. */
    record Failed(FsException error) implements Step {}

    /** Attributes that the next write into the inode may take along. */
    static final class Rider {
        private final AttributeChange change;
        private boolean done;

        Rider(AttributeChange change) {
            this.change = change;
        }

        /** Whether the master has set them. */
        boolean isDone() {
            return done;
        }

        /**
         * Whether the master has set them when the commit has ended. Most can be set though it
         * failed, whose error the inode has noted. Times cannot: a later commit would change them.
         *
         * @param failure of the commit; null when there was none
         * @throws FsException the failure, when times were to go along
         */
        boolean isDone(@Nullable Throwable failure) {
            if (failure != null && change.has(AttributeChange.ATIME | AttributeChange.MTIME)) {
                throw Await.failure(failure);
            }
            return done;
        }
    }

    /** Why the master is asked for the inode. */
    private enum Reason {
        /** Buffered bytes go where the file is now. */
        DOUBT,

        /** Others have written between the mutation and what was known before. */
        WRITTEN,

        /** The master refused the mutation, as the inode is another one. */
        REFUSED
    }

    private CompletableFuture<Void> last = Promises.DONE;
    private int round;
    private Reason reason = Reason.DOUBT;
    private long doubt;
    private Errno refusal = Errno.ESTALE;
    private @Nullable Mutation mutation;
    private @Nullable Rider rider;

    /** Those of which the master is being told. */
    private @Nullable Rider alongside;

    /** Whether a commit is under way or waits. */
    boolean isBusy() {
        return !last.isDone();
    }

    /**
     * Somebody wants a commit.
     *
     * @param mine completes with it
     * @return what it waits for: the commit before, perhaps done; null when there is nothing to do
     */
    @Nullable CompletableFuture<Void> queue(CompletableFuture<Void> mine, FileState state) {
        CompletableFuture<Void> before = last;
        if (before.isDone() && !state.isDirty() && !state.clones().hasUntold()) {
            last = Promises.DONE;
            return null;
        }
        last = mine;
        return before;
    }

    /** Attributes are to go along with the next commit, unless others do already. */
    void board(Rider wanted) {
        if (rider == null) {
            rider = wanted;
        }
    }

    /** They go along no longer. */
    void leave(Rider given) {
        if (rider == given) {
            rider = null;
        }
    }

    /** The commit begins. */
    Step begin(FileState state) {
        round = 0;
        alongside = null;
        boolean asks = state.isDirty() && !state.isYoung() && state.isDoubtful();
        return asks ? look(Reason.DOUBT, state) : new Drain();
    }

    private Step look(Reason why, FileState state) {
        reason = why;
        doubt = state.doubt();
        return new Look();
    }

    /** The master was asked for the inode. */
    Step looked(FileState state, @Nullable Reply answer, @Nullable Throwable failure) {
        if (answer == null) {
            return fail(state, Promises.cause(failure));
        }
        if (answer instanceof Reply.EntryReply entry) {
            return seen(state, entry.inode());
        }
        return unexpected(state, answer);
    }

    private Step seen(FileState state, Inode inode) {
        return switch (reason) {
            case DOUBT -> {
                state.settled(doubt, inode);
                round = 1;
                yield new Drain();
            }
            case WRITTEN -> {
                state.committed(told(), inode);
                yield done(state);
            }
            case REFUSED -> {
                try {
                    state.adopt(inode);
                    state.rejected(told(), refusal);
                } catch (FsException e) {
                    yield giveUp(state, e);
                }
                round++;
                yield new Drain();
            }
        };
    }

    private Mutation told() {
        if (mutation == null) {
            throw new IllegalStateException("nothing was told");
        }
        return mutation;
    }

    /** All that was buffered is at the chunk servers, or lost. */
    Step drained(FileState state) {
        List<ChunkClones.Clone> clones = state.clones().untold();
        return clones.isEmpty() ? tell(state) : new TellClones(clones);
    }

    /** The master was told of clones. */
    Step clonesTold(FileState state, @Nullable Throwable failure) {
        return failure == null ? tell(state) : fail(state, failure);
    }

    /** Somebody tried to take the APPEND token. */
    Step obtained(FileState state, @Nullable Throwable failure) {
        if (failure != null) {
            return fail(state, failure);
        }
        round++;
        return tell(state);
    }

    private Step tell(FileState state) {
        Contents contents = state.contents();
        if (contents.hasForeign()) {
            if (!state.token().isOurs()) {
                return round == MAX_ROUNDS
                        ? fail(
                                state,
                                new FsException(
                                        Errno.ETIMEDOUT, "the right to append is lost each time"))
                        : new ObtainToken();
            }
            contents.moveForeign();
        }
        if (contents.isMoveBuffered()) {
            // The contents moved after the drain, here or at the master.
            return new Drain();
        }
        Mutation next = state.nextMutation();
        mutation = next;
        if (next == null) {
            return new Done();
        }
        byte[] stored = state.inode().inline();
        boolean replaces =
                next instanceof ContentMutation.Spill && stored != null && stored.length > 0;
        long session = state.lockingSession();
        AttributeChange amendment = state.amendment();
        if (amendment != null && next instanceof ContentMutation.WriteInline write) {
            alongside = null;
            return new Tell(new TreeMutation.WriteAndSet(write, amendment), session, false);
        }
        Rider along = next instanceof ContentMutation.WriteInline ? rider : null;
        alongside = along;
        if (along != null && next instanceof ContentMutation.WriteInline write) {
            return new Tell(new TreeMutation.WriteAndSet(write, along.change), session, false);
        }
        return new Tell(replaces ? next : asked(state, next, session), session, replaces);
    }

    /**
     * Asks what a commit began with if somebody wants to know and the reply would not tell: under
     * locks it saves reading again what nobody else has changed.
     */
    private static Mutation asked(FileState state, Mutation mutation, long session) {
        return mutation instanceof ContentMutation.CommitSize
                        && (session != 0 || state.ownChanges().isWatched())
                ? new TreeMutation.Witnessed(mutation)
                : mutation;
    }

    /** The master was told. */
    Step answered(FileState state, @Nullable Reply reply, @Nullable Throwable failure) {
        if (reply == null) {
            return fail(state, Promises.cause(failure));
        }
        Mutation sent = told();
        if (reply instanceof Reply.EntryReply entry) {
            if (OwnChanges.isUnbroken(sent, entry, state.inode().attributes())) {
                state.ownChanges().committed(entry.inode().attributes());
            }
            state.committed(sent, entry.inode());
            return done(state);
        }
        if (reply instanceof Reply.WrittenReply written
                && sent instanceof ContentMutation.WriteInline write) {
            arrive();
            return isAdopted(state, write, written) ? done(state) : look(Reason.WRITTEN, state);
        }
        if (reply instanceof Reply.Failure refused
                && (refused.errno() == Errno.ESTALE || refused.errno() == Errno.EFBIG)
                && round < MAX_ROUNDS) {
            refusal = refused.errno();
            return look(Reason.REFUSED, state);
        }
        if (alongside != null && reply instanceof Reply.Failure && round < MAX_ROUNDS) {
            leave(alongside);
            alongside = null;
            round++;
            return new Drain();
        }
        return unexpected(state, reply);
    }

    /** The attributes that went along are set. */
    private void arrive() {
        if (alongside != null) {
            alongside.done = true;
            leave(alongside);
            alongside = null;
        }
    }

    /** Takes over what was written into the inode, if it is the one that is known here. */
    private static boolean isAdopted(
            FileState state, ContentMutation.WriteInline write, Reply.WrittenReply reply) {
        byte[] known = state.inode().inline();
        if (known == null || state.inode().attributes().version() != reply.versionBefore()) {
            return false;
        }
        Inode fresh = reply.inode();
        state.ownChanges().committed(fresh.attributes());
        state.committed(write, fresh.withContents(fresh.layout(), write.applyTo(known)));
        return true;
    }

    /**
     * The master did it. Bytes that moved to the chunks before that was known have to go there,
     * too.
     */
    private Step done(FileState state) {
        if (state.contents().isMoveBuffered()) {
            round++;
            return new Drain();
        }
        return new Done();
    }

    /** The master will never do it: the inode is gone, or there is no space for it. */
    private static Step unexpected(FileState state, Reply reply) {
        if (reply instanceof Reply.Failure failure) {
            return giveUp(
                    state,
                    new FsException(
                            failure.errno(),
                            "commit of inode " + state.ino() + ": " + failure.message()));
        }
        return fail(state, new FsException(Errno.EPROTO, "the master answered " + reply));
    }

    private static Step giveUp(FileState state, FsException error) {
        state.failed(error, true);
        return new Failed(error);
    }

    /** No master answered: what was written stays, and the next commit tries again. */
    static Step fail(FileState state, Throwable failure) {
        FsException error = Await.failure(failure);
        state.failed(error, false);
        return new Failed(error);
    }
}
