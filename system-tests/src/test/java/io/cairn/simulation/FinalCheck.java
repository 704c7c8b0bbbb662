package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Target;
import io.cairn.master.check.ChunkCheck;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.StoredState;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.ListReply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Compares the replicas, the masters and the garbage of a cluster that has come to rest. */
final class FinalCheck {
    private static final long COMPARISON_LIMIT_MS = 5_000;
    private static final long GARBAGE_LIMIT_MS = 90_000;
    private static final long LEVEL_LIMIT_MS = 10_000;
    private static final int LISTED = 1000;
    private static final int MAX_INODES = 10_000;

    private final SimulatedCluster cluster;
    private final Oracle oracle;
    private final Waiting waiting;

    /** Lets simulated time pass. */
    interface Waiting {
        /** Whether the condition came to hold in time. */
        boolean until(BooleanSupplier condition, long limitMs);
    }

    FinalCheck(SimulatedCluster cluster, Oracle oracle, Waiting waiting) {
        this.cluster = cluster;
        this.oracle = oracle;
        this.waiting = waiting;
    }

    private record Blob(int group, long oid, long index) {}

    void run() {
        // What was damaged is replaced when the members have been compared, which goes on after
        // they serve.
        waiting.until(() -> differences().isEmpty(), COMPARISON_LIMIT_MS);
        differences().forEach(cluster.history::violate);
        if (cluster.history.violation() != null) {
            return;
        }
        Namespace namespace = cluster.masters.namespace();
        for (JobModel model : oracle.jobs) {
            String mismatch =
                    model.isReady() ? JobCheck.mismatch(model, namespace.job(model.job())) : null;
            if (mismatch != null) {
                cluster.history.violate(mismatch);
            }
        }
        boolean collected =
                waiting.until(() -> isCollected() && unreferenced().isEmpty(), GARBAGE_LIMIT_MS);
        if (!collected) {
            cluster.history.violate(
                    "I11 garbage stays: blobs "
                            + unreferenced()
                            + " at epoch "
                            + namespace.clusterMap().epoch()
                            + ", tasks "
                            + namespace.garbage(0, LISTED)
                            + ", orphans "
                            + namespace.orphans(0, LISTED)
                            + ", sessions "
                            + namespace.sessions());
        }
        if (!waiting.until(() -> strays().isEmpty(), GARBAGE_LIMIT_MS)) {
            cluster.history.violate("I11 copies stay at servers that left: " + strays());
        }
        for (String violation : namespace.check()) {
            cluster.history.violate(violation);
        }
        checkChunks();
        compareMasters();
    }

    /** The check that administrators begin finds nothing, unless power took what was not synced. */
    private void checkChunks() {
        if (oracle.isExposed()) {
            return;
        }
        Namespace namespace = cluster.masters.namespace();
        try (StoredState state = namespace.snapshot()) {
            new ChunkCheck(state, namespace::clusterMap, this::page, () -> {})
                    .look()
                    .forEach(fault -> cluster.history.violate("F1 " + fault));
        }
    }

    private ListReply page(
            ClusterMap map, PlacementGroup group, int target, long afterOid, long afterIndex) {
        Target known = map.target(target);
        for (StorageTarget each : targets().values()) {
            if (known != null && known.identity() == each.identity()) {
                List<ChunkState> page = each.list(group.id(), afterOid, afterIndex, LISTED);
                return new ListReply(page, page.size() < LISTED);
            }
        }
        throw new FsException(Errno.DISCONNECTED, "target " + target + " is nowhere");
    }

    /** The targets of all servers, by names for messages. */
    private Map<String, StorageTarget> targets() {
        Map<String, StorageTarget> targets = new TreeMap<>();
        for (SimulatedServer server : cluster.servers) {
            for (StorageTarget target : server.targets()) {
                targets.put(server.node() + target.directory(), target);
            }
        }
        return targets;
    }

    /**
     * All masters, each with one that applies the same entries from the first one on. They need not
     * be at the same entry: as long as groups move to other disks, there is always another one.
     */
    private void compareMasters() {
        long agreed = cluster.masters.agreed();
        if (!waiting.until(() -> cluster.masters.haveApplied(agreed), LEVEL_LIMIT_MS)) {
            cluster.history.violate(
                    "L1 the masters do not come to entry %d: %s"
                            .formatted(agreed, cluster.masters.levels()));
            return;
        }
        for (SimulatedMaster master : cluster.masters.all()) {
            byte[] again = cluster.masters.replay(master.log().applied()).fingerprint();
            if (!Arrays.equals(again, master.log().namespace().fingerprint())) {
                cluster.history.violate("I15 " + master.node() + " has another state");
            }
        }
    }

    private boolean isCollected() {
        Namespace namespace = cluster.masters.namespace();
        return namespace.garbage(0, 1).isEmpty()
                && namespace.orphans(0, 1).isEmpty()
                && namespace.sessions().isEmpty();
    }

    /** The layouts that refer to an object: those of clones, too. */
    private Map<Long, List<Layout>> layouts() {
        Map<Long, List<Layout>> layouts = new HashMap<>();
        Namespace namespace = cluster.masters.namespace();
        long left = namespace.inodeCount();
        for (long ino = 1; left > 0 && ino < MAX_INODES; ino++) {
            Inode inode = namespace.inode(ino);
            left -= inode == null ? 0 : 1;
            Layout layout = inode == null ? null : inode.layout();
            if (layout != null) {
                for (Layout.Run run : layout.runs()) {
                    layouts.computeIfAbsent(run.oid(), _ -> new ArrayList<>()).add(layout);
                    layouts.computeIfAbsent(run.sourceOid(), _ -> new ArrayList<>()).add(layout);
                }
            }
        }
        return layouts;
    }

