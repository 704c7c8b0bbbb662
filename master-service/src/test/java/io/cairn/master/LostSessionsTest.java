package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class LostSessionsTest {
    private static final long LEASE_MS = 15_000;

    private final HandScheduler time = new HandScheduler();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final SessionTable sessions = new SessionTable(time, LEASE_MS);
    private final LostSessions lost =
            new LostSessions(() -> namespace, sessions, this::submit, time);
    private final long dead;
    private final long alive;
    private final long ino;
    private boolean fails;
    private boolean holds;
    private CompletableFuture<Reply> held = new CompletableFuture<>();

    LostSessionsTest() {
        apply(0, 0, new LeaderMutation.Found(77, 1, 4096));
        apply(0, 0, new LeaderMutation.ChangeMap(map().since(ClusterMap.EMPTY)));
        dead = open(1);
        alive = open(2);
        Mutation create =
                new TreeMutation.Create(
                        FileSystem.ROOT_INO,
                        Name.of("f"),
                        FileType.FILE,
                        0644,
                        0,
                        0,
                        0,
                        false,
                        0,
                        new byte[0],
                        true);
        Reply made = apply(dead, 1, create);
        ino = assertInstanceOf(Reply.EntryReply.class, made).inode().ino();
        sessions.open(dead, ino);
    }

    private static ClusterMap map() {
        PlacementGroup.Member member = new PlacementGroup.Member(1, MemberState.SERVING);
        return new ClusterMap(
                1,
                List.of(new ChunkServer(1, "c1", new Endpoint("c1", 1), 1)),
                List.of(new Target(1, 5, 1)),
                List.of(new Pool(1, 1, 1, 1)),
                List.of(new PlacementGroup(1, 1, 1, List.of(member))));
    }

    private Reply apply(long session, long sequence, Mutation mutation) {
        log.nowNs = time.wallNs();
        byte[] frame = new Envelope(session, sequence, 0, 0, mutation).toBytes();
        return log.submit(frame, 0).join().reply();
    }

    private CompletableFuture<Reply> submit(LeaderMutation mutation) {
        if (fails) {
            return CompletableFuture.failedFuture(new FsException(Errno.ETIMEDOUT));
        }
        Reply reply = apply(0, 0, mutation);
        return holds ? held.thenApply(_ -> reply) : CompletableFuture.completedFuture(reply);
    }

    private long open(long opening) {
        Reply reply = apply(0, opening, new SessionMutation.OpenSession("test"));
        long session = assertInstanceOf(Reply.SessionReply.class, reply).session();
        sessions.opened(session);
        return session;
    }

    private void end(long session) {
        lost.end(session).join();
        sessions.closed(session);
    }

    private void passLease() {
        for (int i = 0; i < 20; i++) {
            time.pass(LEASE_MS / 15);
            sessions.touch(alive);
            lost.tick();
        }
    }

    private long oid() {
        Inode inode = namespace.inode(ino);
        Layout layout = inode == null ? null : inode.layout();
        assertNotNull(layout);
        return layout.lastOid();
    }

    @Test
    void nothingIsCollectedForALeaseNorWhileTheFileIsOpen() {
        long before = oid();
        sessions.open(alive, ino);
        end(dead);
        passLease();
        assertEquals(before, oid(), "another client has it open");
        sessions.release(alive, new long[] {ino});
        time.pass(1000);
        lost.tick();
        assertNotEquals(before, oid());
        assertEquals(1, namespace.garbage(0, 10).size());
    }

    @Test
    void aLeasePassesFirst() {
        long before = oid();
        end(dead);
        time.pass(LEASE_MS - 100);
        lost.tick();
        assertEquals(before, oid());
        time.pass(1100);
        lost.tick();
        assertNotEquals(before, oid());
    }

    @Test
    void nobodyOpensAFileUntilItsNewObjectIsKnown() {
        end(dead);
        holds = true;
        passLease();
        FsException refused = assertThrows(FsException.class, () -> sessions.open(alive, ino));
        assertEquals(Errno.NOT_READY, refused.errno());
        held.completeExceptionally(new FsException(Errno.ETIMEDOUT));
        holds = false;
        fails = true;
        lost.tick();
        lost.tick();
        assertThrows(FsException.class, () -> sessions.open(alive, ino));
        fails = false;
        lost.tick();
        lost.tick();
        sessions.open(alive, ino);
    }

    @Test
    void nobodyKnowsWhatAClientHadOpenThatThisLeaderHasNotHeard() {
        sessions.reset(2, List.of(dead, alive));
        end(dead);
        assertEquals(List.of(), namespace.doubtful(Long.MAX_VALUE, 10));
        apply(alive, 1, new TreeMutation.Unlink(FileSystem.ROOT_INO, Name.of("f")));
        apply(0, 0, new LeaderMutation.Purge(new long[] {ino}));
        assertEquals(1, namespace.garbage(0, 10).size());
    }
}
