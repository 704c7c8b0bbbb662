package io.cairn.admin.watch;

import io.cairn.admin.api.EventLog;
import io.cairn.admin.api.Json;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Pool;
import io.cairn.master.MasterGroup.Share;
import io.cairn.master.MasterGroup.Standing;
import io.cairn.master.MasterService;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.metadata.session.SessionRecord;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes events out of what differs between two looks at the cluster. So nothing that is looked at
 * has to know of events, and a change that was undone between two looks is none. Used by one thread
 * at a time.
 */
public final class EventWatch {
    /** After this long as a leader, a server that was not heard is down, in milliseconds. */
    private static final long PATIENCE_MS = 5_000;

    /** A server that is started anew is not told, nor are those that end with the masters. */
    private static final long LASTING_MS = 4_000;

    private final MasterService master;
    private final EventLog events;
    private final Clock clock;
    private final Map<String, Long> since = new HashMap<>();
    private final DamageWatch damage;
    private final QuotaWatch quotas;
    private long term = -1;
    private long sinceMs;
    private @Nullable Look before;

    /**
     * The result of one look.
     *
     * @param serverUp those of which it is known
     * @param masterUp the same for masters
     * @param masters the names of all
     * @param differing the names of those with another state than the others
     * @param erring disks that had errors lately, in words
     * @param slow disks that are slow beside others, in words
     * @param risk 0: all groups are complete; 1: some are short of a copy; 2: some do not serve
     */
    record Look(
            Map<String, Boolean> serverUp,
            Map<String, Boolean> masterUp,
            Set<String> masters,
            Set<String> differing,
            Map<Long, String> failedTargets,
            Map<Long, String> erring,
            Map<Long, String> slow,
            Map<Long, String> sessions,
            Set<Integer> pools,
            int risk) {}

    /**
     * A watch that has not looked yet.
     *
     * @param searches runs what takes longer than a look
     */
    public EventWatch(MasterService master, EventLog events, Clock clock, Executor searches) {
        this.master = master;
        this.events = events;
        this.clock = clock;
        this.damage = new DamageWatch(master, events, clock, searches);
        this.quotas = new QuotaWatch(master, events, clock);
    }

    /** Looks, while this master leads. */
    public void tick() {
        long now = master.log().leaderTerm();
        if (now < 0) {
            return;
        }
        if (now != term) {
            term = now;
            sinceMs = clock.millis();
            before = null;
            damage.lead();
            since.clear();
            events.lead(term);
            String id = master.settings().id();
            events.add("info", "leader", id, "Master %s leads in term %d.".formatted(id, term));
            if (master.log().isRecovering()) {
                events.add("critical", "recovery", id, Health.recovers(id));
            }
        }
        Look after = look();
        Look known = before;
        damage.look(master.servers().status(), known == null);
        quotas.look(known == null);
        if (known != null) {
            compare(known, after);
        }
        before = after;
    }

    private boolean isSettled() {
        return clock.millis() - sinceMs > PATIENCE_MS;
    }

    private boolean isLasting(String what, boolean holds) {
        if (!holds) {
            since.remove(what);
            return false;
        }
        long now = clock.millis();
        return now - since.computeIfAbsent(what, _ -> now) >= LASTING_MS;
    }

    private Look look() {
        ClusterMap map = master.namespace().clusterMap();
        Map<String, Boolean> serverUp = new TreeMap<>();
        if (isSettled()) {
            map.servers().stream().map(ChunkServer::name).forEach(s -> serverUp.put(s, false));
        }
        Map<Long, String> failed = new TreeMap<>();
        for (ServerStatus server : master.servers().status()) {
            boolean lost = isLasting(server.name(), !server.alive());
            serverUp.put(server.name(), server.alive() || !lost);
            server.targets().stream()
                    .filter(target -> !target.healthy())
                    .forEach(t -> failed.put(t.identity(), failure(server.name(), t)));
        }
        Map<Long, String> erring = new TreeMap<>();
        Instant now = clock.now();
        for (DiskErrors.Erring each :
                DiskErrors.of(master.servers().status(), master.servers().load(), now)) {
            erring.put(
                    each.report().identity(),
                    "Disk " + each.disk() + " of chunk server " + each.server() + " has errors.");
        }
        Map<Long, String> sessions = new TreeMap<>();
        for (SessionRecord session : master.namespace().sessions()) {
            sessions.put(session.session(), session.client());
        }
        boolean isDown = map.groups().stream().anyMatch(g -> g.head() == null);
        boolean isShort = map.groups().stream().anyMatch(group -> !group.isComplete());
        boolean isDownForLong = isLasting("/down", isDown);
        boolean isShortForLong = isLasting("/short", isShort);
        int risk = isDownForLong ? 2 : isShortForLong ? 1 : 0;
        return new Look(
                serverUp,
                mastersUp(),
                names(each -> true),
                names(each -> each.share() == Share.DIFFERING),
                failed,
                erring,
                DiskErrors.slow(master.servers().status(), master.servers().load()),
                sessions,
                map.pools().stream().map(Pool::id).collect(Collectors.toSet()),
                risk);
    }