    /** Whether the run of a chunk has it in this object, or is still to be cloned from there. */
    private static boolean isReferredTo(ChunkState chunk, Map<Long, List<Layout>> layouts) {
        return layouts.getOrDefault(chunk.oid(), List.of()).stream()
                .anyMatch(layout -> isReferredTo(chunk, layout));
    }

    private static boolean isReferredTo(ChunkState chunk, Layout layout) {
        Layout.Run run = layout.runOf(chunk.index());
        return run.oid() == chunk.oid()
                || (run.sourceOid() == chunk.oid() && run.firstChunk() == chunk.index());
    }

    /** Blobs that no inode refers to. */
    private Set<Blob> unreferenced() {
        Map<Long, List<Layout>> layouts = layouts();
        Set<Blob> left = new LinkedHashSet<>();
        for (StorageTarget target : targets().values()) {
            for (int group : target.groups()) {
                for (ChunkState chunk : chunks(target, group)) {
                    if (!isReferredTo(chunk, layouts)) {
                        left.add(new Blob(group, chunk.oid(), chunk.index()));
                    }
                }
            }
        }
        return left;
    }

    /** Groups of which a target that is no member has chunks. */
    private List<String> strays() {
        ClusterMap map = cluster.masters.namespace().clusterMap();
        List<String> strays = new ArrayList<>();
        targets()
                .forEach(
                        (name, target) -> {
                            for (int id : target.groups()) {
                                PlacementGroup group = map.group(id);
                                if (!chunks(target, id).isEmpty()
                                        && (group == null || !isMember(map, group, target))) {
                                    strays.add(name + " of " + group);
                                }
                            }
                        });
        return strays;
    }

    private static List<ChunkState> chunks(StorageTarget target, int group) {
        return target.list(group, 0, -1, LISTED);
    }

    /** How the replicas of what is referred to differ, and blobs that cannot be read. */
    List<String> differences() {
        List<String> differences = new ArrayList<>();
        ClusterMap map = cluster.masters.namespace().clusterMap();
        Map<Long, List<Layout>> layouts = layouts();
        for (PlacementGroup group : map.groups()) {
            Map<Blob, Map<String, ChunkState>> blobs = new LinkedHashMap<>();
            Map<String, StorageTarget> targets = targets();
            targets.values().removeIf(target -> !isMember(map, group, target));
            targets.forEach(
                    (name, target) -> {
                        for (ChunkState chunk : chunks(target, group.id())) {
                            if (isReferredTo(chunk, layouts)) {
                                Blob blob = new Blob(group.id(), chunk.oid(), chunk.index());
                                blobs.computeIfAbsent(blob, b -> new TreeMap<>()).put(name, chunk);
                            }
                        }
                    });
            blobs.forEach(
                    (blob, states) -> {
                        String difference = difference(blob, states, targets);
                        if (difference != null) {
                            differences.add(difference + " in " + group);
                        }
                    });
        }
        return differences;
    }

    private static boolean isMember(ClusterMap map, PlacementGroup group, StorageTarget target) {
        Target known = map.targetOf(target.identity());
        return known != null && group.isCurrent(known.id());
    }

    private @Nullable String difference(
            Blob blob, Map<String, ChunkState> states, Map<String, StorageTarget> targets) {
        if (oracle.isExposed() && states.values().stream().allMatch(s -> s.sequence() == 0)) {
            // Lost with the power of all who had it.
            return null;
        }
        if (states.size() != targets.size()) {
            return "I5 " + blob + " is only at " + states;
        }
        if (states.values().stream().distinct().count() > 1) {
            return "I7 " + blob + " is at different writes: " + states;
        }
        ReplicaBytes agreed = null;
        for (Map.Entry<String, ChunkState> each : states.entrySet()) {
            ReplicaBytes bytes;
            try {
                bytes = read(blob, each.getValue(), targets.get(each.getKey()));
            } catch (FsException e) {
                return "I5 " + blob + " at " + each + " cannot be read: " + e.getMessage();
            }
            int at = agreed == null ? -1 : agreed.mismatch(bytes);
            if (at >= 0) {
                return "I5 replicas of " + blob + " differ in block " + at + ": " + states;
            }
            agreed = agreed == null ? bytes : agreed.with(bytes);
        }
        if (agreed != null && agreed.badBlocks() > 0 && !oracle.isExposed()) {
            return "I5 " + blob + " has " + agreed.badBlocks() + " blocks that are good nowhere";
        }
        return null;
    }

    private static ReplicaBytes read(Blob blob, ChunkState state, @Nullable StorageTarget target) {
        if (target == null || state.lengthBytes() == 0) {
            return ReplicaBytes.EMPTY;
        }
        ChunkAddress address =
                new ChunkAddress(
                        blob.group, state.epoch(), blob.oid, blob.index, state.chunkSizeLog2());
        return ReplicaBytes.of(target.read(address, 0, state.lengthBytes()));
    }
}
