package io.cairn.client.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.FakeCluster;
import io.cairn.client.FakeNamespaceMaster;
import io.cairn.client.FakeNetwork;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.Push;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The session with the master through lost answers, failovers and its own end. */
class MasterChannelTest {
    private static final Endpoint SECOND = new Endpoint("master", 2);
    private static final Caller ROOT = Caller.ROOT;

    private final FakeCluster cluster = new FakeCluster(20);

    @AfterEach
    void close() {
        cluster.close();
    }

    private Map<Long, Integer> openAtMaster() {
        return cluster.shared.sessions.values().iterator().next().open;
    }

    @Test
    void mutationWhoseAnswerIsLostIsExecutedOnce() {
        CairnFileSystem fs = cluster.connect();
        Random chance = new Random(3);
        cluster.network.setFaults(
                (to, header) ->
                        chance.nextInt(3) == 0
                                ? FakeNetwork.Fate.LOSE_ANSWER
                                : FakeNetwork.Fate.DELIVER);
        int before = cluster.shared.executed;
        for (int i = 0; i < 50; i++) {
            fs.mkdir(ROOT, 1, Name.of("d" + i), 0755);
        }
        assertEquals(50, cluster.shared.executed - before);
    }

    @Test
    void openFilesAreKnownAfterEachReconnect() {
        CairnFileSystem fs = cluster.connect();
        for (int i = 0; i < 20; i++) {
            fs.mkdir(ROOT, 1, Name.of("d" + i), 0755);
        }
        for (int i = 0; i < 20; i++) {
            Name name = Name.of("f" + i);
            try (OpenFile file = fs.create(ROOT, 1, name, 0644, FileSystem.O_RDWR).file()) {
                cluster.network.disconnect(FakeCluster.MASTER);
                fs.mkdir(ROOT, 1, Name.of("between" + i), 0755);
                assertEquals(1, openAtMaster().get(file.ino()));
            }
        }
        cluster.awaitTrue(() -> openAtMaster().isEmpty(), "the files are released");
    }

    @Test
    void failoverIsFollowedByHintAndWithout() {
        FakeNamespaceMaster second = new FakeNamespaceMaster(cluster.shared);
        cluster.network.listen(SECOND, second);
        cluster.shared.leader = cluster.master;
        ClientSettings settings =
                ClientSettings.of(List.of(FakeCluster.MASTER, SECOND), "test")
                        .withAttemptTimeoutMs(500);
        CairnFileSystem fs = cluster.connect(settings);
        try (OpenFile file = fs.create(ROOT, 1, Name.of("a"), 0644, FileSystem.O_RDWR).file()) {
            cluster.shared.leaderHint = SECOND.toString();
            cluster.shared.leader = second;
            fs.mkdir(ROOT, 1, Name.of("b"), 0755);
            assertEquals(Map.of(file.ino(), 1), openAtMaster());
            cluster.shared.leaderHint = "";
            cluster.shared.leader = cluster.master;
            cluster.network.stop(SECOND);
            fs.mkdir(ROOT, 1, Name.of("c"), 0755);
            assertEquals(Map.of(file.ino(), 1), openAtMaster());
        }
        cluster.awaitTrue(() -> openAtMaster().isEmpty(), "the file is released");
    }

