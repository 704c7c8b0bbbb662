package io.cairn.net;

import io.cairn.runtime.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what was refused for want of an identity or a right, and logs it once per address and
 * minute, for a few addresses a minute: who has many of them fills no log. Of the others the number
 * is told. It remembers a thousand addresses at most. Thread-safe.
 */
public final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
    private static final long REPORT_NS = 60_000_000_000L;
    private static final int MAX_ADDRESSES = 1024;

    /** Lines a minute. */
    static final int MAX_LINES = 16;

    /** Why something was refused. */
    public enum Reason {
        /** It spoke no TLS. */
        PLAIN("plain"),
        /** Its certificate does not hold: another cluster's, expired, revoked, or none at all. */
        CERTIFICATE("certificate"),
        /** The handshake failed for another reason. */
        HANDSHAKE("handshake"),
        /** Its role may not ask for this. */
        ROLE("role"),
        /** Its name or password is not right. */
        PASSWORD("password"),
        /** It shows no ticket for the chunk, or none that holds. */
        TICKET("ticket");

        private final String tag;

        Reason(String tag) {
            this.tag = tag;
        }
    }

    private final String door;
    private final Clock clock;
    private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

    /** When an address was last told of, oldest first. Guarded by itself. */
    private final Map<String, Long> told = new LinkedHashMap<>();

    // Guarded by told.
    private boolean begun;
    private long minuteNs;
    private int lines;
    private long hidden;

    /**
     * Nothing was refused yet.
     *
     * @param door who refuses, in the log and as a tag: such as {@code master}
     */
    public Refusals(String door, Clock clock) {
        this.door = door;
        this.clock = clock;
        for (Reason reason : Reason.values()) {
            counts.put(reason, new LongAdder());
        }
    }

    /** Registers {@code cairn.net.refused} with the tags {@code door} and {@code reason}. */
    public void measure(MeterRegistry registry) {
        counts.forEach(
                (reason, count) ->
                        FunctionCounter.builder("cairn.net.refused", count, LongAdder::sum)
                                .description("connections and requests of whom may not")
                                .tag("door", door)
                                .tag("reason", reason.tag)
                                .register(registry));
    }

    /** How many were refused for a reason since the start. */
    public long count(Reason reason) {
        LongAdder count = counts.get(reason);
        return count == null ? 0 : count.sum();
    }

    /**
     * Something was refused.
     *
     * @param address whose it was
     * @param what for people, as in {@code it shows no certificate}
     */
    public void add(Reason reason, String address, String what) {
        LongAdder count = counts.get(reason);
        if (count != null) {
            count.increment();
        }
        long others = -1;
        synchronized (told) {
            long nowNs = clock.nanoTime();
            if (isDue(address, nowNs)) {
                others = beginLine(nowNs);
            }
        }
        if (others > 0) {
            LOG.warn("{}: refused {} more in the minute before", door, others);
        }
        if (others >= 0) {
            LOG.warn("{}: refused {}: {}", door, address, what);
        }
    }

    private boolean isDue(String address, long nowNs) {
        Long last = told.get(address);
        if (last != null && nowNs - last < REPORT_NS) {
            return false;
        }
        told.remove(address);
        told.put(address, nowNs);
        if (told.size() > MAX_ADDRESSES) {
            told.remove(told.keySet().iterator().next());
        }
        return true;
    }

    /** How many were not told in the last minutes, when a line may be logged now; else -1. */
    private long beginLine(long nowNs) {
        long before = 0;
        if (!begun || nowNs - minuteNs >= REPORT_NS) {
            before = hidden;
            begun = true;
            minuteNs = nowNs;
            lines = 0;
            hidden = 0;
        }
        if (lines >= MAX_LINES) {
            hidden++;
            return -1;
        }
        lines++;
        return before;
    }
}
