package io.cairn.nfs;

import io.cairn.runtime.Scheduler;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Connections of each client: {@code cairn.nfs.client.connections} with the tag {@code client},
 * looked at every few seconds, for the clients that have most, up to a number. Thread-safe.
 */
final class ClientGauges implements AutoCloseable {
    private static final int MAX_CLIENTS = 64;
    private static final long LOOK_MS = 5000;

    private final MultiGauge gauge;
    private final Scheduler scheduler;
    private final Supplier<Map<InetAddress, Integer>> connections;
    private volatile boolean closed;

    ClientGauges(
            MeterRegistry registry,
            Scheduler scheduler,
            Supplier<Map<InetAddress, Integer>> connections) {
        this.gauge =
                MultiGauge.builder("cairn.nfs.client.connections")
                        .description("connections of the clients that have most")
                        .register(registry);
        this.scheduler = scheduler;
        this.connections = connections;
        look();
    }

    /** Takes the connections as they are now. */
    void update() {
        List<MultiGauge.Row<?>> rows =
                connections.get().entrySet().stream()
                        .sorted(Map.Entry.<InetAddress, Integer>comparingByValue().reversed())
                        .limit(MAX_CLIENTS)
                        .<MultiGauge.Row<?>>map(
                                entry ->
                                        MultiGauge.Row.of(
                                                Tags.of("client", entry.getKey().getHostAddress()),
                                                entry.getValue()))
                        .toList();
        gauge.register(rows, true);
    }

    private void look() {
        if (!closed) {
            update();
            scheduler.schedule(this::look, LOOK_MS);
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
