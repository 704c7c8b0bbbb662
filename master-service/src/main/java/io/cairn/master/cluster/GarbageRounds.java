package io.cairn.master.cluster;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.LeaderMutation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Hands the durable gc queue to the chunk servers, a window at a time, and takes an entry out of
 * the queue when every server of its pool has confirmed it. A server that is away holds the entries
 * of its pools back, but not the others in line: these entries wait beside the window. The others'
 * confirmations are remembered as long as this master leads. Guarded by {@link ServerWatch}.
 */
final class GarbageRounds {
    /**
     * Entries times servers. Each entry may have to remember every server, some 40 bytes each, and
     * every heartbeat looks through the entries: so both stay bounded in a large cluster.
     */
    private static final long MAX_PAIRS = 1 << 22;

    private static final int MIN_WINDOW = 1024;
    private static final int MAX_WINDOW = 16_384;
    private static final int MAX_WAITING = 131_072;

    /** Entries told to all servers in one round of heartbeats, some 36 bytes each. */
    private static final long MAX_TOLD = 1 << 17;

    private static final int MIN_PER_HEARTBEAT = 256;
    private static final int MAX_PER_HEARTBEAT = 4096;

    /** Entries taken out of the queue in one entry of the log: clients' entries come between. */
    private static final int SLICE = 1024;

    private final Supplier<Namespace> namespace;
    private final LogWriter log;

    /** In the order of the queue: the oldest first. */
    private final SortedMap<Long, Round> rounds = new TreeMap<>();

    private final SortedMap<Long, Round> waiting = new TreeMap<>();

    /** All servers that an entry was for. */
    private final Set<String> named = new HashSet<>();

    private Set<String> away = Set.of();
    private long epoch;

    /** Servers in the map. */
    private int count;

    private volatile boolean submitting;
    private volatile boolean refused;

    /** Counts the terms of this master. */
    private final AtomicInteger terms = new AtomicInteger();

    /**
     * The entries up to here were taken into the window. The queue is read from here on: the store
     * would step over each entry that has left it lately.
     */
    private long takenUpTo;

    /**
     * An entry.
     *
     * @param servers those that have members of its pool, with their groups
     */
    private record Round(GarbageTask task, Map<String, Set<Integer>> servers, Set<String> missing) {
        Round(GarbageTask task, Map<String, Set<Integer>> servers) {
            this(task, servers, new HashSet<>(servers.keySet()));
        }

        /** The same for the members that its pool has now. */
        Round of(Map<String, Set<Integer>> present) {
            if (present.equals(servers)) {
                return this;
            }
            Set<String> left = new HashSet<>(missing);
            left.retainAll(present.keySet());
            present.forEach(
                    (server, groups) -> {
                        if (!servers.getOrDefault(server, Set.of()).containsAll(groups)) {
                            left.add(server);
                        }
                    });
            return new Round(task, present, left);
        }
    }

    GarbageRounds(Supplier<Namespace> namespace, LogWriter log) {
        this.namespace = namespace;
        this.log = log;
    }

    /** Entries that servers work at. */
    static int window(int servers) {
        return Math.clamp(MAX_PAIRS / Math.max(1, servers), MIN_WINDOW, MAX_WINDOW);
    }

    /** Entries that wait for servers that are away; the rest stays in the queue. */
    static int mostWaiting(int servers) {
        return Math.clamp(MAX_PAIRS / Math.max(1, servers), MIN_WINDOW, MAX_WAITING);
    }

    /** Entries told to a server in one heartbeat. */
    static int perHeartbeat(int servers) {
        return Math.clamp(MAX_TOLD / Math.max(1, servers), MIN_PER_HEARTBEAT, MAX_PER_HEARTBEAT);
    }

    void clear() {
        rounds.clear();
        waiting.clear();
        named.clear();
        away = Set.of();
        epoch = 0;
        count = 0;
        takenUpTo = 0;
        terms.incrementAndGet();
        submitting = false;
        refused = false;
    }

    /**
     * Reports the confirmed entries and takes new ones of the queue into the window.
     *
     * @param alive whether a server can do anything now
     */
    void tick(Predicate<String> alive) {
        if (submitting) {
            return;
        }
        if (refused) {
            refused = false;
            takenUpTo = 0; // They may still be in the queue.
        }
        followMap();
        sort(alive);
        report();
        int room = Math.min(window(count) - rounds.size(), mostWaiting(count) - waiting.size());
        if (room <= 0) {
            return;
        }
        Map<Integer, Map<String, Set<Integer>>> servers = new HashMap<>();
        for (GarbageTask task : namespace.get().garbage(takenUpTo, room)) {
            Map<String, Set<Integer>> theirs =
                    servers.computeIfAbsent(task.poolId(), this::serversOf);
            if (!rounds.containsKey(task.entryId()) && !waiting.containsKey(task.entryId())) {
                named.addAll(theirs.keySet());
                rounds.put(task.entryId(), new Round(task, theirs));
            }
            takenUpTo = task.entryId();
        }
    }

