package io.cairn.net.frame;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.CallLimit;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.NoAnswer;
import io.cairn.net.Principal;
import io.cairn.net.TimerWheel;
import io.cairn.net.frame.ChannelState.Ended;
import io.cairn.net.frame.ChannelState.New;
import io.cairn.net.frame.ChannelState.Open;
import io.cairn.net.frame.ChannelState.Paused;
import io.cairn.net.frame.ChannelState.Peer;
import io.cairn.wire.MalformedMessageException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One side of a connection, as a state machine ({@link ChannelState}): bytes in, calls and events
 * out, bytes out, all through a {@link Wire}. The methods of {@link Connection} and {@link #answer}
 * are thread-safe; everything else is for the owner of the wire and needs no locks. A {@link
 * Handler} and the continuation of a call run on the owner, too.
 */
public final class FrameChannel implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(FrameChannel.class);

    private final Wire wire;
    private final ChannelSettings settings;
    private final Handler handler;
    private final Endpoint remote;
    private final CompletableFuture<Connection> greeting = new CompletableFuture<>();
    private final FrameReader reader = new FrameReader(this);
    private final Outbox outbox;
    private final Heartbeat heartbeat;
    private final Intake intake;
    private final AtomicLong lastRequestId = new AtomicLong();
    private final CallLimit limit;
    private final Greeting ours;
    private final LongObjectMap<Call> calls = new LongObjectHashMap<>();
    private volatile boolean closing;

    /** Changed by the owner only. */
    private volatile ChannelState state = new New();

    /**
     * A channel over a wire that is not connected yet.
     *
     * @param handler hears of the requests of the other side
     * @param remote what to call the other side
     */
    public FrameChannel(Wire wire, ChannelSettings settings, Handler handler, Endpoint remote) {
        this.wire = wire;
        this.settings = settings;
        this.handler = handler;
        this.remote = remote;
        this.limit = new CallLimit(remote);
        this.ours = settings.greeting(handler.newestVersion());
        this.outbox = new Outbox(this, wire);
        this.heartbeat = new Heartbeat(this, settings.beatMs());
        this.intake = new Intake(settings.budget(), this::budgetMayFit);
    }

    /** Completes when the peer has said HELLO; fails when the connection ends before. */
    public CompletableFuture<Connection> greeting() {
        return greeting;
    }

    /** Calls that are not answered. From any thread. */
    public int callsInFlight() {
        return limit.inFlight();
    }

    FrameReader reader() {
        return reader;
    }

    Outbox outbox() {
        return outbox;
    }

    ByteBufAllocator allocator() {
        return wire.allocator();
    }

    TimerWheel wheel() {
        return wire.wheel();
    }

    long unsentBytes() {
        return wire.unsentBytes();
    }

    // ---- any thread ----

    @Override
    public Endpoint remote() {
        return remote;
    }

    @Override
    public Principal principal() {
        return state.peer().principalAt(remote.host());
    }

    @Override
    public boolean isOpen() {
        return !closing && isAlive();
    }

    @Override
    public int version() {
        return state.peer().version();
    }

    @Override
    public String release() {
        return state.peer().release();
    }

    @Override
    public CompletableFuture<Message> call(Message content, long timeoutMs) {
        Peer peer = state.peer();
        Message request = content.encoded(peer.version());
        FsException refusal = refusal(request);
        if (refusal == null) {
            refusal = limit.enter();
        }
        if (refusal != null) {
            request.release();
            return CompletableFuture.failedFuture(refusal);
        }
        long nowNs = settings.clock().nanoTime();
        Call call = new Call(this, lastRequestId.incrementAndGet(), timeoutMs, nowNs);
        outbox.add(Frame.request(request, call, peer.traces()));
        return call.future;
    }

    @Override
    public void send(Message content) {
        Message oneWay = content.encoded(version());
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
        return tooLarge != null || isOpen() ? tooLarge : lost();
    }

    /** Sends an answer, from any thread. */
    void answer(Frame frame) {
        Intake.answering(settings.budget(), frame.requestBytes);
        outbox.add(frame);
    }

    @Override
    public void close() {
        closing = true;
        try {
            wire.execute(this::closeGracefully);
        } catch (RejectedExecutionException e) {
            outbox.discard();
        }
    }

    @Override
    public void abort() {
        closing = true;
        try {
            wire.execute(
                    () -> {
                        finish("given up here");
                        failCalls();
                        wire.abort();
                    });
        } catch (RejectedExecutionException e) {
            outbox.discard();
        }
    }

    // ---- what the wire tells ----

    /** The wire is connected. */
    public void begin() {
        outbox.add(Frame.hello(ours));
        heartbeat.begin();
    }

    /** Bytes came in; this takes them over. {@link #turnEnded} follows when there are no more. */
    public void received(ByteBuf bytes) {
        heartbeat.heard();
        outbox.hold();
        reader.read(bytes);
    }

    /** Where the next bytes may be read to directly; null when it is all the same. */
    public @Nullable ByteBuf window() {
        return reader.window();
    }

    /** Whether the last message had a large payload. */
    public boolean isLarge() {
        return reader.isLarge();
    }

    /** All bytes that were there have been received. */
    public void turnEnded() {
        outbox.unhold();
        drain();
    }

    /** Gives the wire what it takes; called when it can take more. */
    public void drain() {
        outbox.drain();
        review();
    }

    /** The wire broke, or what it carries went wrong; {@link #ended} follows. */
    public void failed(Throwable cause) {
        if (!isAlive()) {
            return;
        }
        if (cause instanceof IOException) {
            LOG.debug("Connection with {} broke", remote, cause);
            end(String.valueOf(cause.getMessage()));
        } else {
            LOG.error("Connection with {} failed", remote, cause);
            end(cause.toString());
        }
    }

    /** The wire is closed. */
    public void ended() {
        finish("closed by the other side");
        heartbeat.end();
        reader.dispose();
        intake.dispose();
        outbox.discard();
        failCalls();
        if (state.isGreeted()) {
            try {
                handler.closed(this);
            } catch (RuntimeException e) {
                LOG.error("Handler failed at the end of the connection with {}", remote, e);
            }
        }
        greeting.completeExceptionally(lost());
    }

    // ---- the owner ----

    boolean isAlive() {
        return !(state instanceof Ended);
    }

    boolean isGreeted() {
        return state.isGreeted();
    }

    boolean isPaused() {
        return state instanceof Paused;
    }

    private void closeGracefully() {
        if (!isAlive()) {
            return;
        }
        outbox.flushAll();
        finish("closed here");
        failCalls();
        wire.finish();
    }

    /** Ends the connection for a reason that an operator may want to know. */
    void breakOff(String why) {
        if (isAlive()) {
            LOG.info("Connection with {} closed: {}", remote, why);
            end(why);
        }
    }

    private void end(String why) {
        finish(why);
        wire.close();
    }

    private void finish(String reason) {
        ChannelState last = state;
        if (!(last instanceof Ended)) {
            state = new Ended(last.peer(), last.isGreeted(), reason);
        }
    }

    void violated(MalformedMessageException error) {
        breakOff("protocol violated: " + error.getMessage());
    }

    private void failCalls() {
        for (Call call : new ArrayList<>(calls.values())) {
            forget(call);
            call.fail(lost());
        }
    }

    private FsException lost() {
        String why = state instanceof Ended ended ? ended.reason() : "closed here";
        return new FsException(Errno.DISCONNECTED, "connection with " + remote + " lost: " + why);
    }

    /** A call begins, before its frame is sent; false when its time is already over. */
    boolean remember(Call call) {
        calls.put(call.requestId, call);
        long remainingMs = call.remainingMs(settings.clock().nanoTime());
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
        intake.end(answer.requestBytes);
    }

    /** Decides on a frame whose lengths are allowed. */
    FrameReader.Admission admit(FrameKind kind, long requestId, int bodyBytes) {
        if (isGreeted() == (kind == FrameKind.HELLO)) {
            throw new MalformedMessageException(
                    isGreeted() ? "second HELLO" : "frame of kind " + kind + " before HELLO");
        }
        return switch (kind) {
            case REPLY, FAILURE ->
                    calls.containsKey(requestId)
                            ? FrameReader.Admission.ACCEPT
                            : FrameReader.Admission.DISCARD;
            case REQUEST, TRACED, ONE_WAY -> {
                state.peer().requireMaySend(bodyBytes);
                if (intake.reserve(bodyBytes)) {
                    yield FrameReader.Admission.ACCEPT;
                }
                pause();
                yield FrameReader.Admission.WAIT;
            }
            case HELLO, BEAT -> FrameReader.Admission.ACCEPT;
        };
    }

    /** Called by the budget, on any thread. */
    private void budgetMayFit() {
        try {
            wire.execute(
                    () -> {
                        intake.retry();
                        review();
                    });
        } catch (RejectedExecutionException e) {
            LOG.debug("The owner of {} has ended", remote);
        }
    }

    private void pause() {
        if (state instanceof Open open) {
            state = new Paused(open.peer());
            wire.setReading(false);
        }
    }

    /** Pauses or resumes reading. */
    private void review() {
        switch (state) {
            case Open _ -> {
                if (intake.isFull(outbox.answerBytes())) {
                    pause();
                }
            }
            case Paused paused -> {
                if (intake.hasRoom(outbox.answerBytes())) {
                    state = new Open(paused.peer());
                    reader.resume();
                    if (state instanceof Open) {
                        wire.setReading(true);
                    }
                }
            }
            case New _, Ended _ -> {}
        }
    }

    /** A whole frame arrived. */
    void received(FrameKind kind, long requestId, Message message) {
        switch (kind) {
            case HELLO -> greet(message);
            case REQUEST, TRACED -> request(requestId, message);
            case ONE_WAY -> oneWay(message);
            case REPLY, FAILURE -> {
                Call call = calls.get(requestId);
                if (call == null) {
                    message.release();
                } else {
                    forget(call);
                    call.answered(kind, message);
                }
            }
            case BEAT -> message.release();
        }
    }

    private void greet(Message hello) {
        Greeting theirs = Greeting.decode(hello.header());
        if (ours.range().common(theirs.range()) == 0) {
            String why = ours.range().refusal(remote, theirs.range());
            greeting.completeExceptionally(new FsException(Errno.WRONG_CLUSTER, why));
            outbox.drain();
            breakOff(why);
            return;
        }
        state = new Open(Peer.of(ours, theirs, wire.principal(remote.host())));
        try {
            handler.opened(this);
        } catch (RuntimeException e) {
            LOG.error("Handler failed at the beginning of the connection with {}", remote, e);
        }
        greeting.complete(this);
    }

    private void request(long requestId, Message message) {
        int bytes = Frame.bodyBytes(message);
        intake.begin(bytes);
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
        long reserved = intake.takeReservation();
        try {
            handler.handle(this, message, NoAnswer.INSTANCE);
        } catch (MalformedMessageException e) {
            message.release();
            throw e;
        } catch (RuntimeException e) {
            message.release();
            if (!(e instanceof FsException)) { // A refusal is told where it is made.
                LOG.error("Handler failed on a message from {}", remote, e);
            }
        } finally {
            settings.budget().release(reserved);
        }
    }
}
