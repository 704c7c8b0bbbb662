package io.cairn.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The slowest operations of the last five minutes, some of each kind. Its memory is allocated once.
 * An operation that is not among the slowest of its kind costs one or two comparisons. Thread-safe.
 *
 * <p>Times are those of a clock in nanoseconds that may begin anywhere and only goes forward.
 */
public final class SlowRing {
    /** How many of each kind are kept. */
    public static final int KEPT = 8;

    /** How long one is kept. */
    public static final long WINDOW_NS = TimeUnit.MINUTES.toNanos(5);

    /** What takes no longer is never slow. */
    public static final long LEAST_NS = TimeUnit.MICROSECONDS.toNanos(100);

    // A row: end, total, subject, actor, then the parts. A total of 0: the row is empty.
    private static final int ENDED = 0;
    private static final int TOTAL = 1;
    private static final int SUBJECT = 2;
    private static final int ACTOR = 3;
    private static final int PARTS = 4;

    private final int parts;
    private final KindRows[] kindRows;

    /**
     * An operation that was kept.
     *
     * @param kind its kind
     * @param endedNs when it ended
     * @param totalNs how long it took
     * @param subject what it was done to
     * @param actor who asked for it
     * @param partsNs how long its parts took
     */
    public record Entry(
            int kind, long endedNs, long totalNs, long subject, long actor, List<Long> partsNs) {}

    /** The rows of one kind. */
    private static final class KindRows {
        /** What takes longer is to be kept. */
        volatile long floorNs = LEAST_NS;

        /** When the floor is to be found out again, while full. */
        volatile long expiresNs;

        volatile boolean full;

        /** Guarded by this. */
        final long[] rows;

        KindRows(int width) {
            rows = new long[KEPT * width];
        }
    }

    /**
     * An empty one.
     *
     * @param kinds how many kinds there are
     * @param parts how many parts each operation has
     */
    public SlowRing(int kinds, int parts) {
        this.parts = parts;
        kindRows = new KindRows[kinds];
        for (int i = 0; i < kinds; i++) {
            kindRows[i] = new KindRows(PARTS + parts);
        }
    }

    /** Whether an operation that ends now is to be kept. */
    public boolean isSlow(int kind, long totalNs, long nowNs) {
        if (totalNs <= LEAST_NS) {
            return false;
        }
        KindRows kept = kindRows[kind];
        return totalNs > kept.floorNs || (kept.full && nowNs - kept.expiresNs > 0);
    }

    /**
     * Keeps an operation that ends now, if it is among the slowest.
     *
     * @param partsNs how long its parts took; as many as there are
     */
    public void keep(
            int kind, long totalNs, long nowNs, long subject, long actor, long... partsNs) {
        KindRows kept = kindRows[kind];
        int width = PARTS + parts;
        synchronized (kept) {
            long[] rows = kept.rows;
            int least = 0;
            for (int at = 0; at < rows.length; at += width) {
                if (nowNs - rows[at + ENDED] > WINDOW_NS) {
                    rows[at + TOTAL] = 0;
                }
                least = rows[at + TOTAL] < rows[least + TOTAL] ? at : least;
            }
            if (totalNs > Math.max(LEAST_NS, rows[least + TOTAL])) {
                rows[least + ENDED] = nowNs;
                rows[least + TOTAL] = totalNs;
                rows[least + SUBJECT] = subject;
                rows[least + ACTOR] = actor;
                System.arraycopy(partsNs, 0, rows, least + PARTS, parts);
            }
            learn(kept, width, nowNs);
        }
    }

    private static void learn(KindRows kept, int width, long nowNs) {
        long floor = Long.MAX_VALUE;
        long oldestNs = 0;
        for (int at = 0; at < kept.rows.length; at += width) {
            floor = Math.min(floor, kept.rows[at + TOTAL]);
            oldestNs = Math.max(oldestNs, nowNs - kept.rows[at + ENDED]);
        }
        kept.full = floor > 0;
        kept.floorNs = Math.max(floor, LEAST_NS);
        kept.expiresNs = nowNs - oldestNs + WINDOW_NS;
    }

    /** What is kept now, the slowest first. */
    public List<Entry> entries(long nowNs) {
        List<Entry> all = new ArrayList<>();
        for (int kind = 0; kind < kindRows.length; kind++) {
            KindRows kept = kindRows[kind];
            synchronized (kept) {
                for (int i = 0; i < KEPT; i++) {
                    Entry entry = entry(kind, kept.rows, i * (PARTS + parts), nowNs);
                    if (entry != null) {
                        all.add(entry);
                    }
                }
            }
        }
        all.sort((a, b) -> Long.compare(b.totalNs(), a.totalNs()));
        return all;
    }

    private @Nullable Entry entry(int kind, long[] rows, int at, long nowNs) {
        if (rows[at + TOTAL] == 0 || nowNs - rows[at + ENDED] > WINDOW_NS) {
            return null;
        }
        List<Long> partsNs = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            partsNs.add(rows[at + PARTS + i]);
        }
        return new Entry(
                kind,
                rows[at + ENDED],
                rows[at + TOTAL],
                rows[at + SUBJECT],
                rows[at + ACTOR],
                List.copyOf(partsNs));
    }
}
