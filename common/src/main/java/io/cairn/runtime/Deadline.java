package io.cairn.runtime;

import java.util.concurrent.TimeUnit;

/**
 * The end of a wait of a thread, by the clock of this machine. Work that waits without a thread,
 * and decisions of a simulation, take a {@link Clock} and a {@link Scheduler} instead.
 *
 * @param endNs in {@link System#nanoTime}
 */
public record Deadline(long endNs) {
    /** So many milliseconds from now on. */
    public static Deadline afterMs(long ms) {
        return new Deadline(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms));
    }

    /** So many seconds from now on. */
    public static Deadline afterS(long seconds) {
        return afterMs(TimeUnit.SECONDS.toMillis(seconds));
    }

    /** Time left, nanoseconds; negative when it is over. */
    public long leftNs() {
        return endNs - System.nanoTime();
    }

    /** Time left, milliseconds, rounded up; 0 or less when it is over. */
    public long leftMs() {
        return Math.ceilDiv(leftNs(), TimeUnit.MILLISECONDS.toNanos(1));
    }

    /** Whether the time is over. */
    public boolean isOver() {
        return leftNs() <= 0;
    }
}
