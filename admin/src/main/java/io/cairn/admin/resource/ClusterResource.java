package io.cairn.admin.resource;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.backup.BackupSchedule;
import io.cairn.admin.watch.DiskErrors;
import io.cairn.admin.watch.Health;
import io.cairn.admin.watch.LoadDocument;
import io.cairn.admin.watch.PlacementHealth;
import io.cairn.admin.watch.Rate;
import io.cairn.admin.watch.RequestTimes;
import io.cairn.admin.watch.SpaceLimit;
import io.cairn.admin.watch.StorageHealth;
import io.cairn.admin.watch.VerificationAge;
import io.cairn.base.Wording;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Pool;
import io.cairn.master.MasterGroup.Share;
import io.cairn.master.MasterGroup.Standing;
import io.cairn.master.MasterService;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.master.cluster.Space;
import io.cairn.master.cluster.move.MoveProgress;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /cluster}: the whole at a glance. */
public final class ClusterResource implements Resource {
    private static final Shape CAPACITY =
            Shape.fields(
                    Field.of("totalBytes", Shape.count(), "Of all disks."),
                    Field.of("usedBytes", Shape.count(), "Of all disks, all copies."),
                    Field.of("freeBytes", Shape.count(), "Of disks whose servers answer."),
                    Field.of(
                            "availableBytes",
                            Shape.count(),
                            "What users can still write at the standard number of copies."),
                    Field.of(
                            "trashBytes",
                            Shape.count(),
                            "Of these in the trash, which makes room when it is needed."),
                    Field.maybe(
                            "snapshotBytes",
                            Shape.count(),
                            "Of all disks, what only snapshots hold, with all copies, as last"
                                    + " counted; null: not known."),
                    Field.of(
                            "compressionSavedBytes",
                            Shape.count(),
                            "What packed chunks take less than plain ones, all copies."),
                    Field.of("standardReplicas", Shape.count(), "Copies of every chunk."),
                    Field.maybe(
                            "limitBytes",
                            Shape.count(),
                            "What new files can have before a target is full; null: all of it."),
                    Field.maybe(
                            "limit",
                            Shape.text(),
                            "Which limit that is, pool, label or reserve, and whose."));

    private static final Shape COUNTS =
            Shape.fields(
                    Field.of("inodes", Shape.count(), "Files, directories and links."),
                    Field.of(
                            "inodesRemoved",
                            Shape.count(),
                            "Of these, without a name: open somewhere, or about to be purged."),
                    Field.of(
                            "objectsRemoved",
                            Shape.count(),
                            "Contents that the chunk servers have still to delete."),
                    Field.of("sessions", Shape.count(), "Mounts, gateways and tools."),
                    Field.of("servers", Shape.count(), "Chunk servers ever seen."),
                    Field.of("serversUp", Shape.count(), "Chunk servers that answer."),
                    Field.of("targets", Shape.count(), "Storage directories."),
                    Field.of("groups", Shape.count(), "Placement groups."),
                    Field.of(
                            "formerPools",
                            Shape.count(),
                            "Pools with a younger one that still hold contents; they go by"
                                    + " themselves."),
                    Field.of("groupsAtRisk", Shape.count(), "Short of at least one copy."),
                    Field.of("groupsUnavailable", Shape.count(), "Without any copy that serves."));

    static final Field OPERATIONS =
            Field.of(
                    "operationsPerSecond",
                    new Shape.Decimal(),
                    "Requests of clients to the leader, lately.");
    static final Field LATENCY =
            Field.maybe(
                    "latencyMs",
                    new Shape.Decimal(),
                    "Until their answer, on average; null without any.");

    private static final Shape MOVES =
            Shape.fields(
                    Field.of("repairing", Shape.count(), "Groups that are short of a copy."),
                    Field.of("moving", Shape.count(), "Groups that only move."),
                    Field.of("bytesLeft", Shape.count(), "To be copied, estimated."),
                    Field.of("bytesPerSecond", Shape.count(), "Lately; 0: not known."),
                    Field.maybe("secondsLeft", Shape.count(), "Missing when it is not known."));

