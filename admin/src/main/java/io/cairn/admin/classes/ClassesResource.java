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
import io.cairn.admin.resource.EditFields;
import io.cairn.admin.resource.TreePath;
import io.cairn.admin.snapshot.ClassSchedules;
import io.cairn.base.Wording;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Labels;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.master.MasterService;
import io.cairn.metadata.classes.StorageClasses.Assignment;
import io.cairn.wire.master.JobMutation.ClassMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /classes}: named policies that directories refer to. */
public final class ClassesResource implements Resource {
    private static final int MAX_STRIPE = 65_536;

    private static final long MAX_TRASH_S = 100L * 366 * 86_400;

    /** Directories that a document of a class names. */
    private static final int MAX_NAMED = 100;

    private static final String REPLICAS = "replicas";
    private static final String CHUNK_SIZE = "chunkSizeBytes";
    private static final String STRIPE = "stripe";
    private static final String COMPRESSION = "compression";
    private static final String INLINE = "inlineLimitBytes";
    private static final String LABELS = "labels";
    private static final String TRASH = "trashSeconds";
    private static final String SCHEDULE = "schedule";

    private static final Field[] FIELDS = {
        Field.maybe(
                REPLICAS,
                Shape.whole(1, Policy.MAX_REPLICAS),
                "Copies of new files; null: as the directory says."),
        Field.maybe(
                CHUNK_SIZE,
                Shape.whole(1L << Layout.MIN_CHUNK_SIZE_LOG2, 1L << Layout.MAX_CHUNK_SIZE_LOG2),
                "Of new files, a power of two; null: as the directory says."),
        Field.maybe(
                STRIPE,
                Shape.whole(0, MAX_STRIPE),
                "Placement groups that new files use in turn, 0: all; null: as the directory."),
        Field.maybe(
                COMPRESSION,
                Shape.choice(Compression.texts()),
                "How chunks of new files are packed when they rest; null: as the directory."),
        Field.maybe(
                INLINE,
                Shape.whole(0, Policy.MAX_INLINE_BYTES),
                "Files up to it have their contents in the masters: 0, or a power of two from 512;"
                        + " null: as the directory."),
        ClassKeys.FIELD,
        Field.maybe(
                LABELS,
                Shape.text(),
                "Of chunk servers for copies of new files: KEY=VALUE, KEY, with ! for without, and"
                        + " commas between them; or 'any'; with semicolons between those of single"
                        + " copies; null: as the directory."),
        Field.maybe(
                TRASH,
                Shape.whole(0, MAX_TRASH_S),
                "How long removed files are kept; 0: not; null: as the directory above says."),
        Field.maybe(
                SCHEDULE,
                Shape.text(),
                "Snapshots that are taken of directories that have the class, and how many are"
                        + " kept: hourly=24,daily=7; null: none.")
    };

    private static final Field NAME =
            Field.of("name", Shape.text(), "1 to 64 of a-z, 0-9, '.', '-', '_'.");

    private static final Shape CLASS = Shape.fields(fieldsOfClass());

    private final MasterService master;
    private final ClassKeys keys;
    private final ClassSchedules schedules;

    /** The classes of a cluster, their keys, and the snapshots that they say. */
    public ClassesResource(MasterService master, ClassKeys keys, ClassSchedules schedules) {
        this.master = master;
        this.keys = keys;
        this.schedules = schedules;
    }

    private static Field[] fieldsOfClass() {
        List<Field> all = new ArrayList<>(List.of(fieldsOfNew()));
        all.add(Field.of("keys", Shape.items(Shape.count()), "Made for it and not dropped."));
        all.add(Field.of("directoryCount", Shape.count(), "Directories that have it."));
        all.add(Field.of("directories", Shape.items(Shape.text()), "The first 100 of them."));
        all.add(Field.of("rules", Shape.items(Shape.count()), "Numbers of those that choose it."));
        return all.toArray(Field[]::new);
    }

