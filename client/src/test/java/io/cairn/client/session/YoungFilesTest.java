package io.cairn.client.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.ContentMutation.WriteInline;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.SessionMutation.ReserveNumbers;
import io.cairn.wire.master.SessionMutation.Reserved;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rights, numbers and files that are not told, while answers are lost and sessions end. */
class YoungFilesTest {
    private static final long DIRECTORY = 5;
    private static final long FIRST = 1000;
    private static final byte[] NOTHING = {};

    private final ManualClock clock = new ManualClock(1_000);
    private final SessionState state = new SessionState(clock, new Random(1));
    private final Queue<Mutation> sent = new ArrayDeque<>();
    private final Queue<CompletableFuture<Reply>> answers = new ArrayDeque<>();
    private final List<Long> released = new ArrayList<>();

    /** Of files that were told, or never will be. */
    private final List<Reply.@Nullable EntryReply> told = new ArrayList<>();

    private final DirectoryRights.Lease lease = new DirectoryRights.Lease(clock);
    private final YoungFiles young = new YoungFiles(state, this::send, released::add, clock, lease);

    private CompletableFuture<Reply> send(
            @Nullable Mutation mutation, @Nullable Query query, long session) {
        if (mutation != null) {
            sent.add(mutation);
        }
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        answers.add(answer);
        return answer;
    }

    private void openSession(long session) {
        Reply.SessionReply reply = new Reply.SessionReply(session, 7, 15_000, 4096, 1);
        state.opened(reply);
        state.renewed(reply, clock.millis(), clock.millis());
    }

    private <T extends Mutation> T sent(Class<T> type) {
        return assertInstanceOf(type, sent.poll());
    }

    private CompletableFuture<Reply> next() {
        return Objects.requireNonNull(answers.poll());
    }

    @BeforeEach
    void delegate() {
        openSession(1);
        young.turnOn();
        var _ = young.want(DIRECTORY);
        assertEquals(new ReserveNumbers(DIRECTORY, true), sent(ReserveNumbers.class));
        give(FIRST);
    }

    /** The answer to a question. */
    private void give(long firstIno) {
        lease.answered(lease.now());
        next().complete(new Reserved(firstIno, 256, true).reply());
    }

    private long make(String name) {
        long ino = young.takeNumber(DIRECTORY);
        assertNotEquals(0, ino);
        assertTrue(young.add(creation(name), ino, told::add));
        return ino;
    }

    private static TreeMutation.Create creation(String name) {
        return new TreeMutation.Create(
                DIRECTORY, Name.of(name), FileType.FILE, 0644, 0, 0, 0, false, 0, NOTHING, true);
    }

    private CompletableFuture<Reply> commit(long ino) {
        return young.mutate(new WriteInline(ino, 0, List.of(), 0, 1), 0);
    }

    private static FsException noAnswer() {
        return new FsException(Errno.ETIMEDOUT, "no master answered");
    }

    @Test
    void aFileWhoseCommitHadNoAnswerIsForgottenWhenItIsClosed() {
        long ino = make("a");
        CompletableFuture<Reply> commit = commit(ino);
        assertEquals(ino, sent(MakeFile.class).ino());
        next().completeExceptionally(noAnswer());
        assertTrue(commit.isCompletedExceptionally());
        assertEquals(1, young.size(), "it may be committed again");
        assertTrue(young.released(ino));
        assertEquals(0, young.size());
        assertEquals(1, told.size());
        assertNull(told.getFirst());
        assertEquals(List.of(), released);
    }

    /** Only an entry behind the earlier one tells what became of that. */
    @Test
    void aFileStaysInDoubtWhenNothingIsLoggedBehindItsCommit() {
        long ino = make("a");
        var _ = commit(ino);
        assertEquals(ino, sent(MakeFile.class).ino());
        next().completeExceptionally(noAnswer());
        CompletableFuture<Reply> again = commit(ino);
        assertEquals(new ReserveNumbers(0, false), sent(ReserveNumbers.class));
        next().complete(new Reply.Failure(Errno.ENOSPC, "the masters have no room"));
        assertTrue(again.isCompletedExceptionally());
        assertTrue(answers.isEmpty(), "it is neither looked for nor made again");
        assertEquals(1, young.size());
        var _ = commit(ino);
        assertEquals(new ReserveNumbers(0, false), sent(ReserveNumbers.class));
    }

    @Test
    void aFileThatIsClosedBeforeItsCommitFailsIsForgottenThen() {
        long ino = make("a");
        CompletableFuture<Reply> commit = commit(ino);
        assertTrue(young.released(ino));
        assertEquals(1, young.size(), "it may be made");
        next().completeExceptionally(noAnswer());
        assertTrue(commit.isCompletedExceptionally());
        assertEquals(0, young.size());
        assertEquals(1, told.size());
    }

    @Test
    void aFileThatCannotBeMadeAtAllIsForgotten() {
        long ino = make("a");
        CompletableFuture<Reply> commit = commit(ino);
        next().complete(new Reply.Failure(Errno.ENOSPC, "full"));
        assertInstanceOf(Reply.Failure.class, commit.join());
        assertEquals(0, young.size());
        assertFalse(young.released(ino));
    }

    /** As an fsync of the directory asks; others only wait until the outcome is known. */
    @Test
    void whoHasAllToldHearsOfAFileThatCouldNotBe() {
        make("a");
        young.committedBy(_ -> CompletableFuture.failedFuture(noAnswer()));
        assertTrue(young.tell(DIRECTORY).isCompletedExceptionally());
        CompletableFuture<Void> before = young.before(new Query.Lookup(DIRECTORY, Name.of("b")));
        assertNull(before, "the outcome is known");
        assertFalse(young.recall(DIRECTORY).isCompletedExceptionally());
    }

