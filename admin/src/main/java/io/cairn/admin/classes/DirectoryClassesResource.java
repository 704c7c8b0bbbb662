package io.cairn.admin.classes;

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
import io.cairn.admin.resource.TreePath;
import io.cairn.admin.snapshot.ClassSchedules;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.master.MasterService;
import io.cairn.metadata.classes.StorageClasses.Assignment;
import io.cairn.wire.master.JobMutation.ClassMutation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /directory-classes}: directories that have a storage class. */
public final class DirectoryClassesResource implements Resource {
    private static final Shape ASSIGNMENT =
            Shape.fields(
                    Field.of("path", Shape.text(), "The file or directory."),
                    Field.maybe("class", Shape.text(), "That holds for it; null: none."),
                    Field.maybe("from", Shape.text(), "The directory where it was set."),
                    Field.maybe("rule", Shape.text(), "The rule that chooses it for a file."));

    private final MasterService master;
    private final ClassSchedules schedules;

    /** The directories of a cluster, and the snapshots that their classes say. */
    public DirectoryClassesResource(MasterService master, ClassSchedules schedules) {
        this.master = master;
        this.schedules = schedules;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of(
                                "GET",
                                "/directory-classes/{path*}",
                                Role.READ,
                                "The class that holds for a file or directory.")
                        .answers(ASSIGNMENT)
                        .reads(call -> Outcome.of(assignment(place(call)))),
                Route.of(
                                "PUT",
                                "/directory-classes/{path*}",
                                Role.ADMIN,
                                "Sets the class of a directory and of what is below.")
                        .takes(Field.maybe("class", Shape.text(), "Null: as the directory above."))
                        .answers(ASSIGNMENT)
                        .changes(this::assign));
    }

    private TreePath place(Call call) {
        return TreePath.find(master.namespace(), call.bytes("path"));
    }

    private Map<String, Object> assignment(TreePath place) {
        Assignment found = master.namespace().classes().of(place.inode().ino());
        Map<String, Object> document = Json.map();
        document.put("path", place.text());
        document.put("class", found == null ? null : found.name());
        ClassRule rule = found == null ? null : found.rule();
        document.put("from", found == null || rule != null ? null : path(found.ino()));
        document.put("rule", rule == null ? null : TreePath.textOf(master.namespace(), rule));
        return document;
    }

    private Plan assign(Call call) {
        TreePath place = place(call);
        if (!place.inode().attributes().isDirectory()) {
            throw Problem.conflict(
                    "'" + place.text() + "' is not a directory: name the one that it is in.");
        }
        String wanted = call.bodyText("class");
        requireClass(wanted);
        long ino = place.inode().ino();
        String schedule = wanted == null ? null : schedules.text(wanted);
        if (wanted != null && schedule != null) {
            schedules.requireRoom(wanted, schedule, ino);
        }
        Plan plan =
                new Plan(
                        () ->
                                ClassChange.carryOut(
                                        master,
                                        new ClassMutation.AssignClass(
                                                ino, wanted == null ? "" : wanted),
                                        () -> assigned(place)));
        Assignment found = master.namespace().classes().of(ino);
        boolean isOwn = found != null && found.ino() == ino;
        String before = found != null && isOwn ? found.name() : null;
        plan.change("class of " + place.text(), before, wanted);
        plan.warn("It holds for new files; files that are there stay as they are.");
        if (schedule != null) {
            plan.warn(
                    "The class says that snapshots are taken and kept: %s. A schedule of the"
                                    .formatted(schedule)
                            + " directory itself comes before it.");
        }
        Map<String, Object> basis = Json.map();
        basis.put("ino", ino);
        basis.put("before", before);
        basis.put("after", wanted);
        return plan.basedOn(basis);
    }

    private Outcome assigned(TreePath place) {
        schedules.assigned();
        return Outcome.of(assignment(place));
    }

    private void requireClass(@Nullable String wanted) {
        List<String> names =
                master.namespace().classes().all().stream().map(StorageClass::name).toList();
        if (wanted != null && !names.contains(wanted)) {
            throw Problem.invalid(
                    "class",
                    "There is no class '%s'. There are: %s."
                            .formatted(
                                    wanted, names.isEmpty() ? "none" : String.join(", ", names)));
        }
    }

    private String path(long ino) {
        return TreePath.textOf(master.namespace(), ino);
    }
}
