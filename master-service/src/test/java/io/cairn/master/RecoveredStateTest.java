package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.master.access.KeyNumbers;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a master does with its state when others may have acknowledged more, and lost it. */
final class RecoveredStateTest {
    private final HandScheduler time = new HandScheduler();
    private final LoneTransport transport = new LoneTransport();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final LoneTransport.Peer peer = new LoneTransport.Peer();
    private long opening = 100;

    private Reply mutate(long session, long sequence, Mutation mutation) {
        byte[] frame = MasterRequest.mutation(new Envelope(session, sequence, 0, 0, mutation));
        return Reply.decode(new Decoder(transport.ask(peer, frame)));
    }

    private long openSession() {
        Reply reply = mutate(0, ++opening, new SessionMutation.OpenSession("test"));
        return assertInstanceOf(Reply.SessionReply.class, reply).session();
    }

    private long make(long session, String name) {
        Mutation mkdir = new TreeMutation.Mkdir(FileSystem.ROOT_INO, Name.of(name), 0755, 0, 0);
        Reply reply = mutate(session, 1, mkdir);
        return assertInstanceOf(Reply.EntryReply.class, reply).inode().ino();
    }

    private void heartbeat() {
        Heartbeat heartbeat =
                new Heartbeat(
                        namespace.clusterId(),
                        "c1",
                        new Endpoint("c1", 1),
                        77,
                        1,
                        List.of(new TargetReport(5, 1L << 40, 1L << 39, 0, true)),
                        0,
                        new long[0],
                        Declaration.NONE,
                        0);
        transport.ask(peer, MasterRequest.cluster(heartbeat, 1));
    }

    private MasterService master() {
        MasterService master =
                new MasterService(
                        new MasterSettings(
                                "m1",
                                new Endpoint("here", 1),
                                new ClusterSettings(1, 1, 100, 3_000),
                                4096,
                                15_000),
                        new MasterService.Context(
                                log, () -> namespace, transport, time, time, new Random(1)));
        log.listener = master::tell;
        return master;
    }

    @Test
    void nothingThatOthersMayHaveGivenIsGivenAgain() {
        var _ = master();
        time.pass(500);
        heartbeat();
        time.pass(500);
        ClusterMap before = namespace.clusterMap();
        assertTrue(before.groups().size() > 0);
        long session = openSession();
        long ino = make(session, "kept");

        log.recovering = true;
        log.term++;
        byte[] alive = MasterRequest.query(session, new Query.KeepAlive(true, new long[0]), 1);
        FsException early = assertThrows(FsException.class, () -> transport.ask(peer, alive));
        assertEquals(Errno.NOT_READY, early.errno());
        time.pass(300);
        assertTrue(log.stateRecovered);
        FsException ended = assertThrows(FsException.class, () -> transport.ask(peer, alive));
        assertEquals(Errno.NO_SESSION, ended.errno());

        long next = openSession();
        assertTrue(next > session + (1L << 31), "session " + next);
        long made = make(next, "new");
        assertTrue(made > ino + (1L << 31), "inode " + made);
        ClusterMap after = namespace.clusterMap();
        assertTrue(after.epoch() > before.epoch() + 1_000, "map " + after.epoch());
        long groupEpoch = after.groups().iterator().next().epoch();
        assertTrue(groupEpoch > before.epoch() + 1_000, "group at " + groupEpoch);
        assertEquals(List.of(), namespace.check());
        assertEquals(1024, KeyNumbers.last(namespace), "numbers of keys");
        long index = namespace.appliedIndex();
        time.pass(300);
        assertEquals(index, namespace.appliedIndex(), "once in a term");
    }

    private static LeaderMutation floor(int version) {
        byte[] value = new Encoder().u8(version).i32(5).toBytes();
        RecordChange change = new RecordChange("class-key-floor", RecordChange.ANY, value);
        return new LeaderMutation.ChangeRecords(List.of(change));
    }

    /** What a newer release has written may be read after an upgrade: nothing is lost before. */
    @Test
    void aRecordThatCannotBeReadEndsNoSessions() throws Exception {
        MasterService master = master();
        time.pass(500);
        long session = openSession();
        assertInstanceOf(Reply.Done.class, master.submit(floor(9)).get());
        log.recovering = true;
        log.term++;
        long index = namespace.appliedIndex();
        time.pass(30_000);
        assertFalse(log.stateRecovered);
        assertEquals(index, namespace.appliedIndex());
        assertEquals(session, namespace.sessions().iterator().next().session());
        assertInstanceOf(Reply.Done.class, master.submit(floor(1)).get());
        time.pass(11_000);
        assertTrue(log.stateRecovered);
        assertEquals(1024 + 5, KeyNumbers.last(namespace));
    }
}
