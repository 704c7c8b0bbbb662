package io.cairn.cli.api;

import io.cairn.node.ExitCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Waits for a job, with a bar while a terminal is there to show it, and tells what came of it. */
public final class JobWait {
    private static final Set<String> ENDED = Set.of("done", "failed", "cancelled");
    private static final long FIRST_PAUSE_MS = 50;
    private static final long MAX_PAUSE_MS = 1000;
    private static final int MAX_TROUBLES = 60;

    private final ApiOptions options;
    private final Screen screen;
    private final boolean hasBar;

    public JobWait(ApiOptions options) {
        this.options = options;
        screen = options.screen();
        hasBar = Screen.isTerminal(2);
    }

    /** Waits as long as the job takes; the exit code tells whether all of it was done. */
    public int toTheEnd(String id) {
        long pauseMs = FIRST_PAUSE_MS;
        int troubles = 0;
        while (true) {
            try {
                ApiAnswer answer = options.ask(ApiRequest.of("GET /jobs/{id}", id));
                troubles = 0;
                if (ENDED.contains(String.valueOf(answer.document().get("state")))) {
                    clearBar();
                    return tell(answer);
                }
                showBar(answer.document());
            } catch (ApiException e) {
                troubles++;
                int code = e.exitCode();
                boolean isPassing = code == ExitCode.UNAVAILABLE || code == ExitCode.TEMPORARY;
                if (!isPassing || troubles >= MAX_TROUBLES) {
                    throw e;
                }
            }
            Pause.millis(pauseMs, ExitCode.TEMPORARY, "job " + id + " goes on without this");
            pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
        }
    }

    private void showBar(Map<String, Object> job) {
        if (hasBar) {
            options.errors().print("\r" + new Progress(screen).line(job) + "\u001b[K");
            options.errors().flush();
        }
    }

    private void clearBar() {
        if (hasBar) {
            options.errors().print("\r\u001b[K");
            options.errors().flush();
        }
    }

    private int tell(ApiAnswer answer) {
        Map<String, Object> job = answer.document();
        if (options.isJson()) {
            options.printDocument(answer.text());
        } else {
            options.print(lines(job));
        }
        Map<?, ?> totals = map(job.get("totals"));
        boolean isClean = totals.get("errors") instanceof Number errors && errors.longValue() == 0;
        return switch (String.valueOf(job.get("state"))) {
            case "done" -> isClean ? ExitCode.OK : ExitCode.IO_ERROR;
            case "cancelled" -> ExitCode.TEMPORARY;
            default -> ExitCode.IO_ERROR;
        };
    }

    private List<String> lines(Map<String, Object> job) {
        Values values = options.values();
        List<String> lines = new ArrayList<>();
        String message = values.text("message", job.get("message"));
        lines.add(
                "%s %s: %s%s"
                        .formatted(
                                job.get("kind"),
                                values.text("path", job.get("path")),
                                job.get("state"),
                                message.equals("-") ? "" : ", " + message));
        Map<String, Object> told = new LinkedHashMap<>();
        map(job.get("totals"))
                .forEach(
                        (name, value) -> {
                            if (!(value instanceof Number count) || count.longValue() != 0) {
                                told.put(String.valueOf(name), value);
                            }
                        });
        options.sheet().lines(told).forEach(line -> lines.add("  " + line));
        if (job.get("errors") instanceof List<?> errors && !errors.isEmpty()) {
            lines.addAll(options.table("errno message path").lines(errors));
        }
        return lines;
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }
}
