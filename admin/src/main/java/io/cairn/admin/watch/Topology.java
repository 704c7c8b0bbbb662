package io.cairn.admin.watch;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Shape;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.master.MasterService;
import io.cairn.master.cluster.LoadWatch;
import io.cairn.master.cluster.ScrubRecords;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.master.cluster.TargetActivity;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The chunk servers, targets, pools and groups of one moment, as documents: what the cluster map
 * says together with what the servers told. Immutable but for its use by one thread.
 */
public final class Topology {
    private final ClusterMap map;
    private final Map<String, ServerStatus> heard = new HashMap<>();
    private final Map<Long, TargetReport> reports = new HashMap<>();
    private final LoadWatch load;
    private final Namespace namespace;
    private final long nowMs;

    /** The state of a group; what is worse comes later. */
    public enum GroupState {
        COMPLETE,
        SYNCING,
        DEGRADED,
        UNAVAILABLE;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static List<String> texts() {
            return List.of("complete", "syncing", "degraded", "unavailable");
        }

        public static GroupState of(PlacementGroup group) {
            if (group.head() == null) {
                return UNAVAILABLE;
            }
            if (group.isComplete()) {
                return COMPLETE;
            }
            return group.isSyncing() ? SYNCING : DEGRADED;
        }
    }

    public Topology(MasterService master) {
        nowMs = master.wallMs();
        map = master.namespace().clusterMap();
        load = master.servers().load();
        namespace = master.namespace();
        for (ServerStatus server : master.servers().status()) {
            heard.put(server.name(), server);
            server.targets().forEach(target -> reports.put(target.identity(), target));
        }
    }

    public ClusterMap map() {
        return map;
    }

    /** What was said when a server was started, as far as this leader has heard it. */
    public Declaration declared(ChunkServer server) {
        ServerStatus status = heard.get(server.name());
        return status == null ? Declaration.NONE : status.declaration();
    }

    private boolean isUp(@Nullable ChunkServer server) {
        ServerStatus status = server == null ? null : heard.get(server.name());
        return status != null && status.alive();
    }

    private String state(Target target) {
        TargetReport report = reports.get(target.identity());
        if (target.serverId() == 0) {
            return "replaced";
        }
        if (!isUp(map.serverOfTarget(target.id()))) {
            return "down";
        }
        if (report == null) {
            return "absent";
        }
        return report.healthy() ? "up" : "failed";
    }

    /** A server, as a document. */
    public Map<String, Object> server(ChunkServer server) {
        Map<String, Object> document = Json.map();
        document.put("name", server.name());
        document.put("id", server.id());
        document.put("address", server.endpoint().toString());
        document.put("state", isUp(server) ? "up" : "down");
        document.put("labels", server.labels().values());
        boolean maintained = server.isMaintained(nowMs);
        document.put(
                "maintenanceUntil",
                maintained ? Instant.ofEpochMilli(server.maintenanceUntilMs()).toString() : null);
        List<Object> targets = new ArrayList<>();
        List<TargetActivity> activities = new ArrayList<>();
        long capacity = 0;
        long free = 0;
        long saved = 0;
        for (Target target : map.targetsOf(server)) {
            targets.add(target.id());
            activities.addAll(activity(target));
            TargetReport report = reports.get(target.identity());
            capacity += report == null ? 0 : report.capacityBytes();
            free += report == null ? 0 : report.freeBytes();
            saved += report == null ? 0 : report.savedBytes();
        }
        document.put("targets", targets);
        document.put("capacityBytes", capacity);
        document.put("freeBytes", free);
        document.put("compressionSavedBytes", saved);
        document.put("load", LoadDocument.of(activities));
        return document;
    }

    /** One, or none when nothing is known of it. */
    private List<TargetActivity> activity(Target target) {
        TargetActivity activity = load.of(target.identity());
        return activity == null ? List.of() : List.of(activity);
    }

