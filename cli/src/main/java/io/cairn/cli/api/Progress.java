package io.cairn.cli.api;

import io.cairn.base.Printable;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How far a job is, as one line with a bar. Immutable. */
public final class Progress {
    private static final int BAR = 24;

    private final Screen screen;

    /** Lines for a screen. */
    public Progress(Screen screen) {
        this.screen = screen;
    }

    /** The line for a job's document. */
    public String line(Map<?, ?> job) {
        Map<?, ?> progress = job.get("progress") instanceof Map<?, ?> map ? map : Map.of();
        long names = number(progress.get("names"));
        long found = number(progress.get("namesFound"));
        long total =
                progress.get("namesTotal") == null ? found : number(progress.get("namesTotal"));
        double share = total <= 0 ? 0 : Math.min(1.0, (double) names / total);
        int full = (int) Math.round(share * BAR);
        Object path = progress.get("currentPath");
        String line =
                String.format(
                        Locale.ROOT,
                        "%s [%s%s] %3.0f %% of %d names%s, %.0f/s%s",
                        job.get("state"),
                        "#".repeat(full),
                        ".".repeat(BAR - full),
                        share * 100,
                        total,
                        progress.get("namesTotal") == null ? " found" : "",
                        decimal(progress.get("namesPerSecond")),
                        path == null ? "" : "  " + Printable.of(String.valueOf(path)));
        return screen.cut(line, screen.columns() - 1);
    }

    private static long number(@Nullable Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }

    private static double decimal(@Nullable Object value) {
        return value instanceof Number number ? number.doubleValue() : 0;
    }
}
