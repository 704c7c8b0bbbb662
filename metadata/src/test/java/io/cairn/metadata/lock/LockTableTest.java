package io.cairn.metadata.lock;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.cairn.base.Errno;
import io.cairn.fs.Lock;
import io.cairn.fs.Lock.Kind;
import io.cairn.fs.Lock.Mode;
import io.cairn.metadata.Bench;
import io.cairn.metadata.state.Notice;
import io.cairn.metadata.state.Store;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.LockOutcome;
import io.cairn.wire.master.Reply.LockReply;
import io.cairn.wire.master.SessionMutation;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One test per rule. Sessions are one, two, three; owner 7 unless said otherwise. */
class LockTableTest {
    private static final LockOutcome GRANTED = LockOutcome.GRANTED;
    private static final LockOutcome CONFLICT = LockOutcome.CONFLICT;
    private static final LockOutcome QUEUED = LockOutcome.QUEUED;
    private static final LockOutcome DEADLOCK = LockOutcome.DEADLOCK;

    private final Bench bench = new Bench();
    private final long one = 1;
    private final long two = bench.openSession();
    private final long three = bench.openSession();
    private final long ino = bench.create(Bench.ROOT, "f").ino();
    private final long other = bench.create(Bench.ROOT, "g").ino();

    @AfterEach
    void theStateIsSoundAndSurvivesRestart() {
        assertEquals(List.of(), bench.namespace.check());
        byte[] before = bench.namespace.fingerprint();
        bench.reopen();
        assertArrayEquals(before, bench.namespace.fingerprint());
    }

    private static Lock posix(Mode mode, long start, long end) {
        return new Lock(Kind.POSIX, mode, 7, start, end, 99);
    }

    private static Lock whole(Kind kind, Mode mode) {
        return new Lock(kind, mode, 7, 0, Lock.TO_END, 99);
    }

    private LockReply reply(long session, long on, Lock lock, long requestId) {
        Reply reply =
                bench.as(session, new SessionMutation.SetLock(on, lock, requestId != 0, requestId));
        return assertInstanceOf(LockReply.class, reply);
    }

    /** A request that does not wait. */
    private LockOutcome set(long session, Lock lock) {
        return reply(session, ino, lock, 0).outcome();
    }

    /** A request that waits. */
    private LockOutcome await(long session, Lock lock, long requestId) {
        return reply(session, ino, lock, requestId).outcome();
    }

    private void assertGrants(Notice... granted) {
        assertEquals(List.of(granted), bench.notices);
    }

    private Notice grant(long session, long requestId) {
        return new Notice(session, new Push.LockGranted(ino, requestId));
    }

    private Notice recall(long session) {
        return new Notice(session, new Push.RecallLock(ino, Kind.APPEND, 7));
    }

    private LockReply test(long session, Lock wanted) {
        return assertInstanceOf(
                LockReply.class, bench.namespace.read(session, new Query.TestLock(ino, wanted)));
    }

    @Test
    void sharedLocksGoTogetherExclusiveOnesDoNot() {
        assertEquals(GRANTED, set(one, posix(Mode.SHARED, 0, 9)));
        assertEquals(GRANTED, set(two, posix(Mode.SHARED, 5, 14)));
        assertEquals(CONFLICT, set(three, posix(Mode.EXCLUSIVE, 9, 9)));
        assertEquals(GRANTED, set(three, posix(Mode.EXCLUSIVE, 15, 20)));
        assertEquals(CONFLICT, set(one, posix(Mode.SHARED, 20, Lock.TO_END)));
    }

    @Test
    void aConflictNamesTheLockInTheWay() {
        set(one, posix(Mode.EXCLUSIVE, 10, 19));
        LockReply reply = reply(two, ino, posix(Mode.SHARED, 0, Lock.TO_END), 0);
        assertEquals(new Lock(Kind.POSIX, Mode.EXCLUSIVE, 7, 10, 19, 99), reply.conflict());
    }

