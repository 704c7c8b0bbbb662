package io.cairn.admin.check;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.master.check.Fsck;
import io.cairn.master.check.Fsck.Finding;
import io.cairn.master.check.Fsck.State;
import io.cairn.master.check.Fsck.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code /fsck}: the check of the running cluster. */
public final class FsckResource implements Resource {
    private static final Shape FINDING =
            Shape.fields(
                    Field.of("kind", Shape.text(), "What kind of fault, in camel case."),
                    Field.of("text", Shape.text(), "What is wrong, with paths of files."),
                    Field.of("harmless", Shape.flag(), "It only takes room."),
                    Field.of("repaired", Shape.flag(), "This check has mended it."));

    private static final Shape SHAPE =
            Shape.fields(
                    Field.of("state", Shape.choice(states()), "How far it is."),
                    Field.of("phase", Shape.text(), "What it does, or did last."),
                    Field.of("repair", Shape.flag(), "Whether it repairs."),
                    Field.maybe("startedAt", Shape.time(), "When it began."),
                    Field.maybe("finishedAt", Shape.time(), "When it ended."),
                    Field.of("inodes", Shape.count(), "Inodes looked at."),
                    Field.of("chunks", Shape.count(), "Chunks looked at, again included."),
                    Field.of("faults", Shape.count(), "Findings that harm; those told."),
                    Field.of("leftovers", Shape.count(), "Findings that only take room."),
                    Field.of("findings", Shape.items(FINDING), "What is not as it should be."),
                    Field.of("omitted", Shape.count(), "Findings besides those told."),
                    Field.of(
                            "unchecked",
                            Shape.items(Shape.text()),
                            "What could not be looked at, and why."),
                    Field.maybe("error", Shape.text(), "Why it failed."));

    private final Fsck fsck;

    public FsckResource(Fsck fsck) {
        this.fsck = fsck;
    }

    private static List<String> states() {
        return Arrays.stream(State.values()).map(FsckResource::text).toList();
    }

    private static String text(State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/fsck", Role.READ, "The check that runs, or the last one.")
                        .answers(SHAPE)
                        .reads(_ -> Outcome.of(document())),
                Route.of(
                                "POST",
                                "/fsck",
                                Role.OPERATE,
                                "Begins a check of names, contents and chunks; nothing stops.")
                        .takes(
                                Field.maybe(
                                        "repair",
                                        Shape.flag(),
                                        "Delete chunks that belong to no file."))
                        .answers(SHAPE)
                        .changes(this::start));
    }

    private Plan start(Call call) {
        boolean repair = Boolean.TRUE.equals(call.body().get("repair"));
        if (fsck.status().state() == State.RUNNING) {
            throw Problem.conflict("A check runs already; GET /fsck tells how far it is.");
        }
        Plan plan =
                new Plan(
                        () -> {
                            if (!fsck.start(repair)) {
                                throw Problem.conflict("A check runs already.");
                            }
                            return Outcome.of(document());
                        });
        plan.change("check", text(fsck.status().state()), "running");
        if (repair) {
            plan.warn("Chunks that belong to no file in two looks are deleted for good.");
        }
        return plan;
    }

    private Map<String, Object> document() {
        Status status = fsck.status();
        Map<String, Object> document = Json.map();
        document.put("state", text(status.state()));
        document.put("phase", status.phase());
        document.put("repair", status.repair());
        document.put("startedAt", time(status.startedMs()));
        document.put("finishedAt", time(status.finishedMs()));
        document.put("inodes", status.inodes());
        document.put("chunks", status.chunks());
        long leftovers = status.findings().stream().filter(Finding::harmless).count();
        document.put("faults", status.findings().size() - leftovers);
        document.put("leftovers", leftovers);
        List<Object> findings = new ArrayList<>();
        for (Finding finding : status.findings()) {
            Map<String, Object> each = Json.map();
            each.put("kind", finding.kind());
            each.put("text", finding.text());
            each.put("harmless", finding.harmless());
            each.put("repaired", finding.repaired());
            findings.add(each);
        }
        document.put("findings", findings);
        document.put("omitted", status.omitted());
        document.put("unchecked", status.unchecked());
        document.put("error", status.error());
        return document;
    }

    private static @org.jspecify.annotations.Nullable String time(long ms) {
        return ms == 0 ? null : Instant.ofEpochMilli(ms).toString();
    }
}
