package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.HeartbeatReply;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@org.jspecify.annotations.NullUnmarked
final class MasterServiceTest {
    private static final long SESSION_LEASE_MS = 15_000;
    private static final ClusterSettings CLUSTER = new ClusterSettings(1, 1, 2_000, 3_000);

    private final HandScheduler time = new HandScheduler();
    private final LoneTransport transport = new LoneTransport();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final LoneTransport.Peer peer = new LoneTransport.Peer();
    private MasterService master;
    private long sequence;
    private long opening = 77;

    @BeforeEach
    void start() {
        MasterSettings settings =
                new MasterSettings("m1", new Endpoint("here", 1), CLUSTER, 4096, SESSION_LEASE_MS);
        master =
                new MasterService(
                        settings,
                        new MasterService.Context(
                                log, () -> namespace, transport, time, time, new Random(1)));
        log.listener = master::tell;
        time.pass(500);
    }

    private Reply mutate(long session, long number, Mutation mutation) {
        byte[] frame = MasterRequest.mutation(new Envelope(session, number, 0, 0, mutation));
        return Reply.decode(new Decoder(transport.ask(peer, frame)));
    }

    private Reply mutate(long session, Mutation mutation) {
        return mutate(session, ++sequence, mutation);
    }

    private Reply query(long session, Query query) {
        return Reply.decode(
                new Decoder(transport.ask(peer, MasterRequest.query(session, query, 1))));
    }

    private long openSession() {
        Reply reply = mutate(0, ++opening, new SessionMutation.OpenSession("test"));
        return assertInstanceOf(Reply.SessionReply.class, reply).session();
    }

    private static TreeMutation.Create create(String name, boolean open) {
        return new TreeMutation.Create(
                FileSystem.ROOT_INO,
                Name.of(name),
                FileType.FILE,
                0644,
                0,
                0,
                0,
                false,
                0,
                new byte[0],
                open);
    }

    private static Inode inode(Reply reply) {
        return assertInstanceOf(Reply.EntryReply.class, reply).inode();
    }

    private static Errno errno(Reply reply) {
        return assertInstanceOf(Reply.Failure.class, reply).errno();
    }

    private Errno refusal(Runnable action) {
        return assertThrows(FsException.class, action::run).errno();
    }

    @Test
    void theLeaderFoundsTheClusterOnce() {
        long id = namespace.clusterId();
        assertNotEquals(0, id);
        log.term++;
        time.pass(1000);
        assertEquals(id, namespace.clusterId());
    }

