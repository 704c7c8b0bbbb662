package io.cairn.admin.storage;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Shape;
import io.cairn.admin.watch.VerificationAge;
import io.cairn.base.Wording;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.FailureDomain;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Target;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * How many disks, servers, racks or zones may fail at once without loss of data. Copies count that
 * have everything. Immutable.
 */
final class Durability {
    private static final Shape FAILURE =
            Shape.fields(
                    Field.of(
                            "what",
                            Shape.choice(List.of("disk", "server", "rack", "zone")),
                            "What fails."),
                    Field.of("survives", Shape.count(), "So many at once, whichever they are."),
                    Field.of("groups", Shape.count(), "Groups that survive no more than that."));

    static final Shape SHAPE =
            Shape.fields(
                    Field.maybe("path", Shape.text(), "The tree; null for the whole cluster."),
                    Field.of("groups", Shape.count(), "Placement groups that hold the data."),
                    Field.of("incomplete", Shape.count(), "Groups that are short of a copy."),
                    Field.of("unavailable", Shape.count(), "Groups without a copy that serves."),
                    Field.of(
                            "failures",
                            Shape.items(FAILURE),
                            "Racks and zones only where chunk servers have such labels."),
                    Field.of(
                            "verified",
                            VerificationAge.SHAPE,
                            "When the copies on these disks were verified."),
                    Field.of("masters", Shape.count(), "Masters that may fail at once."),
                    Field.of("complete", Shape.flag(), "False: a part of the tree was counted."));

    private final ClusterMap map;
    private final List<TargetReport> told;
    private final Collection<PlacementGroup> groups;
    private final Map<Long, Long> disks = new HashMap<>();

    /** For the groups that hold something. */
    Durability(ClusterMap map, List<TargetReport> told, Collection<PlacementGroup> groups) {
        this.map = map;
        this.told = told;
        this.groups = groups;
        told.forEach(report -> disks.put(report.identity(), report.disk()));
    }

    Map<String, Object> document() {
        Map<String, Object> document = Json.map();
        document.put("groups", groups.size());
        document.put("incomplete", groups.stream().filter(g -> !g.isComplete()).count());
        document.put("unavailable", groups.stream().filter(g -> g.head() == null).count());
        List<Object> failures = new ArrayList<>();
        for (FailureDomain level : levels()) {
            int least = survives(level);
            Map<String, Object> each = Json.map();
            each.put("what", name(level));
            each.put("survives", Math.max(0, least));
            each.put("groups", groups.stream().filter(g -> survives(level, g) == least).count());
            failures.add(each);
        }
        document.put("failures", failures);
        document.put("verified", VerificationAge.of(told, identities()).document());
        return document;
    }

    /** Of the targets whose copies count. */
    private Set<Long> identities() {
        Set<Long> identities = new HashSet<>();
        for (PlacementGroup group : groups) {
            for (PlacementGroup.Member member : group.members()) {
                Target target = map.target(member.targetId());
                if (target != null && member.state() == MemberState.SERVING) {
                    identities.add(target.identity());
                }
            }
        }
        return identities;
    }

    private List<FailureDomain> levels() {
        List<FailureDomain> levels =
                new ArrayList<>(List.of(FailureDomain.TARGET, FailureDomain.SERVER));
        if (isLabelled(Labels.RACK)) {
            levels.add(FailureDomain.RACK);
        }
        if (isLabelled(Labels.ZONE)) {
            levels.add(FailureDomain.ZONE);
        }
        return levels;
    }

    private boolean isLabelled(String key) {
        return map.servers().stream().anyMatch(server -> server.labels().get(key) != null);
    }

    private static String name(FailureDomain level) {
        return level == FailureDomain.TARGET ? "disk" : level.name().toLowerCase(Locale.ROOT);
    }

    /** So many of a kind at once; below 0 when something cannot be read now. */
    int survives(FailureDomain level) {
        return groups.stream().mapToInt(group -> survives(level, group)).min().orElse(0);
    }

    private int survives(FailureDomain level, PlacementGroup group) {
        Set<String> places = new HashSet<>();
        for (PlacementGroup.Member member : group.members()) {
            if (member.state() == MemberState.SERVING) {
                places.add(
                        level == FailureDomain.TARGET
                                ? disk(member.targetId())
                                : level.of(map, member.targetId()));
            }
        }
        return places.size() - 1;
    }

    private String disk(int id) {
        Target target = map.target(id);
        long disk = target == null ? 0 : disks.getOrDefault(target.identity(), 0L);
        return disk == 0 ? "target " + id : "disk " + disk;
    }

    /** A sentence about it. */
    String sentence() {
        if (groups.isEmpty()) {
            return "Nothing is stored there.";
        }
        List<String> parts = new ArrayList<>();
        for (FailureDomain level : levels()) {
            int count = survives(level);
            if (count > 0) {
                parts.add(Wording.count(count, name(level)));
            }
        }
        return parts.isEmpty()
                ? "Any failure of a disk may lose data now."
                : "Now any %s may fail without loss of data.".formatted(String.join(" or ", parts));
    }
}