    private static final Shape SHAPE =
            Shape.fields(
                    Field.of("clusterId", Shape.text(), "16 hexadecimal digits."),
                    Field.of("version", Shape.text(), "Of the leader."),
                    Field.of("leader", Shape.text(), "Name of the master that leads."),
                    Field.of("leaderAddress", Shape.text(), "Where clients find it."),
                    Field.of(
                            "level",
                            Shape.count(),
                            "Version of the protocol that all masters understand."),
                    Field.of("mapEpoch", Shape.count(), "Grows with every change of members."),
                    Field.of("health", Health.SHAPE, "How the cluster is."),
                    Field.of("capacity", CAPACITY, "Space."),
                    Field.of("counts", COUNTS, "How many of what."),
                    Field.of("moves", MOVES, "What is copied from target to target."),
                    Field.of(
                            "verified",
                            VerificationAge.SHAPE,
                            "When the copies on all disks were verified."),
                    Field.of(
                            "rates",
                            LoadDocument.shape(OPERATIONS, LATENCY),
                            "How busy it is, over the last seconds; null what is not known."));

    private final MasterService master;
    private final Rate operations;
    private final RequestTimes times;
    private final Clock clock;
    private final String version;
    private final Supplier<@Nullable Long> snapshotBytes;

    public ClusterResource(
            MasterService master,
            Rate operations,
            RequestTimes times,
            Clock clock,
            String version,
            Supplier<@Nullable Long> snapshotBytes) {
        this.master = master;
        this.operations = operations;
        this.times = times;
        this.clock = clock;
        this.version = version;
        this.snapshotBytes = snapshotBytes;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/cluster", Role.READ, "The cluster at a glance.")
                        .answers(SHAPE)
                        .reads(_ -> Outcome.of(document())));
    }

    /** The document; also the numbers of the stream of events. */
    public Map<String, Object> document() {
        ClusterMap map = master.namespace().clusterMap();
        List<ServerStatus> servers = master.servers().status();
        Space space = master.servers().space();
        Endpoint leader = master.endpoint();
        Map<String, Object> document = Json.map();
        document.put("clusterId", Json.hex(master.namespace().clusterId()));
        document.put("version", version);
        document.put("leader", master.settings().id());
        document.put("leaderAddress", leader.toString());
        document.put("level", master.namespace().level());
        document.put("mapEpoch", map.epoch());
        Health health = new Health();
        StorageHealth storage =
                new StorageHealth(
                        map,
                        servers,
                        space,
                        master.settings().cluster().expectedServers(),
                        master.namespace().usedPools(),
                        master.wallMs());
        storage.tellForeign(master.servers().foreign(), master.namespace().clusterId(), health);
        storage.tell(health);
        new PlacementHealth(map, servers, master.namespace().usedPools(), master.wallMs())
                .tell(health);
        tellRepair(master.servers().moves(), health);
        Instant now = clock.now();
        DiskErrors.tell(DiskErrors.of(servers, master.servers().load(), now), health);
        DiskErrors.tellSlow(DiskErrors.slow(servers, master.servers().load()), health);
        if (master.log().isRecovering()) {
            health.critical(
                    Health.recovers(master.settings().id()),
                    "Start the other masters on empty directories; unmount and mount again.");
        }
        masters(health, master.log().masters());
        BackupSchedule.tell(new Records(master), now.toEpochMilli(), health);
        document.put("health", health.toJson());
        document.put("capacity", capacity(map, servers, space));
        document.put("counts", counts(map, servers));
        document.put("moves", moves());
        document.put("verified", verified(map, servers));
        document.put("rates", rates());
        return document;
    }

    private static Map<String, Object> verified(ClusterMap map, List<ServerStatus> servers) {
        Set<Long> identities = new HashSet<>();
        map.targets().forEach(target -> identities.add(target.identity()));
        return VerificationAge.of(ServerStatus.healthy(servers), identities).document();
    }

    private static void tellRepair(MoveProgress moves, Health health) {
        if (moves.repairing() > 0 && moves.bytesLeft() > 0) {
            Long seconds = moves.secondsLeft();
            health.warning(
                    "Copies of %s are made anew: about %s left%s."
                            .formatted(
                                    Wording.count(moves.repairing(), "placement group"),
                                    Wording.bytes(moves.bytesLeft()),
                                    seconds == null ? "" : ", about " + time(seconds)),
                    "Wait: another loss is a risk until then.");
        }
    }

    private static String time(long seconds) {
        return seconds < 120 ? seconds + " s" : seconds / 60 + " min";
    }

    private Map<String, Object> moves() {
        MoveProgress moves = master.servers().moves();
        Map<String, Object> document = Json.map();
        document.put("repairing", moves.repairing());
        document.put("moving", moves.moving());
        document.put("bytesLeft", moves.bytesLeft());
        document.put("bytesPerSecond", moves.bytesPerSecond());
        Long seconds = moves.secondsLeft();
        if (seconds != null) {
            document.put("secondsLeft", seconds);
        }
        return document;
    }

    private Map<String, Object> rates() {
        Map<String, Object> rates = Json.map();
        rates.put("operationsPerSecond", operations.perSecond());
        rates.put("latencyMs", times.meanMs());
        LoadDocument.put(rates, master.servers().load().sum());
        return rates;
    }

    /** The history's sample of a moment. */
    public Map<String, Object> sample() {
        Space space = master.servers().space();
        Map<String, Object> sample = rates();
        sample.put("usedBytes", space.totalBytes() - space.freeBytes());
        sample.put("sessions", master.namespace().sessions().size());
        return sample;
    }

    private Map<String, Object> capacity(ClusterMap map, List<ServerStatus> servers, Space space) {
        Map<String, Object> capacity = Json.map();
        capacity.put("totalBytes", space.totalBytes());
        capacity.put("usedBytes", space.totalBytes() - space.freeBytes());
        capacity.put("freeBytes", space.freeBytes());
        long trashBytes = master.namespace().trashSums().storedBytes();
        long allBytes = space.totalBytes() / space.replicas();
        capacity.put(
                "availableBytes",
                Math.min(allBytes, space.freeBytes() / space.replicas() + trashBytes));
        capacity.put("trashBytes", trashBytes);
        capacity.put("snapshotBytes", snapshotBytes.get());
        capacity.put(
                "compressionSavedBytes",
                servers.stream()
                        .flatMap(server -> server.targets().stream())
                        .mapToLong(TargetReport::savedBytes)
                        .sum());
        capacity.put("standardReplicas", space.replicas());
        SpaceLimit limit = SpaceLimit.of(map, ServerStatus.healthy(servers), space.replicas());
        capacity.put("limitBytes", limit == null ? null : limit.bytes());
        capacity.put("limit", limit == null ? null : limit.why());
        return capacity;
    }

    private Map<String, Object> counts(ClusterMap map, List<ServerStatus> servers) {
        Map<String, Object> counts = Json.map();
        counts.put("inodes", master.namespace().inodeCount());
        counts.put("inodesRemoved", master.namespace().orphanCount());
        counts.put("objectsRemoved", master.namespace().garbageCount());
        counts.put("sessions", master.namespace().sessions().size());
        counts.put("servers", map.servers().size());
        counts.put("serversUp", servers.stream().filter(ServerStatus::alive).count());
        counts.put("targets", map.targets().size());
        counts.put("groups", map.groups().size());
        counts.put("formerPools", map.pools().stream().filter(p -> isFormer(map, p)).count());
        counts.put("groupsAtRisk", map.groups().stream().filter(map::isShort).count());
        counts.put(
                "groupsUnavailable", map.groups().stream().filter(g -> g.head() == null).count());
        return counts;
    }

    /** Whether new files use a younger pool of as many copies and the same kind. */
    private static boolean isFormer(ClusterMap map, Pool pool) {
        Pool youngest = map.youngestPool(pool.replicas(), pool.kind());
        return youngest != null && youngest.id() > pool.id();
    }

    private void masters(Health health, List<Standing> masters) {
        List<Standing> silent = masters.stream().filter(Standing::isDown).toList();
        List<Standing> absent = masters.stream().filter(Standing::isAbsent).toList();
        int spare = (masters.size() - 1) / 2 - absent.size();
        String risk =
                spare <= 0
                        ? "another loss stops the cluster"
                        : "the loss of " + spare + " more can be borne";
        for (Standing each : silent) {
            health.warning(
                    "Master %s has not answered since %s: %s."
                            .formatted(each.id(), each.silentSince(clock), risk),
                    "Look at the machine of %s; start 'cairn master' there again."
                            .formatted(each.raft()));
        }
        for (Standing each : absent) {
            if (each.isDown()) {
                continue;
            }
            if (each.share() == Share.FOREIGN) {
                health.critical(
                        "Master %s belongs to another cluster: %s.".formatted(each.id(), risk),
                        "Look at its log and its data directory at %s.".formatted(each.raft()));
            } else if (each.share() == Share.DIFFERING) {
                health.critical(
                        "Master %s holds another state than the others: %s."
                                .formatted(each.id(), risk),
                        "Remove the one that you do not trust, empty it, and add it again.");
            } else {
                health.warning(
                        "Master %s catches up and has no vote yet: %s.".formatted(each.id(), risk),
                        "Wait until it is up before you stop another master.");
            }
        }
    }
}