    /** A stopped process keeps its connections, and its machine goes on accepting new ones. */
    @Test
    void aSilentLeaderKeepsNobodyWaiting() {
        FakeNamespaceMaster second = new FakeNamespaceMaster(cluster.shared);
        cluster.network.listen(SECOND, second);
        cluster.shared.leader = cluster.master;
        cluster.shared.leaderHint = FakeCluster.MASTER.toString();
        CairnFileSystem fs =
                cluster.connect(
                        ClientSettings.of(List.of(FakeCluster.MASTER, SECOND), "test")
                                .withAttemptTimeoutMs(20_000));
        fs.mkdir(ROOT, 1, Name.of("a"), 0755);
        int before = cluster.shared.executed;
        cluster.network.setFaults(
                (to, header) ->
                        to.equals(FakeCluster.MASTER)
                                ? FakeNetwork.Fate.HOLD_ANSWER
                                : FakeNetwork.Fate.DELIVER);
        CompletableFuture<Void> made =
                CompletableFuture.runAsync(() -> fs.mkdir(ROOT, 1, Name.of("b"), 0755));
        cluster.awaitTrue(() -> cluster.shared.executed > before, "the silent one has logged it");
        // Nobody leads for a while, and the hint is old.
        cluster.network.ask(
                () -> {
                    cluster.shared.leader = new FakeNamespaceMaster(cluster.shared);
                    return true;
                });
        assertFalse(made.isDone());
        cluster.network.ask(
                () -> {
                    cluster.shared.leader = second;
                    return true;
                });
        made.orTimeout(30, TimeUnit.SECONDS).join();
        assertEquals(before + 1, cluster.shared.executed);
        fs.mkdir(ROOT, 1, Name.of("c"), 0755);
    }

    @Test
    void requestFailsInTimeWhenNobodyLeads() {
        CairnFileSystem fs = cluster.connect(cluster.settings().withRequestTimeoutMs(700));
        cluster.network.stop(FakeCluster.MASTER);
        long beganNs = System.nanoTime();
        FsException error =
                assertThrows(FsException.class, () -> fs.mkdir(ROOT, 1, Name.of("x"), 0755));
        assertEquals(Errno.ETIMEDOUT, error.errno());
        assertTrue(System.nanoTime() - beganNs < 20_000_000_000L);
        cluster.network.listen(FakeCluster.MASTER, cluster.master);
        fs.mkdir(ROOT, 1, Name.of("y"), 0755);
    }

    private boolean loseSessions() {
        cluster.shared.loseSessions();
        return true;
    }

    @Test
    void endedSessionIsReplacedAndItsLocksReported() {
        CairnFileSystem fs = cluster.connect();
        Lock lock = new Lock(Lock.Kind.POSIX, Lock.Mode.EXCLUSIVE, 5, 0, Lock.TO_END, 1);
        OpenFile locked = fs.create(ROOT, 1, Name.of("a"), 0644, FileSystem.O_RDWR).file();
        OpenFile other = fs.create(ROOT, 1, Name.of("b"), 0644, FileSystem.O_RDWR).file();
        fs.setLock(locked.ino(), lock, 0);
        cluster.network.ask(this::loseSessions);
        other.write(0, ByteBuffer.wrap(new byte[] {1}));
        other.flush();
        FsException error = assertThrows(FsException.class, locked::flush);
        assertEquals(Errno.EIO, error.errno());
        locked.flush();
        assertEquals(Map.of(locked.ino(), 1, other.ino(), 1), openAtMaster());
        other.close();
        locked.close();
    }

    @Test
    void waiterGetsTheLockWhenItsHolderLetsGo() throws InterruptedException {
        CairnFileSystem one = cluster.connect();
        CairnFileSystem two = cluster.connect();
        long ino = one.mkdir(ROOT, 1, Name.of("d"), 0755).ino();
        Lock lock = new Lock(Lock.Kind.FLOCK, Lock.Mode.EXCLUSIVE, 5, 0, Lock.TO_END, 1);
        one.setLock(ino, lock, 0);
        FsException busy = assertThrows(FsException.class, () -> two.setLock(ino, lock, 0));
        assertEquals(Errno.EAGAIN, busy.errno());
        FsException late = assertThrows(FsException.class, () -> two.setLock(ino, lock, 50));
        assertEquals(Errno.EINTR, late.errno());
        Thread waiter = new Thread(() -> two.setLock(ino, lock, 20_000));
        waiter.start();
        cluster.awaitTrue(
                () -> cluster.network.ask(cluster.namespace::waiting) > 0, "the request is queued");
        one.releaseLocks(ino, Lock.Kind.FLOCK, 5);
        waiter.join(10_000);
        assertFalse(waiter.isAlive());
        assertEquals(lock.owner(), one.testLock(ino, lock).owner());
        two.releaseLocks(ino, Lock.Kind.FLOCK, 5);
        assertEquals(null, one.testLock(ino, lock));
    }

