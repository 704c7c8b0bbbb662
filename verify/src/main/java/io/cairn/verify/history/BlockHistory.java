package io.cairn.verify.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was written to one block, and when. A read may return a write that had begun before the read
 * ended, unless another one replaced it for certain: began after it was acknowledged and was
 * acknowledged before the read began. That is close-to-open for a file with many writers.
 * Thread-safe.
 */
public final class BlockHistory {
    /** Older writes are forgotten once they are replaced; no operation may take so long. */
    private static final long KEPT_NS = 300_000_000_000L;

    private static final long NEVER = Long.MAX_VALUE;

    private final String title;
    private final PowerCuts cuts;
    private final List<Write> writes = new ArrayList<>();

    /** One write, from its open to its close. */
    public static final class Write {
        private final long number;
        private final long beginNs;
        private final boolean sync;
        private final String by;
        private final int power;
        private long endNs = NEVER;

        private Write(long number, long beginNs, boolean sync, String by, int power) {
            this.number = number;
            this.beginNs = beginNs;
            this.sync = sync;
            this.by = by;
            this.power = power;
        }
    }

    /**
     * A block that is not written yet.
     *
     * @param title the file and the block
     * @param cuts after which unsynced writes may be gone
     */
    public BlockHistory(String title, PowerCuts cuts) {
        this.title = title;
        this.cuts = cuts;
    }

    /** A write begins. */
    public synchronized Write begin(long number, long nowNs, boolean sync, String by) {
        Write write = new Write(number, nowNs, sync, by, cuts.stamp());
        writes.add(write);
        return write;
    }

    /** It was acknowledged. Without this it may happen at any time, or never. */
    public synchronized void acknowledged(Write write, long nowNs) {
        write.endNs = nowNs;
        long oldest = nowNs - KEPT_NS;
        writes.removeIf(each -> isReplaced(each, oldest));
    }

    /**
     * Why a read was wrong, or null when it was right.
     *
     * @param beginNs when it opened the file
     * @param endNs when it had the bytes
     */
    public synchronized @Nullable String mismatch(
            byte[] block, long beginNs, long endNs, String by) {
        long number = StampedBlocks.writeOf(block);
        for (Write each : writes) {
            if (each.number == number && Arrays.equals(block, StampedBlocks.block(number, 0))) {
                if (each.beginNs > endNs) {
                    return told("a write that had not begun", number, beginNs, endNs, by);
                }
                return isReplaced(each, beginNs)
                        ? told("a write that was replaced", number, beginNs, endNs, by)
                        : null;
            }
        }
        return told(StampedBlocks.describe(block), number, beginNs, endNs, by);
    }

    /** Whether another write had taken its place for certain at a time. */
    private boolean isReplaced(Write old, long atNs) {
        return old.endNs != NEVER
                && writes.stream().anyMatch(w -> w.beginNs > old.endNs && endNs(w) < atNs);
    }

    /** When it had taken effect for good: a cut of the power may have undone it. */
    private long endNs(Write write) {
        return write.sync || cuts.isUnbrokenSince(write.power) ? write.endNs : NEVER;
    }

    private String told(String what, long number, long beginNs, long endNs, String by) {
        StringBuilder text =
                new StringBuilder(
                        "%s: %s read %s (%d) from %s to %s; writes:"
                                .formatted(
                                        title, by, what, number, seconds(beginNs), seconds(endNs)));
        writes.stream()
                .skip(Math.max(0, writes.size() - 12))
                .forEach(
                        w ->
                                text.append(
                                        "%n    %d by %s from %s to %s%s"
                                                .formatted(
                                                        w.number,
                                                        w.by,
                                                        seconds(w.beginNs),
                                                        w.endNs == NEVER
                                                                ? "(not acknowledged)"
                                                                : seconds(w.endNs),
                                                        w.sync ? ", synced" : "")));
        return text.toString();
    }

    private static String seconds(long ns) {
        return "%.3f s".formatted(ns / 1e9);
    }
}
