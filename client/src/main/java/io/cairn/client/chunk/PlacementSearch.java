package io.cairn.client.chunk;

import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.StatReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where contents are and may go, for operators: asks master and replicas. Blocks. */
public final class PlacementSearch {
    private final ChunkIo io;
    private final long timeoutMs;

    public PlacementSearch(ChunkIo io, long timeoutMs) {
        this.io = io;
        this.timeoutMs = timeoutMs;
    }

    /** The highest number of copies that a pool has; 0 when there is none. */
    public int mostCopies() {
        ClusterMap map = Await.get(io.refresh(), timeoutMs);
        return map.pools().stream().mapToInt(Pool::replicas).max().orElse(0);
    }

    /** Asks every replica of the first chunks of a file how far it is. */
    public FilePlacement describe(Inode inode, int maxChunks) {
        Layout layout = inode.layout();
        List<FilePlacement.Chunk> chunks = new ArrayList<>();
        if (layout != null && inode.inline() == null) {
            long size = inode.attributes().size();
            long count = (size + layout.chunkSizeBytes() - 1) / layout.chunkSizeBytes();
            for (long index = 0; index < Math.min(count, maxChunks); index++) {
                chunks.add(chunk(layout, index));
            }
        }
        return layout == null
                ? new FilePlacement(inode, 0, Pool.Kind.PLAIN, chunks)
                : new FilePlacement(inode, io.map().copies(layout), io.map().kind(layout), chunks);
    }

    private FilePlacement.Chunk chunk(Layout layout, long index) {
        ClusterMap map = io.map();
        PlacementGroup group = map.groupOf(layout, index);
        long oid = layout.runOf(index).oid();
        if (group == null) {
            return new FilePlacement.Chunk(index, oid, 0, 0, List.of());
        }
        ChunkAddress address =
                new ChunkAddress(group.id(), group.epoch(), oid, index, layout.chunkSizeLog2());
        List<CompletableFuture<StatReply>> asked = new ArrayList<>();
        for (PlacementGroup.Member member : group.members()) {
            ChunkServer server = map.serverOfTarget(member.targetId());
            // Of two members on a server it answers for the one that serves.
            boolean hidden =
                    member.state() != MemberState.SERVING
                            && map.isBesideMember(group, member.targetId());
            asked.add(server == null || hidden ? null : io.statAt(server, address));
        }
        List<FilePlacement.Replica> replicas = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            PlacementGroup.Member member = group.members().get(i);
            ChunkServer server = map.serverOfTarget(member.targetId());
            StatReply found = answer(asked.get(i));
            replicas.add(
                    new FilePlacement.Replica(
                            member.targetId(),
                            server == null ? null : server.name(),
                            member.state(),
                            found == null ? null : found.state(),
                            found == null ? 0 : found.allocatedBytes()));
        }
        return new FilePlacement.Chunk(index, oid, group.id(), group.epoch(), replicas);
    }

    private @Nullable StatReply answer(@Nullable CompletableFuture<StatReply> asked) {
        try {
            return asked == null ? null : Await.get(asked, timeoutMs);
        } catch (FsException e) {
            return null;
        }
    }
}
