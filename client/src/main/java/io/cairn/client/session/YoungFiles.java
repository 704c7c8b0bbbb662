package io.cairn.client.session;

import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Name;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ContentMutation.WriteInline;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.SessionMutation.ReserveNumbers;
import io.cairn.wire.master.TreeMutation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Files that were made here and of which the masters do not know yet, as this mount alone makes
 * names in their directories. The first commit of such a file tells all of it in one mutation. So a
 * commit comes before every other message about the file or its directory: each message asks here
 * first. A right ends when it is recalled, with its lease, with the connection, and with the
 * session. Thread-safe; never blocks.
 */
public final class YoungFiles {
    /** Files that are not told at a time. */
    static final int MAX_FILES = 256;

    /** Changes of names that were answered here, and of which the masters do not know yet. */
    public interface EarlyChanges {
        /** Whether there are none now; takes no lock. */
        boolean isEmpty();

        /**
         * Tells some of them.
         *
         * @param inos directories, or what had a name; null for all
         * @param name of the changes in these directories; null for all
         * @return completes when their outcome is known here; never fails
         */
        CompletableFuture<Void> tell(@Nullable Set<Long> inos, @Nullable Name name);
    }

    private final SessionState state;
    private final YoungFile.Sender sender;
    private final LongConsumer releases;
    private volatile LongFunction<CompletableFuture<Void>> committer = _ -> Promises.DONE;
    private volatile @Nullable EarlyChanges early;

    /** Whether no file is young. */
    private volatile boolean isEmpty = true;

    private volatile boolean isOn;

    /** Whether there never was a right. */
    private volatile boolean isIdle = true;

    private final Map<Long, YoungFile> files = new LinkedHashMap<>();
    private final DirectoryRights rights;

    /** No files, and no rights; {@code lease} is told of the answers of the master. */
    YoungFiles(
            SessionState state,
            YoungFile.Sender sender,
            LongConsumer releases,
            Clock clock,
            DirectoryRights.Lease lease) {
        this.state = state;
        this.sender = sender;
        this.releases = releases;
        this.rights = new DirectoryRights(clock, lease);
    }

    /** Where commits of open files begin: completes when one has ended, and fails as it does. */
    public void committedBy(LongFunction<CompletableFuture<Void>> commits) {
        committer = commits;
    }

    /** Other changes that come before messages, too. */
    public void accompaniedBy(EarlyChanges changes) {
        early = changes;
    }

    /** From now on rights are asked for. */
    public void turnOn() {
        isOn = true;
    }

    /**
     * A number for a new file in a directory, or for a new directory anywhere.
     *
     * @param directory 0 for a new directory, which the masters make
     * @return 0 when there is none, or the file cannot be made here
     */
    public synchronized long takeNumber(long directory) {
        boolean mayMake = directory == 0 || rights.has(directory) && files.size() < MAX_FILES;
        if (!mayMake || !state.leaseRuns()) {
            return 0;
        }
        return rights.take(state.session());
    }

    /**
     * A file was made here.
     *
     * @param create without contents
     * @param ino of {@link #takeNumber}
     * @param told is told once the entry with which the masters know it; null when they never will
     * @return false when the right has ended meanwhile: then it was not made, and the number is to
     *     be put back
     */
    public boolean add(
            TreeMutation.Create create, long ino, Consumer<Reply.@Nullable EntryReply> told) {
        synchronized (this) {
            long session = state.session();
            DirectoryRights.Numbers numbers = rights.numbers();
            if (!rights.has(create.parentIno())
                    || numbers.session() != session
                    || !numbers.use(ino)) {
                return false;
            }
            files.put(ino, new YoungFile(create, ino, session, told));
            isEmpty = false;
        }
        restock();
        return true;
    }

    /** A directory was made with a number of {@link #takeNumber}, or may have been. */
    public void used(long ino) {
        synchronized (this) {
            rights.numbers().use(ino);
        }
        returnNumbers();
        restock();
    }

    /**
     * What the masters want to see with a removal that was answered here: whoever has it when a
     * removal begins sends it along. Changes when the rights of before have ended.
     *
     * @return 0 while nothing may be removed so
     */
    public synchronized long removalNumber() {
        return rights.removalNumber(state.session());
    }

    /** Asks for more numbers in time. */
    private void restock() {
        boolean isLow;
        synchronized (this) {
            isLow = rights.isUsed() && rights.numbers().isLow(state.session());
        }
        if (isLow) {
            var _ = want(0);
        }
    }

    /** Nothing was made with a number of {@link #takeNumber}, for whatever reason. */
    public void putBack(long ino) {
        synchronized (this) {
            rights.putBack(ino);
        }
        returnNumbers();
    }

