package io.cairn.master.cluster;

import io.cairn.cluster.Endpoint;
import io.cairn.wire.ClusterRequest.TargetReport;
import java.util.List;

/**
 * A chunk server as operators see it.
 *
 * @param alive whether its lease runs
 * @param silentMs since its last heartbeat that was answered
 * @param targets as it told them last
 */
public record ServerStatus(
        String name, Endpoint endpoint, boolean alive, long silentMs, List<TargetReport> targets) {}
