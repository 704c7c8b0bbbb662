package io.cairn.master.raft;

import io.cairn.runtime.Clock;
import java.util.HashMap;
import java.util.Map;

/** Lets each of a few things be told once a minute. Thread-safe. */
final class Once {
    private static final long PAUSE_MS = 60_000;
    private static final int MOST = 256;

    private final Clock clock;
    private final Map<String, Long> toldMs = new HashMap<>();

    Once(Clock clock) {
        this.clock = clock;
    }

    /** Whether it is time to tell a thing (again). */
    synchronized boolean isDue(String thing) {
        long nowMs = clock.millis();
        Long last = toldMs.get(thing);
        if (last != null && nowMs - last < PAUSE_MS) {
            return false;
        }
        if (toldMs.size() >= MOST) {
            toldMs.clear(); // somebody makes up names
        }
        toldMs.put(thing, nowMs);
        return true;
    }
}
