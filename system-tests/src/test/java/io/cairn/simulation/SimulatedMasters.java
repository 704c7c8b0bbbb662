package io.cairn.simulation;

import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterService;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.testkit.simulated.SimulatedNetwork;
import io.cairn.testkit.simulated.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The masters of a cluster, one or three, and what they have agreed on: an entry that one of them
 * applies is the same for all of them, for good.
 */
final class SimulatedMasters {
    private final Simulation simulation;
    private final SimulatedNetwork network;
    private final History history;
    private final List<SimulatedMaster> masters = new ArrayList<>();
    private final List<RaftDisk.Entry> agreed = new ArrayList<>();

    /** So many masters, none of which runs. */
    SimulatedMasters(
            int count, SimulatedNetwork network, History history, SimulatedMaster.Plan plan) {
        this.simulation = plan.simulation();
        this.network = network;
        this.history = history;
        for (int i = 1; i <= count; i++) {
            masters.add(new SimulatedMaster(this, network, "m" + i, plan));
        }
    }

    Simulation simulation() {
        return simulation;
    }

    List<SimulatedMaster> all() {
        return masters;
    }

    List<String> names() {
        return masters.stream().map(SimulatedMaster::node).toList();
    }

    List<Endpoint> endpoints() {
        return masters.stream().map(each -> SimulatedMaster.endpoint(each.node())).toList();
    }

    /** Whether all of them run. */
    boolean isRunning() {
        return masters.stream().allMatch(SimulatedMaster::isRunning);
    }

    /** Starts those that do not run; they stand for election after up to half a second. */
    void start() {
        masters.stream()
                .filter(each -> !each.isRunning())
                .forEach(each -> each.start(10 + simulation.random().nextLong(500)));
    }

    /** The one that leads and holds the lease, or null. */
    @Nullable SimulatedMaster leader() {
        return masters.stream()
                .filter(each -> each.isRunning() && each.log().mayRead())
                .findFirst()
                .orElse(null);
    }

    /**
     * The service of the leader.
     *
     * @throws IllegalStateException when there is none
     */
    MasterService service() {
        SimulatedMaster leader = leader();
        if (leader == null) {
            throw new IllegalStateException("no master leads");
        }
        return leader.service();
    }

    /** The newest state that a running master has applied; an empty one when none runs. */
    Namespace namespace() {
        return masters.stream()
                .filter(SimulatedMaster::isRunning)
                .map(SimulatedMaster::log)
                .max(Comparator.comparingLong(SimulatedRaft::applied))
                .map(SimulatedRaft::namespace)
                .orElseGet(() -> new Namespace(new MemoryStore()));
    }

    /** How many entries are agreed on so far. */
    long agreed() {
        return agreed.size();
    }

    /** Whether all run and have applied an entry. */
    boolean haveApplied(long index) {
        return isRunning() && masters.stream().allMatch(each -> each.log().applied() >= index);
    }

    /** How far each of them is, for messages. */
    String levels() {
        return masters.stream()
                .map(
                        each ->
                                each.isRunning()
                                        ? each.node() + " is at " + each.log().applied()
                                        : each.node() + " does not run")
                .collect(Collectors.joining(", "));
    }

    /** The state that the agreed entries make, from the first one up to an index. */
    Namespace replay(long last) {
        Namespace namespace = new Namespace(new MemoryStore());
        for (int i = 0; i < last; i++) {
            RaftDisk.Entry entry = agreed.get(i);
            if (entry.bytes().length == 0) {
                namespace.advance(entry.term(), i + 1L);
            } else {
                namespace.apply(entry.term(), i + 1L, entry.bytes());
            }
        }
        return namespace;
    }

    /** A master applies an entry. */
    void committed(String node, long index, RaftDisk.Entry entry) {
        if (index > agreed.size() + 1L) {
            history.violate(
                    "I15 %s applies entry %d after %d".formatted(node, index, agreed.size()));
        } else if (index == agreed.size() + 1L) {
            agreed.add(entry);
        } else {
            RaftDisk.Entry first = agreed.get((int) index - 1);
            if (first.term() != entry.term() || !Arrays.equals(first.bytes(), entry.bytes())) {
                history.violate("I15 %s applies another entry %d".formatted(node, index));
            }
        }
    }

    /** Tells something to another master, which may not hear it. */
    void send(String from, String to, Consumer<SimulatedRaft> message) {
        network.datagram(
                from,
                to,
                () ->
                        masters.stream()
                                .filter(each -> each.node().equals(to) && each.isRunning())
                                .forEach(each -> message.accept(each.log())));
    }

    void note(String what) {
        history.note(what);
    }
}
