package io.cairn.master.cluster;

import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A chunk server as operators see it.
 *
 * @param alive whether its lease runs
 * @param connection over which it told that last; null when it has ended
 * @param targets as it told them last
 * @param declaration what the operator said when it was started
 */
public record ServerStatus(
        String name,
        Endpoint endpoint,
        boolean alive,
        @Nullable Connection connection,
        List<TargetReport> targets,
        Declaration declaration) {
    /** What servers that are alive told of targets that work. */
    public static List<TargetReport> healthy(List<ServerStatus> servers) {
        return servers.stream()
                .filter(ServerStatus::alive)
                .flatMap(server -> server.targets.stream())
                .filter(TargetReport::healthy)
                .toList();
    }

    /** As its last heartbeat told. */
    static ServerStatus of(Heartbeat told, boolean alive, @Nullable Connection connection) {
        return new ServerStatus(
                told.name(),
                told.endpoint(),
                alive,
                connection,
                told.targets(),
                told.declaration());
    }
}
