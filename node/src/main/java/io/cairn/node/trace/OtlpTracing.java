package io.cairn.node.trace;

import io.cairn.trace.Tracer;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Sends the spans of all services of a process to one collector. Spans wait in a queue of bounded
 * length and go out in batches on a thread of their own: whatever the collector does, who works
 * never waits for it, and what does not fit is dropped. Thread-safe.
 */
public final class OtlpTracing implements AutoCloseable {
    private static final int QUEUED_SPANS = 8192;
    private static final int BATCH_SPANS = 512;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(2);
    private static final Duration EXPORT_LIMIT = Duration.ofSeconds(5);
    private static final long CLOSE_LIMIT_MS = 2_000;

    /** Kept, for the JDK forgets the level of a logger that nobody holds. */
    private static final Logger OWN_WORDS = Logger.getLogger("io.opentelemetry");

    private final String version;
    private final Sampler sampler;
    private final SpanProcessor processor;

    /**
     * Begins to send; nothing is connected before there is something to send.
     *
     * @param collector where spans are posted, with its path
     * @param ratio share of the operations that are traced, 0 to 1; requests of others are traced
     *     if those who ask are
     * @param version of the services
     */
    public OtlpTracing(URI collector, double ratio, String version) {
        // WatchedExporter tells what goes wrong, once and in the log.
        OWN_WORDS.setLevel(Level.OFF);
        this.version = version;
        this.sampler = Sampler.parentBased(Sampler.traceIdRatioBased(ratio));
        OtlpHttpSpanExporter exporter =
                OtlpHttpSpanExporter.builder()
                        .setEndpoint(collector.toString())
                        .setConnectTimeout(CONNECT_LIMIT)
                        .setTimeout(EXPORT_LIMIT)
                        .setRetryPolicy(null)
                        .build();
        this.processor =
                BatchSpanProcessor.builder(new WatchedExporter(exporter, collector))
                        .setMaxQueueSize(QUEUED_SPANS)
                        .setMaxExportBatchSize(BATCH_SPANS)
                        .setScheduleDelay(PAUSE)
                        .setExporterTimeout(EXPORT_LIMIT.plus(CONNECT_LIMIT))
                        .build();
    }

    /**
     * The tracer of a service.
     *
     * @param service what it is, such as {@code cairn-master}
     * @param instance which one it is
     */
    @SuppressWarnings("MustBeClosed") // Closing it closes the processor, which all share.
    public Tracer tracer(String service, String instance) {
        Resource resource =
                Resource.getDefault()
                        .merge(
                                Resource.create(
                                        Attributes.builder()
                                                .put("service.name", service)
                                                .put("service.instance.id", instance)
                                                .put("service.version", version)
                                                .build()));
        SdkTracerProvider provider =
                SdkTracerProvider.builder()
                        .setResource(resource)
                        .setSampler(sampler)
                        .addSpanProcessor(processor)
                        .build();
        return new OtlpTracer(provider.get("io.cairn"));
    }

    /** Sends what waits, for two seconds at most; what is left is dropped. Idempotent. */
    @Override
    public void close() {
        var _ = processor.shutdown().join(CLOSE_LIMIT_MS, TimeUnit.MILLISECONDS);
    }
}
