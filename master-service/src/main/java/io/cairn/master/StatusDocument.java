package io.cairn.master;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Target;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.metadata.Namespace;
import io.cairn.net.Connection;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Release;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.jr.ob.JSON;

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

    /**
     * The document.
     *
     * @param glance what the admin API tells of the cluster at a glance; empty where it tells
     *     nothing
     */
    String text(Map<String, Object> glance) {
        ReplicatedLog log = master.log();
        Namespace namespace = master.namespace();
        ClusterMap map = namespace.clusterMap();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("clusterId", String.format("%016x", namespace.clusterId()));
        document.put("version", Release.text());
        document.put("level", namespace.level());
        document.put("mapEpoch", map.epoch());
        document.putAll(glance);
        document.put("master", master.settings().id());
        document.put("timeMs", clock.wallNs() / 1_000_000);
        document.put("term", log.leaderTerm());
        document.put("appliedIndex", namespace.appliedIndex());
        document.put("masters", masters(log));
        document.put("chunkServers", chunkServers(map, master.servers().status()));
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
        return JSON.std.asString(document);
    }

    private static void tellRelease(Map<String, Object> document, @Nullable Connection connection) {
        document.put("release", connection == null ? "" : connection.release());
        document.put("protocolVersion", connection == null ? 0 : connection.version());
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

    /** Those of the map, whether or not they have told this leader anything, and those to come. */
    private static List<Object> chunkServers(ClusterMap map, List<ServerStatus> heard) {
        Map<String, Map<String, Object>> all = new TreeMap<>();
        for (ChunkServer server : map.servers()) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("name", server.name());
            each.put("endpoint", server.endpoint().toString());
            each.put("alive", false);
            tellRelease(each, null);
            List<Object> targets = new ArrayList<>();
            for (Target target : map.targets()) {
                if (target.serverId() == server.id()) {
                    targets.add(Map.of("identity", String.format("%016x", target.identity())));
                }
            }
            each.put("targets", targets);
            all.put(server.name(), each);
        }
        heard.forEach(server -> all.put(server.name(), document(server)));
        return List.copyOf(all.values());
    }

    private static Map<String, Object> document(ServerStatus server) {
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
            target.put("compressionSavedBytes", report.savedBytes());
            target.put("chunks", report.chunks());
            target.put("healthy", report.healthy());
            target.put("directory", report.directory());
            target.put("errors", report.load().errors());
            targets.add(target);
        }
        each.put("targets", targets);
        return each;
    }
}
