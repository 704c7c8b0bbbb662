package io.cairn.http;

import io.cairn.cluster.Endpoint;
import io.cairn.net.Listener;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a service for operators and their machines, over HTTP/1.1, read only:
 *
 * <pre>
 * GET /health/live   200 {"live":true} while the process answers
 * GET /health/ready  200 {"ready":true}, or 503 {"ready":false,"reasons":["..."]}
 * GET /metrics       200 metrics in the Prometheus text format
 * GET /status        200 a JSON document
 * </pre>
 *
 * HEAD works wherever GET does; other methods are 405, other paths go to the handler that was given
 * or are 404. Limits are those of {@link HttpServer}. Thread-safe.
 */
public final class AdminServer implements Listener {
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final HttpServer door;

    /**
     * Where the contents come from. An exception of theirs becomes 500.
     *
     * @param reasonsNotReady why the service cannot serve now, a sentence each; empty when it can
     * @param metrics the metrics in the Prometheus text format
     * @param status a JSON document; null where there is no {@code /status}
     */
    public record Pages(
            Supplier<List<String>> reasonsNotReady,
            Supplier<String> metrics,
            @Nullable Supplier<String> status) {}

    /**
     * Opens a door with nothing but these pages, plain HTTP.
     *
     * @param at where to listen; port 0 takes a free one
     * @throws io.cairn.base.FsException as {@link Transport#listen} does
     */
    public AdminServer(Clock clock, Endpoint at, Pages pages) {
        this(clock, at, null, pages, AdminServer::notFound);
    }

    /**
     * Opens a door with these pages and others.
     *
     * @param certificate for TLS; null for plain HTTP
     * @param others answers every other path
     * @throws io.cairn.base.FsException as {@link Transport#listen} does
     */
    public AdminServer(
            Clock clock,
            Endpoint at,
            @Nullable WebCertificate certificate,
            Pages pages,
            WebHandler others) {
        door = new HttpServer(clock, at, certificate, request -> answer(request, pages, others));
    }

    private static WebAnswer answer(WebRequest request, Pages pages, WebHandler others) {
        Supplier<WebAnswer> page = page(request.path(), pages);
        if (page == null) {
            return others.answer(request);
        }
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return WebProblem.of(
                            405,
                            "method-not-allowed",
                            "Method not allowed",
                            request.path() + " can only be read: use GET.")
                    .toAnswer()
                    .with("allow", "GET, HEAD");
        }
        return page.get();
    }

    private static @Nullable Supplier<WebAnswer> page(String path, Pages pages) {
        Supplier<String> status = pages.status();
        return switch (path) {
            case "/health/live" -> () -> json(200, "{\"live\":true}\n");
            case "/health/ready" -> () -> readiness(pages.reasonsNotReady().get());
            case "/metrics" -> () -> WebAnswer.of(200, PROMETHEUS, pages.metrics().get());
            case "/status" -> status == null ? null : () -> json(200, status.get());
            default -> null;
        };
    }

    private static WebAnswer json(int status, String text) {
        return WebAnswer.of(status, WebAnswer.JSON, text);
    }

    private static WebAnswer readiness(List<String> reasons) {
        if (reasons.isEmpty()) {
            return json(200, "{\"ready\":true}\n");
        }
        String list = reasons.stream().map(WebProblem::quoted).collect(Collectors.joining(","));
        return json(503, "{\"ready\":false,\"reasons\":[" + list + "]}\n");
    }

    private static WebAnswer notFound(WebRequest request) {
        return WebProblem.of(
                        404,
                        "not-found",
                        "Not found",
                        request.path() + " is not here; /health/live, /health/ready, /metrics are.")
                .toAnswer();
    }

    @Override
    public Endpoint endpoint() {
        return door.endpoint();
    }

    @Override
    public void close() {
        door.close();
    }
}
