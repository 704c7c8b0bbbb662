package io.cairn.master.cluster;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leader's view of a chunk server from its heartbeats.
 *
 * @param name the operator's name
 * @param endpoint where it listens
 * @param incarnation random number of its process start
 * @param bootId which start of its machine that was; 0 when it does not know
 * @param targets its storage directories
 * @param alive whether its lease still runs
 * @param declaration what the operator says about it
 */
record ServerView(
        String name,
        Endpoint endpoint,
        long incarnation,
        long bootId,
        List<TargetReport> targets,
        boolean alive,
        Declaration declaration) {
    /** One about which nothing was said. */
    ServerView(
            String name,
            Endpoint endpoint,
            long incarnation,
            long bootId,
            List<TargetReport> targets,
            boolean alive) {
        this(name, endpoint, incarnation, bootId, targets, alive, Declaration.NONE);
    }

    /** As the server told last. */
    static ServerView of(Heartbeat told, boolean alive) {
        return new ServerView(
                told.name(),
                told.endpoint(),
                told.incarnation(),
                told.bootId(),
                told.targets(),
                alive,
                told.declaration());
    }

    /** The report of a target, or null when this server does not have it. */
    @Nullable TargetReport target(long identity) {
        for (TargetReport report : targets) {
            if (report.identity() == identity) {
                return report;
            }
        }
        return null;
    }

    /** Whether a server tells what it told before, but for what its disks do. */
    static boolean isSame(Heartbeat before, Heartbeat now) {
        return before.endpoint().equals(now.endpoint())
                && before.incarnation() == now.incarnation()
                && before.bootId() == now.bootId()
                && before.declaration().equals(now.declaration())
                && facts(before).equals(facts(now));
    }

    private static List<Object> facts(Heartbeat heartbeat) {
        return heartbeat.targets().stream()
                .<Object>map(t -> List.of(t.identity(), t.healthy(), t.starts()))
                .toList();
    }

    /** One that the map has and that this leader has not heard yet. */
    static ServerView presumed(ClusterMap map, ChunkServer server) {
        List<TargetReport> targets =
                map.targetsOf(server).stream()
                        .map(target -> new TargetReport(target.identity(), 0, 0, 0, true))
                        .toList();
        return new ServerView(
                server.name(),
                server.endpoint(),
                server.incarnation(),
                server.bootId(),
                targets,
                true,
                Declaration.NONE.labelled(server.labels()));
    }
}
