package io.cairn.master.load;

import io.cairn.wire.master.TargetLoad;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tells which targets are slow, by what their reads, writes and syncs take beside those of the
 * other targets: the mean of the last {@value #WINDOW_MS} ms against the median of the others'
 * means. A mean counts when it is one of {@value #LEAST_COUNT} operations, and a median when it is
 * one of two or more targets. So an idle target is neither slow nor a measure for others. Not
 * thread-safe: its owner guards it.
 */
public final class SlowTargets {
    static final long WINDOW_MS = 60_000;
    static final int LEAST_COUNT = 30;

    private static final long SPACING_MS = 5_000;
    private static final int LEAST_OTHERS = 2;

    /** So many times as long as the median is slow. */
    private static final int FACTOR = 8;

    /** A slow one is well again below that many times the median. */
    private static final int FACTOR_OF_WELL = 4;

    /** Nothing is slow that takes less. */
    private static final double LEAST_MS = 50;

    /** A kind of operation. */
    private enum Kind {
        READ("read", TargetLoad::reads, TargetLoad::readNs),
        WRITE("write", TargetLoad::writes, TargetLoad::writeNs),
        SYNC("sync", TargetLoad::syncs, TargetLoad::syncNs);

        private final String verb;

        @SuppressWarnings("ImmutableEnumChecker") // a reference to a method of a record
        private final ToLongFunction<TargetLoad> count;

        @SuppressWarnings("ImmutableEnumChecker") // a reference to a method of a record
        private final ToLongFunction<TargetLoad> ns;

        Kind(String verb, ToLongFunction<TargetLoad> count, ToLongFunction<TargetLoad> ns) {
            this.verb = verb;
            this.count = count;
            this.ns = ns;
        }
    }

    private final Map<Long, Deque<TargetLoad>> windows = new HashMap<>();
    private final Map<Long, String> slow = new TreeMap<>();

    /** Forgets all. */
    public void clear() {
        windows.clear();
        slow.clear();
    }

    /** Takes the counters of a target. */
    public void heard(long identity, TargetLoad load) {
        Deque<TargetLoad> window = windows.computeIfAbsent(identity, t -> new ArrayDeque<>());
        TargetLoad last = window.peekLast();
        if (last != null && load.countedMs() < last.countedMs()) {
            window.clear();
            last = null;
        }
        if (last != null && load.countedMs() - last.countedMs() < SPACING_MS) {
            return;
        }
        window.addLast(load);
        while (window.size() > 2 && load.countedMs() - window.getFirst().countedMs() > WINDOW_MS) {
            window.removeFirst();
        }
        String is = judge(identity);
        if (is == null) {
            slow.remove(identity);
        } else {
            slow.put(identity, is);
        }
    }

    /** Forgets targets that nobody reports any more. */
    public void retain(Set<Long> identities) {
        windows.keySet().retainAll(identities);
        slow.keySet().retainAll(identities);
    }

    /** What each slow target does slowly, in words. */
    public Map<Long, String> slow() {
        return new TreeMap<>(slow);
    }

    private @Nullable String judge(long identity) {
        int factor = slow.containsKey(identity) ? FACTOR_OF_WELL : FACTOR;
        for (Kind kind : Kind.values()) {
            double own = meanMs(windows.get(identity), kind);
            List<Double> others = new ArrayList<>();
            for (Map.Entry<Long, Deque<TargetLoad>> each : windows.entrySet()) {
                double mean = meanMs(each.getValue(), kind);
                if (each.getKey() != identity && mean >= 0) {
                    others.add(mean);
                }
            }
            if (own < LEAST_MS || others.size() < LEAST_OTHERS) {
                continue;
            }
            others.sort(null);
            double median = others.get(others.size() / 2);
            if (own > factor * median) {
                return "a %s takes %.0f ms, on the other disks %.1f ms"
                        .formatted(kind.verb, own, median);
            }
        }
        return null;
    }

    /** Below 0 when too few operations tell. */
    private static double meanMs(@Nullable Deque<TargetLoad> window, Kind kind) {
        if (window == null || window.size() < 2) {
            return -1;
        }
        TargetLoad first = window.getFirst();
        TargetLoad last = window.getLast();
        long count = kind.count.applyAsLong(last) - kind.count.applyAsLong(first);
        long ns = kind.ns.applyAsLong(last) - kind.ns.applyAsLong(first);
        return count < LEAST_COUNT ? -1 : ns / 1e6 / count;
    }
}
