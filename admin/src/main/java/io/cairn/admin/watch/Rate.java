package io.cairn.admin.watch;

import java.util.ArrayDeque;
import java.util.Deque;

/** How fast a counter grows, over the last {@value #WINDOW_MS} ms. Thread-safe. */
public final class Rate {
    /** How far back it looks. */
    static final long WINDOW_MS = 5_000;

    private final Deque<Sample> samples = new ArrayDeque<>();

    private record Sample(long atMs, long count) {}

    /** The counter stands at {@code count} now; call it a few times a second. */
    public synchronized void sample(long nowMs, long count) {
        samples.addLast(new Sample(nowMs, count));
        while (samples.size() > 2 && nowMs - samples.getFirst().atMs > WINDOW_MS) {
            samples.removeFirst();
        }
    }

    /** Per second; 0 while too little is known. */
    public synchronized double perSecond() {
        if (samples.size() < 2) {
            return 0;
        }
        Sample first = samples.getFirst();
        Sample last = samples.getLast();
        long passedMs = last.atMs - first.atMs;
        double rate = passedMs <= 0 ? 0 : (last.count - first.count) * 1000.0 / passedMs;
        return Math.round(rate * 10) / 10.0;
    }
}