    @Test
    void anOwnerNeverConflictsWithItselfButWithAnotherOwnerOfItsSession() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        assertEquals(GRANTED, set(one, posix(Mode.EXCLUSIVE, 5, 20)));
        Lock ofAnother = new Lock(Kind.POSIX, Mode.SHARED, 8, 5, 5, 1);
        assertEquals(CONFLICT, set(one, ofAnother));
    }

    @Test
    void unlockingTheMiddleFreesJustThat() {
        set(one, posix(Mode.EXCLUSIVE, 0, 29));
        set(one, posix(Mode.UNLOCK, 10, 19));
        assertEquals(GRANTED, set(two, posix(Mode.EXCLUSIVE, 10, 19)));
        assertEquals(CONFLICT, set(two, posix(Mode.SHARED, 9, 9)));
        assertEquals(CONFLICT, set(two, posix(Mode.SHARED, 20, 20)));
    }

    @Test
    void testingTellsTheConflictAndIgnoresOwnLocks() {
        set(one, posix(Mode.SHARED, 0, 9));
        assertEquals(GRANTED, test(one, posix(Mode.EXCLUSIVE, 0, 9)).outcome());
        assertEquals(GRANTED, test(two, posix(Mode.SHARED, 0, 9)).outcome());
        LockReply reply = test(two, posix(Mode.EXCLUSIVE, 9, 9));
        assertEquals(CONFLICT, reply.outcome());
        assertEquals(new Lock(Kind.POSIX, Mode.SHARED, 7, 0, 9, 99), reply.conflict());
    }

    @Test
    void kindsDoNotConflict() {
        assertEquals(GRANTED, set(one, whole(Kind.POSIX, Mode.EXCLUSIVE)));
        assertEquals(GRANTED, set(two, whole(Kind.FLOCK, Mode.EXCLUSIVE)));
        assertEquals(GRANTED, set(three, whole(Kind.APPEND, Mode.EXCLUSIVE)));
    }

    @Test
    void wholeFileKindsIgnoreTheRange() {
        assertEquals(GRANTED, set(one, new Lock(Kind.FLOCK, Mode.EXCLUSIVE, 7, 5, 6, 1)));
        assertEquals(CONFLICT, set(two, new Lock(Kind.FLOCK, Mode.SHARED, 7, 100, 200, 1)));
    }

    @Test
    void aReleaseGrantsTheWaitingInOrderOfArrival() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        assertEquals(QUEUED, await(three, posix(Mode.EXCLUSIVE, 0, 4), 31));
        assertEquals(QUEUED, await(two, posix(Mode.EXCLUSIVE, 4, 9), 21));
        assertEquals(QUEUED, await(two, new Lock(Kind.POSIX, Mode.SHARED, 8, 9, 9, 1), 22));
        set(one, posix(Mode.UNLOCK, 0, Lock.TO_END));
        assertGrants(grant(three, 31), grant(two, 22));
        set(three, posix(Mode.UNLOCK, 0, Lock.TO_END));
        assertGrants();
        Reply released = bench.as(two, new SessionMutation.ReleaseLocks(ino, Kind.POSIX, 8));
        assertInstanceOf(Reply.Done.class, released);
        assertGrants(grant(two, 21));
    }

    @Test
    void aDowngradeGrantsTheWaiting() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        await(two, posix(Mode.SHARED, 0, 9), 21);
        set(one, posix(Mode.SHARED, 0, 9));
        assertGrants(grant(two, 21));
    }

    @Test
    void aGrantThatWeakensLetsOthersIn() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        set(two, posix(Mode.EXCLUSIVE, 10, 19));
        await(three, posix(Mode.SHARED, 0, 9), 31);
        await(one, posix(Mode.SHARED, 0, 19), 11);
        set(two, posix(Mode.UNLOCK, 10, 19));
        assertGrants(grant(one, 11), grant(three, 31));
    }

    @Test
    void aRepeatedRequestChangesNothing() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        assertEquals(QUEUED, await(two, posix(Mode.EXCLUSIVE, 0, 9), 21));
        assertEquals(QUEUED, await(two, posix(Mode.EXCLUSIVE, 0, 9), 21));
        set(one, posix(Mode.UNLOCK, 0, 9));
        assertGrants(grant(two, 21));
        assertEquals(GRANTED, await(two, posix(Mode.EXCLUSIVE, 0, 9), 21));
        set(two, posix(Mode.UNLOCK, 0, 9));
        assertGrants();
        assertEquals(GRANTED, set(one, posix(Mode.EXCLUSIVE, 0, 9)));
    }

    @Test
    void cancelTakesAWaitingRequestBack() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        await(two, posix(Mode.EXCLUSIVE, 0, 9), 21);
        bench.as(two, new SessionMutation.CancelLock(ino, 21));
        bench.as(two, new SessionMutation.CancelLock(ino, 21));
        set(one, posix(Mode.UNLOCK, 0, 9));
        assertGrants();
    }

    @Test
    void cancelReleasesWhatWasGrantedAndLetsTheNextIn() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        set(two, posix(Mode.EXCLUSIVE, 20, 29));
        await(two, posix(Mode.EXCLUSIVE, 0, 9), 21);
        await(three, posix(Mode.EXCLUSIVE, 0, 9), 31);
        set(one, posix(Mode.UNLOCK, 0, 9));
        assertGrants(grant(two, 21));
        bench.as(two, new SessionMutation.CancelLock(ino, 21));
        assertGrants(grant(three, 31));
        assertEquals(CONFLICT, set(one, posix(Mode.SHARED, 20, 29)));
    }

    @Test
    void aCycleOfTwoIsADeadlock() {
        set(one, posix(Mode.EXCLUSIVE, 0, 0));
        set(two, posix(Mode.EXCLUSIVE, 1, 1));
        assertEquals(QUEUED, await(one, posix(Mode.EXCLUSIVE, 1, 1), 11));
        LockReply reply = reply(two, ino, posix(Mode.EXCLUSIVE, 0, 0), 21);
        assertEquals(DEADLOCK, reply.outcome());
        assertNotNull(reply.conflict());
        assertEquals(CONFLICT, set(two, posix(Mode.EXCLUSIVE, 0, 0)));
        set(two, posix(Mode.UNLOCK, 1, 1));
        assertGrants(grant(one, 11));
    }

    @Test
    void aCycleOfThreeOverTwoInodesIsADeadlock() {
        Lock lock = posix(Mode.EXCLUSIVE, 0, 0);
        Lock next = posix(Mode.EXCLUSIVE, 1, 1);
        set(one, lock);
        set(two, next);
        assertEquals(GRANTED, reply(three, other, lock, 0).outcome());
        assertEquals(QUEUED, await(one, next, 11));
        assertEquals(QUEUED, reply(two, other, lock, 21).outcome());
        assertEquals(DEADLOCK, await(three, lock, 31));
        bench.as(two, new SessionMutation.CancelLock(other, 21));
        assertEquals(QUEUED, await(three, lock, 32));
    }

    @Test
    void twoUpgradesAreADeadlock() {
        set(one, posix(Mode.SHARED, 0, 9));
        set(two, posix(Mode.SHARED, 0, 9));
        assertEquals(QUEUED, await(one, posix(Mode.EXCLUSIVE, 0, 9), 11));
        assertEquals(DEADLOCK, await(two, posix(Mode.EXCLUSIVE, 0, 9), 21));
    }

    @Test
    void deadlocksAreFoundAfterARestart() {
        set(one, posix(Mode.EXCLUSIVE, 0, 0));
        set(two, posix(Mode.EXCLUSIVE, 1, 1));
        await(one, posix(Mode.EXCLUSIVE, 1, 1), 11);
        bench.reopen();
        assertEquals(DEADLOCK, await(two, posix(Mode.EXCLUSIVE, 0, 0), 21));
    }

    @Test
    void aWaitingFlockGivesUpWhatItHeld() {
        set(one, whole(Kind.FLOCK, Mode.SHARED));
        set(two, whole(Kind.FLOCK, Mode.SHARED));
        assertEquals(CONFLICT, set(one, whole(Kind.FLOCK, Mode.EXCLUSIVE)));
        assertEquals(QUEUED, await(one, whole(Kind.FLOCK, Mode.EXCLUSIVE), 11));
        assertEquals(GRANTED, set(two, whole(Kind.FLOCK, Mode.EXCLUSIVE)));
        set(two, whole(Kind.FLOCK, Mode.UNLOCK));
        assertGrants(grant(one, 11));
    }

    @Test
    void flockUpgradesDoNotWaitForEachOther() {
        set(one, whole(Kind.FLOCK, Mode.SHARED));
        set(two, whole(Kind.FLOCK, Mode.SHARED));
        set(three, whole(Kind.FLOCK, Mode.SHARED));
        assertEquals(QUEUED, await(one, whole(Kind.FLOCK, Mode.EXCLUSIVE), 11));
        assertEquals(QUEUED, await(two, whole(Kind.FLOCK, Mode.EXCLUSIVE), 21));
        assertEquals(GRANTED, await(three, whole(Kind.FLOCK, Mode.EXCLUSIVE), 31));
        set(three, whole(Kind.FLOCK, Mode.UNLOCK));
        assertGrants(grant(one, 11));
        set(one, whole(Kind.FLOCK, Mode.UNLOCK));
        assertGrants(grant(two, 21));
    }

    @Test
    void appendTokensAreRecalledAndHandedOn() {
        assertEquals(GRANTED, set(one, whole(Kind.APPEND, Mode.EXCLUSIVE)));
        assertEquals(QUEUED, await(two, whole(Kind.APPEND, Mode.EXCLUSIVE), 21));
        assertGrants(recall(one));
        assertEquals(QUEUED, await(three, whole(Kind.APPEND, Mode.EXCLUSIVE), 31));
        assertGrants(recall(one));
        assertEquals(QUEUED, await(two, whole(Kind.APPEND, Mode.EXCLUSIVE), 21));
        assertGrants(recall(one));
        set(one, whole(Kind.APPEND, Mode.UNLOCK));
        assertGrants(grant(two, 21), recall(two));
        set(two, whole(Kind.APPEND, Mode.UNLOCK));
        assertGrants(grant(three, 31));
    }

    @Test
    void appendTokensAreExclusiveAndForFilesOnly() {
        Lock shared = whole(Kind.APPEND, Mode.SHARED);
        bench.fails(Errno.EINVAL, new SessionMutation.SetLock(ino, shared, false, 0));
        Lock exclusive = whole(Kind.APPEND, Mode.EXCLUSIVE);
        bench.fails(Errno.EINVAL, new SessionMutation.SetLock(Bench.ROOT, exclusive, false, 0));
    }

    @Test
    void impossibleRangesAndMissingInodesAreRefused() {
        Lock backwards = posix(Mode.SHARED, 9, 8);
        bench.fails(Errno.EINVAL, new SessionMutation.SetLock(ino, backwards, false, 0));
        Lock negative = posix(Mode.SHARED, -1, 8);
        bench.fails(Errno.EINVAL, new SessionMutation.SetLock(ino, negative, false, 0));
        Lock good = posix(Mode.SHARED, 0, 8);
        bench.fails(Errno.ESTALE, new SessionMutation.SetLock(4711, good, false, 0));
        bench.readFails(Errno.ESTALE, new Query.TestLock(4711, good));
        bench.readFails(Errno.EINVAL, new Query.TestLock(ino, backwards));
    }

    @Test
    void releaseFreesOneOwnerAndOneKind() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        set(one, whole(Kind.FLOCK, Mode.EXCLUSIVE));
        set(one, new Lock(Kind.POSIX, Mode.EXCLUSIVE, 8, 20, 29, 1));
        bench.as(one, new SessionMutation.ReleaseLocks(ino, Kind.POSIX, 7));
        bench.as(one, new SessionMutation.ReleaseLocks(ino, Kind.POSIX, 7));
        assertEquals(GRANTED, set(two, posix(Mode.EXCLUSIVE, 0, 9)));
        assertEquals(CONFLICT, set(two, posix(Mode.EXCLUSIVE, 20, 20)));
        assertEquals(CONFLICT, set(two, whole(Kind.FLOCK, Mode.SHARED)));
    }

    @Test
    void theEndOfASessionReleasesAllAndGrants() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        set(one, whole(Kind.APPEND, Mode.EXCLUSIVE));
        await(two, posix(Mode.EXCLUSIVE, 0, 9), 21);
        await(three, whole(Kind.APPEND, Mode.EXCLUSIVE), 31);
        await(one, new Lock(Kind.POSIX, Mode.EXCLUSIVE, 8, 0, 9, 9), 11);
        bench.leader(new SessionMutation.CloseSession(one));
        assertGrants(grant(two, 21), grant(three, 31));
        bench.leader(new SessionMutation.CloseSession(two));
        assertGrants();
        bench.leader(new SessionMutation.CloseSession(three));
        assertEquals(0, bench.store.size(Store.Family.LOCK));
    }

    @Test
    void locksOfAPurgedInodeAreForgotten() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        await(two, posix(Mode.EXCLUSIVE, 0, 9), 21);
        bench.unlink(Bench.ROOT, "f");
        assertEquals(2, bench.store.size(Store.Family.LOCK));
        bench.leader(new LeaderMutation.Purge(new long[] {ino}));
        assertEquals(0, bench.store.size(Store.Family.LOCK));
        bench.leader(new SessionMutation.CloseSession(two));
    }

    @Test
    void anOwnerHoldsAtMostSoManyRanges() {
        for (int i = 0; i < LockTable.MAX_PER_INODE; i++) {
            assertEquals(GRANTED, set(one, posix(Mode.SHARED, 2L * i, 2L * i)));
        }
        long next = 2L * LockTable.MAX_PER_INODE;
        Lock tooMany = posix(Mode.SHARED, next, next);
        bench.fails(Errno.ENOLCK, new SessionMutation.SetLock(ino, tooMany, false, 0));
        assertEquals(GRANTED, set(one, posix(Mode.SHARED, 0, next)));
    }

    @Test
    void soManyRequestsWaitForAnInode() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        for (int i = 0; i < LockTable.MAX_PER_INODE; i++) {
            assertEquals(QUEUED, await(two, posix(Mode.SHARED, 0, 0), i + 1));
        }
        Reply reply =
                bench.as(
                        three,
                        new SessionMutation.SetLock(ino, posix(Mode.SHARED, 0, 0), true, 31));
        assertEquals(Errno.ENOLCK, assertInstanceOf(Reply.Failure.class, reply).errno());
    }

    @Test
    void nothingIsKeptOnceEverythingIsReleased() {
        set(one, posix(Mode.EXCLUSIVE, 0, 9));
        await(two, posix(Mode.EXCLUSIVE, 0, 9), 21);
        set(one, posix(Mode.UNLOCK, 0, Lock.TO_END));
        set(two, posix(Mode.UNLOCK, 0, Lock.TO_END));
        assertEquals(0, bench.store.size(Store.Family.LOCK));
    }
}
