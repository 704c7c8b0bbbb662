package io.cairn.http;

import io.cairn.runtime.Clock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handling of each request of a {@link HttpServer}: gathers its body, lets it be answered,
 * sends the answer; all on the virtual thread of the request. Thread-safe.
 */
final class WebExchange extends Handler.Abstract {
    /** How long a client may go on sending what was refused, in milliseconds. */
    private static final int LINGER_MS = 2_000;

    private static final Logger LOG = LoggerFactory.getLogger(WebExchange.class);
    private static final int MAX_LINE_BYTES = 16 << 10;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final WebHandler handler;
    private final WebConnector connections;
    private final WebTimeouts timeouts;
    private final Clock clock;

    /** The request is not worth its body. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient WebProblem problem;

        Refused(WebProblem problem) {
            super(problem.detail());
            this.problem = problem;
        }
    }

    WebExchange(WebHandler handler, WebConnector connections, WebTimeouts timeouts, Clock clock) {
        this.handler = handler;
        this.connections = connections;
        this.timeouts = timeouts;
        this.clock = clock;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        EndPoint peer = WebConnector.peer(request);
        try {
            connections.disarm(peer);
            exchange(request, response, peer);
            connections.awaitRequest(peer);
            callback.succeeded();
        } catch (IOException e) {
            LOG.debug("{} has gone, or takes nothing", peer.getRemoteSocketAddress(), e);
            peer.close();
            callback.failed(e);
        }
        return true;
    }

    private void exchange(Request request, Response response, EndPoint peer) throws IOException {
        try {
            requireFit(request);
            WebRequest whole = whole(request, bodyOf(request, peer));
            WebAnswer answer = answer(whole);
            WebFeed feed = answer.feed();
            fill(response.getHeaders(), answer);
            response.setStatus(answer.status());
            if (feed == null || whole.method().equals("HEAD")) {
                send(response, answer.body(), peer);
            } else {
                feed(whole, response, feed, peer);
            }
        } catch (Refused e) {
            WebAnswer answer = e.problem.toAnswer();
            fill(response.getHeaders(), answer);
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
            response.setStatus(answer.status());
            send(response, answer.body(), peer);
            linger(request, peer);
        }
    }

    private static void requireFit(Request request) throws Refused {
        String target = request.getHttpURI().getPathQuery();
        if (target == null || !target.startsWith("/")) {
            throw new Refused(
                    notHttp("The target of a request must be a path that begins with '/'."));
        }
        if (target.length() > MAX_LINE_BYTES) {
            throw new Refused(problem(414));
        }
        if (request.getLength() > HttpServer.MAX_BODY_BYTES) {
            throw new Refused(tooLarge());
        }
    }

    private byte[] bodyOf(Request request, EndPoint peer) throws IOException, Refused {
        long endNs = clock.nanoTime() + timeouts.requestMs() * 1_000_000L;
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            Content.Chunk chunk = next(request, peer, endNs);
            byte[] bytes = new byte[chunk.remaining()];
            chunk.getByteBuffer().get(bytes);
            chunk.release();
            if (body.size() + bytes.length > HttpServer.MAX_BODY_BYTES) {
                throw new Refused(tooLarge());
            }
            body.write(bytes);
            if (chunk.isLast()) {
                return body.toByteArray();
            }
        }
    }

    /** Waits for a piece of the body until a time. */
    private Content.Chunk next(Request request, EndPoint peer, long endNs)
            throws IOException, Refused {
        Content.Chunk chunk = request.read();
        while (chunk == null) {
            long leftMs = (endNs - clock.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                throw new Refused(late());
            }
            peer.setIdleTimeout(leftMs);
            try (Blocker.Runnable arrived = Blocker.runnable()) {
                request.demand(arrived);
                arrived.block();
            } finally {
                peer.setIdleTimeout(0);
            }
            chunk = request.read();
        }
        if (Content.Chunk.isFailure(chunk)) {
            if (chunk.getFailure() instanceof TimeoutException) {
                throw new Refused(late());
            }
            throw new IOException("the body broke off", chunk.getFailure());
        }
        return chunk;
    }

    private WebProblem late() {
        return WebProblem.of(
                408,
                "request-timeout",
                "Request timeout",
                "The request did not arrive within " + timeouts.requestMs() + " ms.");
    }

