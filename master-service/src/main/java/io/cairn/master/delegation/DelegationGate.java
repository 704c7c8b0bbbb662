package io.cairn.master.delegation;

import io.cairn.base.Errno;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.session.SessionRecord;
import io.cairn.net.Connection;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.Decoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.MutationType;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.SessionMutation.ReserveNumbers;
import io.cairn.wire.master.SessionMutation.Reserved;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * In front of the log and of the state: what is about a directory that is delegated to another
 * session comes to them when that session has told all of it. Thread-safe; never blocks but for
 * moments.
 */
public final class DelegationGate {
    /** The sessions, as this needs to know them. */
    public interface Holders {
        /** Whether a session exists and has not ended. */
        boolean isLive(long session);

        /** Its connection, or null. */
        @Nullable Connection connection(long session);

        /** How long it lasts without a renewal, in milliseconds. */
        long leaseMs();

        /** For how long nothing has come from it in this term, in milliseconds. */
        long silentMs(long session);
    }

    /** The way into the replicated log. */
    @FunctionalInterface
    public interface Submission {
        /** Logs the envelope in an array from {@code offset} to its end, and applies it. */
        CompletableFuture<Outcome> submit(byte[] frame, int offset);
    }

    /** Tells whether no other session may believe anything about the names of a directory. */
    @FunctionalInterface
    public interface Solitude {
        /** Whether that is so now. */
        boolean isAlone(long session, long directoryIno);
    }

    /** For a long while: names are made one by one everywhere. */
    private static final Reply.Failure NOWHERE =
            new Reply.Failure(
                    Errno.EOPNOTSUPP,
                    "mount rules, quotas or classes let nobody change names alone");

    private static final Reply.Failure NOT_HERE =
            new Reply.Failure(Errno.EPERM, "nobody changes names alone in this directory now");

    private final Submission log;
    private final Supplier<Namespace> namespace;
    private final DelegationConditions conditions;
    private final Solitude solitude;
    private final DelegatedDirectories directories;

    /**
     * Shared by requests, from before they look for rights until they are in the log or answered. A
     * right is given without any request in between.
     */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    /** A gate with no rights given. */
    public DelegationGate(
            Submission log,
            Supplier<Namespace> namespace,
            Holders holders,
            Solitude solitude,
            Clock clock,
            Scheduler scheduler) {
        this.log = log;
        this.namespace = namespace;
        this.conditions = new DelegationConditions(namespace);
        this.solitude = solitude;
        this.directories = new DelegatedDirectories(holders, this::take, clock, scheduler);
    }

