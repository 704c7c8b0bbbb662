package io.cairn.admin.classes;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.base.Wording;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.master.MasterService;
import io.cairn.master.access.ClassKey;
import io.cairn.wire.master.JobMutation.ClassMutation;
import java.util.List;

/** {@code /classes/{name}/keys}: the keys of storage classes that are encrypted at rest. */
public final class ClassKeysResource implements Resource {
    private final MasterService master;
    private final ClassKeys keys;

    /** Of a cluster. */
    public ClassKeysResource(MasterService master, ClassKeys keys) {
        this.master = master;
        this.keys = keys;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of(
                                "POST",
                                "/classes/{name}/keys",
                                Role.ADMIN,
                                "Gives a class another key, for new files.")
                        .changes(this::rotate),
                Route.of(
                                "DELETE",
                                "/classes/{name}/keys",
                                Role.ADMIN,
                                "Drops the keys of a class: its files cannot be read any more.")
                        .changes(this::shred),
                Route.of(
                                "DELETE",
                                "/classes/{name}/former-keys",
                                Role.ADMIN,
                                "Drops keys that no file of a class has any more.")
                        .changes(this::dropFormer),
                Route.of(
                                "POST",
                                "/class-keys/rewrap",
                                Role.ADMIN,
                                "Encrypts the keys of all classes with the present master key.")
                        .changes(this::rewrap));
    }

    private StorageClass find(Call call) {
        String name = call.text("name");
        for (StorageClass each : master.namespace().classes().all()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        throw Problem.notFound("There is no class '%s'.".formatted(name));
    }

    private List<ClassKey> keysOf(StorageClass found) {
        List<ClassKey> known = keys.of(found.name());
        if (known.isEmpty()) {
            throw Problem.conflict(
                    "Class '%s' has no key: it is not encrypted.".formatted(found.name()));
        }
        return known;
    }

    private Plan rotate(Call call) {
        StorageClass before = find(call);
        requireEncrypted(before);
        keys.require();
        Plan plan = new Plan(() -> keys.alone(() -> rotateNow(call)));
        plan.change("key of class " + before.name(), before.policy().key(), "a new one");
        ClassKeys.warnOfNew(plan, master.namespace().clusterMap(), before.policy());
        plan.warn(
                "Files that are there keep the former key until 'cairn class apply DIR' moves them;"
                        + " then 'cairn class keys drop-former' drops it.");
        return plan.basedOn(List.of(before.name(), before.policy().key()));
    }

    private static void requireEncrypted(StorageClass before) {
        if (before.policy().key() <= 0) {
            throw Problem.conflict(
                    "Class '%s' is not encrypted: 'cairn class set %s --encryption aes-256-xts'."
                            .formatted(before.name(), before.name()));
        }
    }

    private Outcome rotateNow(Call call) {
        StorageClass before = find(call);
        requireEncrypted(before); // Somebody may have said otherwise meanwhile.
        StorageClass after = keys.withNew(before);
        return ClassChange.carryOut(
                master, new ClassMutation.SetClass(after, false), Outcome::done);
    }

    private Plan shred(Call call) {
        StorageClass found = find(call);
        List<ClassKey> gone = keysOf(found);
        Plan plan = new Plan(() -> keys.alone(() -> dropNow(keysOf(find(call)))));
        plan.change("keys of class " + found.name(), ClassKeys.numbers(gone), List.of());
        plan.warn(
                "Nobody can read the files any more that are encrypted with %s, nor what snapshots"
                                .formatted(Wording.count(gone.size(), "key"))
                        + " hold of them. This cannot be undone.");
        plan.warn("New files of the class cannot be written until 'cairn class keys rotate'.");
        return plan.basedOn(List.of(found.name(), ClassKeys.numbers(gone)));
    }

    private Plan rewrap(Call call) {
        List<Integer> present = keys.present();
        if (present.isEmpty()) {
            throw Problem.conflict("No class has a key.");
        }
        keys.require();
        Plan plan = new Plan(() -> keys.alone(this::rewrapNow));
        plan.change("master key of the keys", present, "that of the leading master");
        plan.warn(
                "Every master and chunk server has to have this master key already, also those"
                        + " that are away now.");
        return plan.basedOn(present);
    }

    private Outcome rewrapNow() {
        keys.rewrap();
        return Outcome.done();
    }

    private static String remedy(StorageClass found) {
        String apply = "'cairn class apply DIR' moves them";
        return found.policy().key() > 0
                ? apply + " to the present one"
                : found.policy().key() == Policy.NO_KEY
                        ? apply
                        : "after 'cairn class set %s --encryption none' %s"
                                .formatted(found.name(), apply);
    }

    private Outcome dropNow(List<ClassKey> gone) {
        keys.drop(gone);
        return Outcome.done();
    }

    private Plan dropFormer(Call call) {
        StorageClass found = find(call);
        List<ClassKey> former = unused(found);
        Plan plan = new Plan(() -> keys.alone(() -> dropNow(unused(find(call)))));
        plan.change("former keys of class " + found.name(), ClassKeys.numbers(former), List.of());
        return plan.basedOn(List.of(found.name(), ClassKeys.numbers(former)));
    }

    /** The former keys of a class; 409 when it has none, or files are encrypted with one still. */
    private List<ClassKey> unused(StorageClass found) {
        List<ClassKey> former =
                keysOf(found).stream()
                        .filter(key -> key.wrapped().number() != found.policy().key())
                        .toList();
        if (former.isEmpty()) {
            throw Problem.conflict("Class '%s' has no former key.".formatted(found.name()));
        }
        for (ClassKey key : former) {
            if (keys.isUsed(key)) {
                throw Problem.conflict(
                        "Files are encrypted with key %d still: %s; snapshots and the trash may"
                                        .formatted(key.wrapped().number(), remedy(found))
                                + " hold others.");
            }
        }
        return former;
    }
}
