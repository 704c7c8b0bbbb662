package io.cairn.nfs.lock;

import static io.cairn.nfs.lock.NlmClient.BLOCKED;
import static io.cairn.nfs.lock.NlmClient.DENIED;
import static io.cairn.nfs.lock.NlmClient.FAILED;
import static io.cairn.nfs.lock.NlmClient.FBIG;
import static io.cairn.nfs.lock.NlmClient.GRANTED;
import static io.cairn.nfs.lock.NlmClient.NOLOCKS;
import static io.cairn.nfs.lock.NlmClient.ROFS;
import static io.cairn.nfs.lock.NlmClient.STALE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Lock;
import io.cairn.nfs.ModelGateway;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.RpcClient;
import io.cairn.nfs.lock.NlmClient.Holder;
import io.cairn.nfs.lock.NlmClient.Range;
import io.cairn.nfs.rpc.Credential;
import io.cairn.nfs.rpc.RpcLimits;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.runtime.Clock;
import io.cairn.testkit.model.ModelFileSystem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The procedures of NLM that do not wait. */
final class NlmProgramTest {
    private final ModelFileSystem files = new ModelFileSystem(Clock.system());
    private final ModelGateway gateway =
            new ModelGateway(
                    files,
                    RpcLimits.STANDARD,
                    "/ *(rw,no_root_squash,insecure)",
                    "/ro *(ro,no_root_squash,insecure)");
    private final List<AutoCloseable> open = new ArrayList<>();
    private final NfsClient nfs = keep(gateway.client());
    private final NfsClient.Handle root = nfs.mount("/");
    private final NfsClient.Node file = nfs.create(root, "f", 1, AttributeChange.NONE);
    private final Range range = new Range(file.handle().bytes(), 7, 0, 10);
    private final NlmClient alpha = keep(new NlmClient(gateway.endpoint(), "alpha"));
    private final NlmClient beta = keep(new NlmClient(gateway.endpoint(), "beta"));

    private <T extends AutoCloseable> T keep(T closeable) {
        open.add(closeable);
        return closeable;
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        gateway.close();
    }

    private NlmClient user(String name, int uid) {
        return keep(new NlmClient(gateway.endpoint(), name, Credential.sys(uid, uid)));
    }

    @Test
    void locksExcludeOtherMachinesAndOtherOwners() {
        assertEquals(GRANTED, alpha.lock(range, true));
        assertEquals(GRANTED, alpha.lock(range, true));
        assertEquals(DENIED, beta.lock(range, false));
        assertEquals(DENIED, alpha.lock(range.of(8), false));
        assertEquals(GRANTED, beta.lock(range.at(10, 5), true));
        assertEquals(GRANTED, alpha.unlock(range));
        assertEquals(GRANTED, beta.lock(range, true));
    }

    @Test
    void testTellsTheHolder() {
        assertNull(beta.test(range, true));
        alpha.lock(range.at(100, 0), true);
        assertEquals(new Holder(true, 7, 100, 0), beta.test(range.at(0, 200), false));
        assertNull(alpha.test(range.at(0, 200), true));
        assertNull(beta.test(range, true));
        alpha.lock(range, false);
        assertNull(beta.test(range, false));
        assertEquals(new Holder(false, 7, 0, 10), beta.test(range, true));
    }

    @Test
    void rangesAreSplitAndMerged() {
        alpha.lock(range.at(0, 0), true);
        alpha.unlock(range.at(100, 50));
        assertEquals(GRANTED, beta.lock(range.at(100, 50), true));
        assertEquals(DENIED, beta.lock(range.at(99, 1), true));
        assertEquals(DENIED, beta.lock(range.at(150, 1), true));
        beta.unlock(range.at(100, 50));
        alpha.lock(range.at(100, 50), true);
        assertEquals(new Holder(true, 7, 0, 0), beta.test(range.at(5, 1), true));
    }

    @Test
    void locksAreUpgradedAndDowngraded() {
        alpha.lock(range, false);
        beta.lock(range, false);
        assertEquals(DENIED, alpha.lock(range, true));
        beta.unlock(range);
        assertEquals(GRANTED, alpha.lock(range, true));
        assertEquals(GRANTED, alpha.lock(range.at(5, 5), false));
        assertEquals(GRANTED, beta.lock(range.at(5, 5), false));
        assertEquals(DENIED, beta.lock(range.at(0, 5), false));
    }

