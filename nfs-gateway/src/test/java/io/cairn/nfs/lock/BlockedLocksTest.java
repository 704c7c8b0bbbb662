package io.cairn.nfs.lock;

import static io.cairn.nfs.lock.NlmClient.BLOCKED;
import static io.cairn.nfs.lock.NlmClient.DENIED;
import static io.cairn.nfs.lock.NlmClient.GRANTED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Lock;
import io.cairn.nfs.ModelGateway;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsSettings;
import io.cairn.nfs.lock.NlmClient.Range;
import io.cairn.nfs.rpc.Credential;
import io.cairn.runtime.Clock;
import io.cairn.testkit.model.ModelFileSystem;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Locks that are waited for, and the callbacks. */
final class BlockedLocksTest {
    private final FakeLockd lockd = new FakeLockd();
    private final ModelFileSystem files = new ModelFileSystem(Clock.system());
    private final ModelGateway gateway =
            new ModelGateway(
                    files,
                    NfsSettings.of(new Endpoint("127.0.0.1", 0))
                            .withLockPace(new LockPace(lockd.port(), 2000, 300, 4, 1000)),
                    "/ *(rw,no_root_squash,insecure)");
    private final NfsClient nfs = gateway.client();
    private final NfsClient.Node file = nfs.create(nfs.mount("/"), "f", 1, AttributeChange.NONE);
    private final Range range = new Range(file.handle().bytes(), 7, 0, 10);
    private final NlmClient alpha = new NlmClient(gateway.endpoint(), "alpha");
    private final NlmClient beta = new NlmClient(gateway.endpoint(), "beta");

    @AfterEach
    void stop() {
        alpha.close();
        beta.close();
        nfs.close();
        gateway.close();
        lockd.close();
    }

