package io.cairn.admin.api;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.http.WebAnswer;
import io.cairn.http.WebHandler;
import io.cairn.http.WebProblem;
import io.cairn.http.WebRequest;
import io.cairn.net.Answer;
import io.cairn.net.Callee;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.wire.Decoder;
import io.cairn.wire.Limits;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.master.AdminForward;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Hands requests on to the leader, at the port where clients find it, and answers those that were
 * handed on. One connection is kept. Thread-safe.
 */
public final class Relay implements Handler, AutoCloseable {
    private static final long CONNECT_MS = 3_000;
    private static final long ANSWER_MS = 20_000;
    private static final List<String> HEADERS =
            List.of("accept", "authorization", "content-type", "if-match", "if-none-match");

    private final Transport transport;
    private final WebHandler local;
    private final Executor workers;
    private @Nullable Connection connection;

    /**
     * A relay.
     *
     * @param local answers what others hand on
     * @param workers where it does so; may block
     */
    public Relay(Transport transport, WebHandler local, Executor workers) {
        this.transport = transport;
        this.local = local;
        this.workers = workers;
    }

    @Override
    public void handle(Connection from, Message request, Answer answer) {
        WebRequest whole;
        try {
            Decoder in = request.decoder();
            in.u8();
            AdminForward forward = AdminForward.decode(in);
            whole =
                    new WebRequest(
                            forward.method(),
                            forward.path(),
                            forward.query(),
                            forward.headers(),
                            bytes(request.payload()),
                            forward.remote());
        } catch (MalformedMessageException e) {
            answer.fail(new FsException(Errno.EPROTO, String.valueOf(e.getMessage())));
            return;
        } finally {
            request.release();
        }
        Span span = Scope.current();
        try {
            workers.execute(() -> Scope.run(span, () -> answer(whole, answer)));
        } catch (RejectedExecutionException e) {
            answer.fail(new FsException(Errno.NOT_READY, "the master stops"));
        }
    }

    private void answer(WebRequest request, Answer answer) {
        WebAnswer made;
        try {
            made = local.answer(request);
        } catch (RuntimeException e) {
            answer.fail(new FsException(Errno.EIO, "the master failed: " + e));
            return;
        }
        if (made.body().length > Limits.MAX_PAYLOAD_BYTES) {
            made =
                    WebProblem.of(
                                    500,
                                    "too-large",
                                    "Answer too large",
                                    "Ask for fewer items with ?limit=.")
                            .toAnswer();
        }
        AdminForward.Answer head = new AdminForward.Answer(made.status(), made.headers());
        answer.send(new Message(head::toBytes, Unpooled.wrappedBuffer(made.body())));
    }

    private static byte[] bytes(@Nullable ByteBuf payload) {
        byte[] bytes = new byte[payload == null ? 0 : payload.readableBytes()];
        if (payload != null) {
            payload.getBytes(payload.readerIndex(), bytes);
        }
        return bytes;
    }

    /**
     * The answer of the leader; blocks.
     *
     * @throws Problem 503 when it does not
     */
    public WebAnswer forward(Endpoint leader, WebRequest request) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String name : HEADERS) {
            String value = request.header(name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        AdminForward head =
                new AdminForward(
                        request.method(),
                        request.path(),
                        request.query(),
                        headers,
                        request.remote());
        Connection to = connected(leader);
        Message message = new Message(head::toBytes, Unpooled.wrappedBuffer(request.body()));
        Message reply = get(to.call(message, ANSWER_MS));
        try {
            AdminForward.Answer answer = AdminForward.Answer.decode(reply.decoder());
            return new WebAnswer(answer.status(), answer.headers(), bytes(reply.payload()), null);
        } catch (MalformedMessageException e) {
            throw Problem.unavailable("The leader speaks another version; ask the leader itself.");
        } finally {
            reply.release();
        }
    }

    private synchronized Connection connected(Endpoint leader) {
        Connection known = connection;
        if (known != null && known.isOpen() && known.remote().equals(leader)) {
            return known;
        }
        if (known != null) {
            known.close();
        }
        Connection made =
                get(transport.connect(Callee.master(leader), Handler.refusing(), CONNECT_MS));
        connection = made;
        return made;
    }

    private static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(ANSWER_MS + CONNECT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.unavailable("The master stops; ask another one.");
        } catch (ExecutionException | TimeoutException e) {
            throw Problem.unavailable("The leader does not answer; ask again in a moment.");
        }
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            connection.close();
        }
    }
}