    public static Shape serverShape() {
        return Shape.fields(
                Field.of("name", Shape.text(), "As given with --id."),
                Field.of("id", Shape.count(), "Number in the cluster map."),
                Field.of("address", Shape.text(), "Where it listens."),
                Field.of("state", Shape.choice(List.of("up", "down")), "Whether it answers."),
                Field.of(
                        "labels",
                        new Shape.Table(Shape.text(), Labels.MOST),
                        "Of its start, else set by administrators; rack and zone: what may fail."),
                Field.maybe(
                        "maintenanceUntil",
                        Shape.time(),
                        "Until then nothing of it is repaired elsewhere; null: none."),
                Field.of("targets", Shape.items(Shape.count()), "Its storage directories."),
                Field.of("capacityBytes", Shape.count(), "Sum over its targets."),
                Field.of("freeBytes", Shape.count(), "Sum over its targets, as told last."),
                Field.of("compressionSavedBytes", Shape.count(), "Sum over its targets."),
                Field.maybe(
                        "load",
                        LoadDocument.targetShape(),
                        "What its targets do together; null before it has told this leader."));
    }

    /** A target, as a document. */
    public Map<String, Object> target(Target target) {
        ChunkServer server = map.serverOfTarget(target.id());
        TargetReport report = reports.get(target.identity());
        Map<String, Object> document = Json.map();
        document.put("id", target.id());
        document.put("identity", Json.hex(target.identity()));
        document.put("server", server == null ? null : server.name());
        document.put("directory", directory(report));
        document.put("state", state(target));
        document.put("draining", target.isDraining());
        document.put("full", target.full());
        long capacity = report == null ? 0 : report.capacityBytes();
        long free = report == null ? 0 : report.freeBytes();
        document.put("capacityBytes", capacity);
        document.put("usedBytes", capacity - free);
        document.put("freeBytes", free);
        document.put("compressionSavedBytes", report == null ? 0 : report.savedBytes());
        document.put("chunks", report == null ? 0 : report.chunks());
        List<PlacementGroup> groups = map.groupsOf(target);
        int head = 0;
        for (PlacementGroup group : groups) {
            PlacementGroup.Member first = group.head();
            head += first != null && first.targetId() == target.id() ? 1 : 0;
        }
        document.put("groups", groups.size());
        document.put("groupsHeaded", head);
        document.put("load", LoadDocument.of(activity(target)));
        document.put("fault", report == null || report.healthy() ? null : report.fault());
        document.put("scrubOrder", order(target));
        document.put("scrub", report == null ? null : ScrubDocument.of(report.scrub(), nowMs));
        return document;
    }

    private @Nullable String order(Target target) {
        long number = ScrubRecords.order(namespace, target.identity());
        return number == 0 ? null : String.valueOf(number);
    }

    private static @Nullable String directory(@Nullable TargetReport report) {
        return report == null || report.directory().isEmpty() ? null : report.directory();
    }

    public static Shape targetShape() {
        return Shape.fields(
                Field.of("id", Shape.count(), "Number in the cluster map."),
                Field.of("identity", Shape.text(), "Written into the directory: 16 digits."),
                Field.maybe("server", Shape.text(), "Name of its chunk server."),
                Field.maybe("directory", Shape.text(), "Where it is on that machine."),
                Field.of(
                        "state",
                        Shape.choice(List.of("up", "down", "absent", "failed", "replaced")),
                        "down: its server is; absent: the server lacks it; failed: its disk has."),
                Field.of("draining", Shape.flag(), "What it holds moves to other targets."),
                Field.of("full", Shape.flag(), "New chunks go to others while these have room."),
                Field.of("capacityBytes", Shape.count(), "As told last."),
                Field.of("usedBytes", Shape.count(), "Of its disk, whatever uses it."),
                Field.of("freeBytes", Shape.count(), "As told last."),
                Field.of(
                        "compressionSavedBytes",
                        Shape.count(),
                        "What its packed chunks take less than plain ones."),
                Field.of("chunks", Shape.count(), "Replicas that it holds."),
                Field.of("groups", Shape.count(), "Groups that it is a member of."),
                Field.of("groupsHeaded", Shape.count(), "Groups whose writes it orders."),
                Field.maybe(
                        "load",
                        LoadDocument.targetShape(),
                        "What it does; null before its server has told this leader."),
                Field.maybe("fault", Shape.text(), "Why its disk has failed; null unless it has."),
                Field.maybe(
                        "scrubOrder",
                        Shape.text(),
                        "Number of the last order to verify all at once."),
                Field.maybe(
                        "scrub",
                        ScrubDocument.SHAPE,
                        "How far its copies are verified; null before it was told."));
    }