    private void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadlineNs < 0, "not within 60 s: " + what);
            Thread.sleep(10);
        }
    }

    private void awaitNobodyWaits() throws InterruptedException {
        await("nobody waits", () -> gateway.gateway().waitingLockCount() == 0);
    }

    private void blockBeta() {
        assertEquals(GRANTED, alpha.lock(range, true));
        assertEquals(BLOCKED, beta.block(range, true));
    }

    /** A GRANTED call as it must be. */
    private void assertGrants(FakeLockd.Callback call, Range granted) {
        assertEquals(NlmClient.NLM, call.program());
        assertEquals(1, call.word(), "exclusive");
        assertArrayEquals(new byte[] {'b', 'e', 't', 'a'}, call.rest().opaque(1024));
        assertArrayEquals(granted.handle(), call.rest().opaque(64));
        assertArrayEquals(
                (granted.svid() + "@here").getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                call.rest().opaque(1024));
        assertEquals(granted.svid(), call.rest().i32());
        assertEquals(granted.offset(), call.rest().i64());
        assertEquals(granted.length(), call.rest().i64());
        assertEquals(0, call.rest().leftBytes());
    }

    @Test
    void whoWaitsIsCalledBack() throws Exception {
        blockBeta();
        assertEquals(1, gateway.gateway().waitingLockCount());
        assertEquals(GRANTED, alpha.unlock(range));
        FakeLockd.Callback call = lockd.await();
        assertEquals(5, call.procedure());
        assertGrants(call, range);
        awaitNobodyWaits();
        assertEquals(DENIED, alpha.lock(range, true));
        assertEquals(GRANTED, beta.unlock(range));
        assertEquals(GRANTED, alpha.lock(range, true));
    }

    @Test
    void locksOfMountsAreWaitedFor() throws Exception {
        long ino = file.attributes().ino();
        files.setLock(ino, new Lock(Lock.Kind.POSIX, Lock.Mode.SHARED, 9, 3, 3, 1), 0);
        assertEquals(BLOCKED, beta.block(range, true));
        files.setLock(ino, new Lock(Lock.Kind.POSIX, Lock.Mode.UNLOCK, 9, 3, 3, 1), 0);
        assertGrants(lockd.await(), range);
    }

    @Test
    void theConnectionIsKeptAndDroppedWhenItBreaks() throws Exception {
        for (int round = 0; round < 3; round++) {
            blockBeta();
            alpha.unlock(range);
            lockd.await();
            awaitNobodyWaits();
            beta.unlock(range);
        }
        assertEquals(1, lockd.lookups.get());
        lockd.hangUp();
        blockBeta();
        alpha.unlock(range);
        lockd.await();
        awaitNobodyWaits();
        assertEquals(2, lockd.lookups.get());
    }

    @Test
    void repeatingTheRequestTellsToo() throws Exception {
        lockd.close();
        blockBeta();
        assertEquals(BLOCKED, beta.block(range, true));
        assertEquals(1, gateway.gateway().waitingLockCount());
        alpha.unlock(range);
        assertEquals(GRANTED, beta.block(range, true));
        awaitNobodyWaits();
        assertEquals(DENIED, alpha.lock(range, true));
    }

    @Test
    void aLockThatNobodyHearsOfIsTakenBack() throws Exception {
        lockd.close();
        blockBeta();
        alpha.unlock(range);
        awaitNobodyWaits();
        assertEquals(GRANTED, alpha.lock(range, true));
    }

    @Test
    void aClientThatNeverAnswersLosesTheLock() throws Exception {
        lockd.silent.set(Integer.MAX_VALUE);
        blockBeta();
        alpha.unlock(range);
        awaitNobodyWaits();
        assertEquals(4, lockd.calls.size());
        assertEquals(GRANTED, alpha.lock(range, true));
    }

    @Test
    void aLockThatTheClientDoesNotWantIsTakenBack() throws Exception {
        lockd.status = DENIED;
        blockBeta();
        alpha.unlock(range);
        lockd.await();
        awaitNobodyWaits();
        assertEquals(GRANTED, alpha.lock(range, true));
    }

    /** The second time it says that it does not wait, for it has the lock since the first time. */
    @Test
    void aMissedAnswerDoesNotTakeTheLockAway() throws Exception {
        lockd.silent.set(1);
        lockd.status = DENIED;
        blockBeta();
        alpha.unlock(range);
        lockd.await();
        lockd.await();
        awaitNobodyWaits();
        assertEquals(DENIED, alpha.lock(range, true));
    }

    @Test
    void cancelledRequestsAreNeverGranted() throws Exception {
        blockBeta();
        assertEquals(GRANTED, beta.cancel(range, true));
        assertEquals(DENIED, beta.cancel(range, true));
        awaitNobodyWaits();
        alpha.unlock(range);
        assertEquals(GRANTED, alpha.lock(range, true));
        assertEquals(0, lockd.calls.size());
    }

    @Test
    void unlockingTakesTheRequestBack() throws Exception {
        blockBeta();
        assertEquals(GRANTED, beta.unlock(range.at(0, 0)));
        awaitNobodyWaits();
        alpha.unlock(range);
        assertNull(alpha.test(range, true));
    }

    @Test
    void aMachineThatCameUpAgainWaitsForNothing() throws Exception {
        blockBeta();
        beta.notify("beta", 5);
        awaitNobodyWaits();
        alpha.unlock(range);
        assertNull(alpha.test(range, true));
    }

    @Test
    void thoseWhoWaitComeInTurn() throws Exception {
        alpha.lock(range.at(0, 0), true);
        for (int i = 0; i < 20; i++) {
            assertEquals(BLOCKED, beta.block(range.of(i), true));
        }
        alpha.unlock(range.at(0, 0));
        for (int i = 0; i < 20; i++) {
            assertGrants(lockd.await(), range.of(i));
            assertEquals(GRANTED, beta.unlock(range.of(i)));
        }
        awaitNobodyWaits();
    }

    @Test
    void clientsThatSpeakByMessagesAreAnsweredByMessages() throws Exception {
        boolean[] waiting = {true, true, false};
        alpha.lock(range, true);
        byte[] cookie = {5, 6};
        assertEquals(
                0,
                beta.call(7, out -> beta.lockArguments(out, cookie, range, waiting)).leftBytes());
        FakeLockd.Callback blocked = lockd.await();
        assertEquals(12, blocked.procedure());
        assertArrayEquals(cookie, blocked.cookie());
        assertEquals(BLOCKED, blocked.word());
        alpha.unlock(range);
        FakeLockd.Callback granted = lockd.await();
        assertEquals(10, granted.procedure());
        assertGrants(granted, range);
        beta.call(15, out -> out.opaque(granted.cookie()).i32(GRANTED));
        awaitNobodyWaits();
        assertEquals(DENIED, alpha.lock(range, true));
        Credential root = Credential.sys(0, 0);
        assertTrue(beta.rpc().call(NlmClient.NLM, 4, 13, root, out -> {}).accepted());
    }

    @Test
    void testsByMessagesAreAnswered() throws Exception {
        alpha.lock(range, true);
        beta.message(6, range, true);
        FakeLockd.Callback tested = lockd.await();
        assertEquals(11, tested.procedure());
        assertEquals(DENIED, tested.word());
        assertTrue(tested.rest().bool());
        assertEquals(7, tested.rest().i32());
        alpha.message(9, range, true);
        FakeLockd.Callback unlocked = lockd.await();
        assertEquals(14, unlocked.procedure());
        assertEquals(GRANTED, unlocked.word());
        assertNull(beta.test(range, true));
    }

    /** One machine that never answers, another one that does. */
    @Test
    void thousandsOfRequestsHurtNobody() throws Exception {
        lockd.silent.set(Integer.MAX_VALUE);
        alpha.lock(range.at(0, 0), true);
        for (int machine = 0; machine < 8; machine++) {
            try (NlmClient one = new NlmClient(gateway.endpoint(), "m" + machine)) {
                for (int i = 0; i < BlockedLocks.MAX_PER_HOST; i++) {
                    assertEquals(BLOCKED, one.block(range.of(i).at(i, 1), false));
                }
            }
        }
        alpha.unlock(range.at(0, 0));
        long beforeNs = System.nanoTime();
        Range elsewhere = range.at(1000, 1);
        assertEquals(GRANTED, alpha.lock(elsewhere, true));
        assertEquals(GRANTED, alpha.unlock(elsewhere));
        nfs.getattr(file.handle());
        assertTrue(System.nanoTime() - beforeNs < TimeUnit.SECONDS.toNanos(20));
    }
}