    @Test
    void closingEndsTheSessionAndCommits() {
        CairnFileSystem fs = cluster.connect();
        OpenFile file = fs.create(ROOT, 1, Name.of("a"), 0644, FileSystem.O_RDWR).file();
        file.write(0, ByteBuffer.wrap(new byte[5000]));
        fs.close();
        assertTrue(cluster.shared.sessions.isEmpty());
        assertEquals(5000, cluster.namespace.require(file.ino()).attributes().size());
        FsException error =
                assertThrows(FsException.class, () -> fs.mkdir(ROOT, 1, Name.of("x"), 0755));
        assertEquals(Errno.EIO, error.errno());
    }

    /** Its machine slept: only the wall clock went on. */
    private static final class SleptClock implements Clock {
        private volatile long sleptNs;

        @Override
        public long nanoTime() {
            return Clock.system().nanoTime();
        }

        @Override
        public long wallNs() {
            return Clock.system().wallNs() + sleptNs;
        }
    }

    /** What is sent first is lost with the old connection, and nobody knows whether it was done. */
    @Test
    void whatIsBegunAfterASleepIsDoneInTheNextSession() {
        SleptClock clock = new SleptClock();
        ClientRuntime runtime = new ClientRuntime(clock, cluster.scheduler, new Random(5));
        try (CairnFileSystem fs =
                CairnFileSystem.connect(
                        cluster.settings(),
                        cluster.network,
                        runtime,
                        new CompositeMeterRegistry())) {
            fs.mkdir(ROOT, 1, Name.of("a"), 0755);
            cluster.network.ask(this::loseSessions);
            AtomicBoolean isBroken = new AtomicBoolean();
            cluster.network.setFaults(
                    (to, header) ->
                            to.equals(FakeCluster.MASTER) && !isBroken.getAndSet(true)
                                    ? FakeNetwork.Fate.LOSE_REQUEST
                                    : FakeNetwork.Fate.DELIVER);
            clock.sleptNs = TimeUnit.HOURS.toNanos(1);
            fs.mkdir(ROOT, 1, Name.of("b"), 0755);
            assertTrue(isBroken.get());
            assertTrue(fs.lookup(ROOT, 1, Name.of("b")).isDirectory());
        }
    }

    /** So certificates are renewed by the masters of that time. */
    @Test
    void othersHearWhereTheMastersAre() {
        List<Endpoint> told = new CopyOnWriteArrayList<>();
        ClientRuntime runtime =
                new ClientRuntime(Clock.system(), cluster.scheduler, new Random(5))
                        .onMasters(told::addAll);
        Endpoint fresh = new Endpoint("m4", 9871);
        try (CairnFileSystem _ =
                CairnFileSystem.connect(
                        cluster.settings(),
                        cluster.network,
                        runtime,
                        new CompositeMeterRegistry())) {
            cluster.tellMasters(List.of(fresh));
            cluster.awaitTrue(() -> told.contains(fresh), "it hears of the new master");
        }
    }

    /** Else a write in between would not ask for what nobody could tell. */
    @Test
    void theListenerDoubtsBeforeAConnectionCounts() {
        ClientRuntime runtime = new ClientRuntime(Clock.system(), cluster.scheduler, new Random(5));
        List<Boolean> connected = new CopyOnWriteArrayList<>();
        try (MasterChannel channel =
                new MasterChannel(cluster.settings(), cluster.network, runtime)) {
            MasterChannel.Listener listener =
                    new MasterChannel.Listener() {
                        @Override
                        public CompletableFuture<Void> push(Push push) {
                            return Promises.DONE;
                        }

                        @Override
                        public void connected() {
                            connected.add(channel.session().isConnected());
                        }

                        @Override
                        public void sessionLost() {}
                    };
            Await.get(channel.start(listener, new ClusterView(channel)), 10_000);
            assertTrue(channel.session().isConnected());
            cluster.network.disconnect(FakeCluster.MASTER);
            cluster.awaitTrue(() -> connected.size() == 2, "it connects again");
        }
        assertEquals(List.of(false, false), connected);
    }
}
