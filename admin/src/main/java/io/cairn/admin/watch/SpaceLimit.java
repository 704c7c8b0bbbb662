package io.cairn.admin.watch;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Labels;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The target that new files fill first, and why it is that one.
 *
 * @param bytes what new files can have until then, spread as their pool does
 * @param why a sentence for people
 */
public record SpaceLimit(long bytes, String why) {
    private static final int EVEN_PERCENT = 90;

    /**
     * The limit of files with so many copies; null when they can use all that is free, about, or
     * there is no pool yet.
     *
     * @param told what live servers report of healthy targets
     */
    public static @Nullable SpaceLimit of(ClusterMap map, List<TargetReport> told, int copies) {
        Pool pool = map.youngestPool(copies);
        if (pool == null) {
            return null;
        }
        Map<Integer, Integer> members = new HashMap<>();
        map.groupsOf(pool)
                .forEach(
                        g ->
                                g.members()
                                        .forEach(
                                                m -> members.merge(m.targetId(), 1, Integer::sum)));
        Map<Long, Double> shares = new HashMap<>();
        Map<Long, TargetReport> disks = new HashMap<>();
        double free = 0;
        for (TargetReport report : told) {
            long disk = report.disk() == 0 ? report.identity() : report.disk();
            Target target = map.targetOf(report.identity());
            int count = target == null ? 0 : members.getOrDefault(target.id(), 0);
            free += disks.containsKey(disk) ? 0 : report.freeBytes();
            disks.merge(disk, report, (one, other) -> count > 0 ? other : one);
            shares.merge(disk, (double) count / pool.groupCount(), Double::sum);
        }
        long least = Long.MAX_VALUE;
        TargetReport first = null;
        for (Map.Entry<Long, TargetReport> each : disks.entrySet()) {
            double share = shares.getOrDefault(each.getKey(), 0.0);
            long bytes = share == 0 ? Long.MAX_VALUE : (long) (each.getValue().freeBytes() / share);
            if (bytes < least) {
                least = bytes;
                first = each.getValue();
            }
        }
        return first == null || least >= free / copies * EVEN_PERCENT / 100
                ? null
                : new SpaceLimit(least, why(map, pool, first));
    }

    private static String why(ClusterMap map, Pool pool, TargetReport report) {
        Target target = map.targetOf(report.identity());
        ChunkServer server = target == null ? null : map.serverOfTarget(target.id());
        String name =
                "target "
                        + (target == null ? "" : target.id())
                        + (server == null ? "" : " of " + server.name());
        if (report.freeBytes() == 0) {
            return "reserve: " + name + " is full but for the reserve of its disk";
        }
        Labels labels = server == null ? Labels.NONE : server.labels();
        return labels.get(Labels.RACK) != null || labels.get(Labels.ZONE) != null
                ? "label: with copies in different racks and zones (%s) %s fills first"
                        .formatted(labels, name)
                : "pool: pool %d spreads evenly, and %s fills first".formatted(pool.id(), name);
    }
}
