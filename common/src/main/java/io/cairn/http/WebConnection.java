package io.cairn.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a {@link WebDoor}: gathers a request, lets it be answered, sends the answer,
 * and only then reads on. Belongs to its loop but for the sink of a feed.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The connection closes, whatever went wrong.
final class WebConnection extends ChannelInboundHandlerAdapter {
    /** How long a client may go on sending what was refused, in milliseconds. */
    private static final int LINGER_MS = 2_000;

    private static final Logger LOG = LoggerFactory.getLogger(WebConnection.class);

    private final WebHandler handler;
    private final Executor workers;
    private final WebPatience patience;
    private @Nullable HttpRequest head;
    private ByteArrayOutputStream body = new ByteArrayOutputStream();
    private @Nullable ScheduledFuture<?> deadline;
    private boolean ending;

    WebConnection(WebHandler handler, Executor workers, WebPatience patience) {
        this.handler = handler;
        this.workers = workers;
        this.patience = patience;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.channel().closeFuture().addListener(_ -> disarm());
        awaitRequest(context);
    }

    private void awaitRequest(ChannelHandlerContext context) {
        head = null;
        body = new ByteArrayOutputStream();
        arm(context, () -> late(context));
        context.channel().config().setAutoRead(true);
    }

    private void arm(ChannelHandlerContext context, Runnable action) {
        disarm();
        deadline = context.executor().schedule(action, patience.requestMs(), TimeUnit.MILLISECONDS);
    }

