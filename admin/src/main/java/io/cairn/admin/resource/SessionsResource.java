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
import io.cairn.cluster.Endpoint;
import io.cairn.fs.Lock;
import io.cairn.master.MasterService;
import io.cairn.master.SessionFacts;
import io.cairn.metadata.lock.LockRecord;
import io.cairn.metadata.session.SessionRecord;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /sessions}: mounts, gateways and tools, what they have open and locked; eviction. */
public final class SessionsResource implements Resource {
    private static final int MAX_DETAILS = 1000;

    private static final Field[] COMMON = {
        Field.of("id", Shape.text(), "16 hexadecimal digits."),
        Field.of("client", Shape.text(), "What it calls itself: host, mountpoint, process."),
        Field.maybe(
                "address",
                Shape.text(),
                "Where it is connected from; null while it is not connected."),
        Field.of("since", Shape.time(), "When it began."),
        Field.of(
                "lease",
                Shape.fields(
                        Field.of("durationMs", Shape.count(), "Without a sign of life."),
                        Field.of("leftMs", Shape.count(), "Until it ends, if nothing comes.")),
                "How long it lasts."),
        Field.of("openFiles", Shape.count(), "Inodes that it holds open.")
    };

    private static final Shape OPEN =
            Shape.fields(
                    Field.of("ino", Shape.text(), "Inode number, decimal."),
                    Field.maybe("path", Shape.text(), "One of its names; null when it has none."),
                    Field.of("count", Shape.count(), "How often it is open."));

    private static final Shape LOCK =
            Shape.fields(
                    Field.of("ino", Shape.text(), "Inode number, decimal."),
                    Field.maybe("path", Shape.text(), "One of its names; null when it has none."),
                    Field.of(
                            "kind",
                            Shape.choice(List.of("posix", "flock", "append", "share")),
                            "Whose rules apply."),
                    Field.of("mode", Shape.choice(List.of("shared", "exclusive")), "How strong."),
                    Field.of("startByte", Shape.count(), "First byte."),
                    Field.maybe("endByte", Shape.count(), "Last byte; null: to the end."),
                    Field.of("pid", Shape.count(), "The process that locked it."),
                    Field.of("waiting", Shape.flag(), "Asked for, not held."));

    private final MasterService master;

    public SessionsResource(MasterService master) {
        this.master = master;
    }

    @Override
    public List<Route> routes() {
        List<Field> detail = new ArrayList<>(List.of(COMMON));
        detail.add(Field.of("open", Shape.items(OPEN), "What it holds open, up to 1000."));
        detail.add(Field.of("locks", Shape.items(LOCK), "What it has locked, up to 1000."));
        return List.of(
                Route.of("GET", "/sessions", Role.READ, "All sessions.")
                        .with(Parameter.paging())
                        .answers(Shape.page(Shape.fields(COMMON)))
                        .reads(
                                call ->
                                        Listing.page(
                                                call,
                                                master.namespace().sessions(),
                                                session -> Json.hex(session.session()),
                                                this::common)),
                Route.of("GET", "/sessions/{id}", Role.READ, "A session, with files and locks.")
                        .answers(new Shape.Fields(detail))
                        .reads(call -> Outcome.of(detail(find(call)))),
                Route.of("DELETE", "/sessions/{id}", Role.OPERATE, "Ends a session: evicts it.")
                        .changes(this::evict));
    }

    private SessionRecord find(Call call) {
        long id = call.identity("id");
        return master.namespace().sessions().stream()
                .filter(session -> session.session() == id)
                .findFirst()
                .orElseThrow(
                        () ->
                                Problem.notFound(
                                        "There is no session %s; it may have ended."
                                                .formatted(Json.hex(id))));
    }

    private Map<String, Object> common(SessionRecord session) {
        SessionFacts facts = master.session(session.session());
        long lease = master.settings().sessionLeaseMs();
        long silent = facts == null ? lease : facts.silentMs();
        Map<String, Object> document = Json.map();
        document.put("id", Json.hex(session.session()));
        document.put("client", session.client());
        document.put("address", address(facts));
        document.put("since", Instant.ofEpochMilli(session.openedNs() / 1_000_000).toString());
        Map<String, Object> times = Json.map();
        times.put("durationMs", lease);
        times.put("leftMs", Math.max(0, lease - silent));
        document.put("lease", times);
        document.put("openFiles", facts == null ? 0 : facts.open().size());
        return document;
    }

    private static @Nullable String address(@Nullable SessionFacts facts) {
        Endpoint from = facts == null ? null : facts.address();
        return from == null ? null : from.toString();
    }

    private Map<String, Object> detail(SessionRecord session) {
        Map<String, Object> document = common(session);
        SessionFacts facts = master.session(session.session());
        Map<Long, String> paths = new HashMap<>();
        List<Object> open = new ArrayList<>();
        if (facts != null) {
            facts.open().entrySet().stream()
                    .limit(MAX_DETAILS)
                    .forEach(e -> open.add(open(e.getKey(), e.getValue(), paths)));
        }
        document.put("open", open);
        List<Object> locks = new ArrayList<>();
        for (LockRecord lock : master.namespace().locks(session.session(), MAX_DETAILS)) {
            locks.add(lock(lock, paths));
        }
        document.put("locks", locks);
        return document;
    }

    private Map<String, Object> open(long ino, int count, Map<Long, String> paths) {
        Map<String, Object> each = Json.map();
        each.put("ino", String.valueOf(ino));
        each.put("path", path(ino, paths));
        each.put("count", count);
        return each;
    }

    private @Nullable String path(long ino, Map<Long, String> known) {
        String path = known.get(ino);
        if (path == null
                && master.namespace().read(0, new Query.GetPath(ino))
                        instanceof Reply.BytesReply found) {
            path = new String(found.bytes(), StandardCharsets.UTF_8);
            known.put(ino, path);
        }
        return path;
    }

    private Map<String, Object> lock(LockRecord record, Map<Long, String> paths) {
        Lock lock = record.lock();
        Map<String, Object> each = Json.map();
        each.put("ino", String.valueOf(record.ino()));
        each.put("path", path(record.ino(), paths));
        each.put("kind", lock.kind().name().toLowerCase(Locale.ROOT));
        each.put("mode", lock.mode() == Lock.Mode.EXCLUSIVE ? "exclusive" : "shared");
        each.put("startByte", lock.startByte());
        each.put("endByte", lock.endByte() == Lock.TO_END ? null : lock.endByte());
        each.put("pid", Integer.toUnsignedLong(lock.pid()));
        each.put("waiting", record.isWaiting());
        return each;
    }

    private Plan evict(Call call) {
        SessionRecord session = find(call);
        List<LockRecord> locks = master.namespace().locks(session.session(), MAX_DETAILS);
        int open = master.openCount(session.session());
        Plan plan =
                new Plan(
                        () -> {
                            Log.await(master.end(session.session()));
                            return Outcome.done();
                        });
        plan.change(
                "session %s of %s".formatted(Json.hex(session.session()), session.client()),
                "open",
                null);
        if (!locks.isEmpty()) {
            plan.change("locks of the session", locks.size(), 0);
            plan.warn("What it wrote under locks and has not committed is given up.");
        }
        if (open > 0) {
            plan.warn("It has " + Wording.count(open, "file") + " open.");
        }
        plan.warn("A mount that still runs comes back with a new session by itself.");
        return plan.basedOn(List.of(session.session(), session.client(), locks.size()));
    }
}
