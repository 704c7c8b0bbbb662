package io.cairn.verify.fault;

import io.cairn.verify.process.Cluster;
import io.cairn.verify.process.Member;
import io.cairn.verify.process.Namespaces;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Faults of the network between processes that have one interface each. */
final class NetworkFaults {
    private final Cluster cluster;
    private final Random random;

    NetworkFaults(Cluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
    }

    private Member any(List<Member> members) {
        return members.get(random.nextInt(members.size()));
    }

    /** One that is cut off, two sides that do not see each other, or one that is not heard. */
    Strike partition(Member leader) {
        return switch (random.nextInt(4)) {
            case 0 -> cutOff(leader);
            case 1 -> cutOff(any(cluster.members()));
            case 2 -> sides();
            default -> oneWay();
        };
    }

    private Strike cutOff(Member hit) {
        Namespaces network = cluster.namespaces();
        return new Strike(
                hit + " is cut off",
                List.of(hit),
                false,
                false,
                () -> network.cutOff(hit.name()),
                () -> network.connect(hit.name()));
    }

    private record Pair(String from, String to) {}

    private Strike muted(String what, List<Member> hit, List<Pair> pairs) {
        Namespaces network = cluster.namespaces();
        return new Strike(
                what,
                hit,
                false,
                false,
                () -> {
                    for (Pair each : pairs) {
                        network.mute(each.from, each.to);
                    }
                },
                () -> {
                    for (Pair each : pairs) {
                        network.unmute(each.from, each.to);
                    }
                });
    }

    /** The smaller side has one server, or two, and perhaps a client. */
    private Strike sides() {
        List<Member> others = new ArrayList<>(cluster.members());
        List<Member> side = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Member each = any(others);
            others.remove(each);
            side.add(each);
        }
        List<Pair> pairs = new ArrayList<>();
        for (Member here : side) {
            for (Member there : others) {
                pairs.add(new Pair(here.name(), there.name()));
                pairs.add(new Pair(there.name(), here.name()));
            }
        }
        return muted(Faults.names(side) + " see nobody else", side, pairs);
    }

    private Strike oneWay() {
        Member from = any(cluster.members());
        List<Pair> pairs = new ArrayList<>();
        for (Member each : cluster.members()) {
            if (each != from) {
                pairs.add(new Pair(from.name(), each.name()));
            }
        }
        return muted("nobody hears " + from, List.of(from), pairs);
    }

    /** All connections of one member, or of all. */
    Strike reset() {
        Namespaces network = cluster.namespaces();
        List<Member> hit =
                random.nextInt(4) == 0 ? cluster.members() : List.of(any(cluster.members()));
        return new Strike(
                "reset of all connections of " + Faults.names(hit),
                List.of(),
                false,
                false,
                () -> {
                    for (Member each : hit) {
                        network.reset(each.name());
                    }
                },
                () -> {});
    }

    Strike slow() throws IOException {
        Namespaces network = cluster.namespaces();
        Member hit = any(cluster.servers());
        return new Strike(
                "slow line of " + hit,
                List.of(hit),
                false,
                false,
                () -> network.slow(hit.name()),
                () -> network.quick(hit.name()));
    }
}
