package io.cairn.admin.access;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.base.Spelling;
import io.cairn.base.Wording;
import io.cairn.identity.scram.Password;
import io.cairn.identity.scram.ScramVerifier;
import io.cairn.master.MasterService;
import io.cairn.master.access.MountRule;
import io.cairn.master.access.MountRules;
import io.cairn.master.access.MountUsers;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.wire.master.RecordChange;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * {@code /mount-users}: who can mount with a password. The password does not come here: whoever
 * sets it computes what the cluster is to keep of it, and even that is told to nobody.
 */
public final class MountUsersResource implements Resource {
    private static final Shape ALL =
            Shape.fields(
                    Field.of(
                            "items",
                            Shape.items(
                                    Shape.fields(
                                            Field.of("name", Shape.text(), "Of the user."),
                                            Field.of(
                                                    "rules",
                                                    Shape.count(),
                                                    "How many mount rules are for it."))),
                            "The users in the order of their names."));

    private final Records records;
    private final RandomGenerator random;

    /**
     * The users of a cluster.
     *
     * @param random for secrets; all uses synchronize on it
     */
    public MountUsersResource(MasterService master, RandomGenerator random) {
        this.records = new Records(master);
        this.random = random;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/mount-users", Role.READ, "Who can mount with a password.")
                        .answers(ALL)
                        .reads(_ -> Outcome.of(document())),
                Route.of("POST", "/mount-users", Role.ADMIN, "Gives a user a password.")
                        .takes(
                                Field.of("name", Shape.text(), "Letters, digits, . _ - within."),
                                Field.of(
                                        "verifier",
                                        Shape.text(),
                                        "SCRAM-SHA-256$ITERATIONS:SALT$STOREDKEY:SERVERKEY,"
                                                + " computed from the password as RFC 5803 says."))
                        .answers(ALL)
                        .changes(this::set),
                Route.of("DELETE", "/mount-users", Role.ADMIN, "Removes a user.")
                        .with(new Parameter("name", Shape.text(), "Of the user."))
                        .answers(ALL)
                        .changes(this::remove));
    }

    private @Nullable MountUsers users() {
        return users(records.get(MountUsers.RECORD));
    }

    private static @Nullable MountUsers users(@Nullable AdminRecord record) {
        return record == null ? null : MountUsers.decode(record.value());
    }

    private List<String> names() {
        MountUsers users = users();
        return users == null ? List.of() : users.names();
    }

    private Map<String, Object> document() {
        Map<String, Object> document = Json.map();
        document.put("items", names().stream().map(this::item).toList());
        return document;
    }

    private Map<String, Object> item(String name) {
        Map<String, Object> item = Json.map();
        item.put("name", name);
        item.put("rules", rules(name));
        return item;
    }

    private long rules(String name) {
        AdminRecord record = records.get(MountRules.RECORD);
        return record == null
                ? 0
                : new String(record.value(), StandardCharsets.UTF_8)
                        .lines()
                        .map(MountRule::parse)
                        .filter(rule -> name.equals(rule.user()))
                        .count();
    }

    private Plan set(Call call) {
        String name = String.valueOf(call.bodyText("name"));
        if (!Password.isUserName(name)) {
            throw Problem.invalid(
                    "name",
                    "'name' must be 1 to 64 letters, digits, dots, dashes and underscores, and"
                            + " begin with a letter or digit.");
        }
        ScramVerifier verifier = verifier(String.valueOf(call.bodyText("verifier")));
        AdminRecord record = records.get(MountUsers.RECORD);
        MountUsers known = users(record);
        MountUsers before = known == null ? MountUsers.of(secret()) : known;
        boolean isKnown = before.names().contains(name);
        if (!isKnown && before.names().size() >= MountUsers.MAX_USERS) {
            throw Problem.conflict("There are " + MountUsers.MAX_USERS + " users: remove some.");
        }
        Plan plan = to(record, before.with(name, verifier));
        plan.change("password of " + name, isKnown ? "set" : null, isKnown ? "another one" : "set");
        if (rules(name) == 0) {
            plan.warn(
                    "No mount rule names %s: mounts without a certificate (-o ca=FILE) are refused"
                                    .formatted(name)
                            + " until one does: 'cairn exports add RULE --user %s'."
                                    .formatted(name));
        }
        return isKnown
                ? plan.warn("Mounts with the password of before lose their connections, and stop.")
                : plan;
    }

    private static ScramVerifier verifier(String text) {
        try {
            return ScramVerifier.parse(text);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("verifier", "'verifier' cannot be: " + e.getMessage() + ".");
        }
    }

    private byte[] secret() {
        byte[] secret = new byte[MountUsers.SECRET_BYTES];
        synchronized (random) {
            random.nextBytes(secret);
        }
        return secret;
    }

    private Plan remove(Call call) {
        String name = call.parameter("name");
        if (name == null) {
            throw Problem.invalid("name", "Parameter 'name' is missing: say whom to remove.");
        }
        AdminRecord record = records.get(MountUsers.RECORD);
        MountUsers before = users(record);
        if (before == null || !before.names().contains(name)) {
            throw Problem.notFound(
                    "There is no user '" + name + "'." + Spelling.hint(names(), name));
        }
        Plan plan = to(record, before.without(name));
        plan.change("password of " + name, "set", null);
        plan.warn("Mounts with this password lose their connections, and stop.");
        long rules = rules(name);
        return rules == 0
                ? plan
                : plan.warn(
                        "%s for the user and will let nobody in."
                                .formatted(
                                        Wording.count(rules, "mount rule")
                                                + (rules == 1 ? " is" : " are")));
    }

    private Plan to(@Nullable AdminRecord before, MountUsers after) {
        long version = before == null ? 0 : before.version();
        return new Plan(
                        () -> {
                            records.change(
                                    new RecordChange(MountUsers.RECORD, version, after.encode()));
                            return Outcome.of(document());
                        })
                .basedOn(version);
    }
}
