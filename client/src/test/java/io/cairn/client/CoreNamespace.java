package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.List;

/**
 * The namespace of masters over a store in memory, without a log before it. All clients share one
 * of its sessions; who they are {@link FakeMaster} knows. Not thread-safe.
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
        Reply opened = log(0, 77, new SessionMutation.OpenSession("clients"));
        session = ((Reply.SessionReply) opened).session();
        long root = FileSystem.ROOT_INO;
        apply(new TreeMutation.SetAttributes(root, AttributeChange.NONE.withMode(01777)));
        apply(new TreeMutation.SetPolicy(root, new Policy(0, chunkSizeLog2, 0)));
    }

    private Reply lead(LeaderMutation mutation) {
        return log(0, 0, mutation);
    }

    private Reply log(long ofSession, long number, Mutation mutation) {
        nowNs += 1000;
        long acknowledged = ofSession == 0 ? 0 : number - 1;
        byte[] envelope = new Envelope(ofSession, number, acknowledged, nowNs, mutation).toBytes();
        byte[] entry = new Encoder().bytes(envelope).toBytes();
        return core.apply(1, ++index, entry).outcomes().getFirst().reply();
    }

    /** Makes a change, and deletes what it has released. */
    Reply apply(Mutation mutation) {
        Reply reply = log(session, ++sequence, mutation);
        List<GarbageTask> released = core.garbage(0, 1000);
        released.forEach(task -> garbage.delete(task.oid(), task.fromChunk(), task.endChunk()));
        if (!released.isEmpty()) {
            lead(
                    new LeaderMutation.Collected(
                            released.stream().mapToLong(GarbageTask::entryId).toArray()));
        }
        return reply;
    }

    Reply read(Query.OfState query) {
        return core.read(session, query);
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
