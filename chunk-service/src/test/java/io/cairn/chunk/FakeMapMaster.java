package io.cairn.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Target;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.HeartbeatReply;
import io.cairn.wire.master.ClusterRequest.Leaving;
import io.cairn.wire.master.ClusterRequest.MasterPresent;
import io.cairn.wire.master.ClusterRequest.MemberFailed;
import io.cairn.wire.master.ClusterRequest.MemberSynced;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.scrub.ScrubReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A master that keeps the cluster map in memory and changes it as a real one does. There is one
 * pool when all servers have come. Members leave when their lease has ended or, after a report of
 * the head, when their lease was left to end; restarted ones sync. Of the last ones serving one
 * that kept its memory comes back serving, or, without end of patience, all that lost it.
 */
public final class FakeMapMaster implements Handler {
    static final long CLUSTER = 0xCA1;
    static final long LEASE_MS = 3_000;
    private static final long GRACE_MS = LEASE_MS * 5 / 4;
    private static final long TICK_MS = 200;

    private final Clock clock;
    private final Scheduler scheduler;
    private final Endpoint endpoint;
    private final int expectedServers;
    private final int replicas;
    private final int groupCount;
    private final Map<String, Seen> servers = new TreeMap<>();
    private final Map<Integer, MemberFailed> doomed = new TreeMap<>();
    private final Set<Integer> broken = new TreeSet<>();
    private final List<GarbageTask> garbage = new ArrayList<>();
    private final Map<Long, Set<String>> confirmed = new HashMap<>();
    private final List<MemberSynced> synced = new ArrayList<>();
    private final List<MemberFailed> failures = new ArrayList<>();
    private ClusterMap map = ClusterMap.EMPTY;
    private long clusterId = CLUSTER;
    private boolean leads = true;
    private String leaderHint = "";
    private boolean silent;
    private boolean losesReports;
    private boolean postpones;
    private ScrubReport.Orders scrub = ScrubReport.Orders.STANDARD;
    private int partsAsked;
    private final Listener listener;

    private static final class Seen {
        Heartbeat heartbeat;
        long answeredMs;
        @Nullable Connection connection;

        Seen(Heartbeat heartbeat) {
            this.heartbeat = heartbeat;
        }
    }

