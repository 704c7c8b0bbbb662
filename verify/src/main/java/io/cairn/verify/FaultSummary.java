package io.cairn.verify;

import io.cairn.verify.work.OperationKind;
import io.cairn.verify.work.Trial;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * All trials of one class of faults.
 *
 * @param fault the class
 * @param trials how often it happened
 * @param violations promises that were broken meanwhile
 * @param errors operations that failed although they should have waited
 * @param stalls what operations felt
 */
public record FaultSummary(
        String fault, int trials, int violations, int errors, Map<OperationKind, Stalls> stalls) {

    /**
     * How long operations waited, milliseconds.
     *
     * @param longestMs the longest time that one operation took of a fault
     * @param medianMs from the fault to the next success at an access, median
     * @param p99Ms the same, of 99 in 100
     */
    public record Stalls(long longestMs, long medianMs, long p99Ms) {}

    /** Sums up trials of one class. */
    static FaultSummary of(String fault, List<Trial> trials, int violations) {
        Map<OperationKind, Stalls> stalls = new EnumMap<>(OperationKind.class);
        for (OperationKind kind : OperationKind.values()) {
            List<Long> first = new ArrayList<>();
            long longestNs = 0;
            for (Trial each : trials) {
                first.addAll(each.firstNs(kind));
                longestNs = Math.max(longestNs, each.longestNs(kind));
            }
            first.sort(null);
            stalls.put(
                    kind, new Stalls(ms(longestNs), quantile(first, 0.5), quantile(first, 0.99)));
        }
        int errors = trials.stream().mapToInt(Trial::errorCount).sum();
        return new FaultSummary(fault, trials.size(), violations, errors, stalls);
    }

    private static long quantile(List<Long> sorted, double share) {
        if (sorted.isEmpty()) {
            return 0;
        }
        int at = (int) Math.ceil(share * sorted.size()) - 1;
        return ms(sorted.get(Math.max(0, at)));
    }

    private static long ms(long ns) {
        return ns / 1_000_000;
    }

    /** The heading of {@link #line}. */
    static String heading() {
        StringBuilder text =
                new StringBuilder(
                        "%-20s %6s %10s %6s".formatted("fault", "trials", "violations", "errors"));
        for (OperationKind each : OperationKind.values()) {
            text.append("  %-24s".formatted(each.text() + ": longest/median/p99"));
        }
        return text + "  (ms)";
    }

    /** One line for people. */
    String line() {
        StringBuilder text =
                new StringBuilder(
                        "%-20s %6d %10d %6d".formatted(fault, trials, violations, errors));
        for (Stalls each : stalls.values()) {
            String three = each.longestMs + "/" + each.medianMs + "/" + each.p99Ms;
            text.append("  %-24s".formatted(three));
        }
        return text.toString().stripTrailing();
    }
}
