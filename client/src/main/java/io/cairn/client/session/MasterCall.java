package io.cairn.client.session;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.FileSystem;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.runtime.PendingRequest;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.Numbered;
import io.cairn.wire.master.TreeMutation;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A request to the master on its way, and the promise of its reply. Completes with the reply, a
 * {@link Reply.Failure} included; exceptionally only when no master could be asked in time.
 *
 * <p>The fields below are written before a send and read after its answer, which orders them.
 */
final class MasterCall extends CompletableFuture<Reply> {
    /** Takes a request for a lock back that there never was. */
    private static final Mutation NOTHING =
            new SessionMutation.CancelLock(FileSystem.ROOT_INO, Long.MIN_VALUE);

    /**
     * How a call was sent.
     *
     * @param over the connection
     * @param polled whether the threads of a door run it
     * @param greetings after which list of open inodes
     * @param at when
     */
    record Sent(Connection over, boolean polled, long greetings, DirectoryRights.Lease.Moment at) {}

    final @Nullable Mutation mutation;
    final @Nullable Query query;
    final long deadlineMs;

    /** The only session in which a mutation may be executed; 0 when any may. */
    final long boundTo;

    /** The session in which it was last sent; of a mutation: to which the sequence belongs. */
    long session;

    /** Number of a mutation, 0 before it has one. */
    long sequence;

    /** How often it was sent in this session. */
    int attempts;

    /** The operation that it is sent for, whoever sends it again. */
    private final Span span = Scope.current();

    /** The only caller for which it is sent, if that one may lose patience. */
    private final @Nullable PendingRequest errand;

    private byte @Nullable [] frame;
    private boolean voided;

    /** Whether it may have been executed in a session before. */
    private boolean repeated;

    private int version;

    MasterCall(@Nullable Mutation mutation, @Nullable Query query, long deadlineMs, long boundTo) {
        this(mutation, query, deadlineMs, boundTo, null);
    }

    /**
     * A call.
     *
     * @param errand for which alone it is sent; what others may wait for, too, has none
     */
    MasterCall(
            @Nullable Mutation mutation,
            @Nullable Query query,
            long deadlineMs,
            long boundTo,
            @Nullable PendingRequest errand) {
        this.mutation = mutation;
        this.query = query;
        this.deadlineMs = deadlineMs;
        this.boundTo = boundTo;
        this.errand = isForOne() ? errand : null;
    }

    /** Whether only the caller waits for it. */
    boolean isForOne() {
        return mutation == null || mutation.isCancellable();
    }

    /** Whether who asked has been told that it was interrupted. */
    boolean isWithdrawn() {
        return errand != null && errand.isCancelled();
    }

    /** Whether nobody can have executed it. */
    boolean isUnsent() {
        return mutation == null || attempts == 0;
    }

    /**
     * From now on something without effect is sent in its place, with the same number: either the
     * mutation is executed already, or it never will be, however late a copy of it arrives.
     */
    void makeVoid() {
        if (!voided) {
            voided = true;
            frame = null;
        }
    }

    /** Whether {@link #makeVoid} was called, so that the reply tells nothing of the mutation. */
    boolean isVoid() {
        return voided;
    }

    /**
     * Why it must not be executed in a session, 0 for none: another one's locks are needed, or it
     * may have been executed in one that has ended, and twice is not the same as once. Null when it
     * may.
     */
    @Nullable FsException refusalIn(long anySession) {
        if (boundTo != 0 && boundTo != anySession) {
            return new FsException(Errno.EIO, "the session of the locks ended before " + title());
        }
        boolean isUndecided = attempts > 0 && anySession != 0 && anySession != session;
        return isUndecided && !isRepeatable() ? undecided() : null;
    }

    /** The session in which it was sent has ended without an answer. */
    FsException undecided() {
        return new FsException(
                Errno.EIO,
                "the session ended during " + title() + "; whether it was done is unknown");
    }

    private static Mutation again(Mutation mutation) {
        return mutation instanceof TreeMutation.Witnessed witnessed
                ? new TreeMutation.Witnessed(witnessed.mutation().again())
                : mutation.again();
    }

    /** Gives a mutation its place in a session. */
    void place(long inSession, long itsSequence) {
        repeated |= attempts > 0;
        session = inSession;
        sequence = itsSequence;
        attempts = 0;
        frame = null;
    }

    /**
     * The bytes to send. Those of a mutation stay the same in all resends in a session.
     *
     * @param spoken the version of the protocol that the connection speaks
     */
    byte[] frame(long currentSession, long ackedUpTo, int spoken) {
        if (mutation == null) {
            session = currentSession;
            version = spoken;
            return MasterRequest.query(currentSession, query(), spoken);
        }
        byte[] bytes = frame;
        if (bytes == null) {
            version = spoken;
            Mutation sent = voided ? NOTHING : repeated ? again(mutation) : mutation;
            bytes =
                    MasterRequest.mutation(
                            new Envelope(spoken, session, sequence, ackedUpTo, 0, sent));
            frame = bytes;
        }
        return bytes;
    }

    /** Sends its bytes. */
    CompletableFuture<Message> over(Connection connection, byte[] bytes, long timeoutMs) {
        Message request = Message.of(bytes);
        return Scope.get(span, () -> connection.call(request, timeoutMs));
    }

    /** Reads the reply, which is in the version of the request, and gives its payload back. */
    Reply reply(Message answer) {
        answer.release();
        return Reply.decode(new Decoder(answer.header(), version));
    }

    private Query query() {
        if (query == null) {
            throw new IllegalStateException("neither mutation nor query");
        }
        return query;
    }

    /**
     * Whether doing it twice is the same as doing it once, so that it may be sent in a new session
     * although it may have been executed in the old one.
     */
    boolean isRepeatable() {
        return mutation == null || mutation.isRepeatable();
    }

    /** Whether the session holds an inode open when it has succeeded. */
    boolean opens() {
        if (mutation == null) {
            return query instanceof Query.Open;
        }
        return switch (mutation.unwrapped()) {
            case TreeMutation.Create create -> create.open();
            case TreeMutation.CreateUnnamed _ -> true;
            case ContentMutation.MoveChunks m -> m.isFirstStep();
            case TreeMutation _,
                    ContentMutation _,
                    ContentMutation.SharingMutation _,
                    Numbered _,
                    SessionMutation _,
                    HostMutation _,
                    LeaderMutation _ ->
                    false;
        };
    }

    /**
     * Tells the inode that the session holds open for a caller that no longer waits for the reply.
     */
    void ifOpenedInVain(LongConsumer inode) {
        if (isWithdrawn()
                && opens()
                && isDone()
                && !isCompletedExceptionally()
                && join() instanceof Reply.EntryReply entry) {
            inode.accept(entry.inode().ino());
        }
    }

    /** A title for messages. */
    String title() {
        Object what = mutation == null ? query() : mutation;
        return what.getClass().getSimpleName();
    }
}
