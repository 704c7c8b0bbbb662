package io.cairn.client.chunk;

import io.cairn.cluster.Inode;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.Pool;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a file is, for operators.
 *
 * @param inode the inode as the master has it
 * @param copies that the pool of its contents makes; 0 when the cluster map does not know it
 * @param kind of the pool of new chunks
 * @param chunks its chunks in order, as many as were asked for; none when the contents are inline
 */
public record FilePlacement(Inode inode, int copies, Pool.Kind kind, List<Chunk> chunks) {
    /**
     * A chunk.
     *
     * @param index which one
     * @param oid the object that holds it
     * @param group its placement group, 0 when the cluster map does not know it
     * @param epoch of the group
     * @param replicas its copies, head first
     */
    public record Chunk(long index, long oid, int group, long epoch, List<Replica> replicas) {}

    /**
     * A copy of a chunk.
     *
     * @param targetId where it is
     * @param server the server of the target, null when the map does not know it
     * @param member what the target is to the group
     * @param state how far the copy is, null when the server did not answer
     * @param allocatedBytes what it takes on the disk
     */
    public record Replica(
            int targetId,
            @Nullable String server,
            MemberState member,
            @Nullable ChunkState state,
            long allocatedBytes) {}
}
