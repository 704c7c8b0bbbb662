package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Growth;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.Decoder;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The door reads the header of a mutation only; what it must know, the log tells it. */
class RequestHandlerTest {
    private final HandScheduler time = new HandScheduler();
    private final LoneTransport transport = new LoneTransport();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final LoneTransport.Peer peer = new LoneTransport.Peer();
    private MasterService master;
    private long session;

    @BeforeEach
    void start() {
        ClusterSettings cluster = new ClusterSettings(1, 1, 2_000, 3_000);
        master =
                new MasterService(
                        new MasterSettings("m1", new Endpoint("here", 1), cluster, 4096, 15_000),
                        new MasterService.Context(
                                log, () -> namespace, transport, time, time, new Random(1)));
        log.listener = master::tell;
        time.pass(500);
        Reply opened = ask(frame(0, 77, new SessionMutation.OpenSession("test")));
        session = assertInstanceOf(Reply.SessionReply.class, opened).session();
    }

    private static byte[] frame(long session, long number, Mutation mutation) {
        return MasterRequest.mutation(new Envelope(session, number, 0, 0, mutation));
    }

    private Reply ask(byte[] frame) {
        return Reply.decode(new Decoder(transport.ask(peer, frame)));
    }

    private static TreeMutation.Create create(boolean open) {
        return creation(open, false);
    }

    private static TreeMutation.Create creation(boolean open, boolean orExisting) {
        return new TreeMutation.Create(
                FileSystem.ROOT_INO,
                Name.of("f"),
                FileType.FILE,
                0644,
                0,
                0,
                0,
                orExisting,
                0,
                new byte[0],
                open);
    }

    @Test
    void aMutationThatCannotBeDecodedChangesNothingAndEndsItsConnection() {
        byte[] whole = frame(session, 1, create(true));
        byte[] before = namespace.fingerprint();
        byte[] cut = Arrays.copyOf(whole, whole.length - 3);
        assertEquals(Errno.EPROTO, assertInstanceOf(Reply.Failure.class, ask(cut)).errno());
        assertFalse(peer.isOpen());
        assertArrayEquals(before, namespace.fingerprint());
    }

    @Test
    void aQueryThatCannotBeDecodedIsNamedAndEndsItsConnection() {
        Query lookup = new Query.Lookup(FileSystem.ROOT_INO, Name.of("name"));
        byte[] whole = MasterRequest.query(session, lookup, peer.version());
        byte[] cut = Arrays.copyOf(whole, whole.length - 2);
        FsException error = assertThrows(FsException.class, () -> ask(cut));
        assertEquals(Errno.EPROTO, error.errno());
        assertTrue(String.valueOf(error.getMessage()).startsWith("lookup: "), error.toString());
        assertFalse(peer.isOpen());
    }

    /** What it was allowed to write under a quota others may write at once. */
    @Test
    void aSessionThatEndsGivesBackWhatItWasAllowed() {
        long mib = 1 << 20;
        Reply made = ask(frame(session, 1, create(false)));
        long ino = assertInstanceOf(Reply.EntryReply.class, made).inode().ino();
        Quota quota = new Quota(Sums.ZERO, new Sums(0, 8 * mib, 0), 0);
        Account all = Account.directory(FileSystem.ROOT_INO);
        master.submit(new LeaderMutation.SetQuota(all, quota, false)).join();
        Reply opened = ask(frame(0, 78, new SessionMutation.OpenSession("other")));
        long other = assertInstanceOf(Reply.SessionReply.class, opened).session();
        assertEquals(7 * mib, allowed(session, ino, 7 * mib));
        ask(frame(session, 2, new SessionMutation.CloseSession(session)));
        assertEquals(2 * mib, allowed(other, ino, 1));
    }

    private long allowed(long of, long ino, long bytes) {
        Query query = new Query.GetAllowance(ino, Growth.NONE, new Growth(bytes, bytes), 0);
        Reply reply = ask(MasterRequest.query(of, query, peer.version()));
        return assertInstanceOf(Reply.AllowanceReply.class, reply).growth().lengthBytes();
    }

    @Test
    void whatIsMadeOpenIsHeldOpenAlsoWhenItIsAskedForAgain() {
        byte[] frame = frame(session, 1, create(true));
        Reply made = ask(frame.clone());
        assertEquals(1, master.openCount(session));
        log.term++;
        time.pass(500);
        assertEquals(0, master.openCount(session), "a new term has not heard of it");
        Reply again = ask(frame.clone());
        assertEquals(1, master.openCount(session));
        assertEquals(
                assertInstanceOf(Reply.EntryReply.class, made).inode().ino(),
                assertInstanceOf(Reply.EntryReply.class, again).inode().ino());
    }

    /** The client asks again, and files without names are purged as before. */
    @Test
    void anOpenOfAFileThatMovesIsAnswered() {
        Reply made = ask(frame(session, 1, create(false)));
        long ino = assertInstanceOf(Reply.EntryReply.class, made).inode().ino();
        Reply opened = ask(frame(0, 78, new SessionMutation.OpenSession("mover")));
        long mover = assertInstanceOf(Reply.SessionReply.class, opened).session();
        ask(MasterRequest.query(mover, new Query.HoldStill(ino, 1000), peer.version()));
        byte[] open = frame(session, 2, creation(true, true));
        FsException error = assertThrows(FsException.class, () -> ask(open.clone()));
        assertEquals(Errno.NOT_READY, error.errno());
        ask(MasterRequest.query(mover, new Query.HoldStill(ino, 0), peer.version()));
        ask(frame(session, 3, new TreeMutation.Unlink(FileSystem.ROOT_INO, Name.of("f"))));
        time.pass(3_000);
        assertEquals(1, namespace.inodeCount());
    }

    /** It could fill the memory of the master. */
    @Test
    void aSessionThatHoldsTooManyFilesOpenOpensNoMore() {
        Reply made = ask(frame(session, 1, create(true)));
        long ino = assertInstanceOf(Reply.EntryReply.class, made).inode().ino();
        byte[] open = MasterRequest.query(session, new Query.Open(ino), peer.version());
        for (int i = 1; i < Limits.MAX_OPEN; i++) {
            assertInstanceOf(Reply.EntryReply.class, ask(open.clone()));
        }
        FsException full = assertThrows(FsException.class, () -> ask(open.clone()));
        assertEquals(Errno.ENOMEM, full.errno());
        byte[] create = frame(session, 2, create(true));
        full = assertThrows(FsException.class, () -> ask(create.clone()));
        assertEquals(Errno.ENOMEM, full.errno());
        Query release = new Query.Release(new long[] {ino});
        ask(MasterRequest.query(session, release, peer.version()));
        assertInstanceOf(Reply.EntryReply.class, ask(open.clone()));
    }

    @Test
    void aWitnessedCreateHoldsItsFileOpen() {
        ask(frame(session, 1, new TreeMutation.Witnessed(create(true))));
        assertEquals(1, master.openCount(session));
        ask(frame(session, 2, new TreeMutation.Unlink(FileSystem.ROOT_INO, Name.of("f"))));
        time.pass(3_000);
        assertEquals(2, namespace.inodeCount(), "it is not purged while it is open");
    }
}
