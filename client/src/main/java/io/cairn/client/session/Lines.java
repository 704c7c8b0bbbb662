package io.cairn.client.session;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Line;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines to one server at a time for threads that wait for every answer: as many as threads wait at
 * once, and the one used last is used next. Who gets none uses the connection of all. Thread-safe.
 */
public final class Lines implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Lines.class);

    /** Calls without a line before the first one: a command that asks little needs none. */
    private static final int CALLS_BEFORE = 16;

    private static final long RETRY_MS = 1000;

    private final Transport transport;
    private final Clock clock;
    private final long timeoutMs;
    private final int max;
    private final ArrayDeque<Line> idle = new ArrayDeque<>();
    private final Set<Line> all = new HashSet<>();
    private int calls;
    private int opening;
    private long notBeforeMs;
    private boolean closed;

    /**
     * No lines yet.
     *
     * @param timeoutMs for making one
     * @param max lines at a time; threads beyond it share the connection
     */
    public Lines(Transport transport, Clock clock, long timeoutMs, int max) {
        this.transport = transport;
        this.clock = clock;
        this.timeoutMs = timeoutMs;
        this.max = max;
        this.notBeforeMs = clock.millis();
    }

    /**
     * A line to this server for one call, to be given back; null when the caller is to do without.
     */
    public @Nullable Line take(Endpoint server) {
        if (Thread.currentThread().isVirtual()) {
            return null;
        }
        synchronized (this) {
            for (Line line = idle.pollFirst(); line != null; line = idle.pollFirst()) {
                if (line.isOpen() && line.remote().equals(server)) {
                    return line;
                }
                drop(line);
            }
            if (closed
                    || ++calls <= CALLS_BEFORE
                    || all.size() + opening >= max
                    || clock.millis() - notBeforeMs < 0) {
                return null;
            }
            opening++;
        }
        return open(server);
    }

    private @Nullable Line open(Endpoint server) {
        Line line = null;
        try {
            line = transport.line(server, timeoutMs);
        } catch (FsException e) {
            LOG.debug("no line to {}: {}", server, e.getMessage());
        }
        synchronized (this) {
            opening--;
            if (line == null) {
                notBeforeMs = clock.millis() + RETRY_MS;
                return null;
            }
            if (!closed) {
                all.add(line);
                return line;
            }
        }
        line.close();
        return null;
    }

    /** The call is over; a line that broke is not used again. */
    public synchronized void giveBack(Line line) {
        if (closed || !line.isOpen()) {
            drop(line);
        } else {
            idle.addFirst(line);
        }
    }

    /** The connection to the server was made anew: the lines that wait are probably broken too. */
    synchronized void renew() {
        idle.forEach(this::drop);
        idle.clear();
    }

    private void drop(Line line) {
        line.close();
        all.remove(line);
    }

    /** Closes all of them; calls in progress fail. Idempotent. */
    @Override
    public void close() {
        List<Line> open;
        synchronized (this) {
            closed = true;
            open = new ArrayList<>(all);
            all.clear();
            idle.clear();
        }
        open.forEach(Line::close);
    }
}
