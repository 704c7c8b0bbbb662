package io.cairn.chunk;

import io.cairn.base.FsException;
import io.cairn.chunk.group.Groups;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.cluster.Pool;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what the master says nobody refers to. The master repeats a task until this server has
 * confirmed it, so nothing is remembered over a restart. Thread-safe.
 */
final class Garbage {
    private static final Logger LOG = LoggerFactory.getLogger(Garbage.class);
    private static final int WIDTH = 2;

    /** A list as long as this is mostly not the last: the master hears at once that it is done. */
    static final int MANY = 128;

    private final PeerContext station;
    private final Groups groups;
    private final List<StorageTarget> targets;
    private final Set<Long> running = new HashSet<>();
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
     * loss of power brings back would stay for ever.
     */
    private CompletableFuture<Void> collect(List<GarbageTask> tasks) {
        Queue<Long> deleted = new ConcurrentLinkedQueue<>();
        CompletableFuture<Void> deletion =
                Futures.forEach(
                        tasks,
                        WIDTH,
                        task -> collect(task).thenRun(() -> deleted.add(task.entryId())));
        return deletion.handle((done, thrown) -> deleted)
                .thenCompose(some -> onEach(StorageTarget::syncDeletions))
                .thenRun(() -> confirm(deleted))
                .thenCompose(confirmed -> deletion);
    }

    private synchronized void confirm(Collection<Long> entries) {
        collected.addAll(entries);
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

    private CompletableFuture<Void> collect(GarbageTask task) {
        List<CompletableFuture<Void>> turns = new ArrayList<>();
        groups.parts()
                .values()
                .forEach(
                        part -> {
                            for (ChunkKey key : part.member().turns().active()) {
                                if (station.tombstones().holds(key)) {
                                    turns.add(
                                            part.member()
                                                    .turns()
                                                    .exclusive(key, () -> Futures.DONE));
                                }
                            }
                        });
        return Futures.all(turns).thenCompose(quiet -> onEach(target -> delete(task, target)));
    }

    /** Each disk does its own part. */
    private CompletableFuture<Void> onEach(Consumer<StorageTarget> work) {
        List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (StorageTarget target : targets) {
            parts.add(groups.station(target).doOnDisk(() -> work.accept(target)));
        }
        return Futures.all(parts);
    }

    private void delete(GarbageTask task, StorageTarget target) {
        Pool pool = groups.map().pool(task.poolId());
        if (pool == null) {
            return;
        }
        for (int group : target.groups()) {
            if (group >= pool.firstGroup() && group < pool.firstGroup() + pool.groupCount()) {
                target.deleteObject(group, task.oid(), task.fromChunk(), task.endChunk());
            }
        }
    }
}
