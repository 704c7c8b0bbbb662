package io.cairn.client.session;

import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ContentMutation.WriteInline;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.SessionMutation.ReserveNumbers;
import io.cairn.wire.master.SessionMutation.Reserved;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Files that were made here and of which the masters do not know yet, as this mount alone makes
 * names in their directories. The first commit of such a file tells all of it in one mutation. So a
 * commit comes before every other message about the file or its directory: each message asks here
 * first. A right ends when it is recalled, with the connection, and with the session. Thread-safe;
 * never blocks.
 */
public final class YoungFiles {
    /** Files that are not told at a time. */
    static final int MAX_FILES = 256;

    /** Directories for which a right was refused not long ago. */
    private static final int MAX_REFUSED = 1024;

    private static final long REFUSED_MS = 1500;

    private static final byte[] NOTHING = {};

    /** Sends without asking here. */
    interface Sender {
        /** A mutation, or a query. */
        CompletableFuture<Reply> send(
                @Nullable Mutation mutation, @Nullable Query query, long session);
    }

    /** One file. */
    private static final class Young {
        final TreeMutation.Create create;
        final long ino;
        final long session;
        final Consumer<Reply.@Nullable EntryReply> told;

        /** Whether a call about it had no answer: it may have been done. */
        boolean isDoubtful;

        /** Whether nobody has it open any more. */
        boolean isReleased;

        Young(
                TreeMutation.Create create,
                long ino,
                long session,
                Consumer<Reply.@Nullable EntryReply> told) {
            this.create = create;
            this.ino = ino;
            this.session = session;
            this.told = told;
        }
    }

    private final SessionState state;
    private final Sender sender;
    private final LongConsumer releases;
    private final Clock clock;
    private volatile LongFunction<CompletableFuture<Void>> committer = _ -> Promises.DONE;

    /** Whether no file is young. */
    private volatile boolean isEmpty = true;

    private volatile boolean isOn;

    /** Whether there never was a right. */
    private volatile boolean isIdle = true;

    private final Map<Long, Young> files = new LinkedHashMap<>();
    private final Set<Long> rights = new HashSet<>();
    private final Map<Long, Long> refused = new LinkedHashMap<>();

    /** Directories for which a right was asked, with the number of the question. */
    private final Map<Long, Long> asked = new HashMap<>();

    private long questions;

    /** Questions without an answer: numbers may come with it. */
    private int unanswered;

    private final NumberStock numbers = new NumberStock();

    /** Whether numbers are on their way back: no others are asked for. */
    private boolean isReturning;

    YoungFiles(SessionState state, Sender sender, LongConsumer releases, Clock clock) {
        this.state = state;
        this.sender = sender;
        this.releases = releases;
        this.clock = clock;
    }

    /** Where commits of open files begin: completes when one has ended; never fails. */
    public void committedBy(LongFunction<CompletableFuture<Void>> commits) {
        committer = commits;
    }

    // ---- making

    /** From now on rights are asked for. */
    public void turnOn() {
        isOn = true;
    }

    /** A number for a new file in a directory; 0 when it cannot be made here. */
    public synchronized long takeNumber(long directory) {
        if (!rights.contains(directory) || files.size() >= MAX_FILES || !state.leaseRuns()) {
            return 0;
        }
        return numbers.take(state.session());
    }

    /**
     * A file was made here.
     *
     * @param create without contents
     * @param ino of {@link #takeNumber}
     * @param told is told once the entry with which the masters know it; null when they never will
     * @return false when the right has ended meanwhile: then it was not made
     */
    public boolean add(
            TreeMutation.Create create, long ino, Consumer<Reply.@Nullable EntryReply> told) {
        boolean needsNumbers;
        synchronized (this) {
            long session = state.session();
            numbers.settle();
            if (!rights.contains(create.parentIno()) || numbers.session() != session) {
                numbers.putBack(ino, session);
                return false;
            }
            files.put(ino, new Young(create, ino, session, told));
            isEmpty = false;
            needsNumbers = numbers.isLow(session);
        }
        if (needsNumbers) {
            want(0);
        }
        return true;
    }

    /** A file was made in a directory in the long way: perhaps the next one need not be. */
    public void want(long directory) {
        long question;
        boolean needsNumbers;
        synchronized (this) {
            Long until = refused.get(directory);
            boolean isRefused = until != null && clock.millis() - until < 0;
            boolean isKnown = rights.contains(directory) || asked.containsKey(directory);
            if (!isOn || isReturning || isRefused || isKnown) {
                return;
            }
            question = ++questions;
            unanswered++;
            asked.put(directory, question);
            needsNumbers = numbers.isLow(state.session());
        }
        long session = state.session();
        Promises.whenDone(
                sender.send(new ReserveNumbers(directory, needsNumbers), null, session),
                (reply, _) -> {
                    reserved(directory, question, session, reply);
                    returnNumbers();
                });
    }

    /**
     * Without a right the numbers are given back: the next leader need not ask this mount what it
     * has made.
     */
    private void returnNumbers() {
        long session;
        synchronized (this) {
            boolean isUnused = rights.isEmpty() && files.isEmpty() && unanswered == 0;
            if (!isUnused || isReturning || !numbers.canGo()) {
                return;
            }
            session = numbers.session();
            numbers.clear();
            isReturning = true;
        }
        Promises.whenDone(
                sender.send(new ReserveNumbers(ReserveNumbers.ALL_BACK, false), null, session),
                (_, _) -> returned());
    }

