package io.cairn.master.cluster;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.LeaderMutation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Hands the durable gc queue to the chunk servers, a window at a time, and takes an entry out of
 * the queue when every server of its pool has confirmed it. A server that is away holds the entries
 * of its pools back; the others' confirmations are remembered as long as this master leads. Guarded
 * by {@link ServerWatch}.
 */
final class GarbageRounds {
    /** Entries in work at a time. */
    private static final int WINDOW = 4096;

    /** Entries told to a server in one heartbeat. */
    private static final int PER_HEARTBEAT = 1024;

    private final Supplier<Namespace> namespace;
    private final LogWriter log;
    private final Map<Long, Round> rounds = new HashMap<>();
    private volatile boolean submitting;

    /**
     * The entries up to here were taken into the window. The queue is read from here on: the store
     * would step over each entry that has left it lately.
     */
    private volatile long takenUpTo;

    private record Round(GarbageTask task, Set<String> servers, Set<String> missing) {}

    GarbageRounds(Supplier<Namespace> namespace, LogWriter log) {
        this.namespace = namespace;
        this.log = log;
    }

    void clear() {
        rounds.clear();
        takenUpTo = 0;
        submitting = false;
    }

    /** Takes new entries of the queue into the window and reports the confirmed ones. */
    void tick() {
        if (submitting) {
            return;
        }
        List<Long> done = new ArrayList<>();
        rounds.forEach(
                (id, round) -> {
                    if (round.missing.isEmpty()) {
                        done.add(id);
                    }
                });
        if (!done.isEmpty()) {
            submitting = true;
            long[] ids = done.stream().mapToLong(Long::longValue).sorted().toArray();
            var _ =
                    log.submit(new LeaderMutation.Collected(ids))
                            .whenComplete(
                                    (reply, error) -> {
                                        if (error != null) {
                                            takenUpTo = 0; // they may still be in the queue
                                        }
                                        submitting = false;
                                    });
            done.forEach(rounds::remove);
            return;
        }
        Map<Integer, Set<String>> servers = new HashMap<>();
        for (GarbageTask task : namespace.get().garbage(takenUpTo, WINDOW - rounds.size())) {
            Set<String> theirs = servers.computeIfAbsent(task.poolId(), this::serversOf);
            rounds.computeIfAbsent(
                    task.entryId(), _ -> new Round(task, theirs, new HashSet<>(theirs)));
            takenUpTo = task.entryId();
        }
    }

    private Set<String> serversOf(int poolId) {
        ClusterMap map = namespace.get().clusterMap();
        Set<String> names = new HashSet<>();
        Pool pool = map.pool(poolId);
        for (PlacementGroup group : pool == null ? List.<PlacementGroup>of() : map.groupsOf(pool)) {
            for (PlacementGroup.Member member : group.members()) {
                ChunkServer server = map.serverOfTarget(member.targetId());
                if (server != null) {
                    names.add(server.name());
                }
            }
        }
        return names;
    }

    /** The blobs that a server shall delete now. */
    List<GarbageTask> tasks(String server) {
        List<GarbageTask> tasks = new ArrayList<>();
        for (Round round : rounds.values()) {
            if (tasks.size() == PER_HEARTBEAT) {
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
        for (Round round : rounds.values()) {
            if (round.servers.contains(server)) {
                round.missing.add(server);
            }
        }
    }

    /** A server has deleted the data of these entries. */
    void confirm(String server, long[] entryIds) {
        for (long id : entryIds) {
            Round round = rounds.get(id);
            if (round != null) {
                round.missing.remove(server);
            }
        }
    }
}