    private void disarm() {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    private void late(ChannelHandlerContext context) {
        if (head == null) {
            context.close();
        } else {
            refuse(
                    context,
                    WebProblem.of(
                            408,
                            "request-timeout",
                            "Request timeout",
                            "The request did not arrive within " + patience.requestMs() + " ms."));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (ending) {
                return;
            }
            if (message instanceof HttpRequest request && !begin(context, request)) {
                return;
            }
            if (message instanceof HttpContent content && head != null) {
                gather(context, head, content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    /** Takes a request's head; false when it was refused. */
    private boolean begin(ChannelHandlerContext context, HttpRequest request) {
        WebProblem problem = problemOf(request);
        if (problem != null) {
            head = request;
            refuse(context, problem);
            return false;
        }
        head = request;
        if (HttpUtil.is100ContinueExpected(request)) {
            context.writeAndFlush(
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1,
                            HttpResponseStatus.CONTINUE,
                            Unpooled.EMPTY_BUFFER));
        }
        return true;
    }

    private static @Nullable WebProblem problemOf(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return switch (request.decoderResult().cause()) {
                case TooLongHttpLineException _ ->
                        WebProblem.of(
                                414, "uri-too-long", "URI too long", "The address is too long.");
                case TooLongHttpHeaderException _ ->
                        WebProblem.of(
                                431,
                                "headers-too-large",
                                "Headers too large",
                                "The headers are longer than 16 KiB; send fewer.");
                default -> notHttp("The request is not HTTP/1.1; check what the client sends.");
            };
        }
        HttpVersion version = request.protocolVersion();
        if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
            return notHttp("This is HTTP/1.1, not " + version.text() + ".");
        }
        if (!request.uri().startsWith("/")) {
            return notHttp("The target of a request must be a path that begins with '/'.");
        }
        if (version.equals(HttpVersion.HTTP_1_1)
                && !request.headers().contains(HttpHeaderNames.HOST)) {
            return notHttp("A request of HTTP/1.1 needs the header Host.");
        }
        if (HttpUtil.isContentLengthSet(request)
                && HttpUtil.getContentLength(request, 0L) > WebDoor.MAX_BODY_BYTES) {
            return tooLarge();
        }
        return null;
    }

    private static WebProblem notHttp(String detail) {
        return WebProblem.of(400, "bad-request", "Bad request", detail);
    }

    private static WebProblem tooLarge() {
        return WebProblem.of(
                413,
                "body-too-large",
                "Body too large",
                "A request may carry " + WebDoor.MAX_BODY_BYTES + " bytes; send less at a time.");
    }

    private void gather(ChannelHandlerContext context, HttpRequest request, HttpContent content) {
        ByteBuf piece = content.content();
        if (content.decoderResult().isFailure()) {
            refuse(context, notHttp("The body of the request is not HTTP/1.1."));
            return;
        }
        if (body.size() + piece.readableBytes() > WebDoor.MAX_BODY_BYTES) {
            refuse(context, tooLarge());
            return;
        }
        byte[] bytes = new byte[piece.readableBytes()];
        piece.readBytes(bytes);
        body.writeBytes(bytes);
        if (content instanceof LastHttpContent) {
            disarm();
            // What comes next waits in the pipeline.
            context.channel().config().setAutoRead(false);
            hand(context, request, body.toByteArray());
        }
    }

    private void hand(ChannelHandlerContext context, HttpRequest request, byte[] bytes) {
        WebRequest whole = whole(context, request, bytes);
        try {
            workers.execute(() -> answer(context, request, whole));
        } catch (RejectedExecutionException e) {
            LOG.debug("The web door closes", e);
            context.close();
        }
    }

    private static WebRequest whole(
            ChannelHandlerContext context, HttpRequest request, byte[] bytes) {
        String target = request.uri();
        int query = target.indexOf('?');
        Map<String, String> headers = new LinkedHashMap<>();
        request.headers()
                .forEach(
                        each ->
                                headers.merge(
                                        each.getKey().toLowerCase(Locale.ROOT),
                                        each.getValue(),
                                        (a, b) -> a + "," + b));
        String remote =
                context.channel().remoteAddress() instanceof InetSocketAddress from
                        ? from.getAddress().getHostAddress()
                        : "";
        return new WebRequest(
                request.method().name(),
                query < 0 ? target : target.substring(0, query),
                query < 0 ? "" : target.substring(query + 1),
                headers,
                bytes,
                remote);
    }

    /** Runs on a worker. */
    private void answer(ChannelHandlerContext context, HttpRequest request, WebRequest whole) {
        WebAnswer answer;
        try {
            answer = handler.answer(whole);
        } catch (RuntimeException e) {
            LOG.error("{} {} failed", whole.method(), whole.path(), e);
            answer =
                    WebProblem.of(
                                    500,
                                    "defect",
                                    "Internal error",
                                    "This is a defect of Cairn; its log tells more.")
                            .toAnswer();
        }
        boolean isHead = request.method().equals(HttpMethod.HEAD);
        WebFeed feed = answer.feed();
        if (feed == null || isHead) {
            WebAnswer all = answer;
            context.executor().execute(() -> send(context, request, all, false));
        } else {
            feed(context, request, answer, feed);
        }
    }

    private void refuse(ChannelHandlerContext context, WebProblem problem) {
        HttpRequest request = head;
        if (request != null) {
            send(context, request, problem.toAnswer(), true);
        } else {
            context.close();
        }
    }

    private void send(
            ChannelHandlerContext context, HttpRequest request, WebAnswer answer, boolean close) {
        boolean isHead = request.method().equals(HttpMethod.HEAD);
        byte[] bytes = answer.body();
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.valueOf(answer.status()),
                        isHead ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(bytes));
        if (answer.status() != 304 && answer.status() != 204) {
            response.headers().set(HttpHeaderNames.CONTENT_LENGTH, bytes.length);
        }
        boolean keep = !close && HttpUtil.isKeepAlive(request);
        fill(response, request, answer, keep);
        ending = !keep;
        arm(context, context::close);
        context.writeAndFlush(response)
                .addListener(
                        done -> {
                            if (!done.isSuccess() || (!keep && !close)) {
                                context.close();
                            } else if (keep) {
                                awaitRequest(context);
                            } else {
                                linger(context);
                            }
                        });
    }

    /**
     * Ends a connection whose client may still be sending: closed at once, the system would take
     * back the answer.
     */
    private void linger(ChannelHandlerContext context) {
        context.executor().schedule(() -> context.close(), LINGER_MS, TimeUnit.MILLISECONDS);
        if (context.channel() instanceof DuplexChannel channel
                && context.pipeline().get(SslHandler.class) == null) {
            channel.shutdownOutput();
        }
        context.channel().config().setAutoRead(true);
    }

    private static void fill(
            HttpResponse response, HttpRequest request, WebAnswer answer, boolean keep) {
        response.headers()
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set("x-content-type-options", "nosniff");
        answer.headers().forEach((name, value) -> response.headers().set(name, value));
        HttpUtil.setKeepAlive(response.headers(), request.protocolVersion(), keep);
        if (!keep) {
            response.headers().set(HttpHeaderNames.CONNECTION, "close");
        }
    }

    /** Runs on a worker. */
    private void feed(
            ChannelHandlerContext context, HttpRequest request, WebAnswer answer, WebFeed feed) {
        HttpResponse response =
                new DefaultHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.status()));
        if (request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
            HttpUtil.setTransferEncodingChunked(response, true);
        }
        fill(response, request, answer, false);
        try {
            await(context, context.writeAndFlush(response));
            feed.writeTo(
                    piece ->
                            await(
                                    context,
                                    context.writeAndFlush(
                                            new DefaultHttpContent(
                                                    Unpooled.wrappedBuffer(piece)))));
            context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
                    .addListener(ChannelFutureListener.CLOSE);
        } catch (IOException e) {
            LOG.debug("A feed ended: {}", e.getMessage());
            context.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            context.close();
        } catch (RuntimeException e) {
            LOG.error("The feed of {} failed", request.uri(), e);
            context.close();
        }
    }

    private void await(ChannelHandlerContext context, ChannelFuture sent)
            throws IOException, InterruptedException {
        if (!sent.await(patience.sinkMs(), TimeUnit.MILLISECONDS)) {
            throw new IOException(context.channel().remoteAddress() + " takes nothing");
        }
        if (!sent.isSuccess()) {
            throw new IOException(context.channel().remoteAddress() + " has gone", sent.cause());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("A connection to the web door broke", cause);
        context.close();
    }
}
