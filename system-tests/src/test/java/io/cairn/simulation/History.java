package io.cairn.simulation;

import io.cairn.testkit.simulated.Simulation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a simulation: the last events in short, all faults, and the first violation of a
 * promise. Its digest tells whether two runs were the same.
 */
final class History {
    private final int kept = Integer.getInteger("cairn.simulation.events", 120);

    private final Simulation simulation;
    private final Deque<String> events = new ArrayDeque<>();
    private final List<String> faults = new ArrayList<>();
    private @Nullable String violation;
    private long digest = 17;

    History(Simulation simulation) {
        this.simulation = simulation;
    }

    /** Something happened. */
    void note(String event) {
        String line = "%10.4f s  %s".formatted(simulation.nanoTime() / 1e9, event);
        digest = digest * 31 + line.hashCode();
        events.add(line);
        if (events.size() > kept) {
            events.remove();
        }
    }

    /** Something was broken or mended. */
    void fault(String event) {
        note("FAULT " + event);
        faults.add("%10.4f s  %s".formatted(simulation.nanoTime() / 1e9, event));
    }

    /** A promise was broken. The first one ends the run. */
    void violate(String what) {
        note("VIOLATION " + what);
        if (violation == null) {
            violation = what;
        }
    }

    /** The first violation, or null. */
    @Nullable String violation() {
        return violation;
    }

    /** A number that depends on all events. */
    long digest() {
        return digest;
    }

    /** The faults and the last events, a line each. */
    String report() {
        return "faults:\n"
                + String.join("\n", faults)
                + "\nlast events:\n"
                + String.join("\n", events);
    }
}