    private synchronized void returned() {
        isReturning = false;
    }

    private synchronized void reserved(
            long directory, long question, long session, @Nullable Reply reply) {
        unanswered--;
        boolean isWanted = asked.remove(directory, question);
        Reserved given = reply instanceof Reply.BytesReply bytes ? Reserved.of(bytes) : null;
        if (given != null && session == state.session()) {
            numbers.add(session, given.firstIno(), given.count());
            if (directory == 0) {
                return;
            }
            if (isWanted && given.isDelegated()) {
                rights.add(directory);
                isIdle = false;
                return;
            }
        }
        refused.remove(directory);
        refused.put(directory, clock.millis() + REFUSED_MS);
        if (refused.size() > MAX_REFUSED) {
            refused.remove(refused.keySet().iterator().next());
        }
    }

    // ---- the end of a right

    /**
     * The right to a directory ends; 0 for all.
     *
     * @return completes when all files there were told, or never will be
     */
    public CompletableFuture<Void> recall(long directory) {
        Set<Long> inos;
        synchronized (this) {
            if (directory == 0) {
                rights.clear();
                asked.clear();
            } else {
                rights.remove(directory);
                asked.remove(directory);
            }
            inos = in(directory);
        }
        CompletableFuture<Void> told = commit(inos);
        Promises.whenDone(told, (_, _) -> returnNumbers());
        return told;
    }

    /** Another master may lead, which knows of no right. */
    public void connected() {
        Promises.whenDone(recall(0), (_, _) -> {});
    }

    /** The session ended, and with it the rights and the numbers. */
    public synchronized void sessionLost() {
        rights.clear();
        asked.clear();
        numbers.clear();
    }

    private Set<Long> in(long directory) {
        Set<Long> inos = new HashSet<>();
        for (Young young : files.values()) {
            if (directory == 0 || young.create.parentIno() == directory) {
                inos.add(young.ino);
            }
        }
        return inos;
    }

    private CompletableFuture<Void> commit(Set<Long> inos) {
        if (inos.isEmpty()) {
            return Promises.DONE;
        }
        List<CompletableFuture<Void>> commits = new ArrayList<>(inos.size());
        for (long ino : inos) {
            commits.add(committer.apply(ino));
        }
        return CompletableFuture.allOf(commits.toArray(CompletableFuture<?>[]::new));
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
    @Nullable CompletableFuture<Void> before(Mutation mutation) {
        return isIdle ? null : before(Mentioned.by(mutation));
    }

    /** What has to be told before a query; null when nothing. */
    @Nullable CompletableFuture<Void> before(Query query) {
        return isEmpty ? null : before(Mentioned.by(query));
    }

    private @Nullable CompletableFuture<Void> before(Mentioned mentioned) {
        Set<Long> inos = new HashSet<>();
        synchronized (this) {
            if (mentioned.isChange()) {
                mentioned.inos().forEach(rights::remove);
            }
            for (Young young : files.values()) {
                if (mentioned.isAnything()
                        || mentioned.inos().contains(young.ino)
                        || mentioned.inos().contains(young.create.parentIno())) {
                    inos.add(young.ino);
                }
            }
        }
        return inos.isEmpty() ? null : commit(inos);
    }

    /** An inode is held open once less; true when that is told later. */
    boolean released(long ino) {
        if (isEmpty) {
            return false;
        }
        synchronized (this) {
            Young young = files.get(ino);
            if (young != null) {
                young.isReleased = true;
            }
            return young != null;
        }
    }

    // ---- telling

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
        Young young;
        synchronized (this) {
            young = write == null ? null : files.get(write.ino());
        }
        if (write == null || young == null) {
            return null;
        }
        AttributeChange along = mutation instanceof TreeMutation.WriteAndSet m ? m.change() : null;
        return young.isDoubtful ? askFirst(young, mutation) : tell(young, write, along);
    }

    private CompletableFuture<Reply> tell(
            Young young, WriteInline write, @Nullable AttributeChange along) {
        TreeMutation.Create c = young.create;
        TreeMutation.Create create =
                new TreeMutation.Create(
                        c.parentIno(),
                        c.name(),
                        c.fileType(),
                        c.mode(),
                        c.uid(),
                        c.gid(),
                        c.rdev(),
                        false,
                        0,
                        write.applyTo(NOTHING),
                        true);
        MakeFile make =
                new MakeFile(
                        create,
                        young.ino,
                        write.mtimeNs(),
                        along == null ? AttributeChange.NONE : along);
        return sender.send(make, null, young.session)
                .handle((reply, failure) -> told(young, false, reply, failure));
    }

    private Reply told(
            Young young, boolean isQuestion, @Nullable Reply reply, @Nullable Throwable failure) {
        if (reply instanceof Reply.EntryReply entry) {
            over(young, entry);
            return new Reply.WrittenReply(0, entry.inode());
        }
        if (reply != null) {
            if (!isQuestion) {
                over(young, null);
            }
            return reply;
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
    private CompletableFuture<Reply> askFirst(Young young, Mutation mutation) {
        CompletableFuture<Reply> looked =
                Promises.then(
                        sender.send(new ReserveNumbers(0, false), null, young.session),
                        _ -> sender.send(null, new Query.Open(young.ino), 0));
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

    private void over(Young young, Reply.@Nullable EntryReply entry) {
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

    /** How many files are not told. */
    public synchronized int size() {
        return files.size();
    }
}
