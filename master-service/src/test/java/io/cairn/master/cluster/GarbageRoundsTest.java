package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class GarbageRoundsTest {
    /** More than one server is told at once. */
    private static final int MANY = 4_500;

    private final Namespace namespace = new Namespace(new MemoryStore());
    private final GarbageRounds rounds = new GarbageRounds(() -> namespace, this::submit);
    private final Set<String> alive = new TreeSet<>(Set.of("c1", "c2"));
    private long index;
    private long session;
    private long sequence;
    private int entries;
    private int failing;

    private CompletableFuture<Reply> submit(LeaderMutation mutation) {
        entries++;
        if (entries == failing) {
            return CompletableFuture.failedFuture(new IllegalStateException("not the leader"));
        }
        return CompletableFuture.completedFuture(apply(0, 0, mutation));
    }

    private Reply apply(long of, long number, Mutation mutation) {
        byte[] envelope = new Envelope(of, number, Math.max(0, number - 1), 0, mutation).toBytes();
        Envelope.stamp(envelope, 0, ++index);
        byte[] entry =
                ByteBuffer.allocate(4 + envelope.length)
                        .putInt(envelope.length)
                        .put(envelope)
                        .array();
        return namespace.apply(1, index, entry).outcomes().get(0).reply();
    }

    /** A server for each name, with a member in the only group. */
    private static ClusterMap map(long epoch, String... names) {
        return map(epoch, names.length, names);
    }

    /** The same with further servers, up to a number of all, that have no members. */
    private static ClusterMap map(long epoch, int count, String... names) {
        List<ChunkServer> servers = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<PlacementGroup.Member> members = new ArrayList<>();
        for (String name : names) {
            int id = servers.size() + 1;
            servers.add(new ChunkServer(id, name, new Endpoint(name, 1), 1));
            targets.add(new Target(id, 5 + id, id));
            members.add(new PlacementGroup.Member(id, MemberState.SERVING));
        }
        for (int id = names.length + 1; id <= count; id++) {
            String name = "other" + id;
            servers.add(new ChunkServer(id, name, new Endpoint(name, 1), 1));
        }
        return new ClusterMap(
                epoch,
                servers,
                targets,
                List.of(new Pool(1, 1, 1, 1)),
                List.of(new PlacementGroup(1, 1, epoch, members)));
    }

    /** Files in chunks come and go. */
    private void remove(int count) {
        apply(0, 0, new LeaderMutation.Found(77, 1, 4096));
        apply(0, 0, new LeaderMutation.ChangeMap(map(1, "c1", "c2").since(ClusterMap.EMPTY)));
        Reply opened = apply(0, 1, new SessionMutation.OpenSession("test"));
        session = assertInstanceOf(Reply.SessionReply.class, opened).session();
        Name name = Name.of("f");
        long root = FileSystem.ROOT_INO;
        for (int i = 0; i < count; i++) {
            Mutation create =
                    new TreeMutation.Create(
                            root, name, FileType.FILE, 0644, 0, 0, 0, false, 0, new byte[0], false);
            Reply made = apply(session, ++sequence, create);
            var inode = assertInstanceOf(Reply.EntryReply.class, made).inode();
            long version = inode.attributes().version();
            long bytes = 10_000_000;
            apply(
                    session,
                    ++sequence,
                    new ContentMutation.Spill(inode.ino(), version, bytes, 1, bytes));
            apply(session, ++sequence, new TreeMutation.Unlink(root, name));
            apply(0, 0, new LeaderMutation.Purge(new long[] {inode.ino()}));
        }
        assertEquals(count, namespace.garbageCount());
    }

    /** All that a server is told, and does, until it is told nothing more. */
    private Set<Long> work(String server) {
        Set<Long> done = new TreeSet<>();
        while (true) {
            rounds.tick(alive::contains);
            rounds.tick(alive::contains);
            long[] ids = rounds.tasks(server).stream().mapToLong(GarbageTask::entryId).toArray();
            if (ids.length == 0) {
                return done;
            }
            for (long id : ids) {
                assertTrue(done.add(id), "told again");
            }
            rounds.confirm(server, ids);
        }
    }

    @Test
    void aServerThatIsAwayDoesNotKeepOthersFromTheirs() {
        remove(MANY);
        alive.remove("c2");
        assertEquals(MANY, work("c1").size());
        assertEquals(MANY, namespace.garbageCount());
        assertEquals(List.of(), rounds.tasks("c2"));
        alive.add("c2");
        assertEquals(MANY, work("c2").size());
        assertEquals(0, namespace.garbageCount());
        assertTrue(entries < 12, "many in one entry of the log, not in " + entries);
    }

    private void change(ClusterMap next) {
        for (MapDelta.Part part : next.since(namespace.clusterMap()).parts()) {
            apply(0, 0, new LeaderMutation.ChangeMap(part));
        }
        assertEquals(next.epoch(), namespace.clusterMap().epoch());
    }

    /** What is in memory, looked through and sent grows with servers times entries. */
    @Test
    void manyServersWorkAtFewerEntriesAtATime() {
        remove(MANY);
        change(map(2, 1_000, "c1", "c2"));
        rounds.tick(alive::contains);
        assertEquals(256, rounds.tasks("c1").size());
        assertEquals(4_194, work("c1").size());
        change(map(3, 3, "c1", "c2"));
        rounds.tick(alive::contains);
        assertEquals(4_096, rounds.tasks("c2").size());
        assertEquals(MANY - 4_194, work("c1").size());
        assertEquals(MANY, work("c2").size());
        assertEquals(0, namespace.garbageCount());
    }

    @Test
    void whatWaitsIsBoundedByTheNumberOfServersToo() {
        assertEquals(16_384, GarbageRounds.window(3));
        assertEquals(131_072, GarbageRounds.mostWaiting(3));
        assertEquals(4_096, GarbageRounds.perHeartbeat(3));
        assertEquals(4_194, GarbageRounds.window(1_000));
        assertEquals(4_194, GarbageRounds.mostWaiting(1_000));
        assertEquals(256, GarbageRounds.perHeartbeat(1_000));
        assertEquals(1_024, GarbageRounds.window(100_000));
        assertEquals(16_384, GarbageRounds.window(0));
    }

    @Test
    void aServerThatComesIntoThePoolDeletesToo() {
        remove(3);
        assertEquals(3, work("c1").size());
        ClusterMap wider = map(2, "c1", "c2", "c3");
        apply(0, 0, new LeaderMutation.ChangeMap(wider.since(namespace.clusterMap())));
        alive.add("c3");
        assertEquals(3, work("c2").size());
        assertEquals(3, namespace.garbageCount());
        assertEquals(3, work("c3").size());
        assertEquals(0, namespace.garbageCount());
    }

    @Test
    void whatIsNotInTheMapAnyMoreIsNotWaitedFor() {
        remove(3);
        alive.remove("c2");
        assertEquals(3, work("c1").size());
        ClusterMap smaller = map(2, "c1");
        apply(0, 0, new LeaderMutation.ChangeMap(smaller.since(namespace.clusterMap())));
        rounds.tick(alive::contains);
        assertEquals(smaller.servers(), namespace.clusterMap().servers());
        assertEquals(0, namespace.garbageCount());
    }

    /** What the log did not take is confirmed anew, and goes then. */
    @Test
    void whatTheLogRefusesIsNotLost() {
        remove(2_100);
        failing = 2;
        for (int turn = 0; turn < 6; turn++) {
            rounds.tick(alive::contains);
            for (String server : alive) {
                long[] ids =
                        rounds.tasks(server).stream().mapToLong(GarbageTask::entryId).toArray();
                rounds.confirm(server, ids);
            }
        }
        assertEquals(0, namespace.garbageCount());
    }
}
