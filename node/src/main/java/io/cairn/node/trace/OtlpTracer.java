package io.cairn.node.trace;

import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.trace.TraceContext;
import io.cairn.trace.Tracer;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;

/** The spans of one service. Thread-safe. */
final class OtlpTracer implements Tracer {
    private final io.opentelemetry.api.trace.Tracer tracer;

    OtlpTracer(io.opentelemetry.api.trace.Tracer tracer) {
        this.tracer = tracer;
    }

    @Override
    public Span begin(String name, Span.Kind kind) {
        Span parent = Scope.current();
        if (parent.equals(Span.UNSAMPLED)) {
            return parent;
        }
        return begin(
                name,
                kind,
                parent instanceof OtlpSpan known
                        ? Context.root().with(known.span())
                        : Context.root());
    }

    @Override
    public Span begin(String name, Span.Kind kind, TraceContext parent) {
        if (!parent.isSampled()) {
            return Span.UNSAMPLED;
        }
        SpanContext remote =
                SpanContext.createFromRemoteParent(
                        TraceId.fromLongs(parent.traceHigh(), parent.traceLow()),
                        SpanId.fromLong(parent.span()),
                        TraceFlags.fromByte(parent.flags()),
                        TraceState.getDefault());
        return begin(name, kind, Context.root().with(io.opentelemetry.api.trace.Span.wrap(remote)));
    }

    private Span begin(String name, Span.Kind kind, Context parent) {
        SpanBuilder builder =
                tracer.spanBuilder(name)
                        .setParent(parent)
                        .setSpanKind(SpanKind.valueOf(kind.name()));
        io.opentelemetry.api.trace.Span span = builder.startSpan();
        return span.getSpanContext().isSampled() ? OtlpSpan.of(span) : Span.UNSAMPLED;
    }
}
