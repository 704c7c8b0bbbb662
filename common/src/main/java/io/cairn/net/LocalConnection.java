package io.cairn.net;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Release;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.ProtocolRange;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One side of a connection between two services of one process: messages change hands on an event
 * loop that both sides share, and their payloads are not copied. The public methods are
 * thread-safe; everything else happens on that loop and needs no locks.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The call's own future tells.
final class LocalConnection implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(LocalConnection.class);

    private final EventLoops loops;
    private final EventLoop loop;
    private final Endpoint remote;
    private final Handler handler;
    private final CallLimit limit;
    private final int version;
    private @Nullable LocalConnection peer;
    private volatile boolean open = true;

    // Below: on the event loop only.
    private final Set<Pending> calls = new HashSet<>();
    private boolean alive = true;

    private LocalConnection(
            EventLoops loops, EventLoop loop, Endpoint remote, Handler handler, int version) {
        this.loops = loops;
        this.loop = loop;
        this.remote = remote;
        this.limit = new CallLimit(remote);
        this.handler = handler;
        this.version = version;
    }

    /** A call of this side. Lives on the loop. */
    private final class Pending extends TimerWheel.Entry {
        final CompletableFuture<Message> future = new CompletableFuture<>();
        private final long timeoutMs;

        Pending(long timeoutMs) {
            this.timeoutMs = timeoutMs;
        }

        @Override
        public void expire() {
            fail(
                    new FsException(
                            Errno.ETIMEDOUT,
                            "no answer from " + remote + " within " + timeoutMs + " ms"));
        }

        void fail(FsException error) {
            forget(this);
            future.completeExceptionally(error);
        }

        void succeed(Message reply) {
            if (!forget(this) || !future.complete(reply)) {
                reply.release();
            }
        }
    }

    /** Where the answer to a call of the other side goes. The first completion counts. */
    private final class ToCaller implements Answer {
        private final LocalConnection caller;
        private final Pending call;
        private final AtomicBoolean done = new AtomicBoolean();

        ToCaller(LocalConnection caller, Pending call) {
            this.caller = caller;
            this.call = call;
        }

        @Override
        public void send(Message content) {
            Message reply = content.encoded(version);
            if (!done.compareAndSet(false, true)) {
                reply.release();
                LOG.error(
                        "A request from {} was answered twice; the second answer is dropped",
                        remote,
                        new IllegalStateException("answered twice"));
            } else if (CallLimit.exceeded(reply)) {
                String text = "answer of " + CallLimit.sizeOf(reply) + " exceeds the limits";
                LOG.error("Request from {}: {}", remote, text);
                reply.release();
                caller.run(() -> call.fail(new FsException(Errno.EIO, text)), () -> {});
            } else {
                Message own = withOwnIndices(reply);
                caller.run(() -> call.succeed(own), own::release);
            }
        }

        @Override
        public void fail(FsException error) {
            if (done.compareAndSet(false, true)) {
                caller.run(() -> call.fail(error), () -> {});
            }
        }
    }

    /**
     * Connects a caller with a service; tells both, on the loop.
     *
     * @param to the service, as the caller sees it
     * @param from the caller, as the service sees it
     * @return the caller's side
     */
    static CompletableFuture<LocalConnection> connect(
            EventLoops loops, Endpoint to, Handler caller, Endpoint from, Handler service) {
        EventLoop loop = loops.group().next();
        int newest = Math.min(caller.newestVersion(), service.newestVersion());
        int version = ProtocolRange.OURS.upTo(newest).newest();
        LocalConnection near = new LocalConnection(loops, loop, to, caller, version);
        LocalConnection far = new LocalConnection(loops, loop, from, service, version);
        near.peer = far;
        far.peer = near;
        CompletableFuture<LocalConnection> connected = new CompletableFuture<>();
        near.run(
                () -> {
                    far.tell(() -> service.opened(far));
                    near.tell(() -> caller.opened(near));
                    connected.complete(near);
                },
                () -> connected.completeExceptionally(near.lost()));
        return connected;
    }

    /** The same connection as the service sees it. */
    LocalConnection otherSide() {
        return Objects.requireNonNull(peer);
    }

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
        return Release.text();
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
        Pending call = new Pending(timeoutMs);
        Message own = withOwnIndices(request);
        run(
                () -> begin(call, own),
                () -> {
                    own.release();
                    call.future.completeExceptionally(lost());
                });
        return call.future;
    }

    @Override
    public void send(Message content) {
        Message oneWay = content.encoded(version);
        FsException refusal = refusal(oneWay);
        if (refusal != null) {
            oneWay.release();
            if (refusal.errno() == Errno.EINVAL) {
                throw refusal;
            }
            return;
        }
        Message own = withOwnIndices(oneWay);
        run(() -> deliver(own, NoAnswer.INSTANCE), own::release);
    }

    private @Nullable FsException refusal(Message message) {
        FsException tooLarge = CallLimit.refusal(message);
        return tooLarge != null || open ? tooLarge : lost();
    }

    /** The giver may send the same bytes elsewhere at the same time. */
    private Message withOwnIndices(Message message) {
        ByteBuf given = message.payload();
        return message.withPayload(given == null ? null : given.slice());
    }

    @Override
    public void close() {
        open = false;
        run(this::end, () -> {});
    }

    private FsException lost() {
        return new FsException(Errno.DISCONNECTED, "connection with " + remote + " lost");
    }

    /** Later and on the loop, also when called on it; {@code otherwise} when the loop is over. */
    private void run(Runnable task, Runnable otherwise) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            otherwise.run();
        }
    }

    // ---- on the event loop ----

    private void begin(Pending call, Message request) {
        calls.add(call);
        if (alive && !call.future.isDone()) {
            loops.wheelOf(loop).arm(call, call.timeoutMs);
            deliver(request, otherSide().new ToCaller(this, call));
            return;
        }
        request.release();
        call.fail(lost());
    }

    private boolean forget(Pending call) {
        loops.wheelOf(loop).disarm(call);
        if (calls.remove(call)) {
            limit.leave();
            return true;
        }
        return false;
    }

    private void deliver(Message message, Answer answer) {
        if (!alive) {
            message.release();
            return;
        }
        try {
            handle(otherSide().handler, otherSide(), message, answer);
        } catch (MalformedMessageException e) {
            LOG.info("Connection with {} closed: {}", remote, e.getMessage());
            end();
        }
    }

    /**
     * Has a request handled; what the handler throws becomes the answer.
     *
     * @throws MalformedMessageException as the handler does: the connection is to end
     */
    static void handle(Handler handler, Connection from, Message message, Answer answer) {
        try {
            handler.handle(from, message, answer);
        } catch (MalformedMessageException e) {
            message.release();
            answer.fail(new FsException(Errno.EPROTO, String.valueOf(e.getMessage())));
            throw e;
        } catch (FsException e) {
            message.release();
            answer.fail(e);
        } catch (RuntimeException e) {
            message.release();
            LOG.error("Handler failed on a request from {}", from.remote(), e);
            answer.fail(new FsException(Errno.EIO, "internal error: " + e));
        }
    }

    /** Both sides are over. */
    private void end() {
        if (!alive) {
            return;
        }
        alive = false;
        open = false;
        List<Pending> lost = new ArrayList<>(calls);
        lost.forEach(call -> call.fail(lost()));
        tell(() -> handler.closed(this));
        otherSide().end();
    }

    private void tell(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            LOG.error("Handler failed on an event of the connection with {}", remote, e);
        }
    }
}
