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
import io.cairn.base.Wording;
import io.cairn.fs.FileSystem;
import io.cairn.master.MasterService;
import io.cairn.master.job.JobRunner;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.job.JobRecord;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobMutation.Action;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.JobOrder.Kind;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * {@code /jobs}: work on whole trees, done by the masters in the background. An operator may count,
 * and pause, slow down or cancel any job; a job that changes files is for administrators.
 */
public final class JobsResource implements Resource {
    private static final Shape PACE = Shape.whole(1, JobOrder.MAX_PER_SECOND);

    private static final Parameter STATE =
            new Parameter("state", Shape.choice(JobDocument.states()), "Only those in this state.");

    private final MasterService master;
    private final RandomGenerator random;

    public JobsResource(MasterService master, RandomGenerator random) {
        this.master = master;
        this.random = random;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/jobs", Role.READ, "All jobs, the last one ordered first.")
                        .with(STATE)
                        .with(Parameter.paging())
                        .answers(Shape.page(JobDocument.SHAPE))
                        .reads(this::list),
                Route.of("POST", "/jobs", Role.OPERATE, "Orders a job; all but usage need admin.")
                        .takes(orderFields())
                        .answers(JobDocument.SHAPE)
                        .changes(this::submit),
                Route.of("GET", "/jobs/{id}", Role.READ, "A job.")
                        .answers(JobDocument.SHAPE)
                        .reads(call -> Outcome.of(document(record(call)))),
                Route.of("PATCH", "/jobs/{id}", Role.OPERATE, "Pauses, resumes, changes the pace.")
                        .takes(
                                Field.maybe(
                                        "state",
                                        Shape.choice(List.of("paused", "running")),
                                        "To pause, or to go on when there is room."),
                                Field.maybe("maxPerSecond", PACE, "Names a second."))
                        .answers(JobDocument.SHAPE)
                        .changes(this::control),
                Route.of(
                                "DELETE",
                                "/jobs/{id}",
                                Role.OPERATE,
                                "Cancels it; forgets a finished one.")
                        .changes(this::delete));
    }

    private static Field[] orderFields() {
        List<Field> fields = new ArrayList<>();
        fields.add(Field.of("kind", Shape.choice(JobDocument.orderedKinds()), "What to do."));
        fields.add(
                Field.maybe(
                        "path", new Shape.Text(TreePath.MAX_BYTES), "The tree: /a/b, in UTF-8."));
        fields.add(
                Field.maybe(
                        "pathHex",
                        new Shape.Text(2 * TreePath.MAX_BYTES),
                        "Instead of 'path': its bytes in hexadecimal digits."));
        fields.addAll(EditFields.FIELDS);
        fields.add(Field.maybe("maxPerSecond", PACE, "Names a second; 2000 unless told."));
        return fields.toArray(Field[]::new);
    }

    private Map<String, Object> document(JobRecord record) {
        return JobDocument.full(master.namespace(), master.jobs(), record);
    }

    private Outcome list(Call call) {
        Namespace namespace = master.namespace();
        JobRunner runner = master.jobs();
        String state = call.parameter("state");
        List<JobRecord> wanted =
                namespace.jobs().stream()
                        .filter(j -> state == null || JobDocument.text(j.state()).equals(state))
                        .toList();
        return Listing.page(
                call,
                wanted,
                record -> String.format("%019d", Long.MAX_VALUE - record.job()),
                record -> JobDocument.of(namespace, runner, record));
    }

    private JobRecord record(Call call) {
        return record(call.text("id"));
    }

    private JobRecord record(String id) {
        JobRecord record = null;
        try {
            record = master.namespace().job(Long.parseLong(id));
        } catch (NumberFormatException e) {
            // Told below.
        }
        if (record == null) {
            throw Problem.notFound(
                    "There is no job '" + id + "'; finished ones are kept for a week.");
        }
        return record;
    }

    private Plan submit(Call call) {
        Kind kind = Kind.valueOf(String.valueOf(call.bodyText("kind")).toUpperCase(Locale.ROOT));
        if (kind != Kind.USAGE && !call.caller().role().includes(Role.ADMIN)) {
            throw Problem.forbidden(
                    "A job that changes files needs a token of role 'admin'; '%s' has role '%s'."
                            .formatted(call.caller().token(), call.caller().role().text()));
        }
        InodeEdit edit = EditFields.of(call);
        requireFields(call, kind);
        TreePath tree = TreePath.find(master.namespace(), path(call));
        if (kind == Kind.REMOVE && tree.inode().ino() == FileSystem.ROOT_INO) {
            throw Problem.conflict(
                    "The root of the filesystem cannot be removed; order a job for each entry.");
        }
        Long pace = call.bodyNumber("maxPerSecond");
        JobOrder order =
                new JobOrder(
                        kind,
                        tree.path(),
                        tree.inode().ino(),
                        tree.parentIno(),
                        tree.name(),
                        edit,
                        call.caller().token(),
                        pace == null ? JobOrder.STANDARD_PER_SECOND : pace.intValue());
        long request = random.nextLong();
        Plan plan = new Plan(() -> carryOut(new JobMutation.Submit(request, order)));
        tell(call, plan, tree, order);
        return plan;
    }

    private static byte[] path(Call call) {
        String text = call.bodyText("path");
        String hex = call.bodyText("pathHex");
        if ((text == null) == (hex == null)) {
            throw Problem.invalid("path", "Give 'path', or 'pathHex' when it is not UTF-8.");
        }
        try {
            byte[] path =
                    text != null
                            ? text.getBytes(StandardCharsets.UTF_8)
                            : HexFormat.of().parseHex(hex);
            if (path.length == 0 || path[0] != '/') {
                throw Problem.invalid("path", "A path begins with '/'.");
            }
            return path;
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("pathHex", "'pathHex' must be pairs of hexadecimal digits.");
        }
    }

    /** Each kind takes its own fields, and at least one of them. */
    private static void requireFields(Call call, Kind kind) {
        List<String> own =
                switch (kind) {
                    case CHOWN -> List.of("uid", "gid");
                    case CHMOD -> List.of("mode");
                    case POLICY ->
                            List.of(
                                    "replicas",
                                    "chunkSizeBytes",
                                    "stripe",
                                    "compression",
                                    "inlineLimitBytes");
                    case REMOVE, USAGE, CLASS, CLONE -> List.of();
                };
        String named = JobDocument.text(kind);
        for (Field field : EditFields.FIELDS) {
            if (call.body().containsKey(field.name()) && !own.contains(field.name())) {
                throw Problem.invalid(
                        field.name(),
                        "A job of kind '" + named + "' does not take '" + field.name() + "'.",
                        own);
            }
        }
        boolean isPolicy = kind == Kind.POLICY;
        boolean isGiven =
                own.stream()
                        .anyMatch(
                                name ->
                                        isPolicy
                                                ? call.body().containsKey(name)
                                                : call.body().get(name) != null);
        if (!own.isEmpty() && !isGiven) {
            throw Problem.invalid(
                    own.getFirst(),
                    "A job of kind '" + named + "' needs " + String.join(" or ", own) + ".",
                    own);
        }
    }

    private void tell(Call call, Plan plan, TreePath tree, JobOrder order) {
        String what = "tree " + tree.text();
        Map<String, Object> basis = Json.map();
        basis.put("kind", JobDocument.text(order.kind()));
        basis.put("path", HexFormat.of().formatHex(tree.path()));
        basis.put("ino", tree.inode().ino());
        basis.put("edit", EditFields.toJson(order.edit()));
        basis.put("maxPerSecond", order.maxPerSecond());
        plan.basedOn(basis);
        if (!call.isSet("plan")) {
            // Counting is for people who ask.
            plan.change(what, null, basis.get("kind"));
            return;
        }
        Map<String, Object> count = TreeCount.of(master.namespace(), tree.inode());
        if (order.kind() == Kind.REMOVE) {
            plan.change(what, count, null);
        } else if (order.kind() == Kind.USAGE) {
            plan.warn("It only counts: " + walked(tree.text(), count));
        } else if (order.kind() == Kind.CLASS) {
            plan.change(what, count, "files as their storage classes say");
        } else {
            plan.change(what, count, basis.get("edit"));
        }
        if (!Boolean.TRUE.equals(count.get("complete"))) {
            plan.warn(
                    "The tree has more than %d names; only so many were counted."
                            .formatted(TreeCount.MAX_NAMES));
        }
        if (order.kind() == Kind.REMOVE) {
            plan.warn("What is removed cannot be brought back.");
        } else if (order.kind() == Kind.POLICY || order.kind() == Kind.CLASS) {
            plan.warn("A policy is for new contents; what lies in chunks stays where it is.");
        }
    }

    private static String walked(String tree, Map<String, Object> count) {
        return "tree %s has %s: %s, %s, %s."
                .formatted(
                        tree,
                        counted(count, "names", "name"),
                        counted(count, "files", "file"),
                        counted(count, "directories", "directory"),
                        counted(count, "others", "other"));
    }

    private static String counted(Map<String, Object> count, String field, String one) {
        return Wording.count(count.get(field) instanceof Number n ? n.longValue() : 0, one);
    }

    private Outcome carryOut(JobMutation mutation) {
        Reply reply = Log.await(master.submit(mutation));
        if (!(reply instanceof Reply.JobReply done)) {
            throw FilesResource.refusal(reply);
        }
        String id = String.valueOf(done.job());
        return mutation instanceof JobMutation.Submit
                ? Outcome.created(document(record(id)), "/jobs/" + id)
                : Outcome.of(document(record(id)));
    }

    private Plan control(Call call) {
        JobRecord record = record(call);
        String wanted = call.bodyText("state");
        Long pace = call.bodyNumber("maxPerSecond");
        Action action = action(wanted, pace);
        if (record.state().isFinished()) {
            throw Problem.conflict("Job %d has ended already.".formatted(record.job()));
        }
        Plan plan =
                new Plan(
                        () ->
                                carryOut(
                                        new JobMutation.Control(
                                                record.job(),
                                                record.serial(),
                                                action,
                                                pace == null ? 0 : pace.intValue())));
        boolean isPaused = record.state() == JobRecord.State.PAUSED;
        if (wanted != null && isPaused != wanted.equals("paused")) {
            plan.change("state", JobDocument.text(record.state()), wanted);
        }
        if (pace != null && pace != record.order().maxPerSecond()) {
            plan.change("maxPerSecond", record.order().maxPerSecond(), pace);
        }
        return plan.basedOn(basis(record));
    }

    private static Action action(@Nullable String wanted, @Nullable Long pace) {
        if (wanted == null && pace == null) {
            throw Problem.invalid("state", "Give 'state' or 'maxPerSecond'.");
        }
        if (wanted == null) {
            return Action.PACE;
        }
        return wanted.equals("paused") ? Action.PAUSE : Action.RESUME;
    }

    private static Map<String, Object> basis(JobRecord record) {
        Map<String, Object> basis = Json.map();
        basis.put("id", record.job());
        basis.put("serial", record.serial());
        basis.put("finished", record.state().isFinished());
        return basis;
    }

    private Plan delete(Call call) {
        JobRecord record = record(call);
        boolean isFinished = record.state().isFinished();
        Action action = isFinished ? Action.FORGET : Action.CANCEL;
        JobMutation mutation = new JobMutation.Control(record.job(), record.serial(), action, 0);
        Plan plan =
                new Plan(
                        () -> {
                            Reply reply = Log.await(master.submit(mutation));
                            if (!(reply instanceof Reply.JobReply)) {
                                throw FilesResource.refusal(reply);
                            }
                            return Outcome.done();
                        });
        plan.change(
                "job " + record.job(),
                JobDocument.text(record.state()),
                isFinished ? null : "cancelled");
        if (!isFinished) {
            plan.warn("What the job has done so far stays done.");
        }
        return plan.basedOn(basis(record));
    }
}
