package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.cairn.base.Errno;
import io.cairn.fs.HostContact;
import io.cairn.fs.HostRecord;
import io.cairn.fs.Lock;
import io.cairn.fs.Lock.Kind;
import io.cairn.fs.Lock.Mode;
import io.cairn.fs.LockHost;
import io.cairn.metadata.lock.HostTable;
import io.cairn.metadata.lock.LockTable;
import io.cairn.metadata.state.Notice;
import io.cairn.wire.master.HostMutation;
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

/** Locks of machines behind gateways. The gateways are the sessions one and two. */
class HostLocksTest {
    private static final LockOutcome GRANTED = LockOutcome.GRANTED;
    private static final LockOutcome CONFLICT = LockOutcome.CONFLICT;
    private static final LockOutcome QUEUED = LockOutcome.QUEUED;
    private static final LockHost ALPHA = new LockHost("alpha", "10.0.0.1");
    private static final LockHost BETA = new LockHost("beta", "10.0.0.2");

    private final Bench bench = new Bench();
    private final long one = 1;
    private final long two = bench.openSession();
    private final long ino = bench.create(Bench.ROOT, "f").ino();

    @AfterEach
    void theStateIsSoundAndSurvivesRestart() {
        assertEquals(List.of(), bench.namespace.check());
        byte[] before = bench.namespace.fingerprint();
        bench.reopen();
        assertArrayEquals(before, bench.namespace.fingerprint());
        assertEquals(List.of(), bench.namespace.check());
    }

    private static Lock posix(Mode mode, long start, long end) {
        return new Lock(Kind.POSIX, mode, 7, start, end, 99);
    }

    private static HostContact in(LockHost host, int state) {
        return new HostContact(host, state, "10.0.0.100");
    }

    private Reply ask(long gateway, HostContact from, Lock lock, long requestId) {
        return bench.as(
                gateway, new HostMutation.SetHostLock(from, ino, lock, requestId != 0, requestId));
    }

    private LockOutcome set(long gateway, LockHost host, Lock lock) {
        return set(gateway, in(host, 3), lock, 0);
    }

    private LockOutcome set(long gateway, HostContact from, Lock lock, long requestId) {
        return assertInstanceOf(LockReply.class, ask(gateway, from, lock, requestId)).outcome();
    }

    private List<HostRecord> hosts() {
        Reply reply = bench.namespace.read(0, new Query.ListHosts(new LockHost("", ""), 1000));
        return assertInstanceOf(Reply.HostsReply.class, reply).hosts();
    }

    private LockReply test(LockHost host, Lock wanted) {
        Reply reply = bench.namespace.read(one, new Query.TestHostLock(host, ino, wanted));
        return assertInstanceOf(LockReply.class, reply);
    }

    @Test
    void locksOutliveTheGatewayAndTheMaster() {
        assertEquals(GRANTED, set(two, ALPHA, posix(Mode.EXCLUSIVE, 0, 9)));
        bench.as(two, new SessionMutation.CloseSession(two));
        bench.reopen();
        assertEquals(CONFLICT, set(one, BETA, posix(Mode.SHARED, 5, 5)));
        assertEquals(GRANTED, set(one, ALPHA, posix(Mode.EXCLUSIVE, 5, 15)));
        assertEquals(GRANTED, set(one, ALPHA, posix(Mode.UNLOCK, 0, Lock.TO_END)));
        assertEquals(GRANTED, set(one, BETA, posix(Mode.SHARED, 5, 5)));
    }

    @Test
    void theyConflictWithTheLocksOfMounts() {
        set(one, ALPHA, posix(Mode.EXCLUSIVE, 0, 9));
        Reply mount =
                bench.as(two, new SessionMutation.SetLock(ino, posix(Mode.SHARED, 9, 9), false, 0));
        LockReply refused = assertInstanceOf(LockReply.class, mount);
        assertEquals(CONFLICT, refused.outcome());
        assertEquals(posix(Mode.EXCLUSIVE, 0, 9), refused.conflict());
        Lock whole = new Lock(Kind.FLOCK, Mode.EXCLUSIVE, 7, 0, Lock.TO_END, 1);
        Reply flock = bench.as(two, new SessionMutation.SetLock(ino, whole, false, 0));
        assertEquals(GRANTED, assertInstanceOf(LockReply.class, flock).outcome());
    }

    @Test
    void equalNamesAtOtherAddressesAreOthers() {
        LockHost twin = new LockHost("alpha", "10.0.0.9");
        set(one, ALPHA, posix(Mode.EXCLUSIVE, 0, 9));
        assertEquals(CONFLICT, set(one, twin, posix(Mode.EXCLUSIVE, 0, 9)));
        assertEquals(GRANTED, set(one, twin, posix(Mode.UNLOCK, 0, 9)));
        assertEquals(CONFLICT, test(BETA, posix(Mode.SHARED, 0, 0)).outcome());
        assertEquals(GRANTED, test(ALPHA, posix(Mode.SHARED, 0, 0)).outcome());
    }

