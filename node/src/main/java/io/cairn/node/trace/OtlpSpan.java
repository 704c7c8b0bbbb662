package io.cairn.node.trace;

import io.cairn.trace.Span;
import io.cairn.trace.TraceContext;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import java.nio.ByteBuffer;

/**
 * A span that is recorded.
 *
 * @param context what others name as their parent
 */
record OtlpSpan(io.opentelemetry.api.trace.Span span, TraceContext context) implements Span {
    static OtlpSpan of(io.opentelemetry.api.trace.Span span) {
        SpanContext own = span.getSpanContext();
        ByteBuffer trace = ByteBuffer.wrap(own.getTraceIdBytes());
        TraceContext context =
                new TraceContext(
                        trace.getLong(),
                        trace.getLong(),
                        ByteBuffer.wrap(own.getSpanIdBytes()).getLong(),
                        own.getTraceFlags().asByte());
        return new OtlpSpan(span, context);
    }

    @Override
    public void note(String key, String value) {
        span.setAttribute(key, value);
    }

    @Override
    public void note(String key, long value) {
        span.setAttribute(key, value);
    }

    @Override
    public void fail(String word) {
        span.setAttribute("error.type", word);
        span.setStatus(StatusCode.ERROR);
    }

    @Override
    public void end() {
        span.end();
    }
}
