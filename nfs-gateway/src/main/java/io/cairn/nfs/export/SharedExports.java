package io.cairn.nfs.export;

import io.cairn.base.FsException;
import io.cairn.runtime.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link ExportList} of a filesystem as a gateway follows it: looked at every second, so that a
 * change needs no restart. While there is no list, or none that can be read, the last one holds, at
 * first a given one. A client whose name nobody knows is left out and looked for again from time to
 * time; the others are served meanwhile. Thread-safe.
 */
public final class SharedExports implements Exports, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedExports.class);
    private static final long LOOK_MS = 1000;

    /** Names that were not known are looked up again in every so manieth look. */
    private static final int LOOKS_UNKNOWN = 30;

    private final ExportList list;
    private final Scheduler scheduler;
    private final Executor workers;
    private volatile List<Export> current;
    private volatile boolean closed;
    private @Nullable List<String> known;
    private final Set<String> unknown = new TreeSet<>();
    private int looks;

    /**
     * Looks for the first time; blocks.
     *
     * @param standard what is exported while there is no list
     * @param workers where to look, which may block
     */
    public SharedExports(
            ExportList list, List<Export> standard, Scheduler scheduler, Executor workers) {
        this.list = list;
        this.scheduler = scheduler;
        this.workers = workers;
        this.current = List.copyOf(standard);
        look();
        scheduler.schedule(this::lookLater, LOOK_MS);
    }

    @Override
    public List<Export> all() {
        return current;
    }

    private void lookLater() {
        if (!closed) {
            workers.execute(
                    () -> {
                        look();
                        if (!closed) {
                            scheduler.schedule(this::lookLater, LOOK_MS);
                        }
                    });
        }
    }

    private synchronized void look() {
        List<String> lines;
        try {
            lines = list.lines();
        } catch (FsException e) {
            LOG.debug("The list of exports cannot be read now: {}", e.getMessage());
            return;
        }
        boolean retry = !unknown.isEmpty() && ++looks % LOOKS_UNKNOWN == 0;
        if (lines != null && (retry || !lines.equals(known))) {
            boolean changed = !lines.equals(known);
            known = lines;
            take(lines, changed);
        }
    }

    private void take(List<String> lines, boolean changed) {
        Set<String> missing = new TreeSet<>();
        try {
            List<Export> parsed = new ArrayList<>();
            for (String line : lines) {
                parsed.add(Export.parse(line, e -> missing.add(String.valueOf(e.getMessage()))));
            }
            Exports.of(parsed);
            current = parsed;
            if (changed || !missing.equals(unknown)) {
                LOG.info("Exports now: {}", lines);
                missing.forEach(what -> LOG.warn("A client of an export is left out: {}", what));
            }
            unknown.clear();
            unknown.addAll(missing);
        } catch (IllegalArgumentException e) {
            LOG.warn("The list of exports is not taken over: {}", e.getMessage());
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