    private static Field[] fieldsOfNew() {
        List<Field> all = new ArrayList<>();
        all.add(NAME);
        all.addAll(List.of(FIELDS));
        return all.toArray(Field[]::new);
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/classes", Role.READ, "All storage classes.")
                        .with(Parameter.paging())
                        .answers(Shape.page(CLASS))
                        .reads(this::list),
                Route.of("POST", "/classes", Role.ADMIN, "Makes a storage class.")
                        .takes(fieldsOfNew())
                        .answers(CLASS)
                        .changes(this::make),
                Route.of("GET", "/classes/{name}", Role.READ, "A storage class.")
                        .answers(CLASS)
                        .reads(call -> Outcome.of(document(find(call.text("name"))))),
                Route.of("PATCH", "/classes/{name}", Role.ADMIN, "Changes it for new files.")
                        .takes(FIELDS)
                        .answers(CLASS)
                        .changes(this::change),
                Route.of("DELETE", "/classes/{name}", Role.ADMIN, "Removes one that is not used.")
                        .changes(this::remove));
    }

    private Outcome list(Call call) {
        Map<String, List<Assignment>> users =
                master.namespace().classes().assignments().stream()
                        .collect(Collectors.groupingBy(Assignment::name));
        return Listing.page(
                call,
                master.namespace().classes().all(),
                StorageClass::name,
                each -> document(each, users.getOrDefault(each.name(), List.of())));
    }

    private StorageClass find(String name) {
        StorageClass found = findOrNull(name);
        if (found == null) {
            throw Problem.notFound(
                    "There is no class '%s'. There are: %s.".formatted(name, names()));
        }
        return found;
    }

    private @Nullable StorageClass findOrNull(String name) {
        for (StorageClass each : master.namespace().classes().all()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    private String names() {
        List<String> names =
                master.namespace().classes().all().stream().map(StorageClass::name).toList();
        return names.isEmpty() ? "none" : String.join(", ", names);
    }

    private List<Assignment> users(String name) {
        return master.namespace().classes().assignments().stream()
                .filter(each -> each.name().equals(name))
                .toList();
    }

    private String path(long ino) {
        return TreePath.textOf(master.namespace(), ino);
    }

    private List<ClassRule> rulesOf(String name) {
        return master.namespace().classes().rules().stream()
                .filter(each -> each.className().equals(name))
                .toList();
    }

    private Map<String, Object> document(StorageClass storageClass) {
        return document(storageClass, users(storageClass.name()));
    }

    private Map<String, Object> document(StorageClass storageClass, List<Assignment> users) {
        Map<String, Object> document = Json.map();
        document.put("name", storageClass.name());
        putFields(document, storageClass);
        document.put(SCHEDULE, schedules.text(storageClass.name()));
        document.put("keys", ClassKeys.numbers(keys.of(storageClass.name())));
        document.put("directoryCount", users.size());
        document.put("rules", rulesOf(storageClass.name()).stream().map(ClassRule::id).toList());
        document.put(
                "directories",
                users.stream().limit(MAX_NAMED).map(each -> path(each.ino())).toList());
        return document;
    }

    private static void putFields(Map<String, Object> document, StorageClass storageClass) {
        Policy policy = storageClass.policy();
        document.put(REPLICAS, policy.replicas() > 0 ? policy.replicas() : null);
        document.put(CHUNK_SIZE, policy.chunkSizeLog2() > 0 ? 1L << policy.chunkSizeLog2() : null);
        document.put(STRIPE, policy.stripeWidth() >= 0 ? policy.stripeWidth() : null);
        document.put(COMPRESSION, policy.compression().said());
        document.put(INLINE, policy.inlineBytes() >= 0 ? policy.inlineBytes() : null);
        document.put(LABELS, policy.labels().said());
        ClassKeys.put(document, policy);
        document.put(TRASH, storageClass.trashSeconds() >= 0 ? storageClass.trashSeconds() : null);
    }

    private static Map<String, Object> fields(
            StorageClass storageClass, @Nullable String schedule) {
        Map<String, Object> document = Json.map();
        putFields(document, storageClass);
        document.put(SCHEDULE, schedule);
        return document;
    }

    private static @Nullable String schedule(Call call, @Nullable String before) {
        if (!call.body().containsKey(SCHEDULE)) {
            return before;
        }
        String text = call.bodyText(SCHEDULE);
        try {
            return text == null ? null : ClassSchedules.normal(text);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(SCHEDULE, "'schedule': " + e.getMessage() + ".");
        }
    }

    /** What a body says, and the rest as it was. */
    private static StorageClass asked(Call call, StorageClass before) {
        Policy policy = before.policy();
        Policy asked =
                new Policy(
                        (int) number(call, REPLICAS, policy.replicas(), 0),
                        chunkSizeLog2(call, policy.chunkSizeLog2()),
                        (int) number(call, STRIPE, policy.stripeWidth(), -1),
                        compression(call, policy.compression()),
                        inline(call, policy.inlineBytes()),
                        labels(call, policy.labels()),
                        ClassKeys.asked(call, policy.key()));
        boolean isAsked =
                asked.chunkSizeLog2() != policy.chunkSizeLog2()
                        || asked.compression() != policy.compression();
        if (isAsked && asked.packsLargeChunks()) {
            throw Problem.invalid(
                    CHUNK_SIZE,
                    "A class with a compression has chunks of 16 MiB at most, because the first"
                            + " change of a packed chunk unpacks all of it: give a"
                            + " 'chunkSizeBytes' up to 16777216, or no compression.");
        }
        return new StorageClass(
                before.name(),
                asked,
                number(call, TRASH, before.trashSeconds(), StorageClass.UNSAID));
    }

    private static long number(Call call, String field, long before, long unsaid) {
        if (!call.body().containsKey(field)) {
            return before;
        }
        Long number = call.bodyNumber(field);
        return number == null ? unsaid : number;
    }

    private static Compression compression(Call call, Compression before) {
        if (!call.body().containsKey(COMPRESSION)) {
            return before;
        }
        return Compression.of(call.bodyText(COMPRESSION));
    }

    private static int inline(Call call, int before) {
        int bytes = (int) number(call, INLINE, before, Policy.UNSAID_INLINE);
        EditFields.requireInlineLimit(bytes);
        return bytes;
    }

    private static Labels.Expression labels(Call call, Labels.Expression before) {
        return call.body().containsKey(LABELS)
                ? ClassLabels.read(LABELS, call.bodyText(LABELS))
                : before;
    }

    private static int chunkSizeLog2(Call call, int before) {
        if (!call.body().containsKey(CHUNK_SIZE)) {
            return before;
        }
        Long bytes = call.bodyNumber(CHUNK_SIZE);
        if (bytes != null && Long.bitCount(bytes) != 1) {
            throw Problem.invalid(
                    CHUNK_SIZE,
                    "'chunkSizeBytes' must be a power of two such as 4194304, not " + bytes + ".");
        }
        return bytes == null ? 0 : Long.numberOfTrailingZeros(bytes);
    }

    private Plan make(Call call) {
        String name = String.valueOf(call.bodyText("name"));
        if (!StorageClass.isName(name)) {
            throw Problem.invalid(
                    "name",
                    "'name' must be 1 to 64 of a-z, 0-9, '.', '-', '_': not '" + name + "'.");
        }
        requireNew(name);
        StorageClass made =
                asked(call, new StorageClass(name, Policy.STANDARD, StorageClass.UNSAID));
        String schedule = schedule(call, null);
        requireSomething(made, schedule);
        requireServers(call, made);
        keys.requireFor(made);
        Plan plan = new Plan(() -> keys.alone(() -> makeNow(made, schedule)));
        Map<String, Object> fields = fields(made, schedule);
        plan.change("class " + name, null, fields);
        warnOfMissingPool(plan, made);
        return plan.basedOn(List.of(name, fields));
    }

    private void requireNew(String name) {
        if (findOrNull(name) != null) {
            throw Problem.conflict(
                    "There is a class '" + name + "' already: change it, or take another name.");
        }
    }

    /** With its schedule, or none that another class of the name once had. */
    private Outcome makeNow(StorageClass made, @Nullable String schedule) {
        requireNew(made.name());
        schedules.set(made.name(), schedule);
        return ClassChange.carryOut(
                master,
                new ClassMutation.SetClass(keys.given(made), true),
                () -> Outcome.created(document(find(made.name())), "/classes/" + made.name()));
    }

    private static void requireSomething(StorageClass made, @Nullable String schedule) {
        if (made.policy().equals(Policy.STANDARD) && made.trashSeconds() < 0 && schedule == null) {
            throw Problem.invalid(
                    REPLICAS,
                    "The class says nothing: give replicas, chunkSizeBytes, stripe, compression,"
                            + " encryption, inlineLimitBytes, labels, trashSeconds or schedule.");
        }
    }

    /** Labels that are set now are those of some server, and for copies that there are. */
    private void requireServers(Call call, StorageClass made) {
        if (call.body().containsKey(LABELS)) {
            ClassLabels.require(LABELS, made.policy().labels(), master.namespace().clusterMap());
        }
        if (call.body().containsKey(LABELS) || call.body().containsKey(REPLICAS)) {
            int standard = master.namespace().standardReplicas();
            ClassLabels.requireCopies(LABELS, made.policy(), standard);
        }
    }

    private void warnOfMissingPool(Plan plan, StorageClass made) {
        int wanted = made.policy().replicas();
        Compression compression = made.policy().compression().orNone();
        ClusterMap map = master.namespace().clusterMap();
        ClassLabels.warn(plan, map, made.policy(), master.namespace().standardReplicas());
        ClassKeys.warn(plan, map, made.policy());
        if (compression != Compression.NONE && map.youngestPool(1, made.policy().kind()) == null) {
            plan.warn(
                    "There is no pool with compression %s yet: it is made in some seconds. Files"
                                    .formatted(compression.text())
                            + " made before are not packed until 'cairn class apply' moves them.");
        }
        if (wanted > 0 && map.youngestPool(wanted) == null) {
            plan.warn(
                    "There is no pool for %s yet: files get as many as there are servers for."
                            .formatted(Wording.count(wanted, "copy")));
        }
    }

    private Plan change(Call call) {
        StorageClass before = find(call.text("name"));
        StorageClass after = asked(call, before);
        String scheduleBefore = schedules.text(before.name());
        String schedule = schedule(call, scheduleBefore);
        requireSomething(after, schedule);
        requireServers(call, after);
        if (schedule != null && !schedule.equals(scheduleBefore)) {
            schedules.requireRoom(before.name(), schedule, 0);
        }
        keys.requireFor(after);
        Plan plan = new Plan(() -> keys.alone(() -> changeNow(call)));
        Map<String, Object> from = fields(before, scheduleBefore);
        Map<String, Object> to = fields(after, schedule);
        to.forEach(
                (field, value) -> {
                    Object old = from.get(field);
                    if (old == null ? value != null : !old.equals(value)) {
                        plan.change(field, old, value);
                    }
                });
        int users = users(before.name()).size();
        if (users > 0) {
            plan.warn(
                    "New files below %s follow; files that are there stay as they are."
                            .formatted(Wording.count(users, "directory")));
        }
        if (!Objects.equals(schedule, scheduleBefore)) {
            warnOfSchedule(plan, schedule);
        }
        warnOfMissingPool(plan, after);
        return plan.basedOn(List.of(before.name(), from, to));
    }

    private static void warnOfSchedule(Plan plan, @Nullable String schedule) {
        plan.warn(
                schedule == null
                        ? "Snapshots that were taken stay until somebody drops them."
                        : "Of directories that have the class the oldest snapshots of each kind are"
                                + " dropped when there are more than it says.");
    }

    private Outcome changeNow(Call call) {
        StorageClass after = keys.given(asked(call, find(call.text("name"))));
        if (call.body().containsKey(SCHEDULE)) {
            schedules.set(after.name(), schedule(call, null));
        }
        return ClassChange.carryOut(
                master,
                new ClassMutation.SetClass(after, false),
                () -> Outcome.of(document(find(after.name()))));
    }

    private Plan remove(Call call) {
        StorageClass found = find(call.text("name"));
        List<Assignment> users = users(found.name());
        if (!users.isEmpty()) {
            String more =
                    users.size() == 1
                            ? ""
                            : " and " + Wording.count(users.size() - 1L, "other directory");
            throw Problem.conflict(
                    "Class '%s' is used by %s%s: give these another class first."
                            .formatted(found.name(), path(users.getFirst().ino()), more));
        }
        List<ClassRule> rules = rulesOf(found.name());
        if (!rules.isEmpty()) {
            throw Problem.conflict(
                    "Class '%s' is used by %s: remove that first."
                            .formatted(
                                    found.name(),
                                    TreePath.textOf(master.namespace(), rules.getFirst())));
        }
        keys.requireNone(found.name());
        Plan plan = new Plan(() -> keys.alone(() -> removeNow(found.name())));
        Map<String, Object> fields = fields(found, schedules.text(found.name()));
        plan.change("class " + found.name(), fields, null);
        return plan.basedOn(List.of(found.name(), fields));
    }

    private Outcome removeNow(String name) {
        keys.requireNone(name);
        Outcome done =
                ClassChange.carryOut(master, new ClassMutation.RemoveClass(name), Outcome::done);
        schedules.set(name, null);
        return done;
    }
}
