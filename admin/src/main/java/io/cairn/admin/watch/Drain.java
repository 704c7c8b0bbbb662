package io.cairn.admin.watch;

import io.cairn.base.Wording;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The effect of emptying targets: what moves, where it finds room, and what finds none. It places
 * each group in turn on the target with the most room that the rule allows. Bytes are estimated
 * from numbers of chunks, and are never more than what is used of a disk. Immutable.
 */
public final class Drain {
    private static final long CHUNK_BYTES = 4L << 20;

    private final ClusterMap map;
    private final Map<Integer, TargetReport> reports = new HashMap<>();
    private final Set<Integer> usedPools;
    private final Set<Integer> leaving;
    private final Map<Labels.Expression, Spread> spreads = new HashMap<>();
    private final Map<Object, Long> room = new HashMap<>();
    private final Set<Integer> sources = new HashSet<>();
    private int groups;
    private long movedBytes;
    private int unplaced;
    private long withinBytes;
    private int crowded;
    private long crowdedBytes;

    /**
     * The effect for a map.
     *
     * @param told what live servers report of healthy targets
     * @param usedPools the pools that files refer to; others hold nothing
     * @param leaving numbers of the targets
     */
    public Drain(
            ClusterMap map, List<TargetReport> told, Set<Integer> usedPools, Set<Integer> leaving) {
        this.map = after(map, leaving);
        this.usedPools = usedPools;
        this.leaving = leaving;
        for (TargetReport report : told) {
            Target target = this.map.targetOf(report.identity());
            if (target != null) {
                reports.put(target.id(), report);
                room.merge(disk(target.id(), report), report.freeBytes(), Math::max);
            }
        }
        for (PlacementGroup group : map.groups()) {
            boolean moves = group.members().stream().anyMatch(m -> leaving.contains(m.targetId()));
            if (moves && usedPools.contains(group.poolId())) {
                groups++;
                PlacementGroup.Member head = group.head();
                if (head != null) {
                    sources.add(head.targetId());
                }
                move(group);
            }
        }
    }

    /** The map in which the targets drain. */
    private static ClusterMap after(ClusterMap map, Set<Integer> leaving) {
        List<Target> targets = new ArrayList<>();
        for (Target target : map.targets()) {
            if (leaving.contains(target.id())) {
                targets.add(target.in(TargetState.DRAINING));
            }
        }
        return map.with(
                new MapDelta(
                        map.epoch(),
                        map.epoch() + 1,
                        List.of(),
                        targets,
                        List.of(),
                        List.of(),
                        MapDelta.Gone.NOTHING));
    }

    private static Object disk(int target, TargetReport report) {
        return report.disk() == 0 ? "target " + target : report.disk();
    }

    private void move(PlacementGroup group) {
        List<Integer> members = new ArrayList<>();
        List<Integer> going = new ArrayList<>();
        long bytes = 0;
        for (PlacementGroup.Member member : group.members()) {
            if (!leaving.contains(member.targetId())) {
                members.add(member.targetId());
                continue;
            }
            bytes = Math.max(bytes, share(member.targetId()));
            going.add(member.targetId());
        }
        Pool pool = map.pool(group.poolId());
        int copies = pool == null ? group.members().size() : pool.replicas();
        // Others may have come for them already.
        int missing = Math.min(going.size(), copies - members.size());
        for (int i = 0; i < missing; i++) {
            Target place = place(members, pool, copies);
            if (place == null) {
                unplaced++;
                return;
            }
            TargetReport report = reports.get(place.id());
            long free =
                    report == null ? 0 : room.merge(disk(place.id(), report), -bytes, Long::sum);
            if (free < 0) {
                crowded++;
                crowdedBytes += Math.min(bytes, -free);
            }
            movedBytes += bytes;
            withinBytes += spread(pool).isBeside(place.id(), going) ? bytes : 0;
            members.add(place.id());
        }
    }

    /** Bytes of one group on a target, about: those of pools that nobody uses have none. */
    private long share(int target) {
        Target known = map.target(target);
        List<PlacementGroup> groups = known == null ? List.of() : map.groupsOf(known);
        long used = groups.stream().filter(group -> usedPools.contains(group.poolId())).count();
        return used == 0 ? 0 : bytesOf(target) / used;
    }

    /** Bytes that a target holds, about; 0 when its server is away. */
    public long bytesOf(int target) {
        TargetReport report = reports.get(target);
        return report == null
                ? 0
                : Math.min(
                        report.capacityBytes() - report.freeBytes(), report.chunks() * CHUNK_BYTES);
    }

    private static Labels.Expression labels(@Nullable Pool pool) {
        return pool == null ? Labels.Expression.ANY : pool.copyLabels();
    }

    private Spread spread(@Nullable Pool pool) {
        return spreads.computeIfAbsent(labels(pool), each -> new Spread(map, each));
    }

    /** The target with most room. */
    private @Nullable Target place(List<Integer> members, @Nullable Pool pool, int copies) {
        Labels.Expression labels = labels(pool);
        Spread spread = spread(pool);
        Target best = null;
        long most = Long.MIN_VALUE;
        for (Target target : map.targets()) {
            TargetReport report = reports.get(target.id());
            boolean open = !target.isDraining() && target.serverId() != 0;
            if (report != null
                    && open
                    && labels.admits(map, target.id())
                    && spread.mayJoin(target.id(), members, copies)) {
                long free = room.getOrDefault(disk(target.id(), report), 0L);
                if (free > most) {
                    best = target;
                    most = free;
                }
            }
        }
        return best;
    }

    /** Groups that hold data and lose a member. */
    public int groups() {
        return groups;
    }

    /** Bytes that are copied, about. */
    public long movedBytes() {
        return movedBytes;
    }

    /** Those of them that go to another disk of the same chunk server, about. */
    public long withinBytes() {
        return withinBytes;
    }

    /** Targets that the copies are made from. */
    public int sources() {
        return sources.size();
    }

    /** Why it cannot be done, each with what helps; empty when it can. */
    public List<String> obstacles() {
        List<String> obstacles = new ArrayList<>();
        if (unplaced > 0) {
            obstacles.add(
                    Wording.count(unplaced, "placement group")
                            + (unplaced == 1 ? " finds" : " find")
                            + " no other target for a copy: each copy has to be on a chunk server,"
                            + " and as far as there are enough in a rack and zone, of its own."
                            + " It has the labels that the storage class asks for. Add chunk"
                            + " servers, or ask for fewer copies.");
        }
        if (crowded > 0) {
            obstacles.add(
                    "The other targets lack room for %s of %s. Add disks, or delete files."
                            .formatted(
                                    Wording.bytes(crowdedBytes),
                                    Wording.count(crowded, "placement group")));
        }
        return obstacles;
    }
}
