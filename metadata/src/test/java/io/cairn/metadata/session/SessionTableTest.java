package io.cairn.metadata.session;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.cairn.base.Errno;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MapDelta;
import io.cairn.metadata.Bench;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Store;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** I3: every mutation once. */
class SessionTableTest {
    private final Bench bench = new Bench();

    private static Mutation create(String name) {
        return Bench.creation(ROOT, name, "");
    }

    private Reply send(long session, long sequence, long acked, Mutation mutation) {
        return bench.apply(new Envelope(session, sequence, acked, bench.nowNs, mutation));
    }

    private void assertFails(Errno errno, Reply reply) {
        assertEquals(errno, assertInstanceOf(Reply.Failure.class, reply).errno());
    }

    @Test
    void aRetryGetsTheFirstReplyAndChangesNothing() {
        Reply first = send(1, 1, 0, create("a"));
        byte[] before = bench.namespace.fingerprint();
        bench.nowNs += 1_000_000;
        Reply second = send(1, 1, 0, create("a"));
        assertArrayEquals(first.toBytes(1), second.toBytes(1));
        assertArrayEquals(before, bench.namespace.fingerprint());
    }

    @Test
    void failuresAreRememberedToo() {
        assertFails(Errno.ESTALE, send(1, 1, 0, Bench.creation(2, "x", "")));
        bench.nowNs++;
        send(1, 2, 0, new io.cairn.wire.master.TreeMutation.Mkdir(ROOT, name("d"), 0755, 0, 0));
        assertFails(Errno.ESTALE, send(1, 1, 0, Bench.creation(2, "x", "")));
    }

    private static io.cairn.fs.Name name(String text) {
        return io.cairn.fs.Name.of(text);
    }

    @Test
    void aRetryInTheSameEntryIsKnown() {
        Envelope envelope = bench.envelope(1, create("a"));
        List<Reply> replies = bench.applyEntry(Bench.entry(envelope, envelope));
        assertArrayEquals(replies.get(0).toBytes(1), replies.get(1).toBytes(1));
        assertEquals(2, bench.namespace.inodeCount());
    }

    @Test
    void aRetryAfterARestartIsKnown() {
        Reply first = send(1, 1, 0, create("a"));
        bench.reopen();
        assertArrayEquals(first.toBytes(1), send(1, 1, 0, create("a")).toBytes(1));
    }

    @Test
    void mutationsMayArriveOutOfOrder() {
        assertInstanceOf(Reply.EntryReply.class, send(1, 3, 0, create("c")));
        assertInstanceOf(Reply.EntryReply.class, send(1, 1, 0, create("a")));
        assertInstanceOf(Reply.EntryReply.class, send(1, 2, 1, create("b")));
        assertFails(Errno.EINVAL, send(1, 1, 0, create("a")));
        assertInstanceOf(Reply.EntryReply.class, send(1, 3, 0, create("c")));
        assertEquals(4, bench.namespace.inodeCount());
    }

    @Test
    void acknowledgedRepliesGo() {
        for (int i = 1; i <= 10; i++) {
            send(1, i, Math.max(0, i - 3), create("f" + i));
        }
        assertEquals(3, bench.store.size(Store.Family.REPLY));
        bench.reopen();
        send(1, 11, 10, create("f11"));
        assertEquals(1, bench.store.size(Store.Family.REPLY));
        bench.reopen();
        assertFails(Errno.EINVAL, send(1, 10, 0, create("f10")));
    }

    @Test
    void nobodyAcknowledgesTheFuture() {
        assertFails(Errno.EINVAL, send(1, 5, 5, create("a")));
        assertFails(Errno.EINVAL, send(1, 5, -1, create("a")));
        assertInstanceOf(Reply.EntryReply.class, send(1, 5, 4, create("a")));
    }

    @Test
    void theWindowHasAnEndAndMoves() {
        long beyond = Limits.MAX_SESSION_WINDOW + 1L;
        assertFails(Errno.NOT_READY, send(1, beyond, 0, create("a")));
        assertInstanceOf(Reply.EntryReply.class, send(1, beyond, 1, create("a")));
    }