    @Test
    void rangesHave63Bits() {
        long last = Long.MAX_VALUE;
        assertEquals(GRANTED, alpha.lock(range.at(last, 1), true));
        assertEquals(FBIG, alpha.lock(range.at(last, 2), true));
        assertEquals(FBIG, alpha.lock(range.at(Long.MIN_VALUE, 1), true));
        assertEquals(FBIG, alpha.lock(range.at(0, -1), true));
        assertEquals(FBIG, alpha.unlock(range.at(-1, -1)));
        assertEquals(DENIED, beta.lock(range.at(1L << 40, 0), true));
    }

    @Test
    void svidsAreUnsigned() {
        assertEquals(GRANTED, alpha.lock(range.of(-5), true));
        assertEquals(new Holder(true, -5, 0, 10), beta.test(range, true));
        assertEquals(GRANTED, alpha.unlock(range.of(-5)));
    }

    @Test
    void unlockingWhatIsNotLockedIsGranted() {
        assertEquals(GRANTED, alpha.unlock(range));
        assertEquals(DENIED, alpha.cancel(range, true));
    }

    @Test
    void handlesThatLeadNowhereAreStale() {
        assertEquals(STALE, alpha.lock(new Range(new byte[36], 7, 0, 1), true));
        assertEquals(STALE, alpha.lock(new Range(new byte[0], 7, 0, 1), true));
        nfs.remove(root, "f");
        assertEquals(STALE, alpha.lock(range, true));
    }

    @Test
    void locksOfMountsAreInTheWayAndReverse() {
        long ino = file.attributes().ino();
        Lock mine = new Lock(Lock.Kind.POSIX, Lock.Mode.EXCLUSIVE, 99, 5, 5, 4321);
        files.setLock(ino, mine, 0);
        assertEquals(DENIED, alpha.lock(range, false));
        assertEquals(new Holder(true, 4321, 5, 1), alpha.test(range, false));
        assertEquals(GRANTED, alpha.lock(range.at(6, 0), true));
        Lock other = new Lock(Lock.Kind.POSIX, Lock.Mode.SHARED, 99, 7, 7, 4321);
        FsException e = assertThrows(FsException.class, () -> files.setLock(ino, other, 0));
        assertEquals(Errno.EAGAIN, e.errno());
        Lock flock = new Lock(Lock.Kind.FLOCK, Lock.Mode.EXCLUSIVE, 99, 0, Lock.TO_END, 4321);
        files.setLock(ino, flock, 0);
    }

    @Test
    void onlyWhoMayUseTheFileLocksIt() {
        nfs.setattr(file.handle(), AttributeChange.NONE.withMode(0600).withUid(500), -1);
        NlmClient owner = user("alpha", 500);
        NlmClient stranger = user("beta", 600);
        assertEquals(FAILED, stranger.lock(range, false));
        assertEquals(GRANTED, owner.lock(range, true));
        nfs.setattr(file.handle(), AttributeChange.NONE.withMode(0), -1);
        assertEquals(GRANTED, owner.lock(range, true));
        nfs.setattr(file.handle(), AttributeChange.NONE.withMode(0602), -1);
        assertEquals(GRANTED, owner.unlock(range));
        assertEquals(GRANTED, stranger.lock(range, true));
    }

    @Test
    void aReadOnlyExportHasSharedLocksOnly() {
        NfsClient.Handle directory = nfs.mkdir(root, "ro").handle();
        nfs.create(directory, "g", 1, AttributeChange.NONE);
        NfsClient.Handle handle = nfs.lookup(nfs.mount("/ro"), "g").handle();
        Range shared = new Range(handle.bytes(), 7, 0, 0);
        assertEquals(ROFS, alpha.lock(shared, true));
        assertEquals(GRANTED, alpha.lock(shared, false));
        assertEquals(GRANTED, alpha.unlock(shared));
    }

    @Test
    void reclaimsAreGrantedUnlessSomebodyElseHasTheLock() {
        assertEquals(GRANTED, alpha.reclaim(range, true));
        assertEquals(GRANTED, alpha.reclaim(range, true));
        assertEquals(DENIED, beta.reclaim(range, true));
    }

    @Test
    void freeAllFreesAllOfThatMachine() {
        alpha.lock(range, true);
        alpha.lock(range.of(8).at(50, 1), true);
        beta.lock(range.at(60, 1), true);
        alpha.freeAll();
        assertEquals(GRANTED, beta.lock(range.at(0, 60), true));
        assertEquals(DENIED, alpha.lock(range.at(60, 1), true));
    }

