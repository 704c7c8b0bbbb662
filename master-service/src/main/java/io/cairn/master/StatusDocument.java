package io.cairn.master;

import com.fasterxml.jackson.jr.ob.JSON;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.PlacementGroup;
import io.cairn.fs.Usage;
import io.cairn.master.cluster.LoadRates;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.master.cluster.ServerWatch;
import io.cairn.master.namespace.Namespace;
import io.cairn.net.Connection;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Release;
import io.cairn.wire.ClusterRequest.TargetReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The state of the cluster as one master sees it, as the JSON document that {@code cairn status
 * --json} prints.
 */
final class StatusDocument {
    private final MasterService master;
    private final SessionTable sessions;
    private final Clock clock;

    StatusDocument(MasterService master, SessionTable sessions, Clock clock) {
        this.master = master;
        this.sessions = sessions;
        this.clock = clock;
    }

    String text() {
        ReplicatedLog log = master.log();
        Namespace namespace = master.namespace();
        ServerWatch servers = master.servers();
        Map<String, Object> document = new LinkedHashMap<>();
        ClusterMap map = namespace.clusterMap();
        Endpoint leader = log.leader();
        document.put("cluster", String.format("%016x", namespace.clusterId()));
        document.put("master", master.settings().id());
        document.put("version", Release.text());
        document.put("timeMs", clock.wallNs() / 1_000_000);
        document.put("leader", leader == null ? "" : leader.toString());
        document.put("term", log.leaderTerm());
        document.put("appliedIndex", namespace.appliedIndex());
        document.put("mapEpoch", map.epoch());
        document.put("level", namespace.level());
        document.put("capacity", capacity(servers.usage()));
        document.put("load", load(servers.load().sum()));
        document.put("masters", masters(log));
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
                            tellRelease(each, sessions.connection(s.session()));
                            list.add(each);
                        });
        document.put("sessions", list);
        try {
            return JSON.std.asString(document);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void tellRelease(Map<String, Object> document, @Nullable Connection connection) {
        document.put("release", connection == null ? "" : connection.release());
        document.put("protocolVersion", connection == null ? 0 : connection.version());
    }

    private static Map<String, Object> capacity(Usage usage) {
        Map<String, Object> capacity = new LinkedHashMap<>();
        capacity.put("totalBytes", usage.totalBytes());
        capacity.put("freeBytes", usage.freeBytes());
        capacity.put("inodes", usage.inodes());
        return capacity;
    }

    /** Nothing while the rates are not known. */
    private static Map<String, Object> load(@Nullable LoadRates rates) {
        Map<String, Object> load = new LinkedHashMap<>();
        if (rates != null) {
            load.put("readBytesPerSecond", Math.round(rates.servedBytes()));
            load.put("writtenBytesPerSecond", Math.round(rates.takenBytes()));
        }
        return load;
    }

    private List<Object> masters(ReplicatedLog log) {
        Map<String, MasterRelease> releases =
                master.releases().stream()
                        .collect(Collectors.toMap(MasterRelease::id, known -> known));
        List<Object> list = new ArrayList<>();
        for (MasterGroup.Standing standing : log.masters()) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("id", standing.id());
            each.put("raft", standing.raft().toString());
            each.put("role", standing.leads() ? "leader" : "follower");
            each.put("state", standing.state());
            each.put("silentSince", standing.silentSince(clock));
            MasterRelease release = releases.get(standing.id());
            if (release != null) {
                each.put("release", release.release());
                each.put("newestVersion", release.newest());
            }
            list.add(each);
        }
        return list;
    }

    private static List<Object> chunkServers(ServerWatch servers) {
        List<Object> list = new ArrayList<>();
        for (ServerStatus server : servers.status()) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("name", server.name());
            each.put("endpoint", server.endpoint().toString());
            each.put("alive", server.alive());
            tellRelease(each, server.connection());
            List<Object> targets = new ArrayList<>();
            for (TargetReport report : server.targets()) {
                Map<String, Object> target = new LinkedHashMap<>();
                target.put("identity", String.format("%016x", report.identity()));
                target.put("capacityBytes", report.capacityBytes());
                target.put("freeBytes", report.freeBytes());
                target.put("chunks", report.chunks());
                target.put("healthy", report.healthy());
                target.put("directory", report.directory());
                target.put("errors", report.load().errors());
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
            degraded += group.isComplete() ? 0 : 1;
            syncing += group.isSyncing() ? 1 : 0;
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
