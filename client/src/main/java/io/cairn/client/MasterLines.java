package io.cairn.client;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.FsException;
import io.cairn.net.Line;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines to the leading master, one for each thread that asks often and waits for every answer. A
 * thread without one uses the connection of all. Thread-safe.
 */
final class MasterLines implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterLines.class);

    /** Lines of a client; threads beyond it share the connection. */
    private static final int MAX_LINES = 64;

    /** A thread gets a line when it has waited this often: commands do not need one. */
    private static final int WAITS_BEFORE = 16;

    private static final long RETRY_MS = 1000;

    private final Transport transport;
    private final Clock clock;
    private final long timeoutMs;
    private final ThreadLocal<Own> own = ThreadLocal.withInitial(Own::new);
    private final Map<Line, WeakReference<Thread>> all = new HashMap<>();
    private boolean closed;

    /** What a thread has. */
    private static final class Own {
        @Nullable Line line;
        int waits;
        long notBeforeMs = Long.MIN_VALUE;
    }

    MasterLines(Transport transport, Clock clock, long timeoutMs) {
        this.transport = transport;
        this.clock = clock;
        this.timeoutMs = timeoutMs;
    }

    /** The line of the calling thread to this master, or null when it is to do without. */
    @Nullable Line to(Endpoint master) {
        if (Thread.currentThread().isVirtual()) {
            return null;
        }
        Own mine = own.get();
        Line line = mine.line;
        if (line != null && line.isOpen() && line.remote().equals(master)) {
            return line;
        }
        if (line != null) {
            drop(line);
            mine.line = null;
        }
        if (++mine.waits < WAITS_BEFORE || clock.millis() < mine.notBeforeMs) {
            return null;
        }
        mine.line = open(master);
        if (mine.line == null) {
            mine.notBeforeMs = clock.millis() + RETRY_MS;
        }
        return mine.line;
    }

    private @Nullable Line open(Endpoint master) {
        synchronized (this) {
            closeAbandoned();
            if (closed || all.size() >= MAX_LINES) {
                return null;
            }
        }
        Line line;
        try {
            line = transport.line(master, timeoutMs);
        } catch (FsException e) {
            LOG.debug("no line to {}: {}", master, e.getMessage());
            return null;
        }
        if (line == null) {
            return null;
        }
        synchronized (this) {
            if (!closed) {
                all.put(line, new WeakReference<>(Thread.currentThread()));
                return line;
            }
        }
        line.close();
        return null;
    }

    private void closeAbandoned() {
        Iterator<Map.Entry<Line, WeakReference<Thread>>> each = all.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<Line, WeakReference<Thread>> entry = each.next();
            Thread thread = entry.getValue().get();
            if (thread == null || !thread.isAlive()) {
                entry.getKey().close();
                each.remove();
            }
        }
    }

    private synchronized void drop(Line line) {
        line.close();
        all.remove(line);
    }

    /** Closes all of them; calls in progress fail. Idempotent. */
    @Override
    public void close() {
        List<Line> open;
        synchronized (this) {
            closed = true;
            open = new ArrayList<>(all.keySet());
            all.clear();
        }
        open.forEach(Line::close);
    }
}
