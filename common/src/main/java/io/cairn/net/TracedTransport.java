package io.cairn.net;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.trace.TraceContext;
import io.cairn.trace.Tracer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A transport whose requests are spans. Each call that the work of a thread makes is one, from the
 * call to its answer. Each request that arrives as part of a trace is one, during which its handler
 * works for it. Requests that belong to no trace pass untouched. Attributes are those of
 * OpenTelemetry's semantic conventions for remote calls. Thread-safe.
 */
public final class TracedTransport implements Transport {
    private final Transport transport;
    private final Spans spans;

    private TracedTransport(Transport transport, Spans spans) {
        this.transport = transport;
        this.spans = spans;
    }

    /**
     * Around a transport, which it closes.
     *
     * @param service what is called and served, such as {@code master}
     * @param names the operation of the header of a request, from a fixed set
     * @return the transport itself when nothing is traced
     */
    public static Transport around(
            Transport transport, Tracer tracer, String service, Function<byte[], String> names) {
        return tracer.equals(Tracer.OFF)
                ? transport
                : new TracedTransport(transport, new Spans(tracer, service + "/", names));
    }

    @Override
    public CompletableFuture<Connection> connect(Endpoint to, Handler handler, long timeoutMs) {
        Calling calling = new Calling(handler, spans);
        return transport.connect(to, calling, timeoutMs).thenApply(calling::of);
    }

    @Override
    public CompletableFuture<Connection> connect(Callee to, Handler handler, long timeoutMs) {
        Calling calling = new Calling(handler, spans);
        return transport.connect(to, calling, timeoutMs).thenApply(calling::of);
    }

    @Override
    public Listener listen(Endpoint at, Handler handler) {
        return transport.listen(at, new Serving(handler, spans));
    }

    @Override
    public void close() {
        transport.close();
    }

    /** Makes the spans of requests. */
    private record Spans(Tracer tracer, String prefix, Function<byte[], String> names) {
        /** Of a call that this thread makes; without a context when nothing is traced. */
        Span ofCall(byte[] header, Endpoint to) {
            String name = prefix + names.apply(header);
            Span span = tracer.begin(name, Span.Kind.CLIENT);
            describe(span, name);
            span.note("server.address", to.host());
            span.note("server.port", to.port());
            return span;
        }

        Span ofRequest(byte[] header, TraceContext caller) {
            String name = prefix + names.apply(header);
            Span span = tracer.begin(name, Span.Kind.SERVER, caller);
            describe(span, name);
            return span;
        }

        private static void describe(Span span, String name) {
            span.note("rpc.system.name", "cairn");
            span.note("rpc.method", name);
        }
    }

    /** Shows a handler the connection that it called for, always the same one. */
    private static final class Calling implements Handler {
        private final Handler handler;
        private final Spans spans;
        private @Nullable TracedConnection seen;

        Calling(Handler handler, Spans spans) {
            this.handler = handler;
            this.spans = spans;
        }

        synchronized Connection of(Connection connection) {
            TracedConnection known = seen;
            if (known == null) {
                known = new TracedConnection(connection, spans);
                seen = known;
            }
            return known;
        }

        @Override
        public void handle(Connection from, Message request, Answer answer) {
            handler.handle(of(from), request, answer);
        }

        @Override
        public int newestVersion() {
            return handler.newestVersion();
        }

        @Override
        public void opened(Connection connection) {
            handler.opened(of(connection));
        }

        @Override
        public void closed(Connection connection) {
            handler.closed(of(connection));
        }
    }

    private record TracedConnection(Connection connection, Spans spans) implements Connection {
        @Override
        public Endpoint remote() {
            return connection.remote();
        }

        @Override
        public Principal principal() {
            return connection.principal();
        }

        @Override
        public boolean isOpen() {
            return connection.isOpen();
        }

        @Override
        public int version() {
            return connection.version();
        }

        @Override
        public String release() {
            return connection.release();
        }

        @Override
        public CompletableFuture<Message> call(Message content, long timeoutMs) {
            if (Scope.current().context() == null) {
                return connection.call(content, timeoutMs);
            }
            Message request = content.encoded(version());
            Span span = spans.ofCall(request.header(), remote());
            return connection
                    .call(request.traced(span.context()), timeoutMs)
                    .whenComplete((_, thrown) -> Span.end(span, thrown));
        }

        @Override
        public void send(Message oneWay) {
            connection.send(oneWay);
        }

        @Override
        public void close() {
            connection.close();
        }

        @Override
        public void abort() {
            connection.abort();
        }
    }

    /** Has requests handled as the spans that they are. */
    private static final class Serving extends HandlerAround {
        private final Spans spans;

        Serving(Handler handler, Spans spans) {
            super(handler);
            this.spans = spans;
        }

        @Override
        public void handle(Connection from, Message request, Answer answer) {
            TraceContext caller = request.trace();
            if (caller == null) {
                handler.handle(from, request, answer);
                return;
            }
            Span span = spans.ofRequest(request.header(), caller);
            try {
                Scope.run(
                        span, () -> handler.handle(from, request, new TracedAnswer(answer, span)));
            } catch (RuntimeException e) {
                Span.end(span, e);
                throw e;
            }
        }
    }

    private record TracedAnswer(Answer answer, Span span) implements Answer {
        @Override
        public void send(Message reply) {
            // Before the answer is under way: the span of whoever asks ends after it.
            span.end();
            answer.send(reply);
        }

        @Override
        public void fail(FsException error) {
            Span.end(span, error);
            answer.fail(error);
        }
    }
}
