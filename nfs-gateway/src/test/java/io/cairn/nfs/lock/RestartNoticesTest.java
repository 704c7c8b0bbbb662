package io.cairn.nfs.lock;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.HostContact;
import io.cairn.fs.HostLocks;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.nfs.ModelGateway;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsSettings;
import io.cairn.nfs.lock.NlmClient.Range;
import io.cairn.runtime.Clock;
import io.cairn.runtime.ThreadScheduler;
import io.cairn.testkit.model.ModelFileSystem;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Machines with locks are told when their server comes back. */
final class RestartNoticesTest {
    private static final LockHost HERE = new LockHost("alpha", "127.0.0.1");

    private final FakeLockd lockd = new FakeLockd();
    private final ModelFileSystem files = new ModelFileSystem(Clock.system());
    private final HostLocks locks = files.hostLocks();
    private final ThreadScheduler scheduler = new ThreadScheduler("test-notices", 1);
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final LockPace pace = new LockPace(lockd.port(), 2000, 200, 3, 1000);
    private final HostCalls calls = new TcpHostCalls(pace, Clock.system());
    private final AtomicReference<Set<String>> addresses =
            new AtomicReference<>(Set.of("127.0.0.1"));

    @AfterEach
    void stop() {
        calls.close();
        workers.shutdownNow();
        scheduler.close();
        lockd.close();
    }

    private void lock(LockHost host, String server) {
        Lock lock = new Lock(Lock.Kind.POSIX, Lock.Mode.SHARED, 1, 0, 9, 1);
        locks.set(new HostContact(host, 3, server), 1, lock);
    }

    private RestartNotices start() {
        BlockedLocks.Threads threads = new BlockedLocks.Threads(workers, scheduler, Clock.system());
        RestartNotices notices = new RestartNotices(locks, calls, pace, threads, addresses::get);
        notices.begin();
        return notices;
    }

    private void assertTold(String server, int state) throws InterruptedException {
        FakeLockd.Callback call = lockd.await();
        assertEquals(NlmClient.NSM, call.program());
        assertEquals(6, call.procedure());
        assertArrayEquals(server.getBytes(StandardCharsets.US_ASCII), call.cookie());
        assertEquals(state, call.word());
    }

    private void assertNobodyIsTold() throws InterruptedException {
        assertNull(lockd.calls.poll(300, TimeUnit.MILLISECONDS));
    }

    @Test
    void machinesWithLocksAreTold() throws Exception {
        lock(HERE, "127.0.0.1");
        try (RestartNotices notices = start()) {
            assertTold("127.0.0.1", 1);
            assertEquals(1, notices.state());
        }
        try (RestartNotices notices = start()) {
            assertTold("127.0.0.1", 3);
            assertEquals(3, notices.state());
        }
    }

    @Test
    void machinesOfOtherServersAreNot() throws Exception {
        lock(HERE, "10.99.0.1");
        try (RestartNotices notices = start()) {
            assertNobodyIsTold();
            assertEquals(1, notices.state());
        }
    }

    @Test
    void anAddressThatMovesHereIsABeginning() throws Exception {
        lock(HERE, "10.99.0.1");
        try (RestartNotices notices = start()) {
            assertNobodyIsTold();
            addresses.set(Set.of("127.0.0.1", "10.99.0.1"));
            assertTold("10.99.0.1", 1);
            assertEquals(1, notices.state());
        }
    }

    @Test
    void whoDoesNotAnswerIsToldAgain() throws Exception {
        lockd.silent.set(1);
        lock(HERE, "127.0.0.1");
        try (RestartNotices notices = start()) {
            assertTold("127.0.0.1", 1);
            assertTold("127.0.0.1", 1);
            assertNobodyIsTold();
            assertEquals(1, notices.state());
        }
    }

    @Test
    void aGatewayThatStartsTellsAndLosesNothing() throws Exception {
        NfsSettings settings = NfsSettings.of(new Endpoint("127.0.0.1", 0)).withLockPace(pace);
        Range range;
        String export = "/ *(rw,no_root_squash,insecure)";
        try (ModelGateway first = new ModelGateway(files, settings, export);
                NfsClient nfs = first.client();
                NlmClient alpha = new NlmClient(first.endpoint(), "alpha")) {
            NfsClient.Node file = nfs.create(nfs.mount("/"), "f", 1, AttributeChange.NONE);
            range = new Range(file.handle().bytes(), 7, 0, 10);
            assertEquals(NlmClient.GRANTED, alpha.lock(range, true));
        }
        try (ModelGateway second = new ModelGateway(files, settings, export);
                NlmClient alpha = new NlmClient(second.endpoint(), "alpha");
                NlmClient beta = new NlmClient(second.endpoint(), "beta")) {
            assertTold("127.0.0.1", 1);
            assertEquals(NlmClient.DENIED, beta.lock(range, true));
            assertEquals(NlmClient.GRANTED, alpha.reclaim(range, true));
            assertEquals(NlmClient.GRANTED, alpha.unlock(range));
            assertEquals(NlmClient.GRANTED, beta.lock(range, true));
            assertTrue(locks.hosts().size() == 1);
        }
    }

    /** Who is told comes at once to claim its locks, and must find us. */
    @Test
    void aGatewayThatDoesNotGetItsPortTellsNobody() throws Exception {
        lock(HERE, "127.0.0.1");
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Endpoint taken = new Endpoint("127.0.0.1", other.getLocalPort());
            NfsSettings settings = NfsSettings.of(taken).withLockPace(pace);
            String export = "/ *(rw,no_root_squash,insecure)";
            assertThrows(
                    FsException.class, () -> new ModelGateway(files, settings, export).close());
            assertNobodyIsTold();
        }
    }
}
