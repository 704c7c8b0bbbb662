package io.cairn.admin.storage;

import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.watch.Drain;
import io.cairn.base.Wording;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Target;
import io.cairn.master.MasterService;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.LeaderMutation.StorageMutation;
import java.util.List;
import java.util.Set;

/** Forgets a target or a chunk server, when nothing is left there. For one request. */
final class Removal {
    private final MasterService master;
    private final Subject subject;
    private final ClusterMap map;

    Removal(MasterService master, Subject subject) {
        this.master = master;
        this.subject = subject;
        this.map = master.namespace().clusterMap();
    }

    /**
     * The plan.
     *
     * @throws Problem 409 with what is left, and what to do about it
     */
    Plan plan() {
        requireEmpty();
        requireGone();
        ChunkServer server = subject.server();
        int[] servers = subject.whole() && server != null ? new int[] {server.id()} : new int[0];
        int[] targets = subject.whole() ? new int[0] : subject.ids();
        return new Plan(
                        () ->
                                StorageChange.done(
                                        master,
                                        new StorageMutation.RemoveStorage(servers, targets)))
                .change(subject.title(), subject.state(map), null);
    }

    private void requireEmpty() {
        List<PlacementGroup> groups = subject.groups(map);
        if (groups.isEmpty()) {
            return;
        }
        String left =
                "%s still is a member of %s with about %s."
                        .formatted(
                                subject.title(),
                                Wording.count(groups.size(), "placement group"),
                                Wording.bytes(bytes()));
        int alone = subject.alone(map).size();
        if (alone > 0) {
            left +=
                    " It has the last copy of %d of them: nothing else has their files."
                            .formatted(alone);
        }
        throw Problem.conflict(left + " " + remedy());
    }

    private String remedy() {
        String noun = subject.whole() ? "servers" : "targets";
        ChunkServer server = subject.server();
        String name =
                subject.whole() && server != null
                        ? server.name()
                        : String.valueOf(subject.targets().iterator().next());
        return switch (subject.state(map)) {
            case "draining" ->
                    "Wait until it has drained: cairn admin %s show %s.".formatted(noun, name);
            default ->
                    "Drain it first: cairn admin %s drain %s, and wait until it has no groups."
                            .formatted(noun, name);
        };
    }

    private long bytes() {
        Drain drain =
                new Drain(
                        map,
                        ServerStatus.healthy(master.servers().status()),
                        master.namespace().usedPools(),
                        Set.of());
        return subject.targets().stream().mapToLong(drain::bytesOf).sum();
    }

    /** What reports would be entered again at once. */
    private void requireGone() {
        ChunkServer server = subject.server();
        if (server == null) {
            return;
        }
        for (ServerStatus status : master.servers().status()) {
            if (!status.name().equals(server.name()) || !status.alive()) {
                continue;
            }
            if (subject.whole()) {
                throw Problem.conflict(
                        "%s still runs: stop it, then remove it.".formatted(subject.title()));
            }
            for (TargetReport report : status.targets()) {
                Target target = map.targetOf(report.identity());
                if (target != null && subject.targets().contains(target.id())) {
                    throw Problem.conflict(
                            "Chunk server %s still has it in %s: take that out of --data, start the"
                                            .formatted(server.name(), report.directory())
                                    + " server again, then remove the target.");
                }
            }
        }
    }
}
