package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.base.Spelling;
import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterGroup;
import io.cairn.master.MasterGroup.Change;
import io.cairn.master.MasterGroup.Newcomer;
import io.cairn.master.MasterGroup.Share;
import io.cairn.master.MasterGroup.Standing;
import io.cairn.master.MasterRelease;
import io.cairn.master.MasterService;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * {@code /masters}: who leads, how far the others are; other masters, another leader, another
 * level.
 */
public final class MastersResource implements Resource {
    private static final long MANY_ENTRIES = 10_000;

    private static final Shape SHAPE =
            Shape.fields(
                    Field.of("id", Shape.text(), "As given with --id."),
                    Field.of("raft", Shape.text(), "Where the other masters reach it."),
                    Field.maybe("address", Shape.text(), "For clients; null before it was heard."),
                    Field.of("role", Shape.choice(List.of("leader", "follower")), "What it is."),
                    Field.of(
                            "state",
                            Shape.choice(Standing.states()),
                            "Whether the leader hears it, and whether it holds everything."),
                    Field.maybe(
                            "silentSince",
                            Shape.text(),
                            "When the leader heard it last; null unless it is down."),
                    Field.maybe("release", Shape.text(), "What it runs; null when not heard."),
                    Field.maybe(
                            "newestVersion",
                            Shape.count(),
                            "Of the protocol, as it understands it; null when not heard."),
                    Field.of("term", Shape.count(), "Grows with every election."),
                    Field.maybe("commitIndex", Shape.count(), "Log entries it has."),
                    Field.maybe("lagEntries", Shape.count(), "Log entries it lacks."));

    private static final Field[] NEWCOMER = {
        Field.of("id", Shape.text(), "As given with --id."),
        Field.of("raft", Shape.text(), "Where the other masters reach it, as in its --raft.")
    };

    /** Shorter than what a master waits for the answer of another one. */
    private static final long CHANGE_MS = 14_000;

    private final MasterGroup group;
    private final MasterService master;
    private final Clock clock;

    /** The masters of a group, as the leader sees them. */
    public MastersResource(MasterGroup group, MasterService master, Clock clock) {
        this.group = group;
        this.master = master;
        this.clock = clock;
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
                        .changes(this::lead),
                Route.of("POST", "/masters", Role.ADMIN, "Makes a newcomer one of the masters.")
                        .takes(NEWCOMER)
                        .changes(call -> change(new Change(newcomer(call), null))),
                Route.of("DELETE", "/masters/{id}", Role.ADMIN, "Removes a master for good.")
                        .changes(call -> change(new Change(null, find(call).id()))),
                Route.of(
                                "POST",
                                "/masters/{id}/replace",
                                Role.ADMIN,
                                "Puts a newcomer in the place of a master, which may be dead.")
                        .takes(NEWCOMER)
                        .changes(call -> change(new Change(newcomer(call), find(call).id()))),
                Route.of("POST", "/cluster/level", Role.ADMIN, "Ends a rolling upgrade.")
                        .changes(_ -> raise()));
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

    private Map<String, Object> document(Standing standing) {
        Map<String, Object> document = Json.map();
        document.put("id", standing.id());
        document.put("raft", standing.raft().toString());
        Endpoint client = standing.client();
        document.put("address", client == null ? null : client.toString());
        document.put("role", standing.leads() ? "leader" : "follower");
        document.put("state", standing.state());
        document.put("silentSince", standing.silentSince(clock));
        MasterRelease release = releases().get(standing.id());
        document.put("release", release == null ? null : release.release());
        document.put("newestVersion", release == null ? null : release.newest());
        document.put("term", group.term());
        boolean isKnown = standing.commitIndex() >= 0;
        document.put("commitIndex", isKnown ? standing.commitIndex() : null);
        long lag = leader().commitIndex() - standing.commitIndex();
        document.put("lagEntries", isKnown ? Math.max(0, lag) : null);
        return document;
    }

    private Map<String, MasterRelease> releases() {
        return master.releases().stream()
                .collect(Collectors.toMap(MasterRelease::id, release -> release));
    }

    /** Lets the cluster use what all its masters understand. */
    private Plan raise() {
        Map<String, MasterRelease> releases = releases();
        String silent =
                group.masters().stream()
                        .map(Standing::id)
                        .filter(id -> !releases.containsKey(id))
                        .collect(Collectors.joining(", "));
        if (!silent.isEmpty()) {
            throw Problem.conflict(
                    "Nobody knows what these masters understand: %s. Start them, then try again."
                            .formatted(silent));
        }
        int level = master.namespace().level();
        int common = releases.values().stream().mapToInt(MasterRelease::newest).min().orElse(0);
        if (common <= level) {
            String old =
                    releases.values().stream()
                            .filter(each -> each.newest() <= level)
                            .map(each -> each.id() + " (" + each.release() + ")")
                            .sorted()
                            .collect(Collectors.joining(", "));
            throw Problem.conflict(
                    ("The cluster is at level %d, and these masters understand no more: %s."
                                    + " Install the newer release there first, if there is one.")
                            .formatted(level, old));
        }
        Plan plan =
                new Plan(
                        () -> {
                            Log.await(master.submit(new LeaderMutation.RaiseLevel(common)));
                            return Outcome.done();
                        });
        plan.change("level", level, common).noteBefore();
        plan.warn("Masters of releases that do not understand it cannot be started any more.");
        return plan;
    }

    private static Newcomer newcomer(Call call) {
        String raft = String.valueOf(call.bodyText("raft"));
        try {
            return new Newcomer(String.valueOf(call.bodyText("id")), Endpoint.parse(raft));
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("raft", String.valueOf(e.getMessage()));
        }
    }

    private Plan change(Change change) {
        String refusal = group.refusal(change);
        if (refusal != null) {
            throw Problem.conflict(refusal);
        }
        Plan plan =
                new Plan(
                        () -> {
                            await(group.change(change));
                            return Outcome.done();
                        });
        Newcomer joins = change.joins();
        String leaves = change.leaves();
        if (leaves != null) {
            plan.change("master " + leaves, "one of the masters", null);
        }
        if (joins != null) {
            plan.change("master " + joins.id(), null, "one of the masters, at " + joins.raft());
        }
        group.warnings(change).forEach(plan::warn);
        return plan.noteBefore();
    }

    /** A newcomer gets the whole state, which may last. */
    private static void await(CompletableFuture<Void> change) {
        try {
            Log.await(change.orTimeout(CHANGE_MS, TimeUnit.MILLISECONDS));
        } catch (IllegalStateException e) {
            if (e.getCause() instanceof ExecutionException failed
                    && failed.getCause() instanceof TimeoutException) {
                throw Problem.unavailable(
                        "The change goes on: a newcomer gets the whole state first. Look at the"
                                + " list of masters again.");
            }
            throw e;
        }
    }

    private Plan lead(Call call) {
        Standing next = find(call);
        Standing now = leader();
        if (next.leads()) {
            throw Problem.conflict("Master " + next.id() + " leads already.");
        }
        if (next.share() != Share.FULL && next.share() != Share.UNKNOWN) {
            throw Problem.conflict(
                    "Master %s cannot lead: it is in the state '%s'."
                            .formatted(next.id(), next.state()));
        }
        if (!next.state().equals("up")) {
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
            plan.warn(
                    "Master "
                            + next.id()
                            + " lacks "
                            + Wording.count(lag, "log entry")
                            + ": it takes longer.");
        }
        return plan;
    }
}
