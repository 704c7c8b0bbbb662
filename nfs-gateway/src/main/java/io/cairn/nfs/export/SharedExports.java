package io.cairn.nfs.export;

import io.cairn.fs.FsException;
import io.cairn.runtime.Scheduler;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link ExportList} of a filesystem as a gateway follows it: looked at every second, so that a
 * change needs no restart. While there is no list, or none that can be read, the last one holds, at
 * first a given one. Thread-safe.
 */
public final class SharedExports implements Exports, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedExports.class);
    private static final long LOOK_MS = 1000;

    private final ExportList list;
    private final Scheduler scheduler;
    private final Executor workers;
    private volatile List<Export> current;
    private volatile boolean closed;
    private @Nullable List<String> known;

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
        if (lines == null || lines.equals(known)) {
            return;
        }
        known = lines;
        try {
            List<Export> parsed = lines.stream().map(Export::parse).toList();
            Exports.of(parsed);
            current = parsed;
            LOG.info("Exports now: {}", lines);
        } catch (IllegalArgumentException e) {
            LOG.warn("The list of exports is not taken over: {}", e.getMessage());
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
