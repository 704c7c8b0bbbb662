package io.cairn.system;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Takes OTLP over HTTP on loopback, as an OpenTelemetry collector does, and keeps the spans. */
final class TraceCollector implements AutoCloseable {
    /** How it answers. */
    enum Mood {
        WELL,
        /** With status 503. */
        UNAVAILABLE,
        /** With status 200 and bytes that are no answer. */
        GARBAGE,
        /** Not at all, before it is closed. */
        SILENT
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Seen> spans = new ArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger requests = new AtomicInteger();
    private volatile Mood mood = Mood.WELL;

    /** A span that arrived. Ids are hexadecimal; the parent of a root is empty. */
    record Seen(
            String service,
            String instance,
            String name,
            String kind,
            Ids ids,
            Map<String, String> attributes,
            boolean failed) {
        String trace() {
            return ids.trace;
        }

        boolean isRoot() {
            return ids.parent.isEmpty();
        }

        boolean isChildOf(Seen other) {
            return ids.trace.equals(other.ids.trace) && ids.parent.equals(other.ids.span);
        }
    }

    /** Which span of which trace. */
    record Ids(String trace, String span, String parent) {}

    TraceCollector() throws IOException {
        this(0);
    }

    TraceCollector(int port) throws IOException {
        server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(threads);
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    /** What {@code --trace-to} is told. */
    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void become(Mood newMood) {
        mood = newMood;
    }

    /** Batches that arrived, whatever became of them. */
    int requests() {
        return requests.get();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            requests.incrementAndGet();
            switch (mood) {
                case WELL -> {
                    keep(ExportTraceServiceRequest.parseFrom(body));
                    answer(exchange, 200, new byte[0]);
                }
                case UNAVAILABLE -> answer(exchange, 503, new byte[0]);
                case GARBAGE -> answer(exchange, 200, "<html>".getBytes(StandardCharsets.UTF_8));
                case SILENT -> end.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("content-type", "application/x-protobuf");
        if (body.length == 0) {
            // A write after this, even of nothing, would break the connection.
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private void keep(ExportTraceServiceRequest request) {
        synchronized (spans) {
            for (ResourceSpans resource : request.getResourceSpansList()) {
                Map<String, String> of = attributes(resource.getResource().getAttributesList());
                for (ScopeSpans scope : resource.getScopeSpansList()) {
                    scope.getSpansList().forEach(span -> spans.add(seen(of, span)));
                }
            }
        }
    }

    private static Seen seen(Map<String, String> resource, Span span) {
        return new Seen(
                resource.getOrDefault("service.name", ""),
                resource.getOrDefault("service.instance.id", ""),
                span.getName(),
                span.getKind().name().replace("SPAN_KIND_", ""),
                new Ids(hex(span.getTraceId()), hex(span.getSpanId()), hex(span.getParentSpanId())),
                attributes(span.getAttributesList()),
                span.getStatus().getCode() == Status.StatusCode.STATUS_CODE_ERROR);
    }

    private static Map<String, String> attributes(List<KeyValue> list) {
        Map<String, String> attributes = new TreeMap<>();
        for (KeyValue each : list) {
            AnyValue value = each.getValue();
            attributes.put(
                    each.getKey(),
                    value.hasIntValue()
                            ? String.valueOf(value.getIntValue())
                            : value.getStringValue());
        }
        return attributes;
    }

    private static String hex(ByteString bytes) {
        return HexFormat.of().formatHex(bytes.toByteArray());
    }

    /** All that arrived so far. */
    List<Seen> spans() {
        synchronized (spans) {
            return List.copyOf(spans);
        }
    }

    /** Those of a name. */
    List<Seen> spans(String name) {
        return spans().stream().filter(span -> span.name().equals(name)).toList();
    }

    /** Those of a trace. */
    List<Seen> traceOf(Seen span) {
        return spans().stream().filter(other -> other.trace().equals(span.trace())).toList();
    }

    /** Waits for a root span; fails with what came instead. */
    Seen awaitRoot(String name) {
        return await(name, () -> spans(name).stream().filter(Seen::isRoot).toList());
    }

    /** Waits for a child of a span. */
    Seen awaitChild(Seen parent, String name, String kind) {
        return await(
                kind + " " + name + " below " + parent,
                () ->
                        spans(name).stream()
                                .filter(s -> s.isChildOf(parent) && s.kind().equals(kind))
                                .toList());
    }

    private Seen await(String what, java.util.function.Supplier<List<Seen>> search) {
        try {
            Poll.until(what, 60, () -> !search.get().isEmpty());
        } catch (AssertionError e) {
            throw new AssertionError(
                    "no "
                            + what
                            + " but\n"
                            + spans().stream()
                                    .map(Seen::toString)
                                    .collect(Collectors.joining("\n")),
                    e);
        }
        return search.get().get(0);
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
