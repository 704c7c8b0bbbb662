package io.cairn.testkit.simulated;

import io.cairn.cluster.Endpoint;
import io.cairn.net.Transport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A network between named nodes of one simulation. Connections behave like TCP: in order, without
 * loss while they last; what goes wrong is delay, stalls, breaks, partitions and nodes that crash.
 * A broken connection may have delivered a request whose answer is lost: this is how requests come
 * to be sent twice. Payloads are copied on the way. Single-threaded, as the simulation is.
 */
public final class SimulatedNetwork {
    /** As in production: a silent connection breaks after this long. */
    static final long SILENCE_MS = 10_000;

    private static final int FIRST_FREE_PORT = 40_000;

    private final Simulation simulation;
    private final Map<String, SimulatedTransport> nodes = new LinkedHashMap<>();
    private final Map<Endpoint, SimulatedListener> listeners = new HashMap<>();
    private final Set<SimulatedLink> links = new LinkedHashSet<>();
    private final Set<List<String>> blocked = new HashSet<>();
    private NetworkFaults faults = NetworkFaults.NONE;
    private int lastPort = FIRST_FREE_PORT;
    private long healCount;

    /** A faultless network without nodes. */
    public SimulatedNetwork(Simulation simulation) {
        this.simulation = simulation;
    }

    Simulation simulation() {
        return simulation;
    }

    NetworkFaults faults() {
        return faults;
    }

    /** Changes how bad the network is from now on. */
    public void setFaults(NetworkFaults newFaults) {
        faults = newFaults;
    }

    /**
     * The transport of a node that starts now.
     *
     * @throws IllegalStateException when the node runs already
     */
    public Transport start(String node) {
        SimulatedTransport old = nodes.get(node);
        if (old != null && old.isRunning()) {
            throw new IllegalStateException(node + " runs already");
        }
        SimulatedTransport transport = new SimulatedTransport(this, node);
        nodes.put(node, transport);
        return transport;
    }

    /**
     * The process of a node dies: its connections break, it listens no more, and none of its
     * handlers or futures is called again.
     */
    public void crash(String node) {
        SimulatedTransport transport = nodes.get(node);
        if (transport != null) {
            transport.die();
            for (SimulatedLink link : List.copyOf(links)) {
                if (link.touches(transport)) {
                    link.breakOff("connection reset by " + node);
                }
            }
        }
    }

    /** Messages between these groups of nodes stay under way until healed. */
    public void partition(Set<String> some, Set<String> others) {
        for (String one : some) {
            for (String other : others) {
                block(one, other);
                block(other, one);
            }
        }
    }

    /** Messages in one direction stay under way until healed. */
    public void block(String from, String to) {
        if (blocked.add(List.of(from, to))) {
            long before = healCount;
            simulation.after(SILENCE_MS * 1_000_000, () -> silence(from, to, before));
        }
    }

    /** Both ends have noticed that nothing comes any more. */
    private void silence(String from, String to, long healsBefore) {
        if (healCount == healsBefore) {
            for (SimulatedLink link : List.copyOf(links)) {
                if (link.isBetween(from, to)) {
                    link.fallSilent();
                }
            }
        }
    }

    /** Ends all partitions. */
    public void heal() {
        healCount++;
        blocked.clear();
        for (SimulatedLink link : List.copyOf(links)) {
            link.resume();
        }
    }

    /**
     * Carries a message that may be lost and may overtake others: what partitions hold up never
     * arrives.
     *
     * @param delivery runs when it arrives
     */
    public void datagram(String from, String to, Runnable delivery) {
        if (!isBlocked(from, to)) {
            simulation.after(
                    delayNs(),
                    () -> {
                        if (!isBlocked(from, to)) {
                            delivery.run();
                        }
                    });
        }
    }

    boolean isBlocked(String from, String to) {
        return blocked.contains(List.of(from, to));
    }

    /** Time under way of one message. */
    long delayNs() {
        long spread = Math.max(1, faults.maxDelayMicros() - faults.minDelayMicros());
        long delayNs =
                (faults.minDelayMicros() + simulation.random().nextLong(spread)) * 1000
                        + simulation.random().nextInt(1000);
        if (simulation.happens(faults.stallProbability())) {
            delayNs += simulation.random().nextLong(faults.stallMs() * 1_000_000L + 1);
        }
        return delayNs;
    }

    @Nullable SimulatedListener listenerAt(Endpoint at) {
        return listeners.get(at);
    }

    Endpoint freeEndpoint(String host) {
        return new Endpoint(host, ++lastPort);
    }

    void add(SimulatedListener listener) {
        listeners.put(listener.endpoint(), listener);
    }

    void remove(SimulatedListener listener) {
        listeners.remove(listener.endpoint(), listener);
    }

    void add(SimulatedLink link) {
        links.add(link);
    }

    void remove(SimulatedLink link) {
        links.remove(link);
    }

    List<SimulatedLink> linksOf(SimulatedTransport transport) {
        List<SimulatedLink> some = new ArrayList<>();
        for (SimulatedLink link : links) {
            if (link.touches(transport)) {
                some.add(link);
            }
        }
        return some;
    }

    /**
     * Bytes of payloads that running nodes hold and the network carries: 0 when all is released.
     */
    public long liveBytes() {
        return nodes.values().stream()
                .filter(SimulatedTransport::isRunning)
                .mapToLong(SimulatedTransport::liveBytes)
                .sum();
    }
}
