package io.cairn.master.cluster;

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
 * @param replaces whether its targets that it does not have any more were replaced
 */
record ServerView(
        String name,
        Endpoint endpoint,
        long incarnation,
        long bootId,
        List<TargetReport> targets,
        boolean alive,
        boolean replaces) {
    /** One that replaces none. */
    ServerView(
            String name,
            Endpoint endpoint,
            long incarnation,
            long bootId,
            List<TargetReport> targets,
            boolean alive) {
        this(name, endpoint, incarnation, bootId, targets, alive, false);
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
                told.replaces());
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
}