    /** Listens on a node of its own. */
    public FakeMapMaster(
            Transport transport,
            Clock clock,
            Scheduler scheduler,
            Endpoint endpoint,
            int[] serversReplicasGroups) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.endpoint = endpoint;
        this.expectedServers = serversReplicasGroups[0];
        this.replicas = serversReplicasGroups[1];
        this.groupCount = serversReplicasGroups[2];
        this.listener = transport.listen(endpoint, this);
        scheduler.schedule(this::tick, TICK_MS);
    }

    /** Where it really listens. */
    Endpoint endpoint() {
        return new Endpoint(endpoint.host(), listener.endpoint().port());
    }

    synchronized ClusterMap map() {
        return map;
    }

    public synchronized PlacementGroup group(int id) {
        PlacementGroup group = map.group(id);
        if (group == null) {
            throw new IllegalStateException("no group " + id);
        }
        return group;
    }

    synchronized void setClusterId(long id) {
        clusterId = id;
    }

    /** Answers NOT_LEADER with a hint from now on. */
    synchronized void abdicate(String hint) {
        leads = false;
        leaderHint = hint;
    }

    /** How servers are to verify their blobs from now on. */
    public synchronized void setScrub(ScrubReport.Orders orders) {
        scrub = orders;
    }

    /** Does not answer at all. */
    synchronized void setSilent(boolean isSilent) {
        silent = isSilent;
    }

    /** Loses what heads report of failed members, as a leader that is losing its office does. */
    public synchronized void setLosesReports(boolean loses) {
        losesReports = loses;
    }

    /** From now on, or not any more, no member that has synced serves. */
    public synchronized void setPostpones(boolean postponesServing) {
        postpones = postponesServing;
    }

    /** How many reports of synced members wait. */
    public synchronized int syncedCount() {
        return synced.size();
    }

    public synchronized List<MemberFailed> failures() {
        return List.copyOf(failures);
    }

    synchronized void addGarbage(GarbageTask task) {
        garbage.add(task);
        confirmed.put(task.entryId(), new HashSet<>());
    }

    /** How many servers have confirmed an entry. */
    synchronized int confirmations(long entryId) {
        return confirmed.getOrDefault(entryId, Set.of()).size();
    }

    public synchronized Heartbeat heartbeat(String server) {
        Seen seen = servers.get(server);
        if (seen == null) {
            throw new IllegalStateException("no heartbeat of " + server);
        }
        return seen.heartbeat;
    }

    /** Changes the state of a member, with the next epoch. */
    public synchronized void setState(int groupId, int targetId, MemberState state) {
        PlacementGroup group = group(groupId);
        List<Member> members = new ArrayList<>(group.members());
        members.replaceAll(m -> m.targetId() == targetId ? new Member(targetId, state) : m);
        replace(Map.of(groupId, members), List.copyOf(map.servers()));
    }

    /** The same map with a new epoch for a group. */
    public synchronized void renewEpoch(int groupId) {
        replace(Map.of(groupId, group(groupId).members()), List.copyOf(map.servers()));
    }

    @Override
    public synchronized void handle(Connection from, Message request, Answer answer) {
        request.release();
        if (silent) {
            return;
        }
        if (!leads) {
            answer.fail(new FsException(Errno.NOT_LEADER, leaderHint));
            return;
        }
        Decoder in = new Decoder(request.header());
        MasterRequest kind = MasterRequest.read(in);
        if (kind == MasterRequest.QUERY && in.i64() == 0) {
            answer.send(Message.of(mapPart(in)::toBytes));
            return;
        }
        if (kind != MasterRequest.CLUSTER) {
            answer.fail(new FsException(Errno.EPROTO));
            return;
        }
        try {
            switch (ClusterRequest.decode(in)) {
                case Heartbeat h -> answer.send(Message.of(heartbeat(h, from)::toBytes));
                case MemberFailed f -> {
                    if (losesReports) {
                        throw new FsException(Errno.NOT_LEADER, "");
                    }
                    failed(f);
                    answer.send(Message.empty());
                }
                case MemberSynced s -> {
                    synced.add(s);
                    answer.send(Message.empty());
                }
                case Leaving _,
                        MasterPresent _,
                        ClusterRequest.Join _,
                        ClusterRequest.RenewCertificate _,
                        ClusterRequest.CertificateKept _ ->
                        answer.fail(new FsException(Errno.EPROTO));
            }
        } catch (FsException e) {
            answer.fail(e);
        }
    }

    private Reply mapPart(Decoder in) {
        Query.GetMap query = (Query.GetMap) Query.decode(in);
        partsAsked++;
        return new Reply.MapReply(map.since(ClusterMap.EMPTY).part(query.at()));
    }

    /** Tells all servers what changed since a map. */
    synchronized void tellChange(ClusterMap before) {
        Push push = new Push.MapChanged(map.epoch(), map.since(before));
        for (Seen seen : servers.values()) {
            if (seen.connection != null) {
                seen.connection.send(Message.of(v -> MasterRequest.push(push, v)));
            }
        }
    }

    /** How many parts of the map were asked for. */
    synchronized int partsAsked() {
        return partsAsked;
    }

    private HeartbeatReply heartbeat(Heartbeat heartbeat, Connection from) {
        if (heartbeat.clusterId() != 0 && heartbeat.clusterId() != clusterId) {
            throw new FsException(Errno.WRONG_CLUSTER, "this is cluster " + clusterId);
        }
        Seen seen = servers.computeIfAbsent(heartbeat.name(), n -> new Seen(heartbeat));
        seen.heartbeat = heartbeat;
        seen.connection = from;
        boolean suspended = doomed.keySet().stream().anyMatch(t -> isOf(t, heartbeat.name()));
        if (!suspended) {
            seen.answeredMs = clock.millis();
        }
        for (long entry : heartbeat.collected()) {
            confirmed.computeIfAbsent(entry, e -> new HashSet<>()).add(heartbeat.name());
        }
        List<GarbageTask> tasks =
                garbage.stream()
                        .filter(
                                t ->
                                        !confirmed
                                                .getOrDefault(t.entryId(), Set.of())
                                                .contains(heartbeat.name()))
                        .toList();
        MapDelta younger = map.epoch() > heartbeat.mapEpoch() ? map.since(ClusterMap.EMPTY) : null;
        boolean fits = younger == null || younger.isSmall();
        return new HeartbeatReply(
                clusterId,
                suspended || !fits ? 0 : LEASE_MS,
                map.epoch(),
                fits ? younger : null,
                tasks,
                scrub);
    }

    private boolean isOf(int targetId, String server) {
        ChunkServer holder = map.serverOfTarget(targetId);
        return holder != null && holder.name().equals(server);
    }

    private void failed(MemberFailed report) {
        failures.add(report);
        PlacementGroup group = map.group(report.group());
        if (group != null && group.epoch() == report.epoch()) {
            doomed.put(report.targetId(), report);
        }
    }

    private boolean isAlive(Seen seen) {
        return clock.millis() - seen.answeredMs < GRACE_MS;
    }

    private synchronized void tick() {
        scheduler.schedule(this::tick, TICK_MS);
        if (map.epoch() == 0) {
            found();
            return;
        }
        Map<Integer, List<Member>> changed = new TreeMap<>();
        List<Integer> over = new ArrayList<>();
        doomed.forEach(
                (target, report) -> {
                    Seen seen = seenOf(target);
                    if (group(report.group()).epoch() != report.epoch()) {
                        over.add(target);
                    } else if (seen == null || !isAlive(seen)) {
                        over.add(target);
                        set(changed, report.group(), target, MemberState.OFFLINE);
                    }
                });
        over.forEach(doomed::remove);
        if (changed.isEmpty() && !postpones) {
            for (MemberSynced report : synced) {
                PlacementGroup group = map.group(report.group());
                if (group != null && group.epoch() == report.epoch()) {
                    set(changed, report.group(), report.targetId(), MemberState.SERVING);
                }
            }
            synced.clear();
        }
        if (!changed.isEmpty()) {
            replace(changed, List.copyOf(map.servers()));
            return;
        }
        map.groups().forEach(group -> decide(group, changed));
        List<ChunkServer> present = presentServers();
        if (!changed.isEmpty() || !present.equals(List.copyOf(map.servers()))) {
            replace(changed, present);
        }
    }

    private void set(Map<Integer, List<Member>> changed, int group, int target, MemberState state) {
        PlacementGroup present = group(group);
        List<Member> members =
                changed.computeIfAbsent(group, g -> new ArrayList<>(present.members()));
        members.replaceAll(m -> m.targetId() == target ? new Member(target, state) : m);
    }

    private @Nullable Seen seenOf(int targetId) {
        ChunkServer server = map.serverOfTarget(targetId);
        return server == null ? null : servers.get(server.name());
    }

    private boolean isPresent(Member member) {
        Seen seen = seenOf(member.targetId());
        Target target = map.target(member.targetId());
        boolean waits = doomed.containsKey(member.targetId());
        return seen != null
                && target != null
                && (waits || isAlive(seen))
                && seen.heartbeat.targets().stream()
                        .anyMatch(t -> t.identity() == target.identity() && t.healthy());
    }

    private boolean isRestarted(Member member) {
        Seen seen = seenOf(member.targetId());
        ChunkServer server = map.serverOfTarget(member.targetId());
        return seen != null
                && server != null
                && server.incarnation() != seen.heartbeat.incarnation();
    }

    private boolean isRebooted(Member member) {
        Seen seen = seenOf(member.targetId());
        ChunkServer server = map.serverOfTarget(member.targetId());
        return isRestarted(member)
                && seen != null
                && server != null
                && server.bootId() != seen.heartbeat.bootId();
    }

    private void decide(PlacementGroup group, Map<Integer, List<Member>> changed) {
        List<Member> next = new ArrayList<>(group.members());
        boolean kept = next.stream().anyMatch(m -> serves(m) && isPresent(m) && !isRebooted(m));
        boolean again = next.stream().anyMatch(m -> serves(m) && isRestarted(m));
        next.replaceAll(m -> new Member(m.targetId(), withdrawn(m, kept)));
        if (next.stream().noneMatch(FakeMapMaster::serves)) {
            next.stream()
                    .filter(m -> m.state() == MemberState.LAST_SERVING && isPresent(m))
                    .findFirst()
                    .ifPresent(m -> serve(next, m));
        }
        boolean mayBeBetter =
                next.stream().anyMatch(m -> serves(m) || m.state() == MemberState.LAST_SERVING);
        boolean waits =
                next.stream().anyMatch(m -> m.state() == MemberState.WAITING && isPresent(m));
        if (!mayBeBetter && waits) {
            next.replaceAll(
                    m ->
                            m.state() == MemberState.WAITING && isPresent(m)
                                    ? new Member(m.targetId(), MemberState.SERVING)
                                    : m);
            broken.add(group.id());
        }
        if (next.stream().anyMatch(FakeMapMaster::serves)) {
            next.replaceAll(
                    m ->
                            serves(m) || m.state() == MemberState.SYNCING
                                    ? m
                                    : new Member(
                                            m.targetId(),
                                            isPresent(m)
                                                    ? MemberState.SYNCING
                                                    : MemberState.OFFLINE));
        }
        if (again || !next.equals(group.members())) {
            changed.put(group.id(), next);
        } else {
            broken.remove(group.id());
        }
    }

    private static void serve(List<Member> members, Member one) {
        members.set(members.indexOf(one), new Member(one.targetId(), MemberState.SERVING));
    }

    private MemberState withdrawn(Member m, boolean kept) {
        return switch (m.state()) {
            case OFFLINE, WAITING, ADOPTED -> m.state();
            case LAST_SERVING -> isRebooted(m) ? MemberState.WAITING : m.state();
            case SYNCING ->
                    isPresent(m) && !isRestarted(m) ? MemberState.SYNCING : MemberState.OFFLINE;
            case SERVING -> {
                if (!kept) {
                    yield isRebooted(m) ? MemberState.WAITING : MemberState.LAST_SERVING;
                }
                boolean good = isPresent(m) && !isRebooted(m);
                yield good ? MemberState.SERVING : MemberState.OFFLINE;
            }
        };
    }

    private static boolean serves(Member member) {
        return member.state() == MemberState.SERVING;
    }

    private List<ChunkServer> presentServers() {
        List<ChunkServer> present = new ArrayList<>();
        for (ChunkServer s : map.servers()) {
            Seen seen = servers.get(s.name());
            present.add(
                    seen == null
                            ? s
                            : new ChunkServer(
                                    s.id(),
                                    s.name(),
                                    seen.heartbeat.endpoint(),
                                    seen.heartbeat.incarnation(),
                                    seen.heartbeat.bootId()));
        }
        return present;
    }

    private void replace(Map<Integer, List<Member>> changed, List<ChunkServer> present) {
        long epoch = map.epoch() + 1;
        List<PlacementGroup> groups = new ArrayList<>();
        for (PlacementGroup group : map.groups()) {
            List<Member> members = changed.get(group.id());
            groups.add(
                    members == null
                            ? group
                            : group.next(epoch, broken.contains(group.id()), members));
        }
        broken.clear();
        map = new ClusterMap(epoch, present, map.targets(), map.pools(), groups);
    }

    private void found() {
        if (servers.size() < expectedServers) {
            return;
        }
        List<Heartbeat> first = servers.values().stream().map(seen -> seen.heartbeat).toList();
        map = FirstMap.of(first, replicas, groupCount);
    }
}