    @Test
    void aNumberThatWasNotUsedGoesBackWithTheOthers() {
        long ino = young.takeNumber(DIRECTORY);
        var _ = young.recall(DIRECTORY);
        assertNull(sent.poll(), "a file may be made with it");
        assertFalse(young.add(creation("a"), ino, told::add));
        young.putBack(ino);
        assertEquals(ReserveNumbers.ALL_BACK, sent(ReserveNumbers.class).directoryIno());
    }

    @Test
    void aNumberOfAnEndedSessionIsNotOneOfTheNext() {
        long ino = young.takeNumber(DIRECTORY);
        assertEquals(FIRST, ino);
        young.sessionLost();
        assertTrue(state.lost(1));
        openSession(2);
        var _ = young.want(DIRECTORY);
        assertEquals(new ReserveNumbers(DIRECTORY, true), sent(ReserveNumbers.class));
        give(5000);
        assertFalse(young.add(creation("a"), ino, told::add));
        young.putBack(ino);
        assertEquals(5000, young.takeNumber(DIRECTORY));
    }

    @Test
    void nothingIsMadeWhenTheMasterMayHaveTakenTheRight() {
        long ino = young.takeNumber(DIRECTORY);
        long number = young.removalNumber();
        assertEquals(FIRST + 255, number);
        clock.advance(2999);
        assertTrue(young.isAloneIn(DIRECTORY));
        clock.advance(1);
        assertFalse(young.isAloneIn(DIRECTORY));
        assertFalse(young.add(creation("a"), ino, told::add), "it may be anybody's now");
        lease.answered(lease.now());
        assertFalse(young.isAloneIn(DIRECTORY), "an answer brings no right back");
        assertEquals(0, young.removalNumber());
        assertEquals(0, young.takeNumber(DIRECTORY));
        young.putBack(ino);
        assertEquals(ReserveNumbers.ALL_BACK, sent(ReserveNumbers.class).directoryIno());
        next().complete(new Reserved(0, 0, false).reply());
        clock.advance(2000);
        var _ = young.want(DIRECTORY);
        assertEquals(new ReserveNumbers(DIRECTORY, true), sent(ReserveNumbers.class));
        give(5000);
        assertEquals(5000, young.takeNumber(DIRECTORY));
        assertEquals(5255, young.removalNumber());
    }

    @Test
    void anAnswerRenewsTheRightFromWhenItWasAskedFor() {
        DirectoryRights.Lease.Moment sent = lease.now();
        clock.advance(2000);
        lease.answered(sent);
        clock.advance(1000);
        assertFalse(young.isAloneIn(DIRECTORY));
    }

    @Test
    void aRightThatIsTooLongOnItsWayIsNotTaken() {
        var _ = young.want(77);
        assertEquals(77, sent(ReserveNumbers.class).directoryIno());
        clock.advance(3000);
        give(5000);
        assertFalse(young.isAloneIn(77));
        assertEquals(0, young.removalNumber());
    }

    /** While others are renewed by answers to other requests. */
    @Test
    void aRightThatIsTooLongOnItsWayDoesNotKeepNumbersThatAreOver() {
        var _ = young.want(77);
        sent.clear();
        clock.advance(2000);
        lease.answered(lease.now());
        clock.advance(1000);
        give(5000);
        assertEquals(ReserveNumbers.ALL_BACK, sent(ReserveNumbers.class).directoryIno());
        next().complete(new Reserved(0, 0, false).reply());
        var _ = young.want(DIRECTORY);
        assertEquals(new ReserveNumbers(DIRECTORY, true), sent(ReserveNumbers.class));
        give(6000);
        assertEquals(6000, young.takeNumber(DIRECTORY));
    }

    @Test
    void rightsAreAskedForSeldomWhereThereAreNone() {
        var _ = young.want(77);
        sent.clear();
        next().complete(new Reply.Failure(Errno.EPERM, "not here"));
        var _ = young.want(77);
        assertNull(sent.poll());
        var _ = young.want(78);
        assertEquals(78, sent(ReserveNumbers.class).directoryIno());
        next().complete(new Reply.Failure(Errno.EOPNOTSUPP, "nowhere"));
        clock.advance(2999);
        var _ = young.want(79);
        assertNull(sent.poll(), "it is as vain in another directory");
        lease.answered(lease.now());
        clock.advance(1);
        var _ = young.want(79);
        assertEquals(79, sent(ReserveNumbers.class).directoryIno());
    }

    /** As when the answers to many questions were lost. */
    @Test
    void numbersGoBackWhenTheMastersGiveNoOthers() {
        for (int i = 0; i < 200; i++) {
            young.used(young.takeNumber(0));
        }
        assertEquals(new ReserveNumbers(0, true), sent(ReserveNumbers.class));
        lease.answered(lease.now());
        next().complete(new Reserved(0, 0, false).reply());
        assertFalse(young.isAloneIn(DIRECTORY));
        assertEquals(0, young.removalNumber());
        assertEquals(ReserveNumbers.ALL_BACK, sent(ReserveNumbers.class).directoryIno());
        next().complete(new Reserved(0, 0, false).reply());
        var _ = young.want(DIRECTORY);
        assertEquals(new ReserveNumbers(DIRECTORY, true), sent(ReserveNumbers.class));
        give(5000);
        assertEquals(5000, young.takeNumber(DIRECTORY));
    }

    @Test
    void aNameThatOthersHaveMadeMeanwhileIsLost() {
        long ino = make("a");
        CompletableFuture<Reply> commit = commit(ino);
        next().complete(new Reply.Failure(Errno.EEXIST, "there"));
        assertEquals(Errno.EIO, assertInstanceOf(Reply.Failure.class, commit.join()).errno());
        assertEquals(0, young.size());
    }
}
