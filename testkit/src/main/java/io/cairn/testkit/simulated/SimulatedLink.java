package io.cairn.testkit.simulated;

import io.cairn.net.Message;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One simulated TCP connection: two ends, and what is under way in either direction. */
final class SimulatedLink {
    private final SimulatedNetwork network;
    private final SimulatedListener listener;
    private final Direction forth = new Direction();
    private final Direction back = new Direction();
    private @Nullable SimulatedConnection dialled;
    private @Nullable SimulatedConnection accepted;
    private boolean broken;

    /** Something under way, in order; {@code lost} is what happens when it never arrives. */
    private record Parcel(long dueNs, Runnable arrival, Runnable lost) {}

    /** Messages under way to one end. */
    private final class Direction {
        private final Deque<Parcel> parcels = new ArrayDeque<>();
        private long lastDueNs;

        void add(Runnable arrival, Runnable lost) {
            Simulation simulation = network.simulation();
            lastDueNs = Math.max(lastDueNs, simulation.nanoTime() + network.delayNs());
            parcels.add(new Parcel(lastDueNs, arrival, lost));
            simulation.after(lastDueNs - simulation.nanoTime(), this::pump);
        }

        void pump() {
            while (true) {
                Parcel first = parcels.peek();
                if (first == null
                        || first.dueNs > network.simulation().nanoTime()
                        || isBlocked(this)) {
                    return;
                }
                parcels.remove();
                first.arrival.run();
            }
        }

        void keep(int count) {
            while (parcels.size() > count) {
                parcels.removeLast().lost.run();
            }
        }
    }

    SimulatedLink(SimulatedNetwork network, SimulatedListener listener) {
        this.network = network;
        this.listener = listener;
    }

    void join(SimulatedConnection dialling, SimulatedConnection accepting) {
        dialled = dialling;
        accepted = accepting;
    }

    private SimulatedConnection dialledEnd() {
        if (dialled == null) {
            throw new IllegalStateException("not joined");
        }
        return dialled;
    }

    private SimulatedConnection acceptedEnd() {
        if (accepted == null) {
            throw new IllegalStateException("not joined");
        }
        return accepted;
    }

    SimulatedConnection peerOf(SimulatedConnection end) {
        return end.equals(dialled) ? acceptedEnd() : dialledEnd();
    }

    private Direction from(SimulatedConnection end) {
        return end.equals(dialled) ? forth : back;
    }

    private boolean isBlocked(Direction direction) {
        String dialling = dialledEnd().owner().node();
        String accepting = acceptedEnd().owner().node();
        return direction.equals(forth)
                ? network.isBlocked(dialling, accepting)
                : network.isBlocked(accepting, dialling);
    }

    boolean touches(SimulatedTransport transport) {
        return dialledEnd().owner().equals(transport) || acceptedEnd().owner().equals(transport);
    }

    boolean isBetween(String one, String other) {
        String dialling = dialledEnd().owner().node();
        String accepting = acceptedEnd().owner().node();
        return (dialling.equals(one) && accepting.equals(other))
                || (dialling.equals(other) && accepting.equals(one));
    }

    /** Tells the dialling end that it was accepted. */
    void greet(Runnable arrival, Runnable lost) {
        back.add(arrival, () -> network.simulation().after(0, lost));
    }

    /** Sends to the other end; the connection may break over it. */
    void send(SimulatedConnection sender, Message message, Consumer<Message> receiver) {
        if (broken) {
            message.release();
            return;
        }
        SimulatedTransport target = peerOf(sender).owner();
        from(sender)
                .add(
                        () -> {
                            if (target.isRunning()) {
                                receiver.accept(target.arrive(message));
                            } else {
                                message.release();
                            }
                        },
                        message::release);
        if (network.simulation().happens(network.faults().breakProbability())) {
            breakOff("connection reset");
        }
    }

    /** Breaks: a random part of what is under way still arrives, then the ends learn of it. */
    void breakOff(String reason) {
        if (broken) {
            return;
        }
        broken = true;
        for (SimulatedConnection end : new SimulatedConnection[] {dialledEnd(), acceptedEnd()}) {
            Direction incoming = from(peerOf(end));
            incoming.keep(network.simulation().random().nextInt(incoming.parcels.size() + 1));
            incoming.add(() -> end.end(reason), () -> {});
        }
    }

    /** An end closes: what it sent before still arrives. */
    void closeFrom(SimulatedConnection end) {
        end.end("closed here");
        if (!broken) {
            broken = true;
            SimulatedConnection peer = peerOf(end);
            from(end).add(() -> peer.end("closed by the other side"), () -> {});
            from(peer).keep(0);
        }
    }

    void closeFrom(SimulatedTransport transport) {
        closeFrom(dialledEnd().owner().equals(transport) ? dialledEnd() : acceptedEnd());
    }

    void closeAccepted(SimulatedListener closing) {
        if (closing.equals(listener)) {
            closeFrom(acceptedEnd());
        }
    }

    /** Both ends have waited in vain for a sign of life. */
    void fallSilent() {
        broken = true;
        forth.keep(0);
        back.keep(0);
        String reason = "nothing heard for " + SimulatedNetwork.SILENCE_MS / 1000.0 + " s";
        dialledEnd().end(reason);
        acceptedEnd().end(reason);
    }

    /** A partition has ended. */
    void resume() {
        network.simulation().after(0, forth::pump);
        network.simulation().after(0, back::pump);
    }

    /** Forgets the link when neither end needs it. */
    void ended() {
        boolean dialledOver = dialledEnd().isEnded() || !dialledEnd().owner().isRunning();
        boolean acceptedOver = acceptedEnd().isEnded() || !acceptedEnd().owner().isRunning();
        if (dialledOver && acceptedOver) {
            forth.keep(0);
            back.keep(0);
            network.remove(this);
        }
    }
}
