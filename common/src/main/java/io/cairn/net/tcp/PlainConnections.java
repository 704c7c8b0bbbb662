package io.cairn.net.tcp;

import io.cairn.runtime.Clock;
import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections without TLS of a process that has a certificate, while its cluster changes to
 * TLS. The first one of an address is a warning, sixteen a minute at most. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
final class PlainConnections {
    private static final Logger LOG = LoggerFactory.getLogger(PlainConnections.class);
    private static final long MINUTE_NS = 60_000_000_000L;
    private static final int MAX_LINES = 16;

    private final Clock clock;

    /** How many each address has. Guarded by this, as all below. */
    private final Map<String, Integer> open = new HashMap<>();

    private int count;
    private boolean begun;
    private long minuteNs;
    private int lines;

    /** Without any. */
    PlainConnections(Clock clock) {
        this.clock = clock;
    }

    /**
     * There is one more, until it is closed.
     *
     * @param address that of the other side
     */
    void add(Channel channel, String address) {
        if (enter(address)) {
            LOG.warn(
                    "Speaks plain text with {}: give that process a certificate before the last"
                            + " step of the change to TLS (docs/upgrade.md)",
                    address);
        }
        channel.closeFuture().addListener(done -> leave(address));
    }

    /** Those that are open now. */
    synchronized int count() {
        return count;
    }

    private synchronized boolean enter(String address) {
        count++;
        return open.merge(address, 1, Integer::sum) == 1 && beginsLine(clock.nanoTime());
    }

    private synchronized void leave(String address) {
        count--;
        open.computeIfPresent(address, (_, there) -> there == 1 ? null : there - 1);
    }

    private boolean beginsLine(long nowNs) {
        if (!begun || nowNs - minuteNs >= MINUTE_NS) {
            begun = true;
            minuteNs = nowNs;
            lines = 0;
        }
        lines++;
        return lines <= MAX_LINES;
    }
}
