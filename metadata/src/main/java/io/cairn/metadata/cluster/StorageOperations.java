package io.cairn.metadata.cluster;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Target;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.LeaderMutation.StorageMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * What administrators change of chunk servers and targets: each change makes the next cluster map.
 * Belongs to the apply thread.
 */
public final class StorageOperations {
    /** Longer maintenance is none: a copy is missing all the while. */
    public static final int MAX_MAINTENANCE_DAYS = 7;

    private static final long MAX_MAINTENANCE_MS = MAX_MAINTENANCE_DAYS * 86_400_000L;

    private final Cluster cluster;
    private final Transaction transaction;

    /** On the map of the cluster. */
    public StorageOperations(Cluster cluster, Transaction transaction) {
        this.cluster = cluster;
        this.transaction = transaction;
    }

    /**
     * Makes a change.
     *
     * @throws FsException ENOENT, ENOTEMPTY or EINVAL; then nothing has changed
     */
    public void apply(StorageMutation mutation) {
        switch (mutation) {
            case StorageMutation.SetTargetState m -> setState(m);
            case StorageMutation.SetMaintenance m -> setMaintenance(m);
            case StorageMutation.SetLabels m -> put(server(m.server()).labelled(m.labels()));
            case StorageMutation.RemoveStorage m -> remove(m);
        }
    }

    private void setState(StorageMutation.SetTargetState m) {
        List<Target> changed = new ArrayList<>();
        for (int id : new TreeSet<>(boxed(m.targets()))) {
            Target target = target(id);
            if (target.state() != m.state()) {
                changed.add(target.in(m.state()));
            }
        }
        change(List.of(), changed, List.of(), MapDelta.Gone.NOTHING);
    }

    private void setMaintenance(StorageMutation.SetMaintenance m) {
        if (m.forMs() < 0 || m.forMs() > MAX_MAINTENANCE_MS) {
            throw new FsException(
                    Errno.EINVAL,
                    "maintenance lasts at most %d days, not %d ms"
                            .formatted(MAX_MAINTENANCE_DAYS, m.forMs()));
        }
        long nowMs = transaction.nowNs() / 1_000_000;
        ChunkServer next =
                server(m.server()).maintainedUntil(m.forMs() == 0 ? 0 : nowMs + m.forMs());
        ClusterMap map = cluster.map();
        List<PlacementGroup> groups = new ArrayList<>();
        for (Target target : m.forMs() == 0 ? List.<Target>of() : map.targetsOf(next)) {
            for (PlacementGroup group : map.groupsOf(target)) {
                PlacementGroup.Member head = group.head();
                PlacementGroup other = group.headedByOthers(target.id(), map.epoch() + 1);
                if (head != null && head.targetId() == target.id() && other != null) {
                    groups.add(other);
                }
            }
        }
        List<ChunkServer> servers = next.equals(map.server(next.id())) ? List.of() : List.of(next);
        change(servers, List.of(), groups, MapDelta.Gone.NOTHING);
    }

    private void put(ChunkServer server) {
        boolean same = server.equals(cluster.map().server(server.id()));
        change(same ? List.of() : List.of(server), List.of(), List.of(), MapDelta.Gone.NOTHING);
    }

    private void remove(StorageMutation.RemoveStorage m) {
        ClusterMap map = cluster.map();
        TreeSet<Integer> servers = new TreeSet<>(boxed(m.servers()));
        TreeSet<Integer> targets = new TreeSet<>(boxed(m.targets()));
        for (int id : servers) {
            map.targetsOf(server(id)).forEach(target -> targets.add(target.id()));
        }
        for (int id : targets) {
            int groups = map.groupsOf(target(id)).size();
            if (groups > 0) {
                throw new FsException(
                        Errno.ENOTEMPTY,
                        "target %d is a member of %s: drain it first"
                                .formatted(id, Wording.count(groups, "group")));
            }
        }
        change(
                List.of(),
                List.of(),
                List.of(),
                new MapDelta.Gone(List.copyOf(servers), List.copyOf(targets), List.of()));
    }

    private static List<Integer> boxed(int[] ids) {
        List<Integer> list = new ArrayList<>();
        for (int id : ids) {
            list.add(id);
        }
        return list;
    }

    private ChunkServer server(int id) {
        ChunkServer server = cluster.map().server(id);
        if (server == null) {
            throw new FsException(Errno.ENOENT, "the cluster map has no chunk server " + id);
        }
        return server;
    }

    private Target target(int id) {
        Target target = cluster.map().target(id);
        if (target == null) {
            throw new FsException(Errno.ENOENT, "the cluster map has no target " + id);
        }
        return target;
    }

    private void change(
            List<ChunkServer> servers,
            List<Target> targets,
            List<PlacementGroup> groups,
            MapDelta.Gone gone) {
        long epoch = cluster.map().epoch();
        MapDelta delta = new MapDelta(epoch, epoch + 1, servers, targets, List.of(), groups, gone);
        if (delta.size() > 0) {
            cluster.take(delta);
        }
    }
}
