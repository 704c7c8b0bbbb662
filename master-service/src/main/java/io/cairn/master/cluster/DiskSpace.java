package io.cairn.master.cluster;

import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.HashMap;
import java.util.Map;

/**
 * Adds up the space of the disks of a cluster, each once however many targets are on it. Not
 * thread-safe.
 */
final class DiskSpace {
    /** A disk that is not known is told apart by the one target on it that is. */
    private record Disk(long disk, long target) {
        static Disk of(TargetReport report) {
            return new Disk(report.disk(), report.disk() == 0 ? report.identity() : 0);
        }
    }

    private final Map<Disk, Long> total = new HashMap<>();
    private final Map<Disk, Long> free = new HashMap<>();

    /**
     * Counts a target.
     *
     * @param alive whether its server answers: else nothing can be written there
     */
    void add(TargetReport report, boolean alive) {
        Disk disk = Disk.of(report);
        total.merge(disk, report.capacityBytes(), Math::max);
        free.merge(disk, alive ? report.freeBytes() : 0, Math::max);
    }

    long totalBytes() {
        return sum(total);
    }

    /** Bytes that may still be written. */
    long freeBytes() {
        return sum(free);
    }

    private static long sum(Map<Disk, Long> bytes) {
        return bytes.values().stream().mapToLong(Long::longValue).sum();
    }
}
