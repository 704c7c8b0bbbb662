package io.cairn.admin.storage;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.watch.Drain;
import io.cairn.base.Printable;
import io.cairn.base.Spelling;
import io.cairn.base.Wording;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import io.cairn.master.MasterService;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.master.cluster.move.MoveLimits;
import io.cairn.metadata.cluster.StorageOperations;
import io.cairn.wire.master.LeaderMutation.StorageMutation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Draining, removal and maintenance of chunk servers and targets. */
public final class StorageResource implements Resource {
    private static final long MAX_MAINTENANCE_S =
            Duration.ofDays(StorageOperations.MAX_MAINTENANCE_DAYS).toSeconds();

    private static final Field FORCE =
            Field.maybe(
                    "force",
                    new Shape.Text(200),
                    "Why it is done although not everything finds another place.");

    private final MasterService master;

    public StorageResource(MasterService master) {
        this.master = master;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("POST", "/targets/{id}/drain", Role.OPERATE, "Empties a target.")
                        .takes(FORCE)
                        .changes(call -> drain(call, target(call))),
                Route.of("POST", "/targets/{id}/undrain", Role.OPERATE, "Uses a target again.")
                        .changes(call -> undrain(target(call))),
                Route.of("DELETE", "/targets/{id}", Role.OPERATE, "Forgets an empty target.")
                        .changes(call -> new Removal(master, target(call)).plan()),
                Route.of("POST", "/servers/{name}/drain", Role.OPERATE, "Empties a chunk server.")
                        .takes(FORCE)
                        .changes(call -> drain(call, Subject.of(map(), server(call)))),
                Route.of(
                                "POST",
                                "/servers/{name}/undrain",
                                Role.OPERATE,
                                "Uses a chunk server again.")
                        .changes(call -> undrain(Subject.of(map(), server(call)))),
                Route.of("DELETE", "/servers/{name}", Role.OPERATE, "Forgets a chunk server.")
                        .changes(
                                call ->
                                        new Removal(master, Subject.of(map(), server(call)))
                                                .plan()),
                Route.of(
                                "POST",
                                "/servers/{name}/maintenance",
                                Role.OPERATE,
                                "Begins the maintenance of a chunk server.")
                        .takes(
                                Field.of(
                                        "forSeconds",
                                        Shape.whole(1, MAX_MAINTENANCE_S),
                                        "How long nothing of it is repaired elsewhere."))
                        .changes(this::maintain),
                Route.of(
                                "DELETE",
                                "/servers/{name}/maintenance",
                                Role.OPERATE,
                                "Ends the maintenance of a chunk server.")
                        .changes(call -> endMaintenance(server(call))));
    }

    private ClusterMap map() {
        return master.namespace().clusterMap();
    }

    private ChunkServer server(Call call) {
        String name = call.text("name");
        ChunkServer server = map().server(name);
        if (server == null) {
            List<String> names = map().servers().stream().map(ChunkServer::name).toList();
            throw Problem.notFound(
                    "There is no chunk server '"
                            + Printable.of(name)
                            + "'."
                            + Spelling.hint(names, name));
        }
        return server;
    }

    private Subject target(Call call) {
        int id = call.number("id");
        Target target = map().target(id);
        if (target == null) {
            List<String> ids =
                    map().targets().stream().map(each -> String.valueOf(each.id())).toList();
            throw Problem.notFound(
                    "There is no target %d; there are %s."
                            .formatted(id, ids.isEmpty() ? "none" : String.join(", ", ids)));
        }
        return Subject.of(map(), target);
    }

    private Plan drain(Call call, Subject subject) {
        Drain drain =
                new Drain(
                        map(),
                        ServerStatus.healthy(master.servers().status()),
                        master.namespace().usedPools(),
                        subject.targets());
        String reason = call.bodyText("force");
        String forced = reason == null || reason.isBlank() ? null : reason;
        List<String> obstacles = drain.obstacles();
        if (forced == null && !obstacles.isEmpty()) {
            throw Problem.conflict(
                    "%s cannot be emptied. %s To begin nevertheless: --force REASON."
                            .formatted(subject.title(), String.join(" ", obstacles)));
        }
        Plan plan =
                new Plan(
                        () ->
                                done(
                                        new StorageMutation.SetTargetState(
                                                subject.ids(), TargetState.DRAINING)));
        plan.change(
                subject.title(),
                subject.state(map()),
                forced == null ? "draining" : "draining, by force: " + Printable.of(forced));
        plan.warn(
                "About %s in %s move to other targets%s%s."
                        .formatted(
                                Wording.bytes(drain.movedBytes()),
                                Wording.count(drain.groups(), "placement group"),
                                way(drain),
                                time(drain)));
        obstacles.forEach(plan::warn);
        plan.warn(
                new Durability(
                                map(),
                                ServerStatus.healthy(master.servers().status()),
                                used(subject))
                        .sentence());
        return plan.basedOn(List.of(subject.ids(), subject.state(map()), String.valueOf(reason)));
    }

    /** The groups that hold something there. */
    private List<PlacementGroup> used(Subject subject) {
        return subject.groups(map()).stream()
                .filter(group -> master.namespace().usedPools().contains(group.poolId()))
                .toList();
    }

    /** How much stays on its server. */
    private static String way(Drain drain) {
        return drain.withinBytes() == 0
                ? ""
                : ", %s of that to other disks of the same chunk server"
                        .formatted(Wording.bytes(drain.withinBytes()));
    }

    /** How long it takes at the rate that is set, when one is. */
    private String time(Drain drain) {
        long rate = MoveLimits.of(master.namespace()).moveBytes();
        if (rate == 0 || drain.sources() == 0 || drain.movedBytes() == 0) {
            return "";
        }
        long seconds = drain.movedBytes() / (rate * drain.sources()) + 1;
        return ", in %s or more at %s/s from each of %s"
                .formatted(
                        seconds < 120
                                ? Wording.count(seconds, "second")
                                : Wording.count(seconds / 60, "minute"),
                        Wording.bytes(rate),
                        Wording.count(drain.sources(), "target"));
    }

    private Plan undrain(Subject subject) {
        Plan plan =
                new Plan(
                        () ->
                                done(
                                        new StorageMutation.SetTargetState(
                                                subject.ids(), TargetState.IN_USE)));
        return plan.change(subject.title(), subject.state(map()), "in use")
                .warn("What has moved away stays there.");
    }

    private Plan maintain(Call call) {
        ChunkServer server = server(call);
        Long forSeconds = call.bodyNumber("forSeconds");
        long seconds = forSeconds == null ? 0 : forSeconds;
        Plan plan =
                new Plan(
                        () ->
                                done(
                                        new StorageMutation.SetMaintenance(
                                                server.id(), seconds * 1000)));
        plan.change(
                "maintenance of chunk server " + server.name(),
                until(server),
                "for " + Wording.count(seconds, "second"));
        long alone = Subject.of(map(), server).alone(map()).size();
        if (alone > 0) {
            plan.warn(
                    "%s no other copy that serves: %s cannot be read while %s is down."
                            .formatted(
                                    Wording.count(alone, "placement group")
                                            + (alone == 1 ? " has" : " have"),
                                    alone == 1 ? "its files" : "their files",
                                    server.name()));
        }
        plan.warn("Until it ends nothing of this server is repaired elsewhere.");
        return plan.basedOn(List.of(server.name(), server.maintenanceUntilMs(), seconds));
    }

    private static String until(ChunkServer server) {
        return server.maintenanceUntilMs() == 0
                ? "none"
                : "until " + Instant.ofEpochMilli(server.maintenanceUntilMs());
    }

    private Plan endMaintenance(ChunkServer server) {
        return new Plan(() -> done(new StorageMutation.SetMaintenance(server.id(), 0)))
                .change("maintenance of chunk server " + server.name(), until(server), "none");
    }

    private Outcome done(StorageMutation mutation) {
        return StorageChange.done(master, mutation);
    }
}
