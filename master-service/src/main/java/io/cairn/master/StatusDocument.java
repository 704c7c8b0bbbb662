package io.cairn.master;

import com.fasterxml.jackson.jr.ob.JSON;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.fs.Usage;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.master.cluster.ServerWatch;
import io.cairn.master.namespace.Namespace;
import io.cairn.runtime.Clock;
import io.cairn.wire.ClusterRequest.TargetReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The state of the cluster as one master sees it, as the JSON document that {@code cairn status
 * --json} prints.
 */
final class StatusDocument {
    private StatusDocument() {}

    static String of(
            String id,
            ReplicatedLog log,
            Namespace namespace,
            SessionTable sessions,
            ServerWatch servers,
            Clock clock) {
        Map<String, Object> document = new LinkedHashMap<>();
        ClusterMap map = namespace.clusterMap();
        Endpoint leader = log.leader();
        document.put("cluster", String.format("%016x", namespace.clusterId()));
        document.put("master", id);
        String version = StatusDocument.class.getPackage().getImplementationVersion();
        document.put("version", version == null ? "(from class files)" : version);
        document.put("timeMs", clock.wallNs() / 1_000_000);
        document.put("leader", leader == null ? "" : leader.toString());
        document.put("term", log.leaderTerm());
        document.put("appliedIndex", namespace.appliedIndex());
        document.put("mapEpoch", map.epoch());
        document.put("capacity", capacity(servers.usage()));
        document.put("chunkServers", chunkServers(servers));
        document.put("placementGroups", groups(map));
        List<Object> list = new ArrayList<>();
        namespace
                .sessions()
                .forEach(
                        s -> {
                            Map<String, Object> each = new LinkedHashMap<>();
                            each.put("session", s.session());
                            each.put("client", s.client());
                            each.put("openFiles", sessions.openCount(s.session()));
                            list.add(each);
                        });
        document.put("sessions", list);
        try {
            return JSON.std.asString(document);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Object> capacity(Usage usage) {
        Map<String, Object> capacity = new LinkedHashMap<>();
        capacity.put("totalBytes", usage.totalBytes());
        capacity.put("freeBytes", usage.freeBytes());
        capacity.put("inodes", usage.inodes());
        return capacity;
    }

    private static List<Object> chunkServers(ServerWatch servers) {
        List<Object> list = new ArrayList<>();
        for (ServerStatus server : servers.status()) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("name", server.name());
            each.put("endpoint", server.endpoint().toString());
            each.put("alive", server.alive());
            List<Object> targets = new ArrayList<>();
            for (TargetReport report : server.targets()) {
                Map<String, Object> target = new LinkedHashMap<>();
                target.put("identity", String.format("%016x", report.identity()));
                target.put("capacityBytes", report.capacityBytes());
                target.put("freeBytes", report.freeBytes());
                target.put("chunks", report.chunks());
                target.put("healthy", report.healthy());
                targets.add(target);
            }
            each.put("targets", targets);
            list.add(each);
        }
        return list;
    }

    /** How many groups there are, and how many of them are short of a member. */
    private static Map<String, Object> groups(ClusterMap map) {
        int degraded = 0;
        int unavailable = 0;
        int syncing = 0;
        for (PlacementGroup group : map.groups()) {
            boolean complete = true;
            boolean sync = false;
            for (PlacementGroup.Member member : group.members()) {
                complete &= member.state() == MemberState.SERVING;
                sync |= member.state() == MemberState.SYNCING;
            }
            degraded += complete ? 0 : 1;
            syncing += sync ? 1 : 0;
            unavailable += group.head() == null ? 1 : 0;
        }
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("total", map.groups().size());
        counts.put("degraded", degraded);
        counts.put("syncing", syncing);
        counts.put("unavailable", unavailable);
        return counts;
    }
}
