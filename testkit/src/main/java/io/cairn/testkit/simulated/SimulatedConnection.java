package io.cairn.testkit.simulated;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.wire.Limits;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.ProtocolRange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One end of a simulated connection. */
final class SimulatedConnection implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(SimulatedConnection.class);

    private final SimulatedLink link;
    private final SimulatedTransport owner;
    private final Endpoint remote;
    private final Handler handler;
    private final Simulation simulation;
    private final Map<Long, Call> calls = new LinkedHashMap<>();
    private long lastId;
    private boolean opened;
    private boolean ended;
    private String reason = "";

    private record Call(CompletableFuture<Message> future, Simulation.Event timeout) {}

    SimulatedConnection(
            SimulatedLink link,
            SimulatedTransport owner,
            Endpoint remote,
            Handler handler,
            Simulation simulation) {
        this.link = link;
        this.owner = owner;
        this.remote = remote;
        this.handler = handler;
        this.simulation = simulation;
    }

    SimulatedTransport owner() {
        return owner;
    }

    boolean isEnded() {
        return ended;
    }

    @Override
    public Endpoint remote() {
        return remote;
    }

    @Override
    public boolean isOpen() {
        return !ended && owner.isRunning();
    }

    /** Told to the handler before anything arrives. */
    void open() {
        if (isOpen()) {
            opened = true;
            handler.opened(this);
        }
    }

    /** Over: for whatever reason. */
    void end(String why) {
        if (ended) {
            return;
        }
        ended = true;
        reason = why;
        link.ended();
        if (!owner.isRunning()) {
            return;
        }
        simulation.after(0, this::tellEnd);
    }

    private void tellEnd() {
        if (!owner.isRunning()) {
            return;
        }
        for (Call call : List.copyOf(calls.values())) {
            call.timeout.cancel();
            call.future.completeExceptionally(lost());
        }
        calls.clear();
        if (opened) {
            handler.closed(this);
        }
    }

    private FsException lost() {
        return new FsException(
                Errno.DISCONNECTED, "connection with " + remote + " lost: " + reason);
    }

    private @Nullable FsException refusal(Message message) {
        if (message.header().length > Limits.MAX_HEADER_BYTES
                || message.payloadBytes() > Limits.MAX_PAYLOAD_BYTES) {
            return new FsException(Errno.EINVAL, "message exceeds the limits");
        }
        return isOpen() ? null : lost();
    }

    @Override
    public int version() {
        return ProtocolRange.OURS.newest();
    }

    @Override
    public String release() {
        return "simulated";
    }

    @Override
    public CompletableFuture<Message> call(Message content, long timeoutMs) {
        Message request = content.encoded(version());
        FsException refusal = refusal(request);
        if (refusal == null && calls.size() >= Limits.MAX_IN_FLIGHT) {
            refusal = new FsException(Errno.EAGAIN, "too many calls to " + remote);
        }
        if (refusal != null) {
            request.release();
            return CompletableFuture.failedFuture(refusal);
        }
        long id = ++lastId;
        CompletableFuture<Message> future = new CompletableFuture<>();
        Simulation.Event timeout =
                simulation.after(timeoutMs * 1_000_000, () -> expire(id, timeoutMs));
        calls.put(id, new Call(future, timeout));
        SimulatedConnection peer = link.peerOf(this);
        link.send(this, request, message -> peer.request(id, message));
        return future;
    }

    private void expire(long id, long timeoutMs) {
        Call call = calls.remove(id);
        if (call != null && owner.isRunning()) {
            call.future.completeExceptionally(
                    new FsException(
                            Errno.ETIMEDOUT,
                            "no answer from " + remote + " within " + timeoutMs + " ms"));
        }
    }

    @Override
    public void send(Message content) {
        Message oneWay = content.encoded(version());
        FsException refusal = refusal(oneWay);
        if (refusal != null) {
            oneWay.release();
            if (refusal.errno() == Errno.EINVAL) {
                throw refusal;
            }
            return;
        }
        SimulatedConnection peer = link.peerOf(this);
        link.send(this, oneWay, peer::oneWay);
    }

    @Override
    public void close() {
        if (isOpen()) {
            link.closeFrom(this);
        }
    }

    /** The answer to a message that has none. */
    private enum NoAnswer implements Answer {
        INSTANCE;

        @Override
        public void send(Message reply) {
            reply.release();
        }

        @Override
        public void fail(FsException error) {}
    }

    /** The answer to one request; the first completion counts. */
    private final class PeerAnswer implements Answer {
        private final long id;
        private boolean done;

        PeerAnswer(long id) {
            this.id = id;
        }

        @Override
        public void send(Message content) {
            Message reply = content.encoded(version());
            if (done) {
                reply.release();
                throw new IllegalStateException("a request from " + remote + " answered twice");
            }
            done = true;
            if (!isOpen()) {
                reply.release();
                return;
            }
            SimulatedConnection peer = link.peerOf(SimulatedConnection.this);
            link.send(SimulatedConnection.this, reply, message -> peer.reply(id, message));
        }

        @Override
        public void fail(FsException error) {
            if (done) {
                return;
            }
            done = true;
            if (isOpen()) {
                SimulatedConnection peer = link.peerOf(SimulatedConnection.this);
                FsException copy =
                        new FsException(error.errno(), String.valueOf(error.getMessage()));
                link.send(
                        SimulatedConnection.this,
                        Message.empty(),
                        nothing -> peer.failure(id, copy));
            }
        }
    }

    private void request(long id, Message message) {
        if (ended) {
            message.release();
            return;
        }
        PeerAnswer answer = new PeerAnswer(id);
        try {
            handler.handle(this, message, answer);
        } catch (MalformedMessageException e) {
            message.release();
            link.breakOff("protocol violated: " + e.getMessage());
        } catch (FsException e) {
            message.release();
            answer.fail(e);
        } catch (RuntimeException e) {
            message.release();
            LOG.error("Handler of {} failed, seed {}", owner.node(), simulation.seed(), e);
            answer.fail(new FsException(Errno.EIO, "internal error: " + e));
        }
    }

    private void oneWay(Message message) {
        if (ended) {
            message.release();
            return;
        }
        try {
            handler.handle(this, message, NoAnswer.INSTANCE);
        } catch (RuntimeException e) {
            message.release();
            LOG.error("Handler of {} failed, seed {}", owner.node(), simulation.seed(), e);
        }
    }

    private void reply(long id, Message message) {
        Call call = calls.remove(id);
        if (call == null) {
            message.release();
            return;
        }
        call.timeout.cancel();
        if (!call.future.complete(message)) {
            message.release();
        }
    }

    private void failure(long id, FsException error) {
        Call call = calls.remove(id);
        if (call != null) {
            call.timeout.cancel();
            call.future.completeExceptionally(error);
        }
    }
}
