package io.cairn.testkit.simulated;

import io.cairn.cluster.Endpoint;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import java.util.List;

/** A place where a simulated node listens. */
final class SimulatedListener implements Listener {
    private final SimulatedNetwork network;
    private final SimulatedTransport owner;
    private final Endpoint endpoint;
    private final Handler handler;

    SimulatedListener(
            SimulatedNetwork network,
            SimulatedTransport owner,
            Endpoint endpoint,
            Handler handler) {
        this.network = network;
        this.owner = owner;
        this.endpoint = endpoint;
        this.handler = handler;
    }

    SimulatedTransport owner() {
        return owner;
    }

    Handler handler() {
        return handler;
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public void close() {
        network.remove(this);
        for (SimulatedLink link : List.copyOf(network.linksOf(owner))) {
            link.closeAccepted(this);
        }
    }
}
