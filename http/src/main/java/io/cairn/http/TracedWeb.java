package io.cairn.http;

import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.trace.Tracer;
import java.util.Set;
import java.util.function.Function;

/**
 * A handler whose requests are operations of their own: each one may be the begin of a trace.
 * Attributes are those of OpenTelemetry's semantic conventions for HTTP servers; addresses are told
 * without what stands in them. Thread-safe.
 */
public final class TracedWeb implements WebHandler {
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

    private final WebHandler handler;
    private final Tracer tracer;
    private final Function<WebRequest, String> routes;

    private TracedWeb(WebHandler handler, Tracer tracer, Function<WebRequest, String> routes) {
        this.handler = handler;
        this.tracer = tracer;
        this.routes = routes;
    }

    /**
     * Around a handler; the handler itself when nothing is traced.
     *
     * @param routes the address that a request fits, from a fixed set
     */
    public static WebHandler around(
            WebHandler handler, Tracer tracer, Function<WebRequest, String> routes) {
        return tracer.equals(Tracer.OFF) ? handler : new TracedWeb(handler, tracer, routes);
    }

    @Override
    public WebAnswer answer(WebRequest request) {
        String method = METHODS.contains(request.method()) ? request.method() : "_OTHER";
        String route = routes.apply(request);
        Span span = tracer.begin(method + " " + route, Span.Kind.SERVER);
        span.note("http.request.method", method);
        span.note("http.route", route);
        boolean answered = false;
        try {
            WebAnswer answer = Scope.get(span, () -> handler.answer(request));
            answered = true;
            span.note("http.response.status_code", answer.status());
            if (answer.status() >= 500) {
                span.fail(String.valueOf(answer.status()));
            }
            return answer;
        } finally {
            if (!answered) {
                span.fail("500");
            }
            span.end();
        }
    }
}
