package io.cairn.system;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waiting for a condition with a deadline. */
public final class Poll {
    private Poll() {}

    /** A condition that may fail while things are not there yet. */
    @FunctionalInterface
    public interface Condition {
        boolean holds() throws Exception;
    }

    static void pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }

    /** Waits until the condition holds; exceptions and failed assertions count as "not yet". */
    public static void until(String what, int limitSeconds, Condition condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        Throwable last = null;
        while (true) {
            try {
                if (condition.holds()) {
                    return;
                }
                last = null;
            } catch (Exception | AssertionError e) {
                last = e;
            }
            if (System.nanoTime() > end) {
                String why = last == null ? "" : "; last: " + last;
                throw new AssertionError("not within " + limitSeconds + " s: " + what + why, last);
            }
            pause();
        }
    }
}
