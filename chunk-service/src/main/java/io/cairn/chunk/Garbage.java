package io.cairn.chunk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.FsException;
import io.cairn.chunk.group.ChunkTurns;
import io.cairn.chunk.group.GroupService;
import io.cairn.chunk.group.Groups;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.cluster.Pool;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what the master says nobody refers to. The master repeats a task until this server has
 * confirmed it, so nothing is remembered over a restart. Thread-safe.
 */
final class Garbage {
    private static final Logger LOG = LoggerFactory.getLogger(Garbage.class);

    /** Entries that a disk deletes in one go, some milliseconds. */
    private static final int JOB = 32;

    /** A list as long as this is mostly not the last: the master hears at once that it is done. */
    static final int MANY = 128;

    private final PeerContext station;
    private final Groups groups;
    private final List<StorageTarget> targets;

    @GuardedBy("this")
    private final Set<Long> running = new HashSet<>();

    @GuardedBy("this")
    private final Set<Long> collected = new TreeSet<>();

    Garbage(PeerContext station, Groups groups, List<StorageTarget> targets) {
        this.station = station;
        this.groups = groups;
        this.targets = List.copyOf(targets);
    }

    /** Entries whose deletion is done here and that the master may not know of yet. */
    synchronized long[] collected() {
        return collected.stream().mapToLong(Long::longValue).toArray();
    }

    /**
     * Takes the master's list: begins what is new on it, in the background.
     *
     * @param told what was confirmed in the heartbeat that this list answers: an entry of it that
     *     the list no longer names is over
     */
    void accept(List<GarbageTask> tasks, long[] told) {
        List<GarbageTask> fresh = new ArrayList<>();
        synchronized (this) {
            Set<Long> named = new HashSet<>();
            tasks.forEach(task -> named.add(task.entryId()));
            for (long entry : told) {
                if (!named.contains(entry)) {
                    collected.remove(entry);
                }
            }
            for (GarbageTask task : tasks) {
                if (!collected.contains(task.entryId()) && running.add(task.entryId())) {
                    fresh.add(task);
                }
            }
        }
        if (!fresh.isEmpty()) {
            fresh.forEach(station.tombstones()::add);
            Futures.finish(collect(fresh), (done, thrown) -> ended(fresh, thrown));
        }
    }

    /**
     * Deletes, then makes what was deleted durable, then confirms it: what the master forgets and a
     * loss of power brings back would stay for ever. Each disk does its part for itself, and one
     * that fails keeps only what it failed at from being confirmed.
     */
    private CompletableFuture<Void> collect(List<GarbageTask> tasks) {
        Map<Long, FsException> failed = new ConcurrentHashMap<>();
        return quiet().thenCompose(
                        quiet ->
                                Futures.all(
                                        targets.stream()
                                                .map(target -> collect(tasks, target, failed))
                                                .toList()))
                .thenRun(
                        () -> {
                            confirm(tasks, failed.keySet());
                            failed.values().stream()
                                    .findAny()
                                    .ifPresent(
                                            error -> {
                                                throw error;
                                            });
                        });
    }

    /** In short jobs, one at a time: requests of clients are served between them. */
    private CompletableFuture<Void> collect(
            List<GarbageTask> tasks, StorageTarget target, Map<Long, FsException> failed) {
        PeerContext disk = groups.station(target);
        List<List<GarbageTask>> jobs = new ArrayList<>();
        for (int at = 0; at < tasks.size(); at += JOB) {
            jobs.add(tasks.subList(at, Math.min(at + JOB, tasks.size())));
        }
        return Futures.forEach(
                        jobs,
                        1,
                        job -> disk.doOnDisk(() -> job.forEach(t -> delete(t, target, failed))))
                .thenCompose(done -> disk.doOnDisk(target::syncDeletions));
    }

    private synchronized void confirm(List<GarbageTask> tasks, Set<Long> failed) {
        for (GarbageTask task : tasks) {
            if (!failed.contains(task.entryId())) {
                collected.add(task.entryId());
            }
        }
    }

    private void ended(List<GarbageTask> tasks, @Nullable Throwable thrown) {
        synchronized (this) {
            tasks.forEach(task -> running.remove(task.entryId()));
        }
        if (thrown != null) {
            FsException error = Futures.failure(thrown);
            LOG.warn("Garbage was not deleted, tried again later: {}", error.getMessage());
        } else if (tasks.size() >= MANY) {
            var _ = station.heartbeat().refresh();
        }
    }

    /** Done when all that began before on chunks to be deleted has ended. */
    private CompletableFuture<Void> quiet() {
        List<CompletableFuture<Void>> turns = new ArrayList<>();
        for (GroupService part : groups.parts()) {
            ChunkTurns chunks = part.member().turns();
            for (ChunkKey key : chunks.active()) {
                if (station.tombstones().holds(key)) {
                    turns.add(chunks.exclusive(key, () -> Futures.DONE));
                }
            }
        }
        return Futures.all(turns);
    }

    private void delete(GarbageTask task, StorageTarget target, Map<Long, FsException> failed) {
        Pool pool = groups.map().pool(task.poolId());
        if (pool == null) {
            return;
        }
        try {
            for (int group : target.groups()) {
                if (group >= pool.firstGroup() && group < pool.firstGroup() + pool.groupCount()) {
                    target.deleteObject(group, task.oid(), task.fromChunk(), task.endChunk());
                }
            }
        } catch (FsException e) {
            failed.put(task.entryId(), e);
        }
    }
}
