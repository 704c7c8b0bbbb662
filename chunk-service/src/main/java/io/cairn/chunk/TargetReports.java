package io.cairn.chunk;

import io.cairn.base.FsException;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.wire.master.ClusterRequest.Damage;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports of the targets of a server, for its heartbeats. A disk that does not even tell its size
 * is reported as failed; the others of the server go on. Used by one thread at a time.
 */
final class TargetReports {
    private static final Logger LOG = LoggerFactory.getLogger(TargetReports.class);

    /** The reported damage is enough for people to look there. */
    private static final int MAX_GROUPS = 64;

    private final List<StorageTarget> targets;
    private final Set<StorageTarget> silent = new HashSet<>();

    TargetReports(List<StorageTarget> targets) {
        this.targets = targets;
    }

    /** One for each target, in their order. */
    List<TargetReport> list() {
        return targets.stream().map(this::of).toList();
    }

    private TargetReport of(StorageTarget target) {
        try {
            TargetReport report =
                    of(
                            target,
                            target.capacityBytes(),
                            target.freeBytes(),
                            target.healthy(),
                            target.filesystem());
            silent.remove(target);
            return report;
        } catch (FsException e) {
            if (silent.add(target)) {
                LOG.error(
                        "{}; the target counts as failed until it answers: look at the disk",
                        e.getMessage());
            }
            return of(target, 0, 0, false, 0);
        }
    }

    private static TargetReport of(
            StorageTarget target, long capacityBytes, long freeBytes, boolean healthy, long disk) {
        return new TargetReport(
                target.identity(),
                capacityBytes,
                freeBytes,
                target.chunkCount(),
                healthy,
                disk,
                target.directory().toAbsolutePath().toString(),
                target.load(),
                damages(target),
                target.starts().list());
    }

    private static List<Damage> damages(StorageTarget target) {
        Map<Integer, Integer> chunks = new TreeMap<>();
        target.doubtful().forEach(blob -> chunks.merge(blob.group(), 1, Integer::sum));
        return chunks.entrySet().stream()
                .limit(MAX_GROUPS)
                .map(each -> new Damage(each.getKey(), each.getValue()))
                .toList();
    }
}
