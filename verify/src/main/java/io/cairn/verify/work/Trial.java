package io.cairn.verify.work;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One fault, from the moment before it happens until all is well again, and what operations felt of
 * it. Accesses whose own process is hit count only once it is back. Thread-safe.
 */
public final class Trial {
    private static final int MAX_ERRORS = 5;

    private final String fault;
    private final String what;
    private final long beginNs;
    private final Set<String> hit;
    private final Map<OperationKind, Long> longestNs = new EnumMap<>(OperationKind.class);
    private final Map<OperationKind, Map<String, Long>> firstNs =
            new EnumMap<>(OperationKind.class);
    private final Set<String> progressed = new HashSet<>();
    private final List<String> errors = new ArrayList<>();
    private int errorCount;
    private long mendedNs = Long.MAX_VALUE;

    /**
     * Begins now.
     *
     * @param fault its class
     * @param what what exactly happens
     * @param hit names of processes that are hit
     */
    public Trial(String fault, String what, Set<String> hit, long nowNs) {
        this.fault = fault;
        this.what = what;
        this.hit = Set.copyOf(hit);
        this.beginNs = nowNs;
    }

    public String fault() {
        return fault;
    }

    @Override
    public String toString() {
        return fault + " (" + what + ")";
    }

    /** Nothing is broken any more. */
    public synchronized void mended(long nowNs) {
        mendedNs = nowNs;
    }

    /** An operation ended. */
    synchronized void ended(
            String access, OperationKind kind, long startedNs, long nowNs, boolean success) {
        if (success && startedNs >= mendedNs) {
            progressed.add(access + " " + kind.text());
        }
        if (hit.contains(access)) {
            return;
        }
        longestNs.merge(kind, nowNs - Math.max(startedNs, beginNs), Math::max);
        if (success && startedNs >= beginNs) {
            firstNs.computeIfAbsent(kind, k -> new HashMap<>())
                    .putIfAbsent(access, nowNs - beginNs);
        }
    }

    /** An operation failed that should have waited. */
    synchronized void failed(String access, String error) {
        if (hit.contains(access)) {
            return;
        }
        errorCount++;
        if (errors.size() < MAX_ERRORS) {
            errors.add(error);
        }
    }

    /** Whether every access has done every kind of operation since all was mended. */
    public boolean hasProgressed(Set<String> accesses) {
        return waiting(accesses).isEmpty();
    }

    /** What did not succeed yet since all was mended. */
    public synchronized List<String> waiting(Set<String> accesses) {
        List<String> waiting = new ArrayList<>();
        for (String access : accesses) {
            for (OperationKind kind : OperationKind.values()) {
                if (!progressed.contains(access + " " + kind.text())) {
                    waiting.add(access + " " + kind.text());
                }
            }
        }
        return waiting;
    }

    /** How many operations failed that should have waited. */
    public synchronized int errorCount() {
        return errorCount;
    }

    /** The first of them. */
    public synchronized List<String> errors() {
        return List.copyOf(errors);
    }

    /** The longest time that an operation took of this trial. */
    public synchronized long longestNs(OperationKind kind) {
        return longestNs.getOrDefault(kind, 0L);
    }

    /** From the fault to the next success, for each access. */
    public synchronized List<Long> firstNs(OperationKind kind) {
        return List.copyOf(firstNs.getOrDefault(kind, Map.of()).values());
    }
}
