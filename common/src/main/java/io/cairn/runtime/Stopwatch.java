package io.cairn.runtime;

/**
 * Time that passes, by the clock of this machine: how old something is that only threads of this
 * process look at. Decisions of a simulation take a {@link Clock} instead.
 *
 * @param beganNs in {@link System#nanoTime}
 */
public record Stopwatch(long beganNs) {
    /** Begins now. */
    public static Stopwatch begin() {
        return new Stopwatch(System.nanoTime());
    }

    /** Nanoseconds since it has begun. */
    public long passedNs() {
        return System.nanoTime() - beganNs;
    }
}