    /**
     * Names were changed in a directory in the long way: perhaps the next one need not be.
     *
     * @return completes when it is known whether this mount has the right; never fails
     */
    public CompletableFuture<Void> want(long directory) {
        DirectoryRights.Question question;
        synchronized (this) {
            question = isOn ? rights.ask(directory, state.session()) : null;
        }
        if (question == null) {
            returnNumbers();
            return Promises.DONE;
        }
        return sender.send(question.message(), null, question.session())
                .handle(
                        (reply, _) -> {
                            answered(question, reply);
                            returnNumbers();
                            return null;
                        });
    }

    private synchronized void answered(DirectoryRights.Question question, @Nullable Reply reply) {
        if (rights.answered(question, reply, state.session())) {
            isIdle = false;
        }
    }

    /**
     * Without a right the numbers are given back: the next leader need not ask this mount what it
     * has made.
     */
    private void returnNumbers() {
        long session;
        synchronized (this) {
            session = isAllTold() ? rights.beginReturn() : 0;
        }
        if (session != 0) {
            Promises.whenDone(
                    sender.send(new ReserveNumbers(ReserveNumbers.ALL_BACK, false), null, session),
                    (_, _) -> returned());
        }
    }

    private synchronized void returned() {
        rights.returned();
    }

    // ---- the end of a right

    /**
     * The right to a directory ends; 0 for all.
     *
     * @return completes when all files there were told, or never will be
     */
    public CompletableFuture<Void> recall(long directory) {
        synchronized (this) {
            rights.drop(directory);
        }
        CompletableFuture<Void> told = tell(directory).handle((_, _) -> null);
        Promises.whenDone(told, (_, _) -> returnNumbers());
        return told;
    }

    /**
     * Tells all about a directory, 0 for all, and goes on with the right.
     *
     * @return completes when all was told; fails with an error of a file that was not
     */
    public CompletableFuture<Void> tell(long directory) {
        Set<Long> directories = directory == 0 ? null : Set.of(directory);
        return CompletableFuture.allOf(
                commit(young -> directory == 0 || young.create.parentIno() == directory),
                tellEarly(directories, null));
    }

    private CompletableFuture<Void> tellEarly(@Nullable Set<Long> inos, @Nullable Name name) {
        EarlyChanges changes = early;
        return changes == null || changes.isEmpty() ? Promises.DONE : changes.tell(inos, name);
    }

    /** Whether the masters know of everything. */
    public boolean isAllTold() {
        EarlyChanges changes = early;
        return isEmpty && (changes == null || changes.isEmpty());
    }

    /** Whether nobody else changes names of a directory now. */
    public synchronized boolean isAloneIn(long directory) {
        return rights.has(directory) && state.leaseRuns();
    }

    /** A directory is about to be removed: nothing is made in it any more. */
    public synchronized void lose(long directory) {
        rights.lose(directory);
    }

    /**
     * Sends a change that was answered here already, in the only session in which it may be done.
     */
    public CompletableFuture<Reply> sendEarly(Mutation mutation, long session) {
        return sender.send(mutation, null, session);
    }

    /** Another master may lead, which knows of no right. */
    public void connected() {
        Promises.whenDone(recall(0), (_, _) -> {});
    }

    /** The session ended, and with it the rights and the numbers. */
    public synchronized void sessionLost() {
        rights.drop(0);
        rights.numbers().clear();
    }

    private CompletableFuture<Void> commit(Predicate<YoungFile> which) {
        List<Long> inos;
        synchronized (this) {
            inos = files.values().stream().filter(which).map(young -> young.ino).toList();
        }
        return CompletableFuture.allOf(
                inos.stream().map(committer::apply).toArray(CompletableFuture<?>[]::new));
    }

    // ---- before other messages

    /** Sends a mutation when all is told that has to be known before. */
    CompletableFuture<Reply> mutate(Mutation mutation, long session) {
        CompletableFuture<Reply> instead = instead(mutation);
        if (instead != null) {
            return instead;
        }
        CompletableFuture<Void> before = before(mutation);
        return before == null
                ? sender.send(mutation, null, session)
                : Promises.then(before, _ -> sender.send(mutation, null, session));
    }

    /** Sends a query when all is told that has to be known before. */
    CompletableFuture<Reply> query(Query query) {
        CompletableFuture<Void> before = before(query);
        return before == null
                ? sender.send(null, query, 0)
                : Promises.then(before, _ -> sender.send(null, query, 0));
    }

    /** What has to be told before a mutation; null when nothing. */
    public @Nullable CompletableFuture<Void> before(Mutation mutation) {
        if (isIdle) {
            return null;
        }
        Mentioned mentioned = Mentioned.by(mutation);
        if (mentioned.isChange()) {
            synchronized (this) {
                mentioned.inos().forEach(rights::lose);
            }
        }
        return before(mentioned, null);
    }

    /** What has to be told before a query; null when nothing. */
    @Nullable CompletableFuture<Void> before(Query query) {
        if (isAllTold()) {
            return null;
        }
        Name name = query instanceof Query.Lookup m ? m.name() : null;
        return before(Mentioned.by(query), name);
    }

