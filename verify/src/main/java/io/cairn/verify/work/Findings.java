package io.cairn.verify.work;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Broken promises, with the fault that was on when each was found. Thread-safe. */
public final class Findings {
    private static final int MAX_TOLD = 50;

    private final Consumer<Violation> listener;
    private final List<Violation> violations = new ArrayList<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private @Nullable Trial trial;
    private boolean closed;

    /** A broken promise. */
    public record Violation(String fault, String text) {}

    /** Tells a listener at once of each. */
    public Findings(Consumer<Violation> listener) {
        this.listener = listener;
    }

    /** From now on this fault is on, or none. */
    public synchronized void during(@Nullable Trial next) {
        trial = closed ? null : next;
    }

    /** The fault that is on, or null. */
    public synchronized @Nullable Trial trial() {
        return trial;
    }

    /**
     * The processes are ended on purpose: nothing counts any more, and operations that fail by it
     * are of no trial.
     */
    public synchronized void close() {
        closed = true;
        trial = null;
    }

    /** Whether the processes are ended on purpose. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /** A promise is broken. */
    public synchronized void violate(String text) {
        if (closed) {
            return;
        }
        Trial on = trial;
        String fault = on == null ? "none" : on.fault();
        counts.merge(fault, 1, Integer::sum);
        if (violations.size() < MAX_TOLD) {
            Violation found = new Violation(on == null ? "no fault" : on.toString(), text);
            violations.add(found);
            listener.accept(found);
        }
    }

    /** How many were found during a class of faults. */
    public synchronized int count(String fault) {
        return counts.getOrDefault(fault, 0);
    }

    /** How many there are. */
    public synchronized int count() {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The first of them. */
    public synchronized List<Violation> violations() {
        return List.copyOf(violations);
    }
}
