package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.watch.Topology;
import io.cairn.admin.watch.Topology.GroupState;
import io.cairn.base.Printable;
import io.cairn.base.Spelling;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.Labels;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.master.MasterService;
import io.cairn.master.cluster.ScrubRecords;
import io.cairn.wire.master.LeaderMutation.StorageMutation;
import io.cairn.wire.master.RecordChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** {@code /servers}, {@code /targets}, {@code /pools} and {@code /groups}: where data is kept. */
public final class TopologyResource implements Resource {
    private final MasterService master;
    private final Records records;

    public TopologyResource(MasterService master, Records records) {
        this.master = master;
        this.records = records;
    }

    @Override
    public List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        routes.add(
                Route.of("GET", "/servers", Role.READ, "All chunk servers.")
                        .with(Parameter.paging())
                        .answers(Shape.page(Topology.serverShape()))
                        .reads(this::servers));
        routes.add(
                Route.of("GET", "/servers/{name}", Role.READ, "A chunk server.")
                        .answers(Topology.serverShape())
                        .reads(call -> Outcome.of(server(call.text("name")))));
        routes.add(
                Route.of("PATCH", "/servers/{name}", Role.OPERATE, "Sets labels of a chunk server.")
                        .takes(
                                Field.of(
                                        "labels",
                                        new Shape.Table(new Shape.Text(256), Labels.MOST),
                                        "Replaces all labels."))
                        .answers(Topology.serverShape())
                        .changes(this::label));
        routes.add(
                Route.of("GET", "/targets", Role.READ, "All storage directories.")
                        .with(Parameter.paging())
                        .answers(Shape.page(Topology.targetShape()))
                        .reads(this::targets));
        routes.add(
                Route.of("GET", "/targets/{id}", Role.READ, "A storage directory.")
                        .answers(Topology.targetShape())
                        .reads(this::target));
        routes.add(
                Route.of("POST", "/targets/{id}/scrub", Role.OPERATE, "Verifies all copies now.")
                        .answers(Topology.targetShape())
                        .changes(this::scrub));
        routes.addAll(groupRoutes());
        return routes;
    }

    private List<Route> groupRoutes() {
        List<Route> routes = new ArrayList<>();
        routes.add(
                Route.of("GET", "/pools", Role.READ, "All pools.")
                        .with(Parameter.paging())
                        .answers(Shape.page(Topology.poolShape()))
                        .reads(this::pools));
        routes.add(
                Route.of("GET", "/pools/{id}", Role.READ, "A pool.")
                        .answers(Topology.poolShape())
                        .reads(this::pool));
        routes.add(
                Route.of("GET", "/groups", Role.READ, "Placement groups.")
                        .with(Parameter.paging())
                        .with(
                                new Parameter(
                                        "state",
                                        Shape.choice(states()),
                                        "Only these; atRisk: all that are not complete."),
                                new Parameter("target", id(), "Only with this member."),
                                new Parameter("pool", id(), "Only of this pool."))
                        .answers(Shape.page(Topology.groupShape()))
                        .reads(this::groups));
        routes.add(
                Route.of("GET", "/groups/{id}", Role.READ, "A placement group.")
                        .answers(Topology.groupShape())
                        .reads(this::group));
        return routes;
    }

    private static Shape id() {
        return Shape.whole(0, Integer.MAX_VALUE);
    }

    private static List<String> states() {
        List<String> states = new ArrayList<>(GroupState.texts());
        states.add("atRisk");
        return states;
    }

    private static String key(int id) {
        return String.format("%010d", id);
    }

    private Outcome servers(Call call) {
        Topology topology = new Topology(master);
        return Listing.page(call, topology.map().servers(), ChunkServer::name, topology::server);
    }

    private Map<String, Object> server(String name) {
        Topology topology = new Topology(master);
        return topology.server(find(topology, name));
    }

    private static ChunkServer find(Topology topology, String name) {
        List<String> names = topology.map().servers().stream().map(ChunkServer::name).toList();
        return topology.map().servers().stream()
                .filter(server -> server.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                Problem.notFound(
                                        "There is no chunk server '"
                                                + name
                                                + "'."
                                                + Spelling.hint(names, name)));
    }

    private Plan label(Call call) {
        Topology topology = new Topology(master);
        ChunkServer server = find(topology, call.text("name"));
        Labels wanted = wanted(call);
        Labels told = topology.declared(server).labels();
        if (!told.values().isEmpty() && !told.equals(wanted)) {
            throw Problem.conflict(
                    "Chunk server %s was started with --label %s: start it with others."
                            .formatted(server.name(), told));
        }
        Plan plan =
                new Plan(
                        () -> {
                            Log.await(
                                    master.submit(
                                            new StorageMutation.SetLabels(server.id(), wanted)));
                            return Outcome.of(server(server.name()));
                        });
        plan.change(
                "labels of chunk server " + server.name(),
                server.labels().values(),
                wanted.values());
        return plan.warn(
                "Copies keep their places: new ones keep to the new racks and zones. Only those of"
                        + " classes that ask for labels move.");
    }

    private static Labels wanted(Call call) {
        SortedMap<String, String> wanted = new TreeMap<>();
        if (call.body().get("labels") instanceof Map<?, ?> map) {
            map.forEach((key, value) -> wanted.put(String.valueOf(key), String.valueOf(value)));
        }
        try {
            return new Labels(wanted);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("labels", Printable.of(String.valueOf(e.getMessage())));
        }
    }

    private Outcome targets(Call call) {
        Topology topology = new Topology(master);
        return Listing.page(
                call, topology.map().targets(), target -> key(target.id()), topology::target);
    }

    private Outcome target(Call call) {
        Topology topology = new Topology(master);
        return Outcome.of(topology.target(find(topology, call)));
    }

    private static Target find(Topology topology, Call call) {
        Target target = topology.map().target(call.number("id"));
        if (target == null) {
            throw Problem.notFound("There is no target " + call.number("id") + ".");
        }
        return target;
    }

    /** An order is a record that the target's chunk server hears of with its next heartbeat. */
    private Plan scrub(Call call) {
        Topology topology = new Topology(master);
        Target target = find(topology, call);
        String key = ScrubRecords.order(target.identity());
        long before = ScrubRecords.order(master.namespace(), target.identity());
        long number = Math.max(before + 1, master.wallMs());
        RecordChange order =
                new RecordChange(key, records.version(key), ScrubRecords.value(number));
        Plan plan =
                new Plan(
                        () -> {
                            records.change(order);
                            Map<String, Object> document = topology.target(target);
                            document.put("scrubOrder", String.valueOf(number));
                            return Outcome.of(document);
                        });
        return plan.change(
                "verification of target " + target.id(),
                before == 0 ? null : String.valueOf(before),
                "now");
    }

    private Outcome pools(Call call) {
        Topology topology = new Topology(master);
        return Listing.page(call, topology.map().pools(), p -> key(p.id()), topology::pool);
    }

    private Outcome pool(Call call) {
        Topology topology = new Topology(master);
        Pool pool = topology.map().pool(call.number("id"));
        if (pool == null) {
            throw Problem.notFound("There is no pool " + call.number("id") + ".");
        }
        return Outcome.of(topology.pool(pool));
    }

    private Outcome groups(Call call) {
        Topology topology = new Topology(master);
        String state = call.parameter("state");
        int target = (int) call.parameter("target", -1);
        int pool = (int) call.parameter("pool", -1);
        List<PlacementGroup> found =
                topology.map().groups().stream()
                        .filter(g -> state == null || isIn(g, state))
                        .filter(g -> target < 0 || g.stateOf(target) != null)
                        .filter(g -> pool < 0 || g.poolId() == pool)
                        .toList();
        return Listing.page(call, found, group -> key(group.id()), topology::group);
    }

    private static boolean isIn(PlacementGroup group, String state) {
        GroupState is = GroupState.of(group);
        return state.equals("atRisk") ? is != GroupState.COMPLETE : is.text().equals(state);
    }

    private Outcome group(Call call) {
        Topology topology = new Topology(master);
        PlacementGroup group = topology.map().group(call.number("id"));
        if (group == null) {
            throw Problem.notFound("There is no placement group " + call.number("id") + ".");
        }
        return Outcome.of(topology.group(group));
    }
}
