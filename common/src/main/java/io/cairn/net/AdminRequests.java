package io.cairn.net;

import io.cairn.net.AdminDoor.Pages;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers one request on one connection. */
@SuppressWarnings("FutureReturnValueIgnored") // The connection closes, whatever went wrong.
final class AdminRequests extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(AdminRequests.class);
    private static final String JSON = "application/json";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final Pages pages;
    private final Executor pageMaker;
    private boolean answered;

    AdminRequests(Pages pages, Executor pageMaker) {
        this.pages = pages;
        this.pageMaker = pageMaker;
    }

    /** A page to send. */
    private record Page(HttpResponseStatus status, String type, String text) {
        static Page error(HttpResponseStatus status) {
            return new Page(status, JSON, "{\"error\":" + quoted(status.reasonPhrase()) + "}\n");
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (answered) {
            return;
        }
        answered = true;
        if (request.decoderResult().isFailure()) {
            send(context, Page.error(HttpResponseStatus.BAD_REQUEST), false);
            return;
        }
        boolean head = request.method().equals(HttpMethod.HEAD);
        if (!head && !request.method().equals(HttpMethod.GET)) {
            send(context, Page.error(HttpResponseStatus.METHOD_NOT_ALLOWED), false);
            return;
        }
        String target = request.uri();
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        try {
            pageMaker.execute(() -> send(context, make(path), head));
        } catch (RejectedExecutionException e) {
            send(context, Page.error(HttpResponseStatus.SERVICE_UNAVAILABLE), head);
        }
    }

    private Page make(String path) {
        try {
            return switch (path) {
                case "/health/live" -> new Page(HttpResponseStatus.OK, JSON, "{\"live\":true}\n");
                case "/health/ready" -> readiness(pages.reasonsNotReady().get());
                case "/metrics" ->
                        new Page(HttpResponseStatus.OK, PROMETHEUS, pages.metrics().get());
                case "/status" -> new Page(HttpResponseStatus.OK, JSON, pages.status().get());
                default -> Page.error(HttpResponseStatus.NOT_FOUND);
            };
        } catch (RuntimeException e) {
            LOG.error("Page {} failed", path, e);
            return Page.error(HttpResponseStatus.INTERNAL_SERVER_ERROR);
        }
    }

    private static Page readiness(List<String> reasons) {
        if (reasons.isEmpty()) {
            return new Page(HttpResponseStatus.OK, JSON, "{\"ready\":true}\n");
        }
        String list = reasons.stream().map(AdminRequests::quoted).collect(Collectors.joining(","));
        return new Page(
                HttpResponseStatus.SERVICE_UNAVAILABLE,
                JSON,
                "{\"ready\":false,\"reasons\":[" + list + "]}\n");
    }

    /** A JSON string (RFC 8259). */
    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20) {
                out.append("\\u%04x".formatted((int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    private static void send(ChannelHandlerContext context, Page page, boolean head) {
        byte[] body = page.text.getBytes(StandardCharsets.UTF_8);
        FullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        page.status,
                        head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, page.type)
                .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
                .set("x-content-type-options", "nosniff")
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        if (page.status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
            response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
        }
        context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("Connection to the admin door broke", cause);
        context.close();
    }
}
