package io.cairn.admin.usage;

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
import io.cairn.admin.resource.InodeDocument;
import io.cairn.admin.resource.TreePath;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.LimitedAccount;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.master.MasterService;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /quotas}: how much directories, users and groups may hold. */
public final class QuotasResource implements Resource {
    private static final Shape LIMIT = Shape.whole(0, Long.MAX_VALUE);
    private static final Shape ID = Shape.whole(0, 0xffff_ffffL);

    private static final Shape LIMITS =
            Shape.fields(
                    Field.of("inodes", Shape.count(), "Files, directories and all others."),
                    Field.of("lengthBytes", Shape.count(), "Lengths of files."),
                    Field.of("spaceBytes", Shape.count(), "What all copies occupy."));

    private static final Shape QUOTA =
            Shape.fields(
                    Field.of("id", Shape.text(), "directory-17, user-1000, group-100."),
                    Field.of("kind", Shape.text(), "directory, user or group."),
                    Field.maybe("path", Shape.text(), "Of the directory."),
                    Field.maybe("pathHex", Shape.text(), "If it is not UTF-8."),
                    Field.of("used", LIMITS, "What it holds."),
                    Field.of("soft", LIMITS, "Beyond these a warning is given; 0: no limit."),
                    Field.of("hard", LIMITS, "Beyond these nothing is taken; 0: no limit."),
                    Field.of("graceMs", Shape.count(), "How long the soft limits may be passed."),
                    Field.of("state", Shape.text(), "ok, soft, graceOver or full."),
                    Field.maybe("since", Shape.time(), "When a soft limit was passed."));

    private static final Parameter ABOVE =
            new Parameter("above", Shape.flag(), "Only those with a limit passed or reached.");

    private static final Field[] ORDER = {
        Field.maybe("path", new Shape.Text(TreePath.MAX_BYTES), "The directory: /a/b, in UTF-8."),
        Field.maybe("user", ID, "Instead of a path: a uid."),
        Field.maybe("group", ID, "Instead of a path: a gid."),
        Field.maybe("softInodes", LIMIT, "0 for no limit; left out: as it is."),
        Field.maybe("hardInodes", LIMIT, "The same."),
        Field.maybe("softLengthBytes", LIMIT, "The same."),
        Field.maybe("hardLengthBytes", LIMIT, "The same."),
        Field.maybe("softSpaceBytes", LIMIT, "The same."),
        Field.maybe("hardSpaceBytes", LIMIT, "The same."),
        Field.maybe("graceMs", LIMIT, "A week unless told."),
        Field.maybe("strict", Shape.flag(), "Refuse a limit below what is used.")
    };

    private final MasterService master;
    private final Clock clock;

