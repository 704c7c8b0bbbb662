package io.cairn.nfs;

import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.cairn.runtime.Clock;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.trace.Tracer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program whose calls are counted and timed: {@code cairn.nfs.operation} with the tag {@code
 * operation} and a histogram of a few buckets, and {@code cairn.nfs.errors} with {@code operation}
 * and {@code status}. The names come from the programs, the statuses from RFC 1813, so the number
 * of series is bounded. Calls that take long are logged, a few in a second at most. Each call may
 * be the begin of a trace. Thread-safe.
 */
final class MeasuredProgram implements RpcProgram {
    private static final Logger LOG = LoggerFactory.getLogger(MeasuredProgram.class);
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofMillis(2500),
        Duration.ofSeconds(10)
    };
    private static final long LOG_PAUSE_MS = 200;

    /** Statuses up to DQUOT, STALE, and those from 10001: what is beyond is one of its own. */
    private static final int LAST_LOW_STATUS = 70;

    private static final int FIRST_HIGH_STATUS = 10_001;
    private static final int LAST_HIGH_STATUS = 10_008;

    private final RpcProgram program;
    private final MeterRegistry registry;
    private final Clock clock;
    private final long slowMs;
    private final Tracer tracer;
    private final Map<String, Timer> timers = new ConcurrentHashMap<>();
    private final Map<String, Counter> errors = new ConcurrentHashMap<>();
    private final AtomicLong quietUntilMs = new AtomicLong(Long.MIN_VALUE);

    /**
     * Around a program.
     *
     * @param slowMs calls that take longer are logged
     */
    MeasuredProgram(
            RpcProgram program, MeterRegistry registry, Clock clock, long slowMs, Tracer tracer) {
        this.program = program;
        this.registry = registry;
        this.clock = clock;
        this.slowMs = slowMs;
        this.tracer = tracer;
    }

    @Override
    public int number() {
        return program.number();
    }

    @Override
    public int lowVersion() {
        return program.lowVersion();
    }

    @Override
    public int highVersion() {
        return program.highVersion();
    }

    @Override
    public boolean hasProcedure(int version, int procedure) {
        return program.hasProcedure(version, procedure);
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        return program.replyBytes(call, arguments);
    }

    @Override
    public boolean isOnce(RpcCall call) {
        return program.isOnce(call);
    }

    @Override
    public String nameOf(int procedure) {
        return program.nameOf(procedure);
    }

    @Override
    public boolean beginsWithStatus(int procedure) {
        return program.beginsWithStatus(procedure);
    }

    @Override
    public void serve(RpcCall call, XdrReader arguments, XdrWriter results) {
        String name = program.nameOf(call.procedure());
        long beganNs = clock.nanoTime();
        String failure = "rpc";
        try {
            trace(name, () -> program.serve(call, arguments, results));
            failure = program.beginsWithStatus(call.procedure()) ? status(results) : "";
        } finally {
            long tookNs = clock.nanoTime() - beganNs;
            timer(name).record(tookNs, TimeUnit.NANOSECONDS);
            if (!failure.isEmpty()) {
                error(name, failure).increment();
            }
            if (tookNs > TimeUnit.MILLISECONDS.toNanos(slowMs)) {
                tellSlow(call, name, TimeUnit.NANOSECONDS.toMillis(tookNs));
            }
        }
    }

    private void trace(String name, Runnable work) {
        if (tracer.equals(Tracer.OFF)) {
            work.run();
            return;
        }
        String title = "nfs/" + name;
        Span span = tracer.begin(title, Span.Kind.SERVER);
        span.note("rpc.system.name", "onc_rpc");
        span.note("rpc.method", title);
        try {
            Scope.run(span, work);
        } finally {
            span.end();
        }
    }

    /** The status as a tag; empty for success. */
    private static String status(XdrWriter results) {
        int status = results.firstWord();
        if (status == 0) {
            return "";
        }
        boolean known =
                (status > 0 && status <= LAST_LOW_STATUS)
                        || (status >= FIRST_HIGH_STATUS && status <= LAST_HIGH_STATUS);
        return known ? Integer.toString(status) : "other";
    }

    private Timer timer(String name) {
        return timers.computeIfAbsent(
                name,
                operation ->
                        Timer.builder("cairn.nfs.operation")
                                .description("NFS calls, from the begin of their work to its end")
                                .tag("operation", operation)
                                .serviceLevelObjectives(BUCKETS)
                                .register(registry));
    }

    private Counter error(String name, String status) {
        return errors.computeIfAbsent(
                name + " " + status,
                _ ->
                        Counter.builder("cairn.nfs.errors")
                                .description("NFS calls that were answered with an error")
                                .tag("operation", name)
                                .tag("status", status)
                                .register(registry));
    }

    private void tellSlow(RpcCall call, String name, long tookMs) {
        long nowMs = clock.millis();
        long quiet = quietUntilMs.get();
        if (nowMs >= quiet && quietUntilMs.compareAndSet(quiet, nowMs + LOG_PAUSE_MS)) {
            LOG.warn("{} of {} ({}) took {} ms", name, call.peer(), call.credential(), tookMs);
        }
    }
}
