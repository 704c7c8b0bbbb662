package io.cairn.client.session;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.PolledLine;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Polled;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The line to one server at a time for threads that look for answers between other work. Thread-
 * safe.
 */
final class PolledCalls implements Polled {
    private static final Logger LOG = LoggerFactory.getLogger(PolledCalls.class);

    private static final long RETRY_MS = 1000;

    private final Transport transport;
    private final Clock clock;
    private final long timeoutMs;
    private final Supplier<@Nullable Connection> leader;
    private volatile @Nullable PolledLine current;

    // Guarded by this.
    private boolean entered;
    private boolean opening;
    private long notBeforeMs;

    /**
     * No line yet.
     *
     * @param timeoutMs for making one
     * @param leader the connection to the server, or null while there is none
     */
    PolledCalls(
            Transport transport,
            Clock clock,
            long timeoutMs,
            Supplier<@Nullable Connection> leader) {
        this.transport = transport;
        this.clock = clock;
        this.timeoutMs = timeoutMs;
        this.leader = leader;
        this.notBeforeMs = clock.millis();
    }

    /**
     * The line to the server, or null when the caller is to do without. May make one for those who
     * come later, which takes a while.
     */
    @Nullable PolledLine line() {
        Connection connection = leader.get();
        if (connection == null) {
            return null;
        }
        Endpoint server = connection.remote();
        PolledLine line = current;
        if (line != null && line.isOpen() && line.remote().equals(server)) {
            return line;
        }
        synchronized (this) {
            if (!entered || opening || clock.millis() - notBeforeMs < 0) {
                return null;
            }
            opening = true;
        }
        open(server);
        return null;
    }

    @Override
    public void enter() {
        synchronized (this) {
            entered = true;
        }
        line();
    }

    private void open(Endpoint server) {
        PolledLine line = null;
        try {
            line = transport.polledLine(server, timeoutMs);
        } catch (FsException e) {
            LOG.debug("no polled line to {}: {}", server, e.getMessage());
        }
        PolledLine useless;
        synchronized (this) {
            opening = false;
            notBeforeMs = clock.millis() + RETRY_MS;
            useless = entered ? current : line;
            current = entered ? line : null;
        }
        if (useless != null) {
            useless.close();
        }
    }

    /** The connection to the server was made anew: this one is probably broken, too. */
    void renew() {
        PolledLine line = current;
        if (line != null) {
            line.close();
        }
    }

    @Override
    public int descriptor() {
        PolledLine line = current;
        return line == null ? -1 : line.descriptor();
    }

    @Override
    public int expected() {
        PolledLine line = current;
        return line == null ? 0 : line.expected();
    }

    @Override
    public void flush() {
        PolledLine line = current;
        if (line != null) {
            line.flush();
        }
    }

    @Override
    public boolean poll() {
        PolledLine line = current;
        return line != null && line.poll();
    }

    @Override
    public void leave() {
        synchronized (this) {
            entered = false;
        }
        renew();
    }
}
