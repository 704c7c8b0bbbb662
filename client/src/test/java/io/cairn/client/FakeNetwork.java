package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.Principal;
import io.cairn.net.Transport;
import io.cairn.wire.ProtocolRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A network in one process: requests and answers pass over one thread, as over an event loop, in
 * the order sent. A {@link Faults} decides what gets lost.
 */
public final class FakeNetwork implements Transport {
    /** What happens to a call. */
    public enum Fate {
        DELIVER,
        /** The connection breaks before the request arrives. */
        LOSE_REQUEST,
        /** The connection breaks after the request was executed. */
        LOSE_ANSWER,
        /** The answer stays on its way until {@link #deliverLate}. */
        HOLD_ANSWER
    }

    /** Decides, on the network's thread. */
    public interface Faults {
        Fate of(Endpoint to, byte[] header);
    }

    private final Map<Endpoint, Handler> nodes = new ConcurrentHashMap<>();
    private final Set<FakeConnection> connections = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService loop =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        Thread thread = new Thread(task, "fake-network");
                        thread.setDaemon(true);
                        return thread;
                    });
    private final List<Runnable> late = Collections.synchronizedList(new ArrayList<>());

    /** Whether all are shown certificates. */
    public volatile boolean secured;

    private volatile Faults faults = (to, header) -> Fate.DELIVER;

    public void setFaults(Faults faults) {
        this.faults = faults;
    }

    /** What was held arrives now. */
    public void deliverLate() {
        List<Runnable> held;
        synchronized (late) {
            held = List.copyOf(late);
            late.clear();
        }
        held.forEach(Runnable::run);
    }

    /** Does something on the network's thread, as if it came with a request; its result. */
    public <T> T ask(Supplier<T> what) {
        return Await.get(CompletableFuture.supplyAsync(what, loop), 10_000);
    }

    /** Breaks all connections to an endpoint. */
    public void disconnect(Endpoint endpoint) {
        List<FakeConnection> broken = new ArrayList<>();
        for (FakeConnection each : connections) {
            if (each.to.equals(endpoint)) {
                broken.add(each);
            }
        }
        broken.forEach(FakeConnection::close);
    }

    /** Nobody listens at an endpoint any more. */
    public void stop(Endpoint endpoint) {
        nodes.remove(endpoint);
        disconnect(endpoint);
    }

    @Override
    public CompletableFuture<Connection> connect(Endpoint to, Handler handler, long timeoutMs) {
        CompletableFuture<Connection> promise = new CompletableFuture<>();
        loop.execute(
                () -> {
                    Handler node = nodes.get(to);
                    if (node == null) {
                        promise.completeExceptionally(
                                new FsException(Errno.DISCONNECTED, to + ": connection refused"));
                        return;
                    }
                    FakeConnection connection = new FakeConnection(to, node, handler);
                    connections.add(connection);
                    promise.complete(connection);
                });
        return promise;
    }

    @Override
    public Listener listen(Endpoint at, Handler handler) {
        nodes.put(at, handler);
        return new Listener() {
            @Override
            public Endpoint endpoint() {
                return at;
            }

            @Override
            public void close() {
                stop(at);
            }
        };
    }

    @Override
    public void close() {
        connections.forEach(FakeConnection::close);
        loop.shutdownNow();
    }

    private final class FakeConnection implements Connection {
        private final Endpoint to;
        private final Handler node;
        private final Handler client;
        private final Connection back = new Back(this);
        private final Map<Long, CompletableFuture<Message>> calls = new ConcurrentHashMap<>();
        private final AtomicLong lastCall = new AtomicLong();
        private volatile boolean open = true;

        FakeConnection(Endpoint to, Handler node, Handler client) {
            this.to = to;
            this.node = node;
            this.client = client;
        }

        @Override
        public Principal principal() {
            return secured
                    ? new Principal(Principal.Role.CHUNK, "c1", to.host())
                    : Principal.anonymous(to.host());
        }

        @Override
        public Endpoint remote() {
            return to;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public int version() {
            return ProtocolRange.OURS.newest();
        }

        @Override
        public String release() {
            return "fake";
        }

        @Override
        public CompletableFuture<Message> call(Message content, long timeoutMs) {
            Message request = content.encoded(version());
            CompletableFuture<Message> promise = new CompletableFuture<>();
            long number = lastCall.incrementAndGet();
            calls.put(number, promise);
            loop.execute(() -> deliver(request, number, promise));
            var _ =
                    loop.schedule(
                            () -> promise.completeExceptionally(new FsException(Errno.ETIMEDOUT)),
                            timeoutMs,
                            TimeUnit.MILLISECONDS);
            return promise;
        }

        private void deliver(Message request, long number, CompletableFuture<Message> promise) {
            Fate fate = open ? faults.of(to, request.header()) : Fate.LOSE_REQUEST;
            if (fate == Fate.LOSE_REQUEST || !open) {
                request.release();
                close();
                promise.completeExceptionally(new FsException(Errno.DISCONNECTED));
                return;
            }
            Answer answer =
                    new Answer() {
                        @Override
                        public void send(Message reply) {
                            if (fate == Fate.HOLD_ANSWER) {
                                late.add(() -> answer(number, reply.encoded(version()), null));
                            } else {
                                answer(number, reply.encoded(version()), null);
                            }
                        }

                        @Override
                        public void fail(FsException error) {
                            answer(number, null, error);
                        }
                    };
            if (fate == Fate.LOSE_ANSWER) {
                close();
            }
            try {
                node.handle(back, request, answer);
            } catch (FsException e) {
                answer.fail(e);
            }
        }

        private void answer(long number, @Nullable Message reply, @Nullable FsException error) {
            loop.execute(
                    () -> {
                        CompletableFuture<Message> promise = calls.remove(number);
                        if (promise != null && open && error != null) {
                            promise.completeExceptionally(error);
                        }
                        boolean taken =
                                promise != null && open && reply != null && promise.complete(reply);
                        if (reply != null && !taken) {
                            reply.release();
                        }
                        if (promise != null && !open) {
                            promise.completeExceptionally(new FsException(Errno.DISCONNECTED));
                        }
                    });
        }

        @Override
        public void send(Message oneWay) {
            oneWay.release();
        }

        @Override
        public void close() {
            if (!open) {
                return;
            }
            open = false;
            connections.remove(this);
            loop.execute(
                    () -> {
                        calls.values()
                                .forEach(
                                        each ->
                                                each.completeExceptionally(
                                                        new FsException(Errno.DISCONNECTED)));
                        client.closed(this);
                        node.closed(back);
                    });
        }
    }

    /** The server's view of a connection: for pushes. */
    private final class Back implements Connection {
        private final FakeConnection forth;

        Back(FakeConnection forth) {
            this.forth = forth;
        }

        @Override
        public Endpoint remote() {
            return forth.to;
        }

        @Override
        public boolean isOpen() {
            return forth.open;
        }

        @Override
        public int version() {
            return ProtocolRange.OURS.newest();
        }

        @Override
        public String release() {
            return "fake";
        }

        @Override
        public CompletableFuture<Message> call(Message request, long timeoutMs) {
            return CompletableFuture.failedFuture(new FsException(Errno.EPROTO));
        }

        @Override
        public void send(Message content) {
            Message oneWay = content.encoded(version());
            loop.execute(
                    () -> {
                        if (!forth.open) {
                            oneWay.release();
                            return;
                        }
                        forth.client.handle(
                                forth,
                                oneWay,
                                new Answer() {
                                    @Override
                                    public void send(Message reply) {
                                        reply.release();
                                    }

                                    @Override
                                    public void fail(FsException error) {}
                                });
                    });
        }

        @Override
        public void close() {
            forth.close();
        }
    }
}