    /**
     * A new term: what the last one gave is recalled.
     *
     * @param begin lets requests of the term in; none passes before the sessions of the last one
     *     that may have rights are known
     */
    public void reset(Runnable begin) {
        lock.writeLock().lock();
        try {
            begin.run();
            directories.reset(
                    namespace.get().sessions().stream()
                            .filter(SessionRecord::mayHaveRights)
                            .map(SessionRecord::session)
                            .toList());
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Takes rights back that are not used any more; to be called several times in a second. */
    public void tick() {
        directories.tick();
    }

    /** As {@link Submission#submit}, when nobody has a right that is in the way any more. */
    public CompletableFuture<Outcome> submit(byte[] frame, int offset) {
        if (Envelope.typeOf(frame, offset) == MutationType.RESERVE_NUMBERS) {
            return reserve(frame, offset);
        }
        CompletableFuture<Void> recalled;
        lock.readLock().lock();
        try {
            recalled = directories.isEmpty() ? null : recall(frame, offset);
            if (recalled == null) {
                return log.submit(frame, offset);
            }
        } finally {
            lock.readLock().unlock();
        }
        // Somebody else may have got a right since.
        return recalled.thenCompose(_ -> submit(frame, offset));
    }

    /**
     * Takes all rights of a session that is silent. It does nothing with them any more by its own
     * clock, and what it has sent before and comes late is refused or done as if by anybody. The
     * log knows that before others go on. Waits for moments.
     */
    private void take(long session) {
        List<DelegatedDirectories.Right> taken;
        CompletableFuture<Outcome> logged;
        lock.writeLock().lock();
        try {
            taken = directories.beginTaking(session);
            if (taken.isEmpty()) {
                return;
            }
            Mutation taking = new LeaderMutation.TakeRights(session);
            Envelope envelope = new Envelope(namespace.get().level(), 0, 0, 0, 0, taking);
            logged = log.submit(envelope.toBytes(), 0);
        } finally {
            lock.writeLock().unlock();
        }
        var _ = logged.whenComplete((_, error) -> directories.taken(taken, error == null));
    }

    private @Nullable CompletableFuture<Void> recall(byte[] frame, int offset) {
        try {
            Envelope envelope = decode(frame, offset);
            Mutation mutation = envelope.mutation();
            directories.used(envelope.session(), directoryOf(mutation));
            boolean isRemoval =
                    mutation.unwrapped() instanceof TreeMutation.Unlink
                            || mutation.unwrapped() instanceof TreeMutation.Rmdir;
            boolean isOfHolder = directories.isHolder(envelope.session(), directoryOf(mutation));
            Touched touched = Touched.by(envelope, namespace.get(), isOfHolder);
            long asker = touched.isOfAll() ? 0 : envelope.session();
            return directories.recall(asker, touched, isRemoval);
        } catch (MalformedMessageException e) {
            // It is refused when it is applied.
            return null;
        }
    }

    /** The directory in which a mutation is a use of a right; 0 for others. */
    private static long directoryOf(Mutation mutation) {
        if (mutation instanceof MakeFile make) {
            return make.create().parentIno();
        }
        if (mutation.unwrapped() instanceof TreeMutation.Unlink unlink) {
            return unlink.parentIno();
        }
        return mutation.unwrapped() instanceof TreeMutation.Rmdir rmdir ? rmdir.parentIno() : 0;
    }

    private static Envelope decode(byte[] frame, int offset) {
        return Envelope.decode(new Decoder(frame, offset, frame.length - offset));
    }

    /**
     * Answers a query, at once or when nobody has a right any more that is in the way.
     *
     * @param server reads and answers; never blocks
     */
    public void serve(long session, Query query, Runnable server) {
        CompletableFuture<Void> recalled;
        lock.readLock().lock();
        try {
            recalled =
                    directories.isEmpty()
                            ? null
                            : directories.recall(session, Touched.by(query), false);
            if (recalled == null) {
                server.run();
                return;
            }
        } finally {
            lock.readLock().unlock();
        }
        var _ = recalled.thenRun(() -> serve(session, query, server));
    }

    /** Reserves numbers, and gives a right if that is possible. */
    private CompletableFuture<Outcome> reserve(byte[] frame, int offset) {
        long session = Envelope.sessionOf(frame, offset);
        Envelope envelope;
        try {
            envelope = decode(frame, offset);
        } catch (MalformedMessageException e) {
            return log.submit(frame, offset);
        }
        if (!(envelope.mutation() instanceof ReserveNumbers asked)) {
            return log.submit(frame, offset);
        }
        long directory = asked.directoryIno();
        if (directory == 0 || directory == ReserveNumbers.ALL_BACK) {
            return log.submit(frame, offset);
        }
        if (!conditions.hold()) {
            return refused(envelope, NOWHERE);
        }
        // Nothing is logged in vain, and no numbers are reserved that go back at once.
        if (conditions.areBrokenBy(directory)) {
            return refused(envelope, NOT_HERE);
        }
        CompletableFuture<Outcome> logged;
        lock.writeLock().lock();
        try {
            if (!solitude.isAlone(session, directory) || !directories.begin(session, directory)) {
                return refused(envelope, NOT_HERE);
            }
            logged = log.submit(frame, offset);
        } finally {
            lock.writeLock().unlock();
        }
        return logged.handle((done, error) -> reserved(session, directory, done, error));
    }

    private static CompletableFuture<Outcome> refused(Envelope envelope, Reply.Failure refusal) {
        byte[] bytes = refusal.toBytes(envelope.version());
        return CompletableFuture.completedFuture(new Outcome(envelope, refusal, bytes));
    }

    private Outcome reserved(
            long session, long directory, @Nullable Outcome outcome, @Nullable Throwable failure) {
        // What was logged before it has been done, such as a quota or a mount rule.
        boolean isPossible =
                outcome != null
                        && outcome.reply() instanceof Reply.BytesReply
                        && conditions.holdIn(directory);
        boolean isGiven = directories.give(session, directory, isPossible);
        if (outcome == null) {
            throw new CompletionException(
                    failure == null ? new IllegalStateException("no outcome") : failure);
        }
        Envelope envelope = outcome.envelope();
        if (!isGiven || envelope == null || !(outcome.reply() instanceof Reply.BytesReply bytes)) {
            return outcome;
        }
        Reserved numbers = Reserved.of(bytes);
        Reply reply = new Reserved(numbers.firstIno(), numbers.count(), true).reply();
        return new Outcome(envelope, reply, reply.toBytes(envelope.version()));
    }

    /** How many directories are delegated. */
    public int size() {
        return directories.size();
    }
}