    /** About the state of a master. */
    public QuotasResource(MasterService master, Clock clock) {
        this.master = master;
        this.clock = clock;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/quotas", Role.READ, "All quotas, and what is used of them.")
                        .with(ABOVE)
                        .with(Parameter.paging())
                        .answers(Shape.page(QUOTA))
                        .reads(
                                call ->
                                        Listing.page(
                                                call,
                                                listed(call),
                                                each -> id(each.account()),
                                                this::document)),
                Route.of("POST", "/quotas", Role.ADMIN, "Sets limits; those not given stay.")
                        .takes(ORDER)
                        .answers(QUOTA)
                        .changes(this::set),
                Route.of("DELETE", "/quotas/{id}", Role.ADMIN, "Removes a quota.")
                        .changes(this::remove));
    }

    private List<LimitedAccount> listed(Call call) {
        long nowNs = clock.now().toEpochMilli() * 1_000_000;
        return master.namespace().accounts().limited().stream()
                .filter(each -> !call.isSet("above") || !each.state(nowNs).equals("ok"))
                .toList();
    }

    static String id(Account account) {
        return kind(account) + "-" + account.id();
    }

    private static String kind(Account account) {
        return account.kind().name().toLowerCase(Locale.ROOT);
    }

    private Map<String, Object> document(LimitedAccount limited) {
        Account account = limited.account();
        Map<String, Object> document = Json.map();
        document.put("id", id(account));
        document.put("kind", kind(account));
        if (account.kind() == Account.Kind.DIRECTORY) {
            TreePath.put(document, "path", path(account.id()));
        }
        document.put("used", sums(limited.used()));
        document.put("soft", sums(limited.quota().soft()));
        document.put("hard", sums(limited.quota().hard()));
        document.put("graceMs", limited.quota().graceMs());
        document.put("state", limited.state(clock.now().toEpochMilli() * 1_000_000));
        if (limited.sinceNs() != 0) {
            document.put("since", InodeDocument.time(limited.sinceNs()));
        }
        return document;
    }

    private byte[] path(long ino) {
        return master.namespace().read(0, new Query.GetPath(ino)) instanceof Reply.BytesReply found
                ? found.bytes()
                : "?".getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, Object> sums(Sums sums) {
        Map<String, Object> document = Json.map();
        UsageDocument.put(document, sums);
        return document;
    }

    private @Nullable LimitedAccount find(Account account) {
        for (LimitedAccount each : master.namespace().accounts().limited()) {
            if (each.account().equals(account)) {
                return each;
            }
        }
        return null;
    }

    private Account account(Call call) {
        String path = call.bodyText("path");
        Long user = call.bodyNumber("user");
        Long group = call.bodyNumber("group");
        if ((path == null ? 0 : 1) + (user == null ? 0 : 1) + (group == null ? 0 : 1) != 1) {
            throw Problem.invalid("path", "Give one of 'path', 'user' and 'group'.");
        }
        if (user != null) {
            return new Account(Account.Kind.USER, user);
        }
        if (group != null) {
            return new Account(Account.Kind.GROUP, group);
        }
        TreePath found =
                TreePath.find(
                        master.namespace(), String.valueOf(path).getBytes(StandardCharsets.UTF_8));
        if (!found.inode().attributes().isDirectory()) {
            throw Problem.conflict(
                    "'" + found.text() + "' is not a directory: a quota is for directories.");
        }
        return Account.directory(found.inode().ino());
    }

    private static long number(Call call, String field, long known) {
        Long given = call.bodyNumber(field);
        return given == null ? known : given;
    }

    private static Quota quota(Call call, Quota known) {
        Sums soft = known.soft();
        Sums hard = known.hard();
        return new Quota(
                new Sums(
                        number(call, "softInodes", soft.inodes()),
                        number(call, "softLengthBytes", soft.lengthBytes()),
                        number(call, "softSpaceBytes", soft.spaceBytes())),
                new Sums(
                        number(call, "hardInodes", hard.inodes()),
                        number(call, "hardLengthBytes", hard.lengthBytes()),
                        number(call, "hardSpaceBytes", hard.spaceBytes())),
                number(call, "graceMs", known.graceMs()));
    }

    private Plan set(Call call) {
        Account account = account(call);
        LimitedAccount known = find(account);
        Quota before =
                known == null
                        ? new Quota(Sums.ZERO, Sums.ZERO, Quota.STANDARD_GRACE_MS)
                        : known.quota();
        Quota after = quota(call, before);
        if (!after.isPossible()) {
            throw Problem.invalid("softInodes", "A soft limit is at most its hard limit.");
        }
        if (after.isNone()) {
            throw Problem.invalid(
                    "hardInodes", "Give a limit; DELETE /quotas/{id} removes a quota.");
        }
        boolean strict = Boolean.TRUE.equals(call.body().get("strict"));
        Sums used = master.namespace().accounts().sums(account);
        boolean isBelow = Quota.isAbove(used, after.hard());
        if (isBelow && strict) {
            throw Problem.conflict("%s holds more than that: %s.".formatted(account, told(used)));
        }
        Plan plan = new Plan(() -> carryOut(new LeaderMutation.SetQuota(account, after, strict)));
        plan.change("quota of " + account, known == null ? null : limits(before), limits(after));
        if (isBelow) {
            plan.warn(
                    "It holds more than that: %s. What is there stays; nothing more is taken."
                            .formatted(told(used)));
        }
        Map<String, Object> basis = Json.map();
        basis.put("id", id(account));
        basis.put("before", limits(before));
        basis.put("after", limits(after));
        return plan.basedOn(basis);
    }

    private static String told(Sums used) {
        return "%d inodes, %d bytes of length, %d bytes of space"
                .formatted(used.inodes(), used.lengthBytes(), used.spaceBytes());
    }

    private static Map<String, Object> limits(Quota quota) {
        Map<String, Object> document = Json.map();
        document.put("soft", sums(quota.soft()));
        document.put("hard", sums(quota.hard()));
        document.put("graceMs", quota.graceMs());
        return document;
    }

    private Outcome carryOut(LeaderMutation.SetQuota mutation) {
        Reply reply = Log.await(master.submit(mutation));
        if (!(reply instanceof Reply.Done)) {
            throw refusal(reply);
        }
        LimitedAccount now = find(mutation.account());
        return now == null ? Outcome.done() : Outcome.of(document(now));
    }

    private static Problem refusal(Reply reply) {
        if (reply instanceof Reply.Failure failure) {
            return Problem.conflict("It was not done: " + failure.message() + ".");
        }
        throw new IllegalStateException("unexpected answer " + reply);
    }

    private Plan remove(Call call) {
        String id = call.text("id");
        for (LimitedAccount each : master.namespace().accounts().limited()) {
            if (id(each.account()).equals(id)) {
                Plan plan =
                        new Plan(
                                () ->
                                        carryOut(
                                                new LeaderMutation.SetQuota(
                                                        each.account(), Quota.NONE, false)));
                plan.change("quota of " + each.account(), limits(each.quota()), null);
                Map<String, Object> basis = Json.map();
                basis.put("id", id);
                basis.put("before", limits(each.quota()));
                return plan.basedOn(basis);
            }
        }
        throw Problem.notFound("There is no quota '" + id + "'; GET /quotas lists them.");
    }
}
