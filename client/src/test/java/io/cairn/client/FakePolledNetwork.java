package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.PolledNetwork;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.runtime.PollLoop;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A polled network over a {@link FakeNetwork}, with its faults. */
public final class FakePolledNetwork implements Transport, PollLoop {
    private final FakeNetwork network;
    private final Queue<Runnable> collected = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> news = new ConcurrentLinkedQueue<>();
    private final AtomicInteger expected = new AtomicInteger();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private volatile @Nullable Thread owner;
    private volatile boolean entered;
    private volatile @Nullable Connection current;

    public FakePolledNetwork(FakeNetwork network) {
        this.network = network;
    }

    public PolledNetwork asNetwork() {
        return new PolledNetwork(this, this);
    }

    /** Connections made so far. */
    public int opened() {
        return opened.get();
    }

    /** Calls over them so far. */
    public int calls() {
        return calls.get();
    }

    /** Whether one is open. */
    public boolean isOpen() {
        Connection open = current;
        return open != null && open.isOpen();
    }

    @Override
    public CompletableFuture<Connection> connect(Endpoint to, Handler handler, long timeoutMs) {
        if (!entered) {
            return CompletableFuture.failedFuture(new FsException(Errno.DISCONNECTED));
        }
        return network.connect(to, handler, timeoutMs)
                .thenApply(
                        connection -> {
                            opened.incrementAndGet();
                            current = connection;
                            return new Polled(connection);
                        });
    }

    /** Its calls are sent, and their answers told, when somebody polls. */
    private final class Polled implements Connection {
        private final Connection connection;

        Polled(Connection connection) {
            this.connection = connection;
        }

        @Override
        public Endpoint remote() {
            return connection.remote();
        }

        @Override
        public boolean isOpen() {
            return connection.isOpen();
        }

        @Override
        public int version() {
            return connection.version();
        }

        @Override
        public String release() {
            return connection.release();
        }

        @Override
        public CompletableFuture<Message> call(Message request, long timeoutMs) {
            CompletableFuture<Message> answer = new CompletableFuture<>();
            expected.incrementAndGet();
            calls.incrementAndGet();
            collected.add(
                    () -> {
                        var _ =
                                connection
                                        .call(request, timeoutMs)
                                        .whenComplete(
                                                (reply, failure) ->
                                                        news.add(
                                                                () ->
                                                                        tell(
                                                                                answer, reply,
                                                                                failure)));
                    });
            if (!isOwned()) {
                flush();
            }
            return answer;
        }

        private void tell(
                CompletableFuture<Message> answer,
                @Nullable Message reply,
                @Nullable Throwable failure) {
            expected.decrementAndGet();
            if (reply != null) {
                answer.complete(reply);
            } else if (failure != null) {
                answer.completeExceptionally(failure);
            }
        }

        @Override
        public void send(Message oneWay) {
            connection.send(oneWay);
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    @Override
    public Listener listen(Endpoint at, Handler handler) {
        throw new UnsupportedOperationException("nobody listens here");
    }

    @Override
    public void close() {}

    @Override
    public void enter() {
        entered = true;
    }

    @Override
    public boolean isEntered() {
        return entered;
    }

    @Override
    public void own() {
        owner = Thread.currentThread();
    }

    @Override
    public boolean isOwned() {
        return Thread.currentThread().equals(owner);
    }

    @Override
    public int descriptor() {
        return -1;
    }

    @Override
    public int expected() {
        return expected.get();
    }

    @Override
    public void flush() {
        for (Runnable next = collected.poll(); next != null; next = collected.poll()) {
            next.run();
        }
    }

    @Override
    public boolean poll() {
        flush();
        boolean any = false;
        for (Runnable next = news.poll(); next != null; next = news.poll()) {
            next.run();
            any = true;
        }
        return any;
    }

    @Override
    public void leave() {
        entered = false;
        Connection open = current;
        if (open != null) {
            open.close();
        }
        flush();
        owner = null;
        poll();
    }
}
