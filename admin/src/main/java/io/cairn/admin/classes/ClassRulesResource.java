package io.cairn.admin.classes;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.resource.TreePath;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.master.MasterService;
import io.cairn.metadata.classes.NamePattern;
import io.cairn.wire.master.JobMutation.ClassMutation;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** {@code /class-rules}: which class new files get, by name, owner and group. */
public final class ClassRulesResource implements Resource {
    /** Numbers of users and groups; the last one means "not changed" in POSIX. */
    private static final Shape ID = Shape.whole(0, 0xffff_fffeL);

    private static final String CLASS = "class";
    private static final String NAME = "name";
    private static final String UID = "uid";
    private static final String GID = "gid";
    private static final String BELOW = "below";
    private static final String BEFORE = "before";

    private static final Shape RULE =
            Shape.fields(
                    Field.of("id", Shape.count(), "Its number."),
                    Field.of(CLASS, Shape.text(), "That it chooses."),
                    Field.maybe(NAME, Shape.text(), "Pattern of names; null: any name."),
                    Field.maybe(UID, ID, "The owner; null: anybody."),
                    Field.maybe(GID, ID, "The group; null: any."),
                    Field.maybe(BELOW, Shape.text(), "The directory; null: everywhere."));

    private final MasterService master;

    /** The rules of a cluster. */
    public ClassRulesResource(MasterService master) {
        this.master = master;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/class-rules", Role.READ, "Rules, the first one that holds first.")
                        .with(Parameter.paging())
                        .answers(Shape.page(RULE))
                        .reads(this::list),
                Route.of("POST", "/class-rules", Role.ADMIN, "Adds a rule for new files.")
                        .takes(
                                Field.of(CLASS, Shape.text(), "That it chooses."),
                                Field.maybe(NAME, Shape.text(), "A pattern such as *.mp4."),
                                Field.maybe(UID, ID, "The owner."),
                                Field.maybe(GID, ID, "The group."),
                                Field.maybe(
                                        BELOW,
                                        new Shape.Text(TreePath.MAX_BYTES),
                                        "Only in this directory and below: /a/b."),
                                Field.maybe(
                                        BEFORE,
                                        Shape.whole(1, Integer.MAX_VALUE),
                                        "The rule that it goes before; null: after all."))
                        .answers(RULE)
                        .changes(this::add),
                Route.of("DELETE", "/class-rules/{id}", Role.ADMIN, "Removes a rule.")
                        .changes(this::remove));
    }

    private List<ClassRule> rules() {
        return master.namespace().classes().rules();
    }

    private Outcome list(Call call) {
        List<ClassRule> rules = rules();
        return Listing.page(
                call, rules, each -> String.format("%04d", rules.indexOf(each)), this::document);
    }

    private Map<String, Object> document(ClassRule rule) {
        Map<String, Object> document = Json.map();
        document.put("id", rule.id());
        document.put(CLASS, rule.className());
        document.put(NAME, rule.pattern().isEmpty() ? null : rule.pattern());
        document.put(UID, rule.uid() == ClassRule.ANY ? null : Integer.toUnsignedLong(rule.uid()));
        document.put(GID, rule.gid() == ClassRule.ANY ? null : Integer.toUnsignedLong(rule.gid()));
        document.put(
                BELOW,
                rule.below() == ClassRule.EVERYWHERE
                        ? null
                        : TreePath.textOf(master.namespace(), rule.below()));
        return document;
    }

    private ClassRule asked(Call call) {
        String name = call.bodyText(NAME);
        if (name != null) {
            try {
                NamePattern.of(name);
            } catch (IllegalArgumentException e) {
                throw Problem.invalid(NAME, String.valueOf(e.getMessage()));
            }
        }
        ClassRule asked =
                new ClassRule(
                        0,
                        className(call),
                        name == null ? "" : name,
                        id(call, UID),
                        id(call, GID),
                        below(call));
        if (!asked.saysSomething()) {
            throw Problem.invalid(
                    NAME,
                    "The rule is about all files: give name, uid or gid; for all files of a"
                            + " directory give the directory the class.");
        }
        return asked;
    }

    private String className(Call call) {
        String wanted = String.valueOf(call.bodyText(CLASS));
        List<String> names =
                master.namespace().classes().all().stream().map(StorageClass::name).toList();
        if (!names.contains(wanted)) {
            throw Problem.invalid(
                    CLASS,
                    "There is no class '%s'. There are: %s."
                            .formatted(
                                    wanted, names.isEmpty() ? "none" : String.join(", ", names)));
        }
        return wanted;
    }

    private static int id(Call call, String field) {
        Long number = call.bodyNumber(field);
        return number == null ? ClassRule.ANY : number.intValue();
    }

    private long below(Call call) {
        String path = call.bodyText(BELOW);
        if (path == null) {
            return ClassRule.EVERYWHERE;
        }
        TreePath found = TreePath.find(master.namespace(), path.getBytes(StandardCharsets.UTF_8));
        if (!found.inode().attributes().isDirectory()) {
            throw Problem.conflict("'" + found.text() + "' is not a directory: name one.");
        }
        return found.inode().ino();
    }

    private Plan add(Call call) {
        ClassRule asked = asked(call);
        Long number = call.bodyNumber(BEFORE);
        int before = number == null ? 0 : number.intValue();
        if (before != 0) {
            find(before);
        }
        Plan plan =
                new Plan(
                        () ->
                                ClassChange.carryOut(
                                        master,
                                        new ClassMutation.AddClassRule(asked, before),
                                        () -> Outcome.created(document(made(asked)), location())));
        plan.change("rule", null, TreePath.textOf(master.namespace(), asked));
        plan.warn("It holds for new files; files that are there stay as they are.");
        return plan.basedOn(List.of(call.body(), rules().stream().map(this::document).toList()));
    }

    /** The one about the same files: there are no two of these. */
    private ClassRule made(ClassRule asked) {
        return rules().stream()
                .filter(each -> each.isAboutTheSame(asked))
                .findFirst()
                .orElse(asked);
    }

    private String location() {
        int last = rules().stream().mapToInt(ClassRule::id).max().orElse(0);
        return "/class-rules/" + last;
    }

    private ClassRule find(int id) {
        return rules().stream()
                .filter(each -> each.id() == id)
                .findFirst()
                .orElseThrow(() -> Problem.notFound("There is no rule " + id + "." + known()));
    }

    private String known() {
        List<String> ids =
                rules().stream()
                        .sorted(Comparator.comparingInt(ClassRule::id))
                        .map(each -> String.valueOf(each.id()))
                        .toList();
        return ids.isEmpty() ? " There are none." : " There are: " + String.join(", ", ids) + ".";
    }

    private Plan remove(Call call) {
        ClassRule found = find(call.number("id"));
        Plan plan =
                new Plan(
                        () ->
                                ClassChange.carryOut(
                                        master,
                                        new ClassMutation.RemoveClassRule(found.id()),
                                        Outcome::done));
        plan.change("rule", TreePath.textOf(master.namespace(), found), null);
        return plan.basedOn(document(found));
    }
}