    @Test
    void theBusiestSessionsHaveSeriesOfTheirOwn() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        master.measure(registry);
        long busy = 0;
        for (int i = 0; i < MasterGauges.MAX_SESSIONS + 5; i++) {
            busy = openSession();
            mutate(busy, 1, create("f" + i, false));
        }
        for (int i = 0; i < 10; i++) {
            query(busy, new Query.GetUsage());
        }
        time.pass(6_000);
        assertEquals(
                MasterGauges.MAX_SESSIONS,
                registry.get("cairn.master.session.operations").gauges().size());
        assertEquals(
                11,
                registry.get("cairn.master.session.operations")
                        .tag("session", String.format("%016x", busy))
                        .gauge()
                        .value());
        assertEquals(
                MasterGauges.MAX_SESSIONS + 5,
                registry.get("cairn.master.sessions").gauge().value());
        assertEquals(0, registry.get("cairn.cluster.groups.degraded").gauge().value());
    }

    @Test
    void aSessionCreatesOpensAndFinds() {
        long session = openSession();
        long ino = inode(mutate(session, create("f", true))).ino();
        Reply found = query(session, new Query.Lookup(FileSystem.ROOT_INO, Name.of("f")));
        assertEquals(ino, inode(found).ino());
        assertEquals(Errno.EEXIST, errno(mutate(session, create("f", false))));
        assertEquals(ino, inode(query(session, new Query.Open(ino))).ino());
    }

    @Test
    void whoListsADirectoryIsToldWhenAnotherSessionChangesIt() {
        long session = openSession();
        long other = openSession();
        query(session, new Query.KeepAlive(true, new long[0]));
        query(session, new Query.ReadDirectory(FileSystem.ROOT_INO, 0, 10, true));
        mutate(session, create("own", false));
        assertEquals(List.of(), peer.pushed);
        time.pass(1000);
        inode(mutate(other, create("f", true)));
        assertEquals(1, peer.pushed.size());
        inode(mutate(other, create("g", false)));
        assertEquals(1, peer.pushed.size());
    }

    @Test
    void anOpenInodeOutlivesItsNameUntilTheLastRelease() {
        long session = openSession();
        long other = openSession();
        long ino = inode(mutate(session, create("f", true))).ino();
        assertEquals(ino, inode(query(other, new Query.Open(ino))).ino());
        mutate(session, new TreeMutation.Unlink(FileSystem.ROOT_INO, Name.of("f")));
        query(session, new Query.Release(new long[] {ino}));
        time.pass(1000);
        assertNotNull(namespace.inode(ino), "another session holds it open");
        assertEquals(ino, inode(query(other, new Query.Open(ino))).ino());
        query(other, new Query.Release(new long[] {ino, ino}));
        time.pass(2000);
        assertEquals(null, namespace.inode(ino));
        assertEquals(Errno.ESTALE, errno(query(session, new Query.Open(ino))));
    }

    @Test
    void anInodeCanStillBeOpenedForAMomentAfterItsLastNameHasGone() {
        long session = openSession();
        long ino = inode(mutate(session, create("f", false))).ino();
        mutate(session, new TreeMutation.Unlink(FileSystem.ROOT_INO, Name.of("f")));
        time.pass(300);
        Inode orphan = inode(query(session, new Query.Open(ino)));
        assertEquals(0, orphan.attributes().nlink());
        time.pass(2000);
        assertNotNull(namespace.inode(ino), "held open");
    }

    @Test
    void afterAChangeOfLeaderNothingIsPurgedUntilEverySessionHasSpoken() {
        long session = openSession();
        openSession();
        long ino = inode(mutate(session, create("f", true))).ino();
        mutate(session, new TreeMutation.Unlink(FileSystem.ROOT_INO, Name.of("f")));
        log.term++;
        time.pass(1000);
        assertNotNull(namespace.inode(ino));
        query(session, new Query.KeepAlive(true, new long[] {ino}));
        time.pass(SESSION_LEASE_MS - 2000);
        query(session, new Query.KeepAlive(false, new long[0]));
        time.pass(4000);
        assertNotNull(namespace.inode(ino), "held open by the session that has told so");
        query(session, new Query.Release(new long[] {ino}));
        time.pass(2000);
        assertEquals(null, namespace.inode(ino));
    }

    /** Until then nobody can be told of it who has to know. */
    @Test
    void aChangeIsAnsweredWhenTheNewTermKnowsItsSessions() {
        long session = openSession();
        TreeMutation.Create create = create("f", false);
        log.afterwards = () -> log.term++;
        assertEquals(Errno.NOT_READY, refusal(() -> mutate(session, 1, create)));
        log.afterwards = () -> {};
        assertEquals(Errno.NOT_READY, refusal(() -> mutate(session, 1, create)));
        time.pass(200);
        inode(mutate(session, 1, create));
    }

    @Test
    void aSilentSessionEndsAndItsLocksAndOpenFilesGo() {
        long silent = openSession();
        long alive = openSession();
        long ino = inode(mutate(silent, create("f", true))).ino();
        Lock lock = new Lock(Lock.Kind.FLOCK, Lock.Mode.EXCLUSIVE, 5, 0, Lock.TO_END, 1);
        mutate(silent, new SessionMutation.SetLock(ino, lock, false, 1));
        assertEquals(Reply.LockOutcome.CONFLICT, tryLock(alive, ino, lock));
        mutate(silent, new TreeMutation.Unlink(FileSystem.ROOT_INO, Name.of("f")));
        for (int i = 0; i < 4; i++) {
            time.pass(SESSION_LEASE_MS / 3);
            query(alive, new Query.KeepAlive(false, new long[0]));
        }
        assertEquals(
                Errno.NO_SESSION,
                refusal(() -> query(silent, new Query.KeepAlive(false, new long[0]))));
        assertEquals(1, namespace.sessions().size());
        time.pass(2000);
        assertEquals(null, namespace.inode(ino));
    }

    private Reply.LockOutcome tryLock(long session, long ino, Lock lock) {
        Reply reply = mutate(session, new SessionMutation.SetLock(ino, lock, false, 9));
        return assertInstanceOf(Reply.LockReply.class, reply).outcome();
    }

    @Test
    void aGrantedLockIsPushed() {
        long holder = openSession();
        long waiter = openSession();
        query(waiter, new Query.KeepAlive(true, new long[0]));
        long ino = inode(mutate(holder, create("f", false))).ino();
        Lock lock = new Lock(Lock.Kind.FLOCK, Lock.Mode.EXCLUSIVE, 5, 0, Lock.TO_END, 1);
        mutate(holder, new SessionMutation.SetLock(ino, lock, false, 1));
        Reply queued = mutate(waiter, new SessionMutation.SetLock(ino, lock, true, 2));
        assertEquals(
                Reply.LockOutcome.QUEUED,
                assertInstanceOf(Reply.LockReply.class, queued).outcome());
        peer.pushed.clear();
        mutate(holder, new SessionMutation.ReleaseLocks(ino, Lock.Kind.FLOCK, 5));
        assertEquals(1, peer.pushed.size());
    }

    @Test
    void leaderMutationsOfClientsAreRefused() {
        long session = openSession();
        assertEquals(
                Errno.EPERM,
                refusal(() -> mutate(session, new LeaderMutation.Purge(new long[] {1}))));
        assertEquals(
                Errno.EPERM, errno(mutate(session, new SessionMutation.CloseSession(session + 1))));
    }

    @Test
    void whoGoesWithoutEndingItsSessionMayHaveLeftBytes() {
        long session = openSession();
        long ino = inode(mutate(session, create("f", false))).ino();
        query(session, new Query.KeepAlive(true, new long[0]));
        transport.disconnect(new LoneTransport.Peer());
        inode(query(session, new Query.CheckTail(ino)));
        transport.disconnect(peer);
        assertEquals(Errno.ESTALE, errno(query(session, new Query.CheckTail(ino))));
    }

    @Test
    void whoEndedItsSessionHasCommittedEverything() {
        long session = openSession();
        long ino = inode(mutate(session, create("f", false))).ino();
        query(session, new Query.KeepAlive(true, new long[0]));
        mutate(session, new SessionMutation.CloseSession(session));
        transport.disconnect(peer);
        inode(query(0, new Query.CheckTail(ino)));
    }

    @Test
    void afollowerAnswersNothing() {
        long session = openSession();
        query(session, new Query.KeepAlive(true, new long[0]));
        log.leads = false;
        assertEquals(
                Errno.NOT_LEADER,
                refusal(() -> query(session, new Query.GetInode(FileSystem.ROOT_INO))));
        assertEquals(Errno.NOT_LEADER, refusal(() -> mutate(session, create("f", false))));
        time.pass(500);
        assertFalse(peer.open, "who only listens has to look for another");
    }

    @Test
    void aNewLeaderEndsNoSessionBeforeItKnowsThem() {
        long session = openSession();
        Query alive = new Query.KeepAlive(true, new long[0]);
        query(session, alive);
        log.term++;
        assertEquals(Errno.NOT_READY, refusal(() -> query(session, alive)));
        assertEquals(Errno.NOT_READY, refusal(() -> mutate(session, create("f", true))));
        assertEquals(Errno.NOT_READY, refusal(() -> heartbeat("c1", 1, 0)));
        time.pass(500);
        assertFalse(peer.open, "it has to tell anew what it holds open");
        assertInstanceOf(Reply.SessionReply.class, query(session, alive));
    }

    @Test
    void garbageBytesCloseTheConnection() {
        for (byte[] bytes : new byte[][] {{}, {9}, {1, 2, 3}, {2, 0, 0, 0, 0, 0, 0, 0, 0, 99}}) {
            peer.open = true;
            assertEquals(Errno.EPROTO, refusal(() -> transport.ask(peer, bytes)));
            assertFalse(peer.open);
        }
    }

    @Test
    void aFullDiskRefusesChangesAndAnswersQuestions() {
        long session = openSession();
        Inode kept = inode(mutate(session, 1, create("kept", false)));
        log.full = true;
        assertEquals(Errno.ENOSPC, errno(mutate(session, 2, create("refused", false))));
        assertEquals(
                Errno.ENOSPC,
                errno(mutate(session, 3, new TreeMutation.Witnessed(create("witnessed", false)))));
        Inode found = inode(query(session, new Query.GetInode(kept.attributes().ino())));
        assertEquals(kept.attributes(), found.attributes());
        // What was done before is told again, and what makes room or opens a session is done.
        Inode again = inode(mutate(session, 1, create("kept", false)));
        assertEquals(kept.attributes(), again.attributes());
        long other = openSession();
        TreeMutation.Unlink unlink = new TreeMutation.Unlink(FileSystem.ROOT_INO, Name.of("kept"));
        assertFalse(mutate(other, 1, unlink) instanceof Reply.Failure);
        log.full = false;
        inode(mutate(session, 2, create("refused", false)));
    }

    private HeartbeatReply heartbeat(
            String name, long incarnation, long mapEpoch, long... collected) {
        TargetReport target = new TargetReport(name.hashCode(), 1L << 40, 1L << 39, 0, true);
        Heartbeat heartbeat =
                new Heartbeat(
                        namespace.clusterId(),
                        name,
                        new Endpoint(name, 1),
                        incarnation,
                        1,
                        List.of(target),
                        mapEpoch,
                        collected,
                        Declaration.NONE,
                        0);
        byte[] reply = transport.ask(peer, MasterRequest.cluster(heartbeat, 1));
        return HeartbeatReply.decode(new Decoder(reply));
    }

    @Test
    void theFirstServersMakeAPoolAndNewOnesAYoungerOne() {
        heartbeat("c1", 1, 0);
        time.pass(300);
        assertEquals(1, namespace.clusterMap().pools().size());
        heartbeat("c1", 1, 0);
        heartbeat("c2", 1, 0);
        time.pass(500);
        heartbeat("c1", 1, 0);
        heartbeat("c2", 1, 0);
        assertTrue(namespace.clusterMap().pools().size() >= 2);
        assertNotNull(namespace.clusterMap().youngestPool(2));
        HeartbeatReply reply = heartbeat("c1", 1, 0);
        assertEquals(namespace.clusterMap(), ClusterMap.EMPTY.with(reply.map()));
        assertEquals(3_000, reply.leaseMs());
    }

    @Test
    void aServerOfAnotherClusterIsRefused() {
        Heartbeat foreign = without(namespace.clusterId() + 2, "c9", new Endpoint("c9", 1), 1);
        assertEquals(
                Errno.WRONG_CLUSTER,
                refusal(() -> transport.ask(peer, MasterRequest.cluster(foreign, 1))));
        assertEquals(Map.of("c9", namespace.clusterId() + 2), master.servers().foreign());
    }

    private static Heartbeat without(long cluster, String name, Endpoint at, long incarnation) {
        return new Heartbeat(
                cluster, name, at, incarnation, 1, List.of(), 0, new long[0], Declaration.NONE, 0);
    }

    @Test
    void aNamesakeOfALiveServerIsRefused() {
        heartbeat("c1", 1, 0);
        Heartbeat twin = without(namespace.clusterId(), "c1", new Endpoint("elsewhere", 1), 2);
        assertEquals(
                Errno.EBUSY, refusal(() -> transport.ask(peer, MasterRequest.cluster(twin, 1))));
    }

    @Test
    void garbageIsHandedOutUntilConfirmed() {
        heartbeat("c1", 1, 0);
        time.pass(300);
        long session = openSession();
        leaveGarbage(session);
        HeartbeatReply reply = heartbeat("c1", 1, 0);
        assertEquals(1, reply.garbage().size());
        assertEquals(1, heartbeat("c1", 1, 0).garbage().size(), "repeated until confirmed");
        heartbeat("c1", 1, 0, reply.garbage().get(0).entryId());
        time.pass(500);
        assertEquals(List.of(), heartbeat("c1", 1, 0).garbage());
        assertEquals(List.of(), namespace.garbage(0, 10));
        leaveGarbage(session);
        assertEquals(1, heartbeat("c1", 1, 0).garbage().size(), "the next one comes, too");
    }

    @Test
    void garbageOfWhichTheConfirmationIsNotLoggedIsHandedOutAgain() {
        heartbeat("c1", 1, 0);
        time.pass(300);
        leaveGarbage(openSession());
        long entry = heartbeat("c1", 1, 0).garbage().get(0).entryId();
        heartbeat("c1", 1, 0, entry);
        log.refuses = true;
        time.pass(300);
        log.refuses = false;
        time.pass(300);
        assertEquals(1, namespace.garbage(0, 10).size());
        assertEquals(entry, heartbeat("c1", 1, 0).garbage().get(0).entryId());
        heartbeat("c1", 1, 0, entry);
        time.pass(500);
        assertEquals(List.of(), namespace.garbage(0, 10));
    }

    /** Makes a file in chunks and removes it. */
    private void leaveGarbage(long session) {
        long ino = inode(mutate(session, create("f", false))).ino();
        Inode before = namespace.inode(ino);
        assertNotNull(before);
        mutate(
                session,
                new io.cairn.wire.master.ContentMutation.Spill(
                        ino, before.attributes().version(), 10_000_000, 1, 10_000_000));
        mutate(session, new TreeMutation.Unlink(FileSystem.ROOT_INO, Name.of("f")));
        time.pass(2000);
    }

    @Test
    void aRestartedServerLooksForGarbageAgain() {
        heartbeat("c1", 1, 0);
        heartbeat("c2", 1, 0);
        time.pass(500);
        long session = openSession();
        leaveGarbage(session);
        long entry = heartbeat("c1", 1, 0).garbage().get(0).entryId();
        assertEquals(List.of(), heartbeat("c1", 1, 0, entry).garbage());
        assertEquals(1, heartbeat("c1", 2, 0).garbage().size(), "c2 has not deleted it yet");
        assertEquals(List.of(), heartbeat("c1", 2, 0, entry).garbage());
        heartbeat("c2", 1, 0, entry);
        time.pass(500);
        assertEquals(List.of(), namespace.garbage(0, 10));
    }

    @Test
    void theStatusNamesServersAndSessions() {
        heartbeat("c1", 1, 0);
        long session = openSession();
        String status = master.statusJson();
        assertTrue(status.contains("\"c1\""), status);
        assertTrue(status.contains("\"session\":" + session), status);
    }
}