    /**
     * A server that got a group may have copied what is to be deleted: it looks, again if need be.
     * One that has left a group deletes all that it had of it.
     */
    private void followMap() {
        ClusterMap map = namespace.get().clusterMap();
        if (map.epoch() == epoch) {
            return;
        }
        epoch = map.epoch();
        count = map.servers().size();
        Map<Integer, Map<String, Set<Integer>>> servers = new HashMap<>();
        for (SortedMap<Long, Round> some : List.of(rounds, waiting)) {
            some.replaceAll(
                    (id, round) -> {
                        int pool = round.task.poolId();
                        Map<String, Set<Integer>> theirs =
                                servers.computeIfAbsent(pool, this::serversOf);
                        named.addAll(theirs.keySet());
                        return round.of(theirs);
                    });
        }
        rounds.putAll(waiting);
        waiting.clear();
    }

    /** What only servers that are away have to do makes room for what others can. */
    private void sort(Predicate<String> alive) {
        Set<String> gone = new HashSet<>(named);
        gone.removeIf(alive);
        if (!gone.equals(away)) {
            away = Set.copyOf(gone);
            rounds.putAll(waiting);
            waiting.clear();
        }
        if (away.isEmpty()) {
            return;
        }
        rounds.entrySet()
                .removeIf(
                        entry -> {
                            Round round = entry.getValue();
                            boolean waits =
                                    !round.missing.isEmpty() && away.containsAll(round.missing);
                            if (waits) {
                                waiting.put(entry.getKey(), round);
                            }
                            return waits;
                        });
    }

    private void report() {
        long[] done =
                rounds.values().stream()
                        .filter(round -> round.missing.isEmpty())
                        .mapToLong(round -> round.task.entryId())
                        .toArray();
        if (done.length == 0) {
            return;
        }
        for (long id : done) {
            rounds.remove(id);
        }
        submitting = true;
        collected(done, 0, terms.get());
    }

    /** One entry after the other, as fast as the log takes them; from any thread. */
    private void collected(long[] done, int from, int begun) {
        int end = Math.min(from + SLICE, done.length);
        var _ =
                log.submit(new LeaderMutation.Collected(Arrays.copyOfRange(done, from, end)))
                        .whenComplete(
                                (reply, error) -> {
                                    if (begun != terms.get()) {
                                        return;
                                    }
                                    if (error == null && end < done.length) {
                                        collected(done, end, begun);
                                        return;
                                    }
                                    if (error != null) {
                                        refused = true;
                                    }
                                    submitting = false;
                                });
    }

    private Map<String, Set<Integer>> serversOf(int poolId) {
        ClusterMap map = namespace.get().clusterMap();
        Map<String, Set<Integer>> found = new HashMap<>();
        Pool pool = map.pool(poolId);
        for (PlacementGroup group : pool == null ? List.<PlacementGroup>of() : map.groupsOf(pool)) {
            for (PlacementGroup.Member member : group.members()) {
                ChunkServer server = map.serverOfTarget(member.targetId());
                if (server != null) {
                    found.computeIfAbsent(server.name(), _ -> new HashSet<>()).add(group.id());
                }
            }
        }
        return found;
    }

    /** The blobs that a server shall delete now. */
    List<GarbageTask> tasks(String server) {
        List<GarbageTask> tasks = new ArrayList<>();
        int most = perHeartbeat(count);
        for (Round round : rounds.values()) {
            if (tasks.size() == most) {
                break;
            }
            if (round.missing.contains(server)) {
                tasks.add(round.task);
            }
        }
        return tasks;
    }

    /**
     * A server has begun anew and forgotten what it deleted: one that has not deleted it yet may
     * have given it back, so it has to look again.
     */
    void restarted(String server) {
        for (SortedMap<Long, Round> some : List.of(rounds, waiting)) {
            for (Round round : some.values()) {
                if (round.servers.containsKey(server)) {
                    round.missing.add(server);
                }
            }
        }
    }

    /** A server has deleted the data of these entries. */
    void confirm(String server, long[] entryIds) {
        for (long id : entryIds) {
            Round found = rounds.get(id);
            Round round = found == null ? waiting.get(id) : found;
            if (round != null) {
                round.missing.remove(server);
            }
        }
    }
}
