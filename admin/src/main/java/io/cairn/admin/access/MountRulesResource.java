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
import io.cairn.admin.resource.TreePath;
import io.cairn.base.Spelling;
import io.cairn.base.Subnet;
import io.cairn.base.Wording;
import io.cairn.master.MasterService;
import io.cairn.master.SessionFacts;
import io.cairn.master.access.MountClient;
import io.cairn.master.access.MountRule;
import io.cairn.master.access.MountRules;
import io.cairn.master.access.MountUsers;
import io.cairn.metadata.session.SessionRecord;
import io.cairn.wire.master.RecordChange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /mount-rules}: which addresses may mount which tree, and how; the masters enforce it. */
public final class MountRulesResource implements Resource {
    private static final String LOOPBACK = "127.0.0.1";

    private static final Shape ITEM =
            Shape.fields(
                    Field.of("number", Shape.count(), "Its place; the first that fits decides."),
                    Field.of("rule", Shape.text(), "PATH [NAME@]ADDRESSES(OPTION,...)"),
                    Field.of("path", Shape.text(), "The tree that it opens."),
                    Field.of("exists", Shape.flag(), "Whether there is this directory now."));

    private static final Shape ALL =
            Shape.fields(
                    Field.of(
                            "enforced",
                            Shape.flag(),
                            "Whether there are rules; without any everybody may mount all."),
                    Field.of("items", Shape.items(ITEM), "The rules in order."));

    private static final Shape TEST =
            Shape.fields(
                    Field.of("address", Shape.text(), "The address that was asked about."),
                    Field.of("allowed", Shape.flag(), "Whether it may mount anything."),
                    Field.of("items", Shape.items(ITEM), "The rules for it, in order."));

    private final MasterService master;
    private final Records records;

    /** The rules of a cluster. */
    public MountRulesResource(MasterService master) {
        this.master = master;
        this.records = new Records(master);
    }

    @Override
    public List<Route> routes() {
        Shape rule = new Shape.Text(4096);
        return List.of(
                Route.of("GET", "/mount-rules", Role.READ, "Which addresses may mount what.")
                        .answers(ALL)
                        .reads(_ -> Outcome.of(document())),
                Route.of("GET", "/mount-rules/test", Role.READ, "The rules for an address.")
                        .with(
                                new Parameter(
                                        "address",
                                        Shape.text(),
                                        "In digits; 127.0.0.1 unless told."),
                                new Parameter("name", Shape.text(), "Of the certificate, if any."),
                                new Parameter("user", Shape.text(), "Who has logged in, if any."))
                        .answers(TEST)
                        .reads(this::test),
                Route.of("POST", "/mount-rules", Role.ADMIN, "Adds a mount rule.")
                        .takes(
                                Field.of("rule", rule, "PATH [NAME@]ADDRESSES(OPTION,...)"),
                                Field.maybe(
                                        "user",
                                        Shape.text(),
                                        "Who has to log in with a password; as user= in the rule."),
                                Field.maybe(
                                        "at",
                                        Shape.whole(1, MountRules.MAX_RULES),
                                        "Its place from 1 on; last unless told."))
                        .answers(ALL)
                        .changes(this::add),
                Route.of("DELETE", "/mount-rules", Role.ADMIN, "Removes a mount rule.")
                        .with(new Parameter("rule", Shape.text(), "As it is listed."))
                        .answers(ALL)
                        .changes(this::remove));
    }

    private List<String> lines() {
        var record = records.get(MountRules.RECORD);
        return record == null
                ? List.of()
                : new String(record.value(), StandardCharsets.UTF_8).lines().toList();
    }

    private List<MountRule> rules() {
        return lines().stream().map(MountRulesResource::parse).toList();
    }

    private static MountRule parse(String text) {
        return asked(text, null);
    }

    private static MountRule asked(String text, @Nullable String user) {
        try {
            MountRule rule = MountRule.parse(text);
            return user == null ? rule : rule.withUser(user);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("rule", "The rule cannot be: " + e.getMessage() + ".");
        }
    }

    private Map<String, Object> document() {
        List<MountRule> rules = rules();
        Map<String, Object> document = Json.map();
        document.put("enforced", !rules.isEmpty());
        document.put("items", rules.stream().map(each -> item(rules, each)).toList());
        return document;
    }

    private Map<String, Object> item(List<MountRule> all, MountRule rule) {
        Map<String, Object> item = Json.map();
        item.put("number", all.indexOf(rule) + 1);
        item.put("rule", rule.text());
        item.put("path", rule.pathText());
        item.put("exists", isDirectory(rule));
        return item;
    }

    private boolean isDirectory(MountRule rule) {
        try {
            return find(rule).inode().attributes().isDirectory();
        } catch (Problem e) {
            return false;
        }
    }

