package io.cairn.master.cluster;

import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Adds up the space of the disks of a cluster, each once however many targets are on it. Not
 * thread-safe.
 */
final class DiskSpace {
    private static final long MIN_ROOM_BYTES = 64L << 20;
    private static final long MAX_ROOM_BYTES = 4L << 30;

    /** A disk that is not known is told apart by the one target on it that is. */
    private record Disk(long disk, long target) {
        static Disk of(TargetReport report) {
            return new Disk(report.disk(), report.disk() == 0 ? report.identity() : 0);
        }
    }

    private static final long LEAST_BYTES = 256L << 20;
    private static final long MOST_BYTES = 4L << 30;

    private final Set<Disk> answering = new HashSet<>();
    private final Map<Disk, Long> total = new HashMap<>();
    private final Map<Disk, Long> free = new HashMap<>();

    /**
     * Counts a target.
     *
     * @param alive whether its server answers: else nothing can be written there
     */
    void add(TargetReport report, boolean alive) {
        Disk disk = Disk.of(report);
        if (alive) {
            answering.add(disk);
        }
        total.merge(disk, report.capacityBytes(), Math::max);
        free.merge(disk, alive ? report.freeBytes() : 0, Math::max);
    }

    /** Whether no server of these disks answers, so that nobody knows what is free. */
    boolean isSilent() {
        return answering.isEmpty();
    }

    /** The sums, for so many copies of a file. */
    Space space(int copies) {
        return new Space(totalBytes(), freeBytes(), copies);
    }

    long totalBytes() {
        return sum(total);
    }

    /** Bytes that may still be written. */
    long freeBytes() {
        return sum(free);
    }

    /** Bytes that disks lack which are nearly full, together; of one that is away nothing. */
    long lackingBytes() {
        long lacking = 0;
        for (Map.Entry<Disk, Long> entry : free.entrySet()) {
            long all = total.getOrDefault(entry.getKey(), 0L);
            if (answering.contains(entry.getKey())) {
                lacking += Math.max(0, wantedBytes(all) - entry.getValue());
            }
        }
        return lacking;
    }

    /** Free bytes that let writers go on while the trash makes room. */
    private static long wantedBytes(long totalBytes) {
        long least = Math.min(LEAST_BYTES, totalBytes / 4);
        return Math.min(MOST_BYTES, Math.max(totalBytes / 32, least));
    }

    /**
     * Whether a target is nearly full: a twentieth of its disk is left, 64 MiB to 4 GiB, and no
     * more than a quarter. One that was nearly full is so until a quarter more is free, so that it
     * does not change all the time.
     *
     * @param before whether it was, which counts while its disk does not tell its size
     */
    static boolean isNearlyFull(TargetReport report, boolean before) {
        long capacity = report.capacityBytes();
        if (capacity <= 0) {
            return before;
        }
        long room =
                Math.min(Math.clamp(capacity / 20, MIN_ROOM_BYTES, MAX_ROOM_BYTES), capacity / 4);
        return report.freeBytes() < (before ? room + room / 4 : room);
    }

    private static long sum(Map<Disk, Long> bytes) {
        return bytes.values().stream().mapToLong(Long::longValue).sum();
    }
}
