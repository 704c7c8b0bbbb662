package io.cairn.testkit.simulated;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The transport of one run of one simulated node. */
final class SimulatedTransport implements Transport {
    private final SimulatedNetwork network;
    private final String node;
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final List<SimulatedListener> listeners = new ArrayList<>();
    private boolean running = true;
    private int lastPort = 50_000;

    SimulatedTransport(SimulatedNetwork network, String node) {
        this.network = network;
        this.node = node;
    }

    String node() {
        return node;
    }

    boolean isRunning() {
        return running;
    }

    long liveBytes() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }

    /** A copy of a message that belongs to this node; the original is released. */
    Message arrive(Message message) {
        ByteBuf payload = message.payload();
        if (payload == null) {
            return new Message(message.header().clone(), null);
        }
        int length = payload.readableBytes();
        ByteBuf copy = allocator.directBuffer(Math.max(1, length), Math.max(1, length));
        copy.writeBytes(payload, payload.readerIndex(), length);
        message.release();
        return new Message(message.header().clone(), copy);
    }

    @Override
    public CompletableFuture<Connection> connect(Endpoint to, Handler handler, long timeoutMs) {
        CompletableFuture<Connection> result = new CompletableFuture<>();
        if (!running) {
            result.completeExceptionally(
                    new FsException(Errno.DISCONNECTED, "the transport is closed"));
            return result;
        }
        Simulation simulation = network.simulation();
        simulation.after(
                timeoutMs * 1_000_000,
                () -> fail(result, Errno.ETIMEDOUT, to, "no answer within " + timeoutMs + " ms"));
        simulation.after(network.delayNs(), () -> arriveAt(to, handler, result));
        return result;
    }

    private void arriveAt(Endpoint to, Handler handler, CompletableFuture<Connection> result) {
        SimulatedListener listener = network.listenerAt(to);
        if (!running || result.isDone()) {
            return;
        }
        if (listener == null) {
            network.simulation()
                    .after(
                            network.delayNs(),
                            () -> fail(result, Errno.DISCONNECTED, to, "connection refused"));
            return;
        }
        String peer = listener.owner().node();
        if (network.isBlocked(node, peer) || network.isBlocked(peer, node)) {
            return;
        }
        Simulation simulation = network.simulation();
        SimulatedLink link = new SimulatedLink(network, listener);
        SimulatedConnection here = new SimulatedConnection(link, this, to, handler, simulation);
        Endpoint from = new Endpoint(node, ++lastPort);
        SimulatedConnection there =
                new SimulatedConnection(
                        link, listener.owner(), from, listener.handler(), simulation);
        link.join(here, there);
        network.add(link);
        link.greet(
                () -> {
                    here.open();
                    if (!result.complete(here)) {
                        here.close();
                    }
                },
                () -> fail(result, Errno.DISCONNECTED, to, "connection reset"));
        there.open();
    }

    private void fail(CompletableFuture<Connection> result, Errno errno, Endpoint to, String why) {
        if (running && !result.isDone()) {
            result.completeExceptionally(
                    new FsException(errno, "cannot connect to " + to + ": " + why));
        }
    }

    @Override
    public Listener listen(Endpoint at, Handler handler) {
        Endpoint endpoint = at.port() == 0 ? network.freeEndpoint(at.host()) : at;
        @Nullable SimulatedListener other = network.listenerAt(endpoint);
        if (other != null) {
            throw new FsException(
                    Errno.EBUSY, "cannot listen on " + endpoint + ": the port is in use");
        }
        SimulatedListener listener = new SimulatedListener(network, this, endpoint, handler);
        listeners.add(listener);
        network.add(listener);
        return listener;
    }

    /** The process is gone, without a word. */
    void die() {
        running = false;
        listeners.forEach(network::remove);
    }

    @Override
    public void close() {
        List.copyOf(listeners).forEach(SimulatedListener::close);
        for (SimulatedLink link : network.linksOf(this)) {
            link.closeFrom(this);
        }
        running = false;
    }
}
