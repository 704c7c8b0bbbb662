package io.cairn.master.admin;

import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterGroup;
import io.cairn.master.MasterGroup.Standing;
import java.util.List;
import java.util.Map;

/** {@code /masters}: who leads, how far the others are; moving leadership. */
public final class MastersResource implements Resource {
    private static final int SILENT_MS = 3_000;
    private static final long MANY_ENTRIES = 10_000;

    private static final Shape SHAPE =
            Shape.fields(
                    Field.of("id", Shape.text(), "As given with --id."),
                    Field.of("raft", Shape.text(), "Where the other masters reach it."),
                    Field.maybe("address", Shape.text(), "For clients; null before it has led."),
                    Field.of("role", Shape.choice(List.of("leader", "follower")), "What it is."),
                    Field.of(
                            "state",
                            Shape.choice(List.of("up", "down", "unknown")),
                            "Whether the leader hears it."),
                    Field.of("term", Shape.count(), "Grows with every election."),
                    Field.maybe("commitIndex", Shape.count(), "Log entries it has."),
                    Field.maybe("lagEntries", Shape.count(), "Log entries it lacks."));

    private final MasterGroup group;

    /** The masters of a group, as the leader sees them. */
    public MastersResource(MasterGroup group) {
        this.group = group;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/masters", Role.READ, "All masters.")
                        .with(Parameter.paging())
                        .answers(Shape.page(SHAPE))
                        .reads(
                                call ->
                                        Listing.page(
                                                call,
                                                group.masters(),
                                                Standing::id,
                                                this::document)),
                Route.of("GET", "/masters/{id}", Role.READ, "A master.")
                        .answers(SHAPE)
                        .reads(call -> Outcome.of(document(find(call)))),
                Route.of("POST", "/masters/{id}/lead", Role.OPERATE, "Makes a master lead.")
                        .changes(this::lead));
    }

    private Standing find(Call call) {
        String id = call.text("id");
        List<Standing> all = group.masters();
        List<String> names = all.stream().map(Standing::id).toList();
        return all.stream()
                .filter(master -> master.id().equals(id))
                .findFirst()
                .orElseThrow(
                        () ->
                                Problem.notFound(
                                        "There is no master '%s'.%s"
                                                .formatted(id, Spelling.hint(names, id))));
    }

    private Standing leader() {
        return group.masters().stream()
                .filter(Standing::leads)
                .findFirst()
                .orElseThrow(() -> Problem.unavailable("There is no leader now; ask again."));
    }

    private Map<String, Object> document(Standing master) {
        Map<String, Object> document = Json.map();
        document.put("id", master.id());
        document.put("raft", master.raft().toString());
        Endpoint client = master.client();
        document.put("address", client == null ? null : client.toString());
        document.put("role", master.leads() ? "leader" : "follower");
        document.put("state", state(master));
        document.put("term", group.term());
        boolean isKnown = master.commitIndex() >= 0;
        document.put("commitIndex", isKnown ? master.commitIndex() : null);
        long lag = leader().commitIndex() - master.commitIndex();
        document.put("lagEntries", isKnown ? Math.max(0, lag) : null);
        return document;
    }

    private static String state(Standing master) {
        if (master.silentMs() < 0) {
            return "unknown";
        }
        return master.silentMs() < SILENT_MS ? "up" : "down";
    }

    private Plan lead(Call call) {
        Standing next = find(call);
        Standing now = leader();
        if (next.leads()) {
            throw Problem.conflict("Master " + next.id() + " leads already.");
        }
        if (!state(next).equals("up")) {
            throw Problem.conflict(
                    "Master " + next.id() + " does not answer: start it, then try again.");
        }
        Plan plan =
                new Plan(
                        () -> {
                            Log.await(group.lead(next.id()));
                            return Outcome.done();
                        });
        plan.change("leader", now.id(), next.id()).noteBefore();
        plan.warn("Requests wait for a moment, usually less than a second.");
        long lag = now.commitIndex() - next.commitIndex();
        if (lag > MANY_ENTRIES) {
            plan.warn("Master " + next.id() + " lacks " + lag + " log entries: it takes longer.");
        }
        return plan;
    }
}
