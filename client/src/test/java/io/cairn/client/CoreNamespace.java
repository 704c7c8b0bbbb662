package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.lock.LockRecord;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import java.util.Objects;

/**
 * The namespace of masters over a store in memory, without a log before it. Tests change it in a
 * session of their own. Not thread-safe.
 */
public final class CoreNamespace {
    static final int INLINE_LIMIT_BYTES = 4096;
    private static final int STANDARD_REPLICAS = 1;

    /** Told what the garbage collector may delete. */
    interface Garbage {
        void delete(long oid, long fromChunk, long endChunk);
    }

    private final Namespace core = new Namespace(new MemoryStore());
    private final Garbage garbage;
    private final long session;
    private long index;
    private long sequence;
    private long nowNs = 1_000_000_000L;

    /** Everybody may write into the root, whose files have chunks of a size. */
    CoreNamespace(int chunkSizeLog2, Garbage garbage) {
        this.garbage = garbage;
        lead(new LeaderMutation.Found(77, STANDARD_REPLICAS, INLINE_LIMIT_BYTES));
        session = openSession(77);
        long root = FileSystem.ROOT_INO;
        apply(new TreeMutation.SetAttributes(root, AttributeChange.NONE.withMode(01777)));
        apply(new TreeMutation.SetPolicy(root, new Policy(0, chunkSizeLog2, 0)));
    }

    private long openSession(long nonce) {
        Mutation open = new SessionMutation.OpenSession("of a test");
        Reply opened = reply(apply(new Envelope(0, nonce, 0, 0, open)));
        return ((Reply.SessionReply) opened).session();
    }

    /** A session of whom no mount knows. */
    public long stranger() {
        return openSession(78);
    }

    private void lead(LeaderMutation mutation) {
        apply(new Envelope(0, 0, 0, 0, mutation));
    }

    private static Reply reply(Namespace.Applied applied) {
        return applied.outcomes().getFirst().reply();
    }

    /** Makes a change in the session of the test. */
    Reply apply(Mutation mutation) {
        sequence++;
        return reply(apply(new Envelope(session, sequence, sequence - 1, 0, mutation)));
    }

    /** Makes the only change in a session. */
    public Reply apply(long only, long number, Mutation mutation) {
        return reply(apply(new Envelope(only, number, 0, 0, mutation)));
    }

    /** Makes a change, and deletes what it has released. */
    Namespace.Applied apply(Envelope envelope) {
        byte[] bytes = envelope.toBytes();
        nowNs += 1000;
        Envelope.stamp(bytes, 0, nowNs);
        Namespace.Applied applied = core.apply(1, ++index, new Encoder().bytes(bytes).toBytes());
        List<GarbageTask> released = core.garbage(0, 1000);
        released.forEach(task -> garbage.delete(task.oid(), task.fromChunk(), task.endChunk()));
        if (!released.isEmpty()) {
            lead(
                    new LeaderMutation.Collected(
                            released.stream().mapToLong(GarbageTask::entryId).toArray()));
        }
        return applied;
    }

    /** Whether a mutation was made before. */
    boolean isDone(Envelope envelope) {
        return core.hasReply(envelope.session(), envelope.sequence());
    }

    Reply read(long asking, Query.OfState query) {
        return core.read(asking, query);
    }

    /** Requests for locks that wait. */
    public long waiting() {
        return core.sessions().stream()
                .flatMap(each -> core.locks(each.session(), 1000).stream())
                .filter(LockRecord::isWaiting)
                .count();
    }

    /** A session is lost with what it had open, and its objects are in doubt. */
    void lose(long lost) {
        lead(new LeaderMutation.LoseSession(lost, new long[0], true));
    }

    /** Takes the next cluster map. */
    void change(ClusterMap next) {
        for (MapDelta.Part part : next.since(core.clusterMap()).parts()) {
            lead(new LeaderMutation.ChangeMap(part));
        }
    }

    ClusterMap map() {
        return core.clusterMap();
    }

    /** Takes a snapshot of everything; returns its number. */
    int takeSnapshot(String name) {
        lead(new SnapshotMutation.BeginSnapshot(FileSystem.ROOT_INO, Name.of(name)));
        int number = Objects.requireNonNull(core.snapshotStatus().begun()).number();
        lead(new SnapshotMutation.FinishSnapshot(number));
        return number;
    }

    /** A client is lost. */
    public void doubtObjects() {
        lead(new LeaderMutation.DoubtObjects());
    }

    public Inode require(long ino) {
        Inode inode = core.inode(ino);
        if (inode == null) {
            throw new FsException(Errno.ESTALE, "inode " + ino + " is gone");
        }
        return inode;
    }
}
