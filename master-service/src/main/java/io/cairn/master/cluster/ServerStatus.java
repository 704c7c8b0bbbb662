package io.cairn.master.cluster;

import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A chunk server as operators see it.
 *
 * @param alive whether its lease runs
 * @param silentMs since its last heartbeat that was answered
 * @param connection over which it told that last; null when it has ended
 * @param targets as it told them last
 */
public record ServerStatus(
        String name,
        Endpoint endpoint,
        boolean alive,
        long silentMs,
        @Nullable Connection connection,
        List<TargetReport> targets) {}
