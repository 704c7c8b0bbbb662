package io.cairn.chunk.scrub;

import io.cairn.chunk.store.StorageTarget;
import io.cairn.wire.master.TargetLoad;

/**
 * How long a scrub waits between two reads: so long that a pass takes its time, that its reads take
 * their share of the disk's time, and that others go first. Used by one thread at a time.
 */
final class Pace {
    /** How often to look what the disk does for others. */
    private static final long LOOK_NS = 500_000_000;

    /** A disk that works so much for others, in percent of the time, is busy. */
    private static final int BUSY_PERCENT = 50;

    /** How long to wait for a busy disk before the next read. */
    private static final long BUSY_MS = 250;

    private final StorageTarget target;
    private long lookedNs;
    private long workedNs;
    private int busyPercent;

    Pace(StorageTarget target) {
        this.target = target;
    }

    /**
     * The wait after a read.
     *
     * @param nowNs by the clock's {@code nanoTime}
     * @param tookNs that the read took
     * @param sharePercent of the disk's time for reads of a scrub
     * @param plannedMs until the next read, if nothing else is to be heeded
     * @param isLate whether the pass is behind its plan
     */
    long pauseMs(long nowNs, long tookNs, int sharePercent, long plannedMs, boolean isLate) {
        look(nowNs);
        boolean idle = busyPercent == 0 && isLate;
        long shareMs = idle ? 0 : tookNs * (100 - sharePercent) / sharePercent / 1_000_000;
        long busyMs = busyPercent >= BUSY_PERCENT && !isLate ? BUSY_MS : 0;
        return Math.max(plannedMs, Math.max(shareMs, busyMs));
    }

    private void look(long nowNs) {
        if (nowNs - lookedNs < LOOK_NS) {
            return;
        }
        TargetLoad load = target.load();
        long worked = load.readNs() + load.writeNs() + load.syncNs();
        busyPercent = (int) Math.min(100, (worked - workedNs) * 100 / (nowNs - lookedNs));
        lookedNs = nowNs;
        workedNs = worked;
    }
}
