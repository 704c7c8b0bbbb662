package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.cairn.base.Errno;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Notice;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.Reply.Failure;
import io.cairn.wire.master.Reply.WrittenReply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A work bench for one namespace: founds it, opens sessions, numbers and applies mutations one log
 * entry each, keeps the notices. The clock stands still until {@link #nowNs} is set.
 */
public final class Bench {
    public static final long ROOT = FileSystem.ROOT_INO;
    public static final int INLINE_LIMIT = 4096;

    public final MemoryStore store;
    public Namespace namespace;
    public long nowNs = 1_000_000_000_000L;
    public List<Notice> notices = new ArrayList<>();
    private final Map<Long, Long> sequences = new HashMap<>();
    private long index;

    /** A founded cluster without pools, and session 1. */
    public Bench() {
        this(new MemoryStore());
    }

    public Bench(MemoryStore store) {
        this.store = store;
        namespace = new Namespace(store);
        leader(new LeaderMutation.Found(77, 2, INLINE_LIMIT));
        openSession();
    }

    /** The same with pools of the given numbers of replicas. */
    public static Bench withPools(int... replicas) {
        Bench bench = new Bench();
        bench.changeMap(map(1, replicas));
        return bench;
    }

    /** A map with one server, one target, and a pool of one group per number of replicas. */
    public static ClusterMap map(long epoch, int... replicas) {
        List<Pool> pools = new ArrayList<>();
        List<PlacementGroup> groups = new ArrayList<>();
        for (int i = 0; i < replicas.length; i++) {
            pools.add(new Pool(i + 1, replicas[i], i + 1, 1));
            groups.add(
                    new PlacementGroup(
                            i + 1,
                            i + 1,
                            1,
                            List.of(new PlacementGroup.Member(1, MemberState.SERVING))));
        }
        return new ClusterMap(
                epoch,
                List.of(new ChunkServer(1, "c1", new Endpoint("localhost", 1), 1)),
                List.of(new Target(1, 5, 1)),
                pools,
                groups);
    }

    /** Makes the cluster map this one. */
    public Reply changeMap(ClusterMap next) {
        return leader(new LeaderMutation.ChangeMap(next.since(namespace.clusterMap())));
    }

    /** Opens the state again from the store, as after a restart. */
    public void reopen() {
        namespace = new Namespace(store);
    }

    public static byte[] entry(Envelope... envelopes) {
        Encoder out = new Encoder();
        for (Envelope envelope : envelopes) {
            out.bytes(envelope.toBytes());
        }
        return out.toBytes();
    }

    /** Applies bytes as the next log entry. */
    public List<Reply> applyEntry(byte[] entry) {
        Namespace.Applied applied = namespace.apply(1, ++index, entry);
        notices = applied.notices();
        return applied.outcomes().stream().map(o -> Reply.decode(new Decoder(o.bytes()))).toList();
    }

    public Reply apply(Envelope envelope) {
        List<Reply> replies = applyEntry(entry(envelope));
        assertEquals(1, replies.size());
        return replies.getFirst();
    }

    /** The next mutation of a session. Everything before it is acknowledged. */
    public Envelope envelope(long session, Mutation mutation) {
        long sequence = sequences.merge(session, 1L, Long::sum);
        return new Envelope(session, sequence, sequence - 1, nowNs, mutation);
    }

    public Reply as(long session, Mutation mutation) {
        return apply(envelope(session, mutation));
    }

    public Reply leader(Mutation mutation) {
        return apply(new Envelope(0, 0, 0, nowNs, mutation));
    }

    public long openSession() {
        long opening = 1000L + sequences.size();
        Reply reply =
                apply(new Envelope(0, opening, 0, nowNs, new SessionMutation.OpenSession("test")));
        long session = assertInstanceOf(Reply.SessionReply.class, reply).session();
        sequences.put(session, 0L);
        return session;
    }

    /** Session 1 does something that succeeds. */
    public EntryReply ok(Mutation mutation) {
        return assertInstanceOf(EntryReply.class, as(1, mutation));
    }

    /**
     * Session 1 writes into an inode; how the inode is afterwards, which the reply tells in part.
     */
    public Inode write(ContentMutation.WriteInline mutation) {
        long before = inode(mutation.ino()).attributes().version();
        WrittenReply reply = assertInstanceOf(WrittenReply.class, as(1, mutation));
        Inode after = inode(mutation.ino());
        assertEquals(before, reply.versionBefore());
        assertEquals(after.withContents(after.layout(), null), reply.inode());
        return after;
    }

    /** Session 1 does something that fails, and changes nothing. */
    public void fails(Errno errno, Mutation mutation) {
        Failure failure = assertInstanceOf(Failure.class, as(1, mutation), mutation.toString());
        assertEquals(errno, failure.errno(), failure.message());
    }

    public Inode create(long parentIno, String name) {
        return create(parentIno, name, "");
    }

    public Inode create(long parentIno, String name, String contents) {
        return ok(creation(parentIno, name, contents)).inode();
    }

    public static TreeMutation.Create creation(long parentIno, String name, String contents) {
        return new TreeMutation.Create(
                parentIno,
                Name.of(name),
                FileType.FILE,
                0644,
                10,
                20,
                0,
                false,
                0,
                contents.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                false);
    }

    public Inode mkdir(long parentIno, String name) {
        return ok(new TreeMutation.Mkdir(parentIno, Name.of(name), 0755, 10, 20)).inode();
    }

    public EntryReply unlink(long parentIno, String name) {
        return ok(new TreeMutation.Unlink(parentIno, Name.of(name)));
    }

    public EntryReply rename(long parentIno, String name, long newParentIno, String newName) {
        return ok(renaming(parentIno, name, newParentIno, newName, 0));
    }

    public static TreeMutation.Rename renaming(
            long parentIno, String name, long newParentIno, String newName, int flags) {
        return new TreeMutation.Rename(
                parentIno, Name.of(name), newParentIno, Name.of(newName), flags, 0, 0);
    }

    public Inode change(long ino, AttributeChange change) {
        return ok(new TreeMutation.SetAttributes(ino, change)).inode();
    }

    public Inode truncate(long ino, long sizeBytes) {
        return change(ino, AttributeChange.NONE.withSize(sizeBytes));
    }

    public Inode inode(long ino) {
        Inode inode = namespace.inode(ino);
        assertNotNull(inode);
        return inode;
    }

    public Reply read(Query.OfState query) {
        return namespace.read(1, query);
    }

    /** The inode that a query finds. */
    public Inode inodeOf(Query.OfState query) {
        return assertInstanceOf(EntryReply.class, read(query)).inode();
    }

    public void readFails(Errno errno, Query.OfState query) {
        assertEquals(errno, assertInstanceOf(Failure.class, read(query)).errno());
    }

    /** Looks for a name that is not there. */
    public void isAbsent(long parentIno, String name) {
        assertInstanceOf(Reply.Absent.class, read(new Query.Lookup(parentIno, Name.of(name))));
    }

    /** All invariants hold, also for a namespace opened from the store, which looks the same. */
    public void verify() {
        assertEquals(List.of(), namespace.check());
    }
}
