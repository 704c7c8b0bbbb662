package io.cairn.chunk.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Target;
import io.cairn.wire.master.ClusterRequest.Cleared;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what the targets of this server have of groups that they have left. Only the map says so,
 * by name: that a target is no member is not enough, because a map of masters that were set back
 * may not know yet that it is one. The map does not make it a member again before it was told that
 * all is deleted, so nothing is deleted that was written later. Thread-safe.
 */
public final class FormerGroups {
    private static final Logger LOG = LoggerFactory.getLogger(FormerGroups.class);

    /** Blobs deleted between two looks at the map. */
    private static final int BATCH = 256;

    private final PeerContext station;
    private final Groups groups;
    private final List<StorageTarget> targets;

    @GuardedBy("this")
    private final Set<Former> running = new LinkedHashSet<>();

    private final Set<Former> cleared = new LinkedHashSet<>();
    private Set<Former> named = Set.of();

    @GuardedBy("this")
    private long namedEpoch;

    /** A group that a target has left. */
    private record Former(StorageTarget target, int group) {}

    /** Of these targets. */
    public FormerGroups(PeerContext station, Groups groups, List<StorageTarget> targets) {
        this.station = station;
        this.groups = groups;
        this.targets = targets;
    }

    /** What is deleted of a target for good, and the map names still. */
    public synchronized List<Cleared> cleared(StorageTarget target) {
        ClusterMap map = groups.map();
        return cleared.stream()
                .filter(former -> former.target.equals(target) && isNamed(map, former))
                .map(former -> new Cleared(former.group, epoch(map, former.group)))
                .toList();
    }

    private static long epoch(ClusterMap map, int id) {
        PlacementGroup group = map.group(id);
        return group == null ? 0 : group.epoch();
    }

    private boolean isNamed(ClusterMap map, Former former) {
        Target known = map.targetOf(former.target.identity());
        PlacementGroup group = map.group(former.group);
        return known != null && group != null && group.left().contains(known.id());
    }

    /** Begins to delete what the map in force names. A master has just given a lease. */
    public void clear() {
        ClusterMap map = groups.map();
        Set<Former> fresh = new LinkedHashSet<>();
        synchronized (this) {
            if (map.epoch() != namedEpoch) {
                named = named(map);
                namedEpoch = map.epoch();
                cleared.retainAll(named);
            }
            for (Former former : named) {
                if (!cleared.contains(former) && running.add(former)) {
                    fresh.add(former);
                }
            }
        }
        fresh.forEach(this::clear);
    }

    private Set<Former> named(ClusterMap map) {
        Set<Former> found = new LinkedHashSet<>();
        for (PlacementGroup group : map.groups()) {
            if (!group.left().isEmpty()) {
                targets.stream()
                        .map(target -> new Former(target, group.id()))
                        .filter(former -> isNamed(map, former))
                        .forEach(found::add);
            }
        }
        return found;
    }

    private void clear(Former former) {
        PeerContext own = groups.station(former.target);
        Futures.finish(
                groups.quiet(former.group, former.target)
                        .thenCompose(quiet -> delete(own, former, null))
                        .thenCompose(done -> own.doOnDisk(former.target::syncDeletions)),
                (done, thrown) -> ended(former, thrown));
    }

    private synchronized void ended(Former former, @Nullable Throwable thrown) {
        running.remove(former);
        if (thrown == null) {
            cleared.add(former);
            LOG.info("{}: has left group {}", former.target.directory(), former.group);
        } else {
            LOG.info(
                    "{}: what it had of group {} is not deleted yet: {}",
                    former.target.directory(),
                    former.group,
                    Futures.failure(thrown).getMessage());
        }
    }

    private CompletableFuture<Void> delete(
            PeerContext own, Former former, @Nullable BlobKey after) {
        return own.fromDisk(
                () -> {
                    requireLeft(former);
                    BlobKey last = former.target.deleteGroup(former.group, after, BATCH);
                    if (last == null && after == null) {
                        return Futures.DONE;
                    }
                    return delete(own, former, last);
                });
    }

    private void requireLeft(Former former) {
        station.lease().check();
        boolean member = groups.find(former.group, former.target) != null;
        if (member || !isNamed(groups.map(), former)) {
            throw new FsException(Errno.ESTALE, "the map does not say any more that it has left");
        }
    }
}