    private TreePath find(MountRule rule) {
        return TreePath.find(master.namespace(), rule.pathText().getBytes(StandardCharsets.UTF_8));
    }

    private Outcome test(Call call) {
        String address = call.parameter("address");
        String host = address == null ? LOOPBACK : address;
        if (Subnet.addressOf(host) == null) {
            throw Problem.invalid("address", "'" + host + "' is no address in digits.");
        }
        List<MountRule> all = rules();
        MountClient client =
                MountClient.described(host, call.parameter("name"), call.parameter("user"));
        List<MountRule> own = all.stream().filter(rule -> rule.isFor(client)).toList();
        Map<String, Object> document = Json.map();
        document.put("address", host);
        boolean isOpen = all.isEmpty() && !client.hasPasswordOnly();
        document.put("allowed", isOpen || !own.isEmpty());
        document.put("items", own.stream().map(each -> item(all, each)).toList());
        return Outcome.of(document);
    }

    private Plan add(Call call) {
        MountRule rule = asked(String.valueOf(call.bodyText("rule")), call.bodyText("user"));
        requireDirectory(rule);
        long version = records.version(MountRules.RECORD);
        List<MountRule> after = new ArrayList<>(rules());
        if (after.stream().anyMatch(each -> each.text().equals(rule.text()))) {
            throw Problem.conflict("There is this rule already: " + rule.text());
        }
        if (after.size() >= MountRules.MAX_RULES) {
            throw Problem.conflict("There are " + MountRules.MAX_RULES + " rules: remove some.");
        }
        int place = call.body().get("at") instanceof Number at ? at.intValue() : after.size() + 1;
        after.add(Math.min(place, after.size() + 1) - 1, rule);
        Plan plan = to(version, after);
        String user = rule.user();
        return user == null || isKnown(user)
                ? plan
                : plan.warn(
                        "User %s has no password yet: give one with 'cairn exports passwd %s'."
                                .formatted(user, user));
    }

    private boolean isKnown(String user) {
        var record = records.get(MountUsers.RECORD);
        return record != null && MountUsers.decode(record.value()).names().contains(user);
    }

    private void requireDirectory(MountRule rule) {
        boolean isDirectory;
        try {
            isDirectory = find(rule).inode().attributes().isDirectory();
        } catch (Problem e) {
            throw Problem.invalid(
                    "rule", "There is no directory '" + rule.pathText() + "': make it first.");
        }
        if (!isDirectory) {
            throw Problem.invalid("rule", "'" + rule.pathText() + "' is not a directory.");
        }
    }

    private Plan remove(Call call) {
        String wanted = call.parameter("rule");
        if (wanted == null) {
            throw Problem.invalid("rule", "Parameter 'rule' is missing: say what to remove.");
        }
        long version = records.version(MountRules.RECORD);
        List<MountRule> after = new ArrayList<>(rules());
        List<String> known = after.stream().map(MountRule::text).toList();
        if (!after.removeIf(each -> each.text().equals(wanted.strip()))) {
            throw Problem.notFound(
                    "There is no mount rule '" + wanted + "'." + Spelling.hint(known, wanted));
        }
        return to(version, after);
    }

    /** With the version that there was before the rules were read. */
    private Plan to(long version, List<MountRule> after) {
        List<String> before = lines();
        MountRules rules = MountRules.of(after);
        Plan plan =
                new Plan(
                        () -> {
                            byte[] value = after.isEmpty() ? null : rules.encode();
                            records.change(new RecordChange(MountRules.RECORD, version, value));
                            return Outcome.of(document());
                        });
        plan.change("mount rules", before, after.stream().map(MountRule::text).toList());
        if (after.isEmpty()) {
            return plan.warn(
                    "Without rules everybody who reaches the masters may mount all, but for mounts"
                            + " with a password only.");
        }
        long refused = refused(rules);
        if (refused > 0) {
            plan.warn(
                    "%s no rule any more, and would be refused everything."
                            .formatted(
                                    Wording.count(refused, "open session")
                                            + (refused == 1 ? " has" : " have")));
        }
        MountClient here = new MountClient(LOOPBACK, null);
        if (rules.of(here).isEmpty() && !rules.askUser(here)) {
            plan.warn("No rule lets mounts on the masters' own machines in by 127.0.0.1.");
        }
        return plan;
    }

    /** How many sessions no rule lets in. */
    private long refused(MountRules rules) {
        return master.namespace().sessions().stream()
                .map(SessionRecord::session)
                .map(master::session)
                .filter(facts -> facts != null && isRefused(facts, rules))
                .count();
    }

    private static boolean isRefused(SessionFacts facts, MountRules rules) {
        MountClient client = facts.client();
        return client != null && rules.of(client).isEmpty();
    }
}
