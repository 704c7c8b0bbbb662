package io.cairn.verify;

import io.cairn.verify.FaultSummary.Stalls;
import io.cairn.verify.work.Findings;
import io.cairn.verify.work.Findings.Violation;
import io.cairn.verify.work.OperationKind;
import io.cairn.verify.work.Trial;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What came of a verification.
 *
 * @param seed of everything that was chosen
 * @param command what to type to repeat it
 * @param summaries one for each class of faults
 * @param violations the first broken promises
 * @param violationCount all broken promises
 * @param errors what operations said that failed although they should have waited, some of them
 * @param notes what was left out, and why
 * @param operations how many succeeded
 * @param seconds how long it took
 */
public record Report(
        long seed,
        String command,
        List<FaultSummary> summaries,
        List<Violation> violations,
        int violationCount,
        List<String> errors,
        List<String> notes,
        long operations,
        long seconds) {
    private static final int MAX_ERRORS = 20;

    /** Sums up. */
    static Report of(
            VerifySettings settings,
            List<Trial> trials,
            Findings findings,
            List<String> notes,
            long operations,
            long seconds) {
        Set<String> kinds = new LinkedHashSet<>();
        List<String> errors = new ArrayList<>();
        for (Trial each : trials) {
            kinds.add(each.fault());
            each.errors().forEach(error -> errors.add(each + ": " + error));
        }
        List<FaultSummary> summaries =
                kinds.stream()
                        .map(
                                kind ->
                                        FaultSummary.of(
                                                kind,
                                                trials.stream()
                                                        .filter(t -> t.fault().equals(kind))
                                                        .toList(),
                                                findings.count(kind)))
                        .toList();
        return new Report(
                settings.seed(),
                settings.command(),
                summaries,
                findings.violations(),
                findings.count(),
                errors.stream().limit(MAX_ERRORS).toList(),
                notes,
                operations,
                seconds);
    }

    /** Lines for people. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(FaultSummary.heading());
        summaries.forEach(each -> lines.add(each.line()));
        if (!errors.isEmpty()) {
            lines.add("errors of operations that should have waited:");
            errors.forEach(each -> lines.add("    " + each));
        }
        notes.forEach(each -> lines.add("note: " + each));
        lines.add(verdict());
        return lines;
    }

    /** The last line. */
    String verdict() {
        int trials = summaries.stream().mapToInt(FaultSummary::trials).sum();
        return "%d faults, %d operations, %d s, seed %d: %s"
                .formatted(
                        trials,
                        operations,
                        seconds,
                        seed,
                        violationCount == 0
                                ? "no violation"
                                : violationCount + " VIOLATIONS; repeat: " + command);
    }

    /** A JSON document: maps, lists, texts and numbers. */
    public Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("seed", seed);
        document.put("command", command);
        document.put("operations", operations);
        document.put("seconds", seconds);
        document.put("violations", violationCount);
        document.put("faults", summaries.stream().map(Report::document).toList());
        document.put(
                "found",
                violations.stream()
                        .map(each -> Map.of("fault", each.fault(), "text", each.text()))
                        .toList());
        document.put("errors", errors);
        document.put("notes", notes);
        return document;
    }

    private static Map<String, Object> document(FaultSummary summary) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("fault", summary.fault());
        document.put("trials", summary.trials());
        document.put("violations", summary.violations());
        document.put("errors", summary.errors());
        for (OperationKind kind : OperationKind.values()) {
            Stalls stalls = summary.stalls().get(kind);
            if (stalls != null) {
                Map<String, Object> times = new LinkedHashMap<>();
                times.put("longestMs", stalls.longestMs());
                times.put("medianMs", stalls.medianMs());
                times.put("p99Ms", stalls.p99Ms());
                document.put(kind.text(), times);
            }
        }
        return document;
    }
}
