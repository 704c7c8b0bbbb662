package io.cairn.net.tcp;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.CallLimit;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.NoAnswer;
import io.cairn.net.TimerWheel;
import io.cairn.wire.Limits;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.ProtocolRange;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One side of a TCP connection. The public methods are thread-safe; everything else happens on the
 * connection's event loop and needs no locks.
 *
 * <pre>
 * NEW --active, HELLO sent--> GREETING --HELLO received--> OPEN --close, break, violation--> ENDED
 * </pre>
 *
 * <p>Backpressure: a connection is not read while the peer has too many requests unanswered (count
 * or bytes), while answers to it pile up, or while its next request does not fit into the
 * transport's {@link ReceiveBudget}. Requests of this side that pile up do not stop reading: else
 * two sides that both send much would wait for each other for ever.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
public final class NettyConnection implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(NettyConnection.class);

    /** Bytes of unanswered requests of one peer, beyond which it is not read. */
    static final int MAX_UNANSWERED_BYTES = 32 << 20;

    /** Bytes of answers not yet given to the socket, beyond which the peer is not read. */
    static final int MAX_UNSENT_ANSWER_BYTES = 4 << 20;

    /** Requests of up to this size are not worth a reservation. */
    private static final int SMALL_REQUEST_BYTES = 16 << 10;

    private static final long CLOSE_GRACE_MS = 500;

    private final Channel channel;
    private final TransportContext context;
    private final Handler handler;
    private final Endpoint remote;
    private final CompletableFuture<Connection> greeting = new CompletableFuture<>();
    private final FrameReader reader = new FrameReader(this);
    private final Outbox outbox;
    private final Heartbeat heartbeat;
    private final Runnable resumeTask = this::budgetMayFit;

    private final AtomicLong lastRequestId = new AtomicLong();
    private final CallLimit limit;
    private final Greeting ours;
    private volatile boolean open = true;
    private volatile int version = ProtocolRange.FIRST;
    private volatile String release = "";
    private volatile boolean traces;

    // Below: on the event loop only.
    private final LongObjectMap<Call> calls = new LongObjectHashMap<>();
    private boolean alive = true;
    private boolean greeted;
    private boolean paused;
    private boolean waitsForBudget;
    private long reservedBytes;
    private int unanswered;
    private long unansweredBytes;
    private String reason = "closed by the other side";

    NettyConnection(Channel channel, TransportContext context, Handler handler, Endpoint remote) {
        this.channel = channel;
        this.context = context;
        this.handler = handler;
        this.remote = remote;
        this.limit = new CallLimit(remote);
        this.ours = context.greeting(handler.newestVersion(), false);
        this.outbox = new Outbox(this, channel);
        this.heartbeat = new Heartbeat(this, context, channel, reader, outbox);
    }

    /** Completes when the peer has said HELLO; fails when the connection ends before. */
    CompletableFuture<Connection> greeting() {
        return greeting;
    }

    FrameReader reader() {
        return reader;
    }

    ByteBufAllocator allocator() {
        return channel.alloc();
    }

    TimerWheel wheel() {
        return context.loops().wheelOf(channel.eventLoop());
    }

    // ---- any thread ----

    @Override
    public Endpoint remote() {
        return remote;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public int version() {
        return version;
    }

    @Override
    public String release() {
        return release;
    }

    @Override
    public CompletableFuture<Message> call(Message content, long timeoutMs) {
        Message request = content.encoded(version);
        FsException refusal = refusal(request);
        if (refusal == null) {
            refusal = limit.enter();
        }
        if (refusal != null) {
            request.release();
            return CompletableFuture.failedFuture(refusal);
        }
        Call call = new Call(this, lastRequestId.incrementAndGet(), timeoutMs, nowNs());
        outbox.add(Frame.request(request, call, traces));
        return call.future;
    }

    @Override
    public void send(Message content) {
        Message oneWay = content.encoded(version);
        FsException refusal = refusal(oneWay);
        if (refusal == null) {
            outbox.add(Frame.oneWay(oneWay));
            return;
        }
        oneWay.release();
        if (refusal.errno() == Errno.EINVAL) {
            throw refusal;
        }
    }

    private @Nullable FsException refusal(Message message) {
        FsException tooLarge = CallLimit.refusal(message);
        return tooLarge != null || open ? tooLarge : lost();
    }

    /** Sends an answer, from any thread. */
    void answer(Frame frame) {
        if (frame.requestBytes > SMALL_REQUEST_BYTES) {
            context.budget().release(frame.requestBytes);
        }
        outbox.add(frame);
    }

    @Override
    public void close() {
        open = false;
        try {
            channel.eventLoop().execute(this::closeGracefully);
        } catch (RejectedExecutionException e) {
            outbox.discard();
        }
    }

    long nowNs() {
        return context.loops().clock().nanoTime();
    }

    // ---- on the event loop ----

    boolean isAlive() {
        return alive;
    }

    boolean isGreeted() {
        return greeted;
    }

    boolean isPaused() {
        return paused;
    }

    /** The socket is connected. */
    void begin() {
        outbox.add(Frame.hello(ours));
        heartbeat.begin();
    }

    void heard() {
        heartbeat.heard();
        outbox.hold();
    }

    void readComplete() {
        outbox.unhold();
        drain();
    }

    void drain() {
        outbox.drain();
        review();
    }

    private void closeGracefully() {
        if (!alive) {
            return;
        }
        outbox.finish();
        reason = "closed here";
        alive = false;
        failCalls();
        channel.eventLoop().schedule(() -> channel.close(), CLOSE_GRACE_MS, TimeUnit.MILLISECONDS);
    }

    /** Ends the connection for a reason that an operator may want to know. */
    void breakOff(String why) {
        if (alive) {
            LOG.info("Connection with {} closed: {}", remote, why);
            end(why);
        }
    }

    private void end(String why) {
        reason = why;
        alive = false;
        open = false;
        channel.close();
    }

    void violated(MalformedMessageException error) {
        breakOff("protocol violated: " + error.getMessage());
    }

    void failed(Throwable cause) {
        if (cause instanceof IOException) {
            if (alive) {
                LOG.debug("Connection with {} broke", remote, cause);
                end(String.valueOf(cause.getMessage()));
            }
        } else if (alive) {
            LOG.error("Connection with {} failed", remote, cause);
            end(cause.toString());
        }
    }

    /** The socket is closed. */
    void ended() {
        alive = false;
        open = false;
        heartbeat.end();
        reader.dispose();
        context.budget().release(reservedBytes);
        reservedBytes = 0;
        outbox.discard();
        failCalls();
        if (greeted) {
            try {
                handler.closed(this);
            } catch (RuntimeException e) {
                LOG.error("Handler failed at the end of the connection with {}", remote, e);
            }
        }
        greeting.completeExceptionally(lost());
    }

    private void failCalls() {
        for (Call call : new ArrayList<>(calls.values())) {
            forget(call);
            call.fail(lost());
        }
    }

    FsException lost() {
        return new FsException(
                Errno.DISCONNECTED, "connection with " + remote + " lost: " + reason);
    }

    /** A call begins, before its frame is sent; false when its time is already over. */
    boolean remember(Call call) {
        calls.put(call.requestId, call);
        long remainingMs = call.remainingMs(nowNs());
        if (remainingMs <= 0) {
            call.expire();
            return false;
        }
        wheel().arm(call, remainingMs);
        return true;
    }

    /** A call is over, whatever became of it. */
    void forget(Call call) {
        if (calls.remove(call.requestId) != null) {
            wheel().disarm(call);
            limit.leave();
        }
    }

    /** A call that never began is over. */
    void dropped(Call call) {
        limit.leave();
        call.fail(lost());
    }

    /** The answer to a request is in the outbox: the request no longer counts. */
    void answered(Frame answer) {
        unanswered--;
        unansweredBytes -= answer.requestBytes;
    }

    /** Decides on a frame whose lengths are allowed. */
    FrameReader.Admission admit(int kind, long requestId, int bodyBytes) {
        if (greeted == (kind == Frame.HELLO)) {
            throw new MalformedMessageException(
                    greeted ? "second HELLO" : "frame of kind " + kind + " before HELLO");
        }
        return switch (kind) {
            case Frame.REPLY, Frame.FAILURE ->
                    calls.containsKey(requestId)
                            ? FrameReader.Admission.ACCEPT
                            : FrameReader.Admission.DISCARD;
            case Frame.REQUEST, Frame.TRACED, Frame.ONE_WAY -> admitRequest(bodyBytes);
            default -> FrameReader.Admission.ACCEPT;
        };
    }

    private FrameReader.Admission admitRequest(int bodyBytes) {
        if (bodyBytes <= SMALL_REQUEST_BYTES) {
            return FrameReader.Admission.ACCEPT;
        }
        if (context.budget().reserve(bodyBytes, resumeTask)) {
            reservedBytes = bodyBytes;
            return FrameReader.Admission.ACCEPT;
        }
        waitsForBudget = true;
        pause();
        return FrameReader.Admission.WAIT;
    }

    /** Called by the budget, on any thread. */
    private void budgetMayFit() {
        try {
            channel.eventLoop()
                    .execute(
                            () -> {
                                waitsForBudget = false;
                                review();
                            });
        } catch (RejectedExecutionException e) {
            LOG.debug("Event loop of {} has ended", remote);
        }
    }

    private void pause() {
        if (!paused) {
            paused = true;
            channel.config().setAutoRead(false);
        }
    }

    /** Pauses or resumes reading. */
    private void review() {
        if (!alive) {
            return;
        }
        if (!paused) {
            if (unanswered >= Limits.MAX_IN_FLIGHT
                    || unansweredBytes >= MAX_UNANSWERED_BYTES
                    || outbox.answerBytes() >= MAX_UNSENT_ANSWER_BYTES) {
                pause();
            }
        } else if (!waitsForBudget
                && unanswered <= Limits.MAX_IN_FLIGHT / 2
                && unansweredBytes <= MAX_UNANSWERED_BYTES / 2
                && outbox.answerBytes() <= MAX_UNSENT_ANSWER_BYTES / 2) {
            paused = false;
            reader.resume();
            if (!paused) {
                channel.config().setAutoRead(true);
            }
        }
    }

    /** A whole frame arrived. */
    void received(int kind, long requestId, Message message) {
        switch (kind) {
            case Frame.HELLO -> greet(message);
            case Frame.REQUEST, Frame.TRACED -> request(requestId, message);
            case Frame.ONE_WAY -> oneWay(message);
            case Frame.REPLY, Frame.FAILURE -> {
                Call call = calls.get(requestId);
                if (call == null) {
                    message.release();
                } else {
                    forget(call);
                    call.answered(kind, message);
                }
            }
            default -> message.release();
        }
    }

    private void greet(Message hello) {
        Greeting theirs = Greeting.decode(hello.header());
        version = ours.range().common(theirs.range());
        release = theirs.release();
        traces = ours.traces() && theirs.traces();
        if (version == 0) {
            String why = ours.range().refusal(remote, theirs.range());
            greeting.completeExceptionally(new FsException(Errno.WRONG_CLUSTER, why));
            outbox.drain();
            breakOff(why);
            return;
        }
        greeted = true;
        if (theirs.line()) {
            heartbeat.leaveToTcp();
        }
        try {
            handler.opened(this);
        } catch (RuntimeException e) {
            LOG.error("Handler failed at the beginning of the connection with {}", remote, e);
        }
        greeting.complete(this);
    }

    private void request(long requestId, Message message) {
        int bytes = Frame.bodyBytes(message);
        unanswered++;
        unansweredBytes += bytes;
        reservedBytes = 0;
        RequestAnswer answer = new RequestAnswer(this, requestId, bytes);
        try {
            handler.handle(this, message, answer);
        } catch (MalformedMessageException e) {
            message.release();
            answer.fail(new FsException(Errno.EPROTO, String.valueOf(e.getMessage())));
            throw e;
        } catch (FsException e) {
            message.release();
            answer.fail(e);
        } catch (RuntimeException e) {
            message.release();
            LOG.error("Handler failed on a request from {}", remote, e);
            answer.fail(new FsException(Errno.EIO, "internal error: " + e));
        }
        review();
    }

    private void oneWay(Message message) {
        long reserved = reservedBytes;
        reservedBytes = 0;
        try {
            handler.handle(this, message, NoAnswer.INSTANCE);
        } catch (MalformedMessageException e) {
            message.release();
            throw e;
        } catch (RuntimeException e) {
            message.release();
            LOG.error("Handler failed on a message from {}", remote, e);
        } finally {
            context.budget().release(reserved);
        }
    }
}