    @Test
    void whoWaitsIsGrantedAndItsGatewayIsTold() {
        set(one, ALPHA, posix(Mode.EXCLUSIVE, 0, 9));
        assertEquals(QUEUED, set(two, in(BETA, 3), posix(Mode.EXCLUSIVE, 0, 9), 44));
        assertEquals(QUEUED, set(two, in(BETA, 3), posix(Mode.EXCLUSIVE, 0, 9), 44));
        set(one, ALPHA, posix(Mode.UNLOCK, 0, 9));
        assertEquals(List.of(new Notice(two, new Push.LockGranted(ino, 44))), bench.notices);
        assertEquals(GRANTED, set(two, in(BETA, 3), posix(Mode.EXCLUSIVE, 0, 9), 44));
        assertEquals(CONFLICT, set(one, ALPHA, posix(Mode.SHARED, 0, 9)));
        bench.as(two, new HostMutation.CancelHostLock(BETA, ino, 44));
        assertEquals(GRANTED, set(one, ALPHA, posix(Mode.SHARED, 0, 9)));
    }

    @Test
    void waitingEndsWithTheGateway() {
        set(one, ALPHA, posix(Mode.EXCLUSIVE, 0, 9));
        set(two, in(BETA, 3), posix(Mode.EXCLUSIVE, 0, 9), 44);
        assertEquals(2, hosts().size());
        bench.as(two, new SessionMutation.CloseSession(two));
        assertEquals(List.of(ALPHA), hosts().stream().map(h -> h.contact().host()).toList());
        set(one, ALPHA, posix(Mode.UNLOCK, 0, 9));
        assertEquals(List.of(), hosts());
    }

    @Test
    void whoWaitsForItselfIsRefused() {
        Lock first = posix(Mode.EXCLUSIVE, 0, 0);
        Lock second = posix(Mode.EXCLUSIVE, 1, 1);
        set(one, ALPHA, first);
        set(two, BETA, second);
        assertEquals(QUEUED, set(one, in(ALPHA, 3), second, 1));
        assertEquals(LockOutcome.DEADLOCK, set(two, in(BETA, 3), first, 2));
    }

    @Test
    void aMachineThatCameUpAgainHasLostItsLocks() {
        set(one, in(ALPHA, 3), posix(Mode.EXCLUSIVE, 0, 9), 0);
        assertEquals(GRANTED, set(one, in(ALPHA, 5), posix(Mode.EXCLUSIVE, 20, 20), 0));
        assertEquals(GRANTED, set(one, BETA, posix(Mode.EXCLUSIVE, 0, 9)));
        assertEquals(CONFLICT, set(one, BETA, posix(Mode.EXCLUSIVE, 20, 20)));
    }

    @Test
    void olderAndUnknownStatesChangeNothing() {
        set(one, in(ALPHA, 5), posix(Mode.EXCLUSIVE, 0, 9), 0);
        set(one, in(ALPHA, 3), posix(Mode.EXCLUSIVE, 20, 20), 0);
        set(one, in(ALPHA, 0), posix(Mode.EXCLUSIVE, 30, 30), 0);
        assertEquals(CONFLICT, set(one, BETA, posix(Mode.EXCLUSIVE, 0, 9)));
        assertEquals(5, hosts().getFirst().contact().state());
        bench.as(two, new HostMutation.ReleaseHost(ALPHA, 5));
        assertEquals(CONFLICT, set(one, BETA, posix(Mode.EXCLUSIVE, 0, 9)));
        bench.as(two, new HostMutation.ReleaseHost(ALPHA, 7));
        assertEquals(GRANTED, set(one, BETA, posix(Mode.EXCLUSIVE, 0, 40)));
    }

    @Test
    void releasedLocksGoToThoseWhoWait() {
        set(one, ALPHA, posix(Mode.EXCLUSIVE, 0, 9));
        set(two, in(BETA, 0), posix(Mode.EXCLUSIVE, 0, 9), 4);
        bench.as(one, new HostMutation.ReleaseHost(ALPHA, 0));
        assertEquals(List.of(new Notice(two, new Push.LockGranted(ino, 4))), bench.notices);
        assertEquals(List.of(BETA), hosts().stream().map(h -> h.contact().host()).toList());
    }

    @Test
    void recordsCountAndNameTheServer() {
        set(one, ALPHA, posix(Mode.EXCLUSIVE, 0, 9));
        Lock ofAnother = new Lock(Kind.POSIX, Mode.EXCLUSIVE, 8, 20, 29, 1);
        set(one, ALPHA, ofAnother);
        set(two, in(BETA, 0), posix(Mode.SHARED, 0, 9), 4);
        HostContact moved = new HostContact(ALPHA, 3, "10.0.0.200");
        set(two, moved, posix(Mode.SHARED, 5, 5), 0);
        assertEquals(
                List.of(
                        new HostRecord(moved, bench.nowNs, 2, 0),
                        new HostRecord(in(BETA, 0), bench.nowNs, 0, 1)),
                hosts());
    }

