package io.cairn.cli;

import io.cairn.net.EventLoops;
import io.cairn.net.NettyTransport;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.ThreadScheduler;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.security.SecureRandom;

/**
 * The real world for the services of one process: network, time, delayed work, randomness, metrics.
 */
final class World implements AutoCloseable {
    private final EventLoops loops =
            new EventLoops("cairn-net", Runtime.getRuntime().availableProcessors(), Clock.system());
    private final Transport transport = new NettyTransport(loops);
    private final ThreadScheduler scheduler = new ThreadScheduler("cairn-timer", 1);
    private final SecureRandom random = new SecureRandom();
    private final PrometheusMeterRegistry metrics =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    World() {
        new ClassLoaderMetrics().bindTo(metrics);
        new JvmMemoryMetrics().bindTo(metrics);
        new JvmThreadMetrics().bindTo(metrics);
        new ProcessorMetrics().bindTo(metrics);
        new UptimeMetrics().bindTo(metrics);
    }

    EventLoops loops() {
        return loops;
    }

    Transport transport() {
        return transport;
    }

    ThreadScheduler scheduler() {
        return scheduler;
    }

    Clock clock() {
        return Clock.system();
    }

    SecureRandom random() {
        return random;
    }

    PrometheusMeterRegistry metrics() {
        return metrics;
    }

    @Override
    public void close() {
        transport.close();
        loops.close();
        scheduler.close();
        metrics.close();
    }
}
