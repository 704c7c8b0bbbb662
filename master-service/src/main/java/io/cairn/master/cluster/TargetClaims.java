package io.cairn.master.cluster;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Target;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.List;

/**
 * Which server may have a target: a directory may have been copied, or a disk moved. The server
 * that the map names keeps the target until it is gone and the operator says that the target is
 * elsewhere now, and no older copy takes its place unasked. Of one that the map does not know yet
 * the first server that reports it.
 */
final class TargetClaims {
    private final ClusterMap map;
    private final List<ServerView> servers;

    /**
     * The claims as they are.
     *
     * @param servers as the leader sees them, at least those that may have one of the targets; for
     *     a fresh leader all of the map live
     */
    TargetClaims(ClusterMap map, List<ServerView> servers) {
        this.map = map;
        this.servers = servers;
    }

    /**
     * Refuses a server that reports a target of another one.
     *
     * @throws FsException EBUSY when that one lives and has it too; EEXIST when nobody said that it
     *     moved, or that an older copy is to be used
     */
    void check(Heartbeat heartbeat) {
        for (TargetReport target : heartbeat.targets()) {
            check(heartbeat, target);
        }
    }

    private void check(Heartbeat heartbeat, TargetReport target) {
        String what =
                "target %016x in %s of chunk server %s"
                        .formatted(target.identity(), target.directory(), heartbeat.name());
        for (ServerView other : servers) {
            if (other.alive()
                    && !other.name().equals(heartbeat.name())
                    && other.target(target.identity()) != null) {
                throw new FsException(
                        Errno.EBUSY,
                        what
                                + " lives at "
                                + other.name()
                                + "; one is a copy of the other: take the copy from --data, or"
                                + " stop the other server and start this one with --adopt");
            }
        }
        Target known = map.targetOf(target.identity());
        if (known != null && !target.follows(known.start()) && !heartbeat.declaration().adopts()) {
            throw new FsException(
                    Errno.EEXIST,
                    what
                            + " is an older copy: since it was made the target was used elsewhere;"
                            + " start the server with the later directory, or with --adopt to go"
                            + " on without what was written since");
        }
        ChunkServer owner = known == null ? null : map.server(known.serverId());
        if (owner != null
                && !owner.name().equals(heartbeat.name())
                && !heartbeat.declaration().adopts()) {
            throw new FsException(
                    Errno.EEXIST,
                    what
                            + " is that of "
                            + owner.name()
                            + "; start that one with it, or if its disk has moved for good this"
                            + " one with --adopt");
        }
    }
}
