package io.cairn.node.trace;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells in the log when the collector begins to fail and when it takes spans again: one line each.
 * Thread-safe.
 */
final class WatchedExporter implements SpanExporter {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedExporter.class);

    private final SpanExporter exporter;
    private final URI collector;
    private long lost;

    WatchedExporter(SpanExporter exporter, URI collector) {
        this.exporter = exporter;
        this.collector = collector;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        int count = spans.size();
        CompletableResultCode result = exporter.export(spans);
        return result.whenComplete(
                () -> {
                    if (result.isSuccess()) {
                        taken();
                    } else {
                        failed(count, result.getFailureThrowable());
                    }
                });
    }

    private synchronized void taken() {
        if (lost > 0) {
            LOG.info("the trace collector at {} takes spans again, {} were lost", collector, lost);
            lost = 0;
        }
    }

    private synchronized void failed(int count, @Nullable Throwable why) {
        if (lost == 0) {
            LOG.warn(
                    "the trace collector at {} takes no spans: {}; they are dropped until it does,"
                            + " nothing else suffers",
                    collector,
                    reason(why));
        }
        lost += count;
    }

    private static String reason(@Nullable Throwable why) {
        Throwable at = why;
        while (at != null && at.getCause() != null && !(at instanceof ConnectException)) {
            at = at.getCause();
        }
        String text = at == null ? null : at.getMessage();
        return switch (at) {
            case null -> "no answer in time";
            case ConnectException _ -> "no connection";
            case IOException e -> text == null ? e.getClass().getSimpleName() : text;
            default -> "it answers with an error";
        };
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }
}
