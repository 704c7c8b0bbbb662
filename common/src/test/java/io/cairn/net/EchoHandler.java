package io.cairn.net;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers every request with itself; remembers messages, openings and closings. */
public class EchoHandler implements Handler {
    public final Queue<String> headers = new ConcurrentLinkedQueue<>();
    final Queue<Connection> connections = new ConcurrentLinkedQueue<>();
    public final AtomicInteger closings = new AtomicInteger();

    @Override
    public void handle(Connection from, Message request, Answer answer) {
        headers.add(NetworkRig.text(request));
        answer.send(request);
    }

    @Override
    public void opened(Connection connection) {
        connections.add(connection);
    }

    @Override
    public void closed(Connection connection) {
        closings.incrementAndGet();
    }

    /** The first connection made. */
    public Connection first() {
        Connection first = connections.peek();
        if (first == null) {
            throw new IllegalStateException("no connection yet");
        }
        return first;
    }
}