    private Map<String, Boolean> mastersUp() {
        Map<String, Boolean> masterUp = new TreeMap<>();
        for (Standing each : master.log().masters()) {
            if (!each.state().equals("unknown")) {
                masterUp.put(each.id(), !each.isDown());
            }
        }
        return masterUp;
    }

    private Set<String> names(Predicate<Standing> which) {
        return master.log().masters().stream()
                .filter(which)
                .map(Standing::id)
                .collect(Collectors.toSet());
    }

    private void members(Look was, Look is) {
        for (String id : is.masters) {
            if (!was.masters.contains(id)) {
                events.add("info", "masterJoins", id, "Master " + id + " joins the cluster.");
            }
        }
        for (String id : is.differing) {
            if (!was.differing.contains(id)) {
                events.add(
                        "critical",
                        "masterDiffers",
                        id,
                        "Master "
                                + id
                                + " holds another state than the others: empty its directory, and"
                                + " let it join again.");
            }
        }
        for (String id : was.masters) {
            if (!is.masters.contains(id)) {
                events.add("info", "masterLeft", id, "Master " + id + " has left the cluster.");
            }
        }
    }

    private void compare(Look was, Look is) {
        members(was, is);
        is.serverUp.forEach((name, up) -> server(name, was.serverUp.get(name), up));
        is.masterUp.forEach((id, up) -> master(id, was.masterUp.getOrDefault(id, true), up));
        disks(was, is);
        is.sessions.forEach(
                (id, client) -> {
                    if (!was.sessions.containsKey(id)) {
                        events.add(
                                "info",
                                "sessionBegan",
                                Json.hex(id),
                                "Client " + client + " opened a session.");
                    }
                });
        was.sessions.forEach(
                (id, client) -> {
                    if (!is.sessions.containsKey(id)) {
                        events.add(
                                "info",
                                "sessionEnded",
                                Json.hex(id),
                                "The session of client " + client + " ended.");
                    }
                });
        if (!was.pools.containsAll(is.pools)) {
            events.add("info", "poolsMade", "pools", "New pools: new files use all servers.");
        }
        if (!is.pools.containsAll(was.pools)) {
            String text = "Former pools are gone: they held nothing any more.";
            events.add("info", "poolsRetired", "pools", text);
        }
        if (is.risk != was.risk) {
            List<String> levels = List.of("info", "warning", "critical");
            List<String> kinds = List.of("groupsComplete", "groupsAtRisk", "groupsUnavailable");
            List<String> texts =
                    List.of(
                            "All placement groups have all their copies.",
                            "Some placement groups are short of a copy.",
                            "Some placement groups have no copy that serves.");
            events.add(levels.get(is.risk), kinds.get(is.risk), "groups", texts.get(is.risk));
        }
    }

    private void disks(Look was, Look is) {
        is.failedTargets.forEach(
                (target, text) -> {
                    if (!was.failedTargets.containsKey(target)) {
                        events.add("warning", "targetFailed", Json.hex(target), text);
                    }
                });
        is.erring.forEach(
                (id, text) -> {
                    if (!was.erring.containsKey(id)) {
                        events.add("warning", "diskErrors", Json.hex(id), text);
                    }
                });
        is.slow.forEach(
                (id, text) -> {
                    if (!was.slow.containsKey(id)) {
                        events.add("warning", "diskSlow", Json.hex(id), text);
                    }
                });
    }

    private static String failure(String server, TargetReport target) {
        String disk =
                target.directory().isEmpty() ? Json.hex(target.identity()) : target.directory();
        return "Disk %s of chunk server %s has failed%s."
                .formatted(disk, server, target.fault().isEmpty() ? "" : ": " + target.fault());
    }

    private void master(String id, boolean was, boolean is) {
        if (was && !is) {
            events.add("warning", "masterDown", id, "Master " + id + " does not answer.");
        } else if (!was && is) {
            events.add("info", "masterUp", id, "Master " + id + " answers.");
        }
    }

    private void server(String name, @Nullable Boolean was, boolean is) {
        if (!is && (was == null || was)) {
            String text = "Chunk server " + name + " does not answer: look whether it runs.";
            events.add("warning", "serverDown", name, text);
        } else if (is && ((was == null && isSettled()) || (was != null && !was))) {
            events.add("info", "serverUp", name, "Chunk server " + name + " answers.");
        }
    }
}