    /** A pool, as a document. */
    public Map<String, Object> pool(Pool pool) {
        Map<String, Object> document = Json.map();
        document.put("id", pool.id());
        document.put("replicas", pool.replicas());
        document.put("compression", pool.compression().text());
        document.put("labels", pool.labels().text());
        document.put("key", pool.key() > 0 ? pool.key() : null);
        document.put("firstGroup", pool.firstGroup());
        document.put("groups", pool.groupCount());
        int atRisk = 0;
        int unavailable = 0;
        for (PlacementGroup group : map.groupsOf(pool)) {
            atRisk += map.isShort(group) ? 1 : 0;
            unavailable += group.head() == null ? 1 : 0;
        }
        document.put("groupsAtRisk", atRisk);
        document.put("groupsUnavailable", unavailable);
        document.put("takesNewFiles", isYoungest(pool));
        return document;
    }

    private boolean isYoungest(Pool pool) {
        return pool.equals(map.youngestPool(pool.replicas(), pool.kind()));
    }

    public static Shape poolShape() {
        return Shape.fields(
                Field.of("id", Shape.count(), "Number in the cluster map."),
                Field.of("replicas", Shape.count(), "Copies of every chunk."),
                Field.of(
                        "compression",
                        Shape.choice(Compression.texts()),
                        "How its chunks are packed that rest."),
                Field.of("labels", Shape.text(), "Of its chunk servers, or 'any'."),
                Field.maybe("key", Shape.count(), "That encrypts its chunks; null: none."),
                Field.of("firstGroup", Shape.count(), "Number of its first group."),
                Field.of("groups", Shape.count(), "How many groups."),
                Field.of("groupsAtRisk", Shape.count(), "Short of at least one copy."),
                Field.of("groupsUnavailable", Shape.count(), "Without a copy that serves."),
                Field.of("takesNewFiles", Shape.flag(), "The youngest of its kind."));
    }

    /** A group, as a document. */
    public Map<String, Object> group(PlacementGroup group) {
        Map<String, Object> document = Json.map();
        document.put("id", group.id());
        document.put("pool", group.poolId());
        document.put("epoch", group.epoch());
        document.put("state", GroupState.of(group).text());
        PlacementGroup.Member head = group.head();
        document.put("head", head == null ? null : head.targetId());
        List<Object> members = new ArrayList<>();
        for (PlacementGroup.Member member : group.members()) {
            ChunkServer server = map.serverOfTarget(member.targetId());
            Map<String, Object> each = Json.map();
            each.put("target", member.targetId());
            each.put("server", server == null ? null : server.name());
            each.put("state", memberState(member.state()));
            members.add(each);
        }
        document.put("members", members);
        return document;
    }

    /** The state of a member as documents tell it. */
    static String memberState(MemberState state) {
        return switch (state) {
            case SERVING -> "serving";
            case SYNCING -> "syncing";
            case WAITING -> "waiting";
            case LAST_SERVING -> "lastServing";
            case OFFLINE -> "offline";
            case ADOPTED -> "adopted";
        };
    }

    public static Shape groupShape() {
        return Shape.fields(
                Field.of("id", Shape.count(), "Number in the cluster map."),
                Field.of("pool", Shape.count(), "Its pool."),
                Field.of("epoch", Shape.count(), "Grows when its members change."),
                Field.of("state", Shape.choice(GroupState.texts()), "How it is."),
                Field.maybe("head", Shape.count(), "The target that orders writes."),
                Field.of(
                        "members",
                        Shape.items(
                                Shape.fields(
                                        Field.of("target", Shape.count(), "The target."),
                                        Field.maybe("server", Shape.text(), "Its chunk server."),
                                        Field.of(
                                                "state",
                                                Shape.choice(
                                                        List.of(
                                                                "serving",
                                                                "syncing",
                                                                "waiting",
                                                                "lastServing",
                                                                "offline",
                                                                "adopted")),
                                                "What it is to the group."))),
                        "In order; the first that serves is the head."));
    }
}
