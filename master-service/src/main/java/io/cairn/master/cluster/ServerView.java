package io.cairn.master.cluster;

import io.cairn.cluster.Endpoint;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the leader knows of a chunk server from its heartbeats.
 *
 * @param name the operator's name
 * @param endpoint where it listens
 * @param incarnation random number of its process start
 * @param bootId which start of its machine that was; 0 when it does not know
 * @param targets its storage directories
 * @param alive whether its lease still runs
 */
record ServerView(
        String name,
        Endpoint endpoint,
        long incarnation,
        long bootId,
        List<TargetReport> targets,
        boolean alive) {

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
