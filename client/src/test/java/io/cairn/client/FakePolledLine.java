package io.cairn.client;

import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.net.PolledLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A polled line over a connection of {@link FakeNetwork}; breaks with it. */
final class FakePolledLine implements PolledLine {
    private final Connection connection;
    private final List<Runnable> collected = new ArrayList<>();
    private final Queue<Runnable> news = new ConcurrentLinkedQueue<>();
    private final AtomicInteger expected = new AtomicInteger();
    private volatile boolean open = true;

    FakePolledLine(Connection connection) {
        this.connection = connection;
    }

    @Override
    public Endpoint remote() {
        return connection.remote();
    }

    @Override
    public boolean isOpen() {
        return open && connection.isOpen();
    }

    @Override
    public int version() {
        return connection.version();
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
    public synchronized boolean call(byte[] request, long timeoutMs, Asker asker) {
        if (!isOpen()) {
            return false;
        }
        expected.incrementAndGet();
        collected.add(
                () ->
                        Promises.whenDone(
                                connection.call(Message.of(request), timeoutMs),
                                (reply, failure) -> news.add(() -> tell(asker, reply, failure))));
        return true;
    }

    private void tell(Asker asker, @Nullable Message reply, @Nullable Throwable failure) {
        expected.decrementAndGet();
        if (reply == null) {
            open = false;
            asker.failed(Await.failure(failure));
        } else {
            asker.answered(reply);
        }
    }

    @Override
    public void flush() {
        List<Runnable> requests;
        synchronized (this) {
            requests = List.copyOf(collected);
            collected.clear();
        }
        requests.forEach(Runnable::run);
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

    /** Who waits hears of it when the connection has told, on the thread that closes. */
    @Override
    public void close() {
        open = false;
        connection.close();
        while (expected() > 0) {
            poll();
            Thread.onSpinWait();
        }
    }
}