    @Test
    void unknownSessionsAreToldSo() {
        assertFails(Errno.NO_SESSION, send(4711, 1, 0, create("a")));
        assertFails(Errno.NO_SESSION, send(0, 1, 0, new SessionMutation.CancelLock(1, 1)));
    }

    @Test
    void theLeaderChangesTheTreeInItsOwnName() {
        assertInstanceOf(Reply.EntryReply.class, send(0, 0, 0, create("a")));
        assertFails(Errno.EEXIST, send(0, 0, 0, create("a")));
    }

    @Test
    void openingAgainFindsTheSameSession() {
        Mutation open = new SessionMutation.OpenSession("host:/mnt 1");
        var first = assertInstanceOf(Reply.SessionReply.class, send(0, 555, 0, open));
        bench.reopen();
        var second = assertInstanceOf(Reply.SessionReply.class, send(0, 555, 0, open));
        var other = assertInstanceOf(Reply.SessionReply.class, send(0, 556, 0, open));
        assertEquals(first, second);
        assertNotEquals(first.session(), other.session());
        assertEquals(SessionOperations.LEASE_MS, first.leaseMs());
        assertEquals(77, first.clusterId());
        assertEquals(Bench.INLINE_LIMIT, first.inlineLimitBytes());
        SessionRecord record = bench.namespace.sessions().get(1);
        assertEquals(first.session(), record.session());
        assertEquals("host:/mnt 1", record.client());
    }

    @Test
    void aLongClientNameIsRefused() {
        String name = "x".repeat(SessionTable.MAX_CLIENT_BYTES + 1);
        assertFails(Errno.EINVAL, send(0, 555, 0, new SessionMutation.OpenSession(name)));
    }

    @Test
    void thereAreSessionsOnlyInAFoundedCluster() {
        Namespace fresh = new Namespace(new MemoryStore());
        Envelope open = new Envelope(0, 5, 0, 1, new SessionMutation.OpenSession("x"));
        byte[] reply = fresh.apply(1, 0, Bench.entry(open)).outcomes().getFirst().bytes();
        assertFails(Errno.NOT_READY, Reply.decode(new io.cairn.wire.Decoder(reply)));
    }

    @Test
    void aClosedSessionLeavesNothingBehind() {
        send(1, 1, 0, create("a"));
        send(1, 2, 0, create("b"));
        assertInstanceOf(Reply.Done.class, send(1, 3, 0, new SessionMutation.CloseSession(1)));
        assertEquals(0, bench.store.size(Store.Family.REPLY));
        assertEquals(0, bench.store.size(Store.Family.SESSION));
        assertFails(Errno.NO_SESSION, send(1, 4, 0, create("c")));
        assertInstanceOf(Reply.Done.class, send(1, 3, 0, new SessionMutation.CloseSession(1)));
        assertInstanceOf(Reply.Done.class, bench.leader(new SessionMutation.CloseSession(1)));
        assertEquals(2, bench.openSession());
    }

    @Test
    void sessionsCannotDoWhatIsTheLeaders() {
        long two = bench.openSession();
        assertFails(Errno.EPERM, send(two, 1, 0, new SessionMutation.CloseSession(1)));
        assertFails(Errno.EPERM, send(two, 2, 0, new SessionMutation.OpenSession("x")));
        assertFails(Errno.EPERM, send(two, 3, 0, new LeaderMutation.Purge(new long[0])));
        assertFails(Errno.EPERM, send(two, 4, 0, new LeaderMutation.Collected(new long[0])));
        MapDelta map = Bench.map(1).since(ClusterMap.EMPTY);
        assertFails(Errno.EPERM, send(two, 5, 0, new LeaderMutation.ChangeMap(map)));
        assertFails(Errno.EPERM, send(two, 6, 0, new LeaderMutation.Found(1, 1, 1)));
    }
}