    /**
     * What has to be told before a message.
     *
     * @param name the only one that it is about; null for all names
     */
    private @Nullable CompletableFuture<Void> before(Mentioned mentioned, @Nullable Name name) {
        Set<Long> about = mentioned.isAnything() ? null : mentioned.inos();
        CompletableFuture<Void> told =
                commit(young -> mentioned.isAnything() || young.isAbout(mentioned.inos()))
                        .handle((_, _) -> null);
        CompletableFuture<Void> all = CompletableFuture.allOf(told, tellEarly(about, name));
        return all.isDone() ? null : all;
    }

    /**
     * An inode is held open once less; true when that is told later, or never.
     *
     * <p>What was not told when nobody has a file open any more never will be: its writers have
     * heard of the failure.
     */
    boolean released(long ino) {
        if (isEmpty) {
            return false;
        }
        YoungFile young;
        synchronized (this) {
            young = files.get(ino);
            if (young == null) {
                return false;
            }
            young.isReleased = true;
            young.calls++;
        }
        ended(young);
        return true;
    }

    /** A call about a file has an answer, or will never have one. */
    private void ended(YoungFile young) {
        boolean isLost;
        synchronized (this) {
            young.calls--;
            isLost = young.calls == 0 && young.isReleased;
        }
        if (isLost) {
            over(young, null);
        }
    }

    /** The call that tells of a file, when this is its first commit; else null. */
    @Nullable CompletableFuture<Reply> instead(Mutation mutation) {
        if (isEmpty) {
            return null;
        }
        WriteInline write =
                switch (mutation) {
                    case WriteInline m -> m;
                    case TreeMutation.WriteAndSet m -> m.write();
                    case Mutation _ -> null;
                };
        YoungFile young;
        boolean isDoubtful;
        synchronized (this) {
            young = write == null ? null : files.get(write.ino());
            if (write == null || young == null) {
                return null;
            }
            young.calls++;
            isDoubtful = young.isDoubtful;
        }
        AttributeChange along = mutation instanceof TreeMutation.WriteAndSet m ? m.change() : null;
        CompletableFuture<Reply> call =
                isDoubtful ? askFirst(young, mutation) : tell(young, write, along);
        return call.whenComplete((_, _) -> ended(young));
    }

    private CompletableFuture<Reply> tell(
            YoungFile young, WriteInline write, @Nullable AttributeChange along) {
        MakeFile make = young.made(write, along == null ? AttributeChange.NONE : along);
        return sender.send(make, null, young.session)
                .handle((reply, failure) -> told(young, false, reply, failure));
    }

    private Reply told(
            YoungFile young,
            boolean isQuestion,
            @Nullable Reply reply,
            @Nullable Throwable failure) {
        if (reply instanceof Reply.EntryReply entry) {
            over(young, entry);
            return new Reply.WrittenReply(0, entry.inode());
        }
        if (reply != null) {
            if (isQuestion) {
                return reply;
            }
            over(young, null);
            return reply instanceof Reply.Failure refused ? young.lost(refused) : reply;
        }
        FsException error = Await.failure(failure);
        if (state.session() != young.session) {
            // Its number is nobody's any more.
            over(young, null);
            return new Reply.Failure(error.errno(), String.valueOf(error.getMessage()));
        }
        synchronized (this) {
            young.isDoubtful = true;
        }
        throw error;
    }

    /** An earlier call had no answer: after a later entry of the log the state tells. */
    private CompletableFuture<Reply> askFirst(YoungFile young, Mutation mutation) {
        CompletableFuture<Reply> looked =
                Promises.then(
                        sender.send(new ReserveNumbers(0, false), null, young.session),
                        // Unless it was logged, the earlier call may be done after the question.
                        reply ->
                                reply instanceof Reply.Failure refused
                                        ? CompletableFuture.failedFuture(refused.toException())
                                        : sender.send(null, new Query.Open(young.ino), 0));
        return Promises.then(
                looked.handle((reply, failure) -> told(young, true, reply, failure)),
                reply -> {
                    synchronized (this) {
                        young.isDoubtful = false;
                    }
                    CompletableFuture<Reply> again = instead(mutation);
                    return again == null ? sender.send(mutation, null, 0) : again;
                });
    }

    private void over(YoungFile young, Reply.@Nullable EntryReply entry) {
        boolean isReleased;
        synchronized (this) {
            if (!files.remove(young.ino, young)) {
                return;
            }
            isEmpty = files.isEmpty();
            isReleased = young.isReleased && entry != null;
        }
        young.told.accept(entry);
        if (isReleased) {
            releases.accept(young.ino);
        }
    }

    /** Whether a file is not told: it is in a directory of a right. */
    synchronized boolean has(long ino) {
        return files.containsKey(ino);
    }

    /** How many files are not told. */
    public synchronized int size() {
        return files.size();
    }
}