    @Test
    void locksOfRemovedFilesAreForgotten() {
        set(one, ALPHA, posix(Mode.EXCLUSIVE, 0, 9));
        set(two, in(BETA, 0), posix(Mode.SHARED, 0, 9), 4);
        bench.unlink(Bench.ROOT, "f");
        bench.leader(new LeaderMutation.Purge(new long[] {ino}));
        assertEquals(List.of(), hosts());
    }

    @Test
    void shareReservationsExcludeWhatTheyDeny() {
        assertEquals(GRANTED, set(one, ALPHA, share(1, 2)));
        assertEquals(CONFLICT, set(one, BETA, share(2, 0)));
        assertEquals(CONFLICT, set(one, BETA, share(1, 1)));
        assertEquals(GRANTED, set(one, BETA, share(1, 2)));
        assertEquals(CONFLICT, set(one, ALPHA, share(3, 0)));
        assertEquals(GRANTED, set(one, BETA, new Lock(Kind.SHARE, Mode.UNLOCK, 7, 0, 0, 0)));
        assertEquals(GRANTED, set(one, ALPHA, share(3, 0)));
    }

    private static Lock share(int access, int deny) {
        return new Lock(Kind.SHARE, Mode.SHARED, 7, 0, Lock.TO_END, access | deny << 2);
    }

    @Test
    void impossibleRequestsAreRefused() {
        assertEquals(Errno.EINVAL, refused(in(new LockHost("x".repeat(600), "a"), 1), share(1, 1)));
        assertEquals(Errno.EINVAL, refused(in(new LockHost("x", "a".repeat(65)), 1), share(1, 1)));
        assertEquals(Errno.EINVAL, refused(in(ALPHA, 1), share(4, 7)));
        Lock token = new Lock(Kind.APPEND, Mode.EXCLUSIVE, 1, 0, Lock.TO_END, 0);
        assertEquals(Errno.EINVAL, refused(in(ALPHA, 1), token));
        assertEquals(List.of(), hosts());
    }

    private Errno refused(HostContact from, Lock lock) {
        return assertInstanceOf(Reply.Failure.class, ask(one, from, lock, 0)).errno();
    }

    @Test
    void ownersOfAnInodeHaveALimit() {
        for (int owner = 0; owner < LockTable.MAX_PER_INODE; owner++) {
            Lock lock = new Lock(Kind.POSIX, Mode.SHARED, owner, 0, 0, 1);
            assertEquals(GRANTED, set(one, ALPHA, lock));
        }
        Lock more = new Lock(Kind.POSIX, Mode.SHARED, -1, 0, 0, 1);
        assertEquals(Errno.ENOLCK, refused(in(ALPHA, 0), more));
        Reply mount = bench.as(two, new SessionMutation.SetLock(ino, more, false, 0));
        assertEquals(GRANTED, assertInstanceOf(LockReply.class, mount).outcome());
        bench.as(two, new SessionMutation.CloseSession(two));
        bench.as(one, new HostMutation.ReleaseHost(ALPHA, 0));
        assertEquals(GRANTED, set(one, BETA, posix(Mode.EXCLUSIVE, 0, 0)));
    }

    /** The names are the client's word; its address is not. */
    @Test
    void oneAddressCannotTakeAllThePlaces() {
        Lock lock = posix(Mode.SHARED, 0, 0);
        LockHost last = new LockHost("last", "10.0.0.66");
        for (int i = 0; i < HostTable.MAX_HOSTS_PER_ADDRESS; i++) {
            assertEquals(GRANTED, set(one, new LockHost("h" + i, "10.0.0.66"), lock));
        }
        assertEquals(Errno.ENOLCK, refused(in(last, 1), lock));
        assertEquals(GRANTED, set(one, ALPHA, lock));
        assertEquals(GRANTED, set(one, new LockHost("h1", "10.0.0.66"), lock));
        bench.as(one, new HostMutation.ReleaseHost(new LockHost("h0", "10.0.0.66"), 0));
        assertEquals(GRANTED, set(one, last, lock));
        assertEquals(Errno.ENOLCK, refused(in(new LockHost("h0", "10.0.0.66"), 1), lock));
    }

    @Test
    void stateNumbersAreOddAndGrow() {
        for (int expected : new int[] {1, 3, 5}) {
            Reply reply = bench.as(one, new HostMutation.TakeNotifyState());
            assertEquals(expected, assertInstanceOf(Reply.HostsReply.class, reply).notifyState());
            bench.reopen();
        }
    }

    @Test
    void listingGoesOnAfterAnyName() {
        for (int i = 0; i < 2500; i++) {
            LockHost host = new LockHost("h" + i, "10.1." + i / 250 + "." + i % 250);
            set(one, host, new Lock(Kind.POSIX, Mode.SHARED, i, 0, 0, 1));
        }
        LockHost after = new LockHost("", "");
        int count = 0;
        boolean end = false;
        while (!end) {
            Reply reply = bench.namespace.read(0, new Query.ListHosts(after, 5000));
            Reply.HostsReply page = assertInstanceOf(Reply.HostsReply.class, reply);
            count += page.hosts().size();
            after = page.hosts().getLast().contact().host();
            assertNotNull(after);
            end = page.end();
        }
        assertEquals(2500, count);
    }
}