    private static WebRequest whole(Request request, byte[] body) {
        String target = request.getHttpURI().getPathQuery();
        int query = target.indexOf('?');
        Map<String, String> headers = new LinkedHashMap<>();
        request.getHeaders()
                .forEach(
                        each ->
                                headers.merge(
                                        each.getName().toLowerCase(Locale.ROOT),
                                        String.valueOf(each.getValue()),
                                        (a, b) -> a + "," + b));
        return new WebRequest(
                request.getMethod(),
                query < 0 ? target : target.substring(0, query),
                query < 0 ? "" : target.substring(query + 1),
                headers,
                body,
                request.getConnectionMetaData().getRemoteSocketAddress()
                                instanceof InetSocketAddress from
                        ? from.getAddress().getHostAddress()
                        : "");
    }

    private WebAnswer answer(WebRequest request) {
        try {
            return handler.answer(request);
        } catch (RuntimeException e) {
            LOG.error("{} {} failed", request.method(), request.path(), e);
            return problem(500).toAnswer();
        }
    }

    private static void fill(HttpFields.Mutable headers, WebAnswer answer) {
        headers.put(HttpHeader.CACHE_CONTROL, "no-store").put("x-content-type-options", "nosniff");
        answer.headers().forEach(headers::put);
        if (answer.feed() == null && answer.status() != 304 && answer.status() != 204) {
            headers.put(HttpHeader.CONTENT_LENGTH, answer.body().length);
        }
    }

    private void send(Response response, byte[] body, EndPoint peer) throws IOException {
        connections.arm(peer, timeouts.requestMs());
        write(response, true, ByteBuffer.wrap(body));
        connections.disarm(peer);
    }

    private static void write(Response response, boolean last, ByteBuffer bytes)
            throws IOException {
        try (Blocker.Callback sent = Blocker.callback()) {
            response.write(last, bytes, sent);
            sent.block();
        }
    }

    private void feed(WebRequest request, Response response, WebFeed feed, EndPoint peer)
            throws IOException {
        try {
            write(response, false, NOTHING.duplicate());
            feed.writeTo(
                    piece -> {
                        connections.arm(peer, timeouts.sinkMs());
                        write(response, false, ByteBuffer.wrap(piece));
                        connections.disarm(peer);
                    });
            write(response, true, NOTHING.duplicate());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the door closes");
        } catch (RuntimeException e) {
            LOG.error("the feed of {} failed", request.path(), e);
            throw new IOException("the feed failed", e);
        }
    }

    /**
     * Takes what a client goes on to send although it was refused: closed at once, the system would
     * take back the answer.
     */
    private void linger(Request request, EndPoint peer) throws IOException {
        long endNs = clock.nanoTime() + LINGER_MS * 1_000_000L;
        try {
            boolean isLast = false;
            while (!isLast) {
                Content.Chunk chunk = next(request, peer, endNs);
                isLast = chunk.isLast();
                chunk.release();
            }
        } catch (Refused e) {
            throw new IOException("it was refused, and goes on sending");
        }
    }

    /** Answers what the parser takes for no request. */
    static boolean refuseWhatIsNotHttp(Request request, Response response, Callback callback) {
        String target = request.getHttpURI().getPathQuery();
        boolean isLong = target != null && target.length() > MAX_LINE_BYTES;
        int status =
                request.getAttribute(ErrorHandler.ERROR_STATUS) instanceof Integer told
                        ? told
                        : 500;
        WebAnswer answer = problem(isLong ? 414 : status).toAnswer();
        fill(response.getHeaders(), answer);
        response.setStatus(answer.status());
        response.write(true, ByteBuffer.wrap(answer.body()), callback);
        return true;
    }

    private static WebProblem problem(int status) {
        return switch (status) {
            case 414 ->
                    WebProblem.of(414, "uri-too-long", "URI too long", "The address is too long.");
            case 431 ->
                    WebProblem.of(
                            431,
                            "headers-too-large",
                            "Headers too large",
                            "The headers are longer than 24 KiB; send fewer.");
            case 500 ->
                    WebProblem.of(
                            500,
                            "defect",
                            "Internal error",
                            "This is a defect of Cairn; its log tells more.");
            default -> notHttp("The request is not HTTP/1.1; check what the client sends.");
        };
    }

    private static WebProblem notHttp(String detail) {
        return WebProblem.of(400, "bad-request", "Bad request", detail);
    }

    private static WebProblem tooLarge() {
        return WebProblem.of(
                413,
                "body-too-large",
                "Body too large",
                "A request may carry "
                        + HttpServer.MAX_BODY_BYTES
                        + " bytes; send less at a time.");
    }
}