    @Test
    void aMachineThatComesUpAgainHasLostItsLocks() {
        alpha.lock(range, true);
        beta.lock(range.at(60, 1), true);
        alpha.notify("alpha", 3);
        assertEquals(DENIED, beta.lock(range, true));
        alpha.notify("somebody", 5);
        assertEquals(DENIED, beta.lock(range, true));
        alpha.notify("alpha.example.com", 5);
        assertEquals(GRANTED, beta.lock(range, true));
        assertEquals(DENIED, alpha.lock(range.at(60, 1), true));
    }

    @Test
    void sharesExcludeWhatTheyDeny() {
        assertEquals(GRANTED, alpha.share(20, range, 2, 1));
        assertEquals(DENIED, beta.share(20, range, 0, 2));
        assertEquals(GRANTED, beta.share(20, range, 2, 1));
        assertEquals(DENIED, beta.share(20, range.of(8), 1, 1));
        assertEquals(GRANTED, alpha.share(21, range, 0, 0));
        assertEquals(GRANTED, beta.share(20, range, 2, 3));
    }

    @Test
    void unmonitoredLocksDoNotWait() {
        alpha.lock(range, true);
        assertEquals(DENIED, beta.lock(22, range, true, true, false));
        assertEquals(GRANTED, beta.lock(22, range.at(50, 1), true, true, false));
    }

    @Test
    void repeatedCallsHaveTheFirstAnswer() {
        int[] header = {4711, 0, 2, NlmClient.NLM, 4, 2};
        byte[] call =
                RpcClient.encode(
                        header,
                        Credential.sys(0, 0),
                        out ->
                                alpha.lockArguments(
                                        out,
                                        new byte[] {9},
                                        range,
                                        new boolean[] {false, true, false}));
        assertEquals(GRANTED, again(call));
        assertEquals(GRANTED, alpha.unlock(range));
        assertEquals(GRANTED, beta.lock(range, true));
        assertEquals(GRANTED, again(call));
        assertEquals(DENIED, alpha.lock(range, true));
    }

    private int again(byte[] call) {
        alpha.rpc().send(call);
        XdrReader results = alpha.rpc().receive().results();
        assertArrayEquals(new byte[] {9}, results.opaque(1024));
        return results.i32();
    }

    @Test
    void namesTooLongToRememberAreRefused() {
        NlmClient longName = keep(new NlmClient(gateway.endpoint(), "x".repeat(1024)));
        assertEquals(NOLOCKS, longName.lock(range, true));
        assertEquals(NOLOCKS, longName.block(range, true));
        NlmClient tooLong = keep(new NlmClient(gateway.endpoint(), "x".repeat(1 << 20)));
        assertThrows(AssertionError.class, () -> tooLong.lock(range, true));
        assertEquals(GRANTED, alpha.lock(range, true));
    }

    @Test
    void waitingRequestsAreFewForAMachine() {
        alpha.lock(range.at(0, 0), true);
        for (int i = 0; i < BlockedLocks.MAX_PER_HOST; i++) {
            assertEquals(BLOCKED, beta.block(range.of(i), true));
        }
        assertEquals(NOLOCKS, beta.block(range.of(-1), true));
        assertEquals(BLOCKED, beta.block(range.of(0), true));
        NlmClient gamma = keep(new NlmClient(gateway.endpoint(), "gamma"));
        assertEquals(BLOCKED, gamma.block(range, true));
        beta.freeAll();
        assertEquals(1, gateway.gateway().waitingLockCount());
    }

    @Test
    void monitoringIsForTheMachineItself() {
        RpcClient rpc = alpha.rpc();
        XdrReader mon = rpc.call(NlmClient.NSM, 1, 2, Credential.NONE, out -> {}).results();
        assertEquals(1, mon.i32());
        assertEquals(1, mon.i32() & 1, "odd: it is up");
        byte[] name = {'x'};
        XdrReader stat =
                rpc.call(NlmClient.NSM, 1, 1, Credential.NONE, out -> out.opaque(name)).results();
        assertEquals(0, stat.i32());
        assertEquals(0, rpc.call(NlmClient.NLM, 4, 0, Credential.NONE, out -> {}).status());
        assertEquals(2, rpc.call(NlmClient.NLM, 3, 2, Credential.NONE, out -> {}).status());
        assertEquals(3, rpc.call(NlmClient.NLM, 4, 16, Credential.NONE, out -> {}).status());
        assertEquals(4, rpc.call(NlmClient.NLM, 4, 2, Credential.NONE, out -> {}).status());
    }
}
