package io.cairn.net;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Latency;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A transport whose listeners count and time the requests that they receive, from their arrival to
 * their answer: the timer {@code cairn.NAME.request} with the tag {@code operation}, the counters
 * {@code cairn.NAME.errors} with {@code operation} and {@code error}, {@code
 * cairn.NAME.received.bytes} and {@code cairn.NAME.sent.bytes} of payload. Operations and errors
 * come from fixed sets, so the number of series is bounded. Thread-safe.
 */
public final class MeasuredTransport implements Transport {
    private final Transport transport;
    private final Meters meters;

    /**
     * Around a transport, which it closes.
     *
     * @param service the NAME, such as {@code master}
     * @param names the operation of the header of a request, from a fixed set
     */
    public MeasuredTransport(
            Transport transport,
            String service,
            Function<byte[], String> names,
            MeterRegistry registry,
            Clock clock) {
        this.transport = transport;
        this.meters = new Meters(service, names, registry, clock);
    }

    @Override
    public CompletableFuture<Connection> connect(Endpoint to, Handler handler, long timeoutMs) {
        return transport.connect(to, handler, timeoutMs);
    }

    @Override
    public CompletableFuture<Connection> connect(Callee to, Handler handler, long timeoutMs) {
        return transport.connect(to, handler, timeoutMs);
    }

    @Override
    public Listener listen(Endpoint at, Handler handler) {
        return transport.listen(at, new Measured(handler, meters));
    }

    @Override
    public void close() {
        transport.close();
    }

    private static final class Meters {
        private final String prefix;
        private final Function<byte[], String> names;
        private final MeterRegistry registry;
        private final Clock clock;
        private final Counter received;
        private final Counter sent;
        private final Map<String, Timer> timers = new ConcurrentHashMap<>();

        private Meters(
                String service,
                Function<byte[], String> names,
                MeterRegistry registry,
                Clock clock) {
            this.prefix = "cairn." + service;
            this.names = names;
            this.registry = registry;
            this.clock = clock;
            received =
                    Counter.builder(prefix + ".received.bytes")
                            .description("payload of requests")
                            .register(registry);
            sent =
                    Counter.builder(prefix + ".sent.bytes")
                            .description("payload of answers")
                            .register(registry);
            // There from the beginning, so that the first error is seen as a step.
            errors("other", Errno.EIO).increment(0);
        }

        private Counter errors(String operation, Errno errno) {
            return Counter.builder(prefix + ".errors")
                    .description("requests that were answered with an error")
                    .tag("operation", operation)
                    .tag("error", errno.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }

        private void answered(String operation, long beganNs) {
            Timer timer = timers.get(operation);
            if (timer == null) {
                timer =
                        timers.computeIfAbsent(
                                operation,
                                name ->
                                        Latency.timer(
                                                registry,
                                                prefix + ".request",
                                                "requests, from their arrival to their answer",
                                                Tags.of("operation", name)));
            }
            timer.record(clock.nanoTime() - beganNs, TimeUnit.NANOSECONDS);
        }
    }

    /** Around a handler. */
    private static final class Measured extends HandlerAround {
        private final Meters meters;

        Measured(Handler handler, Meters meters) {
            super(handler);
            this.meters = meters;
        }

        @Override
        public void handle(Connection from, Message request, Answer answer) {
            String operation = meters.names.apply(request.header());
            int payloadBytes = request.payloadBytes();
            if (payloadBytes > 0) {
                meters.received.increment(payloadBytes);
            }
            handler.handle(
                    from,
                    request,
                    new TimedAnswer(answer, meters, operation, meters.clock.nanoTime()));
        }
    }

    private record TimedAnswer(Answer answer, Meters meters, String operation, long beganNs)
            implements Answer {
        @Override
        public void send(Message reply) {
            int payloadBytes = reply.payloadBytes();
            if (payloadBytes > 0) {
                meters.sent.increment(payloadBytes);
            }
            answer.send(reply);
            meters.answered(operation, beganNs);
        }

        @Override
        public void fail(FsException error) {
            answer.fail(error);
            meters.answered(operation, beganNs);
            meters.errors(operation, error.errno()).increment();
        }
    }
}
