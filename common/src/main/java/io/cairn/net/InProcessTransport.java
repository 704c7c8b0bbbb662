package io.cairn.net;

import io.cairn.cluster.Endpoint;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A network in which the services of one process that listen on it reach each other without
 * sockets: nothing is encoded into frames, copied or checked for signs of life, and calls over a
 * {@link Line} are handled on the caller's own thread. All others are reached, and reach them,
 * through the network below. Thread-safe.
 *
 * <p>A payload changes hands as it is: who received one must not change its bytes.
 */
public final class InProcessTransport implements Transport {
    private final Transport network;
    private final EventLoops loops;
    private final Lookout lookout;
    private final Map<Endpoint, Door> doors = new ConcurrentHashMap<>();

    /**
     * A network.
     *
     * @param network for everything else; closed with this one
     * @param loops where handlers are called
     */
    public InProcessTransport(Transport network, EventLoops loops) {
        this.network = network;
        this.loops = loops;
        this.lookout = new Lookout(loops.clock());
    }

    /** A service that listens here. */
    private final class Door implements Handler, Listener {
        private final Listener socket;
        private final Handler service;
        private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
        private volatile boolean closed;

        Door(Listener socket, Handler service) {
            this.socket = socket;
            this.service = service;
        }

        @Override
        public void handle(Connection from, Message request, Answer answer) {
            service.handle(from, request, answer);
        }

        @Override
        public int newestVersion() {
            return service.newestVersion();
        }

        @Override
        public void opened(Connection connection) {
            connections.add(connection);
            service.opened(connection);
            if (closed) {
                connection.close();
            }
        }

        @Override
        public void closed(Connection connection) {
            connections.remove(connection);
            service.closed(connection);
        }

        @Override
        public Endpoint endpoint() {
            return socket.endpoint();
        }

        @Override
        public void close() {
            closed = true;
            doors.remove(endpoint(), this);
            socket.close();
            connections.forEach(Connection::close);
        }
    }

    @Override
    public CompletableFuture<Connection> connect(Endpoint to, Handler handler, long timeoutMs) {
        Door door = doors.get(to);
        return door == null
                ? network.connect(to, handler, timeoutMs)
                : local(to, handler, door).thenApply(connection -> connection);
    }

    @Override
    public @Nullable Line line(Endpoint to, long timeoutMs) {
        Door door = doors.get(to);
        if (door == null) {
            return network.line(to, timeoutMs);
        }
        return LocalLine.connect(
                line -> local(to, line, door), door, loops.clock(), lookout, timeoutMs);
    }

    /** None to a service of this process: its answers come on the thread that asks. */
    @Override
    public @Nullable PolledLine polledLine(Endpoint to, long timeoutMs) {
        return doors.containsKey(to) ? null : network.polledLine(to, timeoutMs);
    }

    private CompletableFuture<LocalConnection> local(Endpoint to, Handler caller, Door door) {
        return LocalConnection.connect(loops, to, caller, new Endpoint(to.host(), 0), door);
    }

    @Override
    public Listener listen(Endpoint at, Handler handler) {
        Door door = new Door(network.listen(at, handler), handler);
        doors.put(door.endpoint(), door);
        return door;
    }

    @Override
    public void close() {
        doors.values().forEach(Door::close);
        network.close();
    }
}
