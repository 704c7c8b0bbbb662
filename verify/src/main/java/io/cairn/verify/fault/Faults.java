package io.cairn.verify.fault;

import io.cairn.verify.process.Cluster;
import io.cairn.verify.process.Member;
import io.cairn.verify.process.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Chooses what exactly a fault hits. */
public final class Faults {
    private final Cluster cluster;
    private final Random random;

    /** Faults of a cluster, by a generator of the calling thread. */
    public Faults(Cluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
    }

    /** The next fault of a kind. */
    public Strike next(FaultKind kind) throws IOException {
        return switch (kind) {
            case KILL_MASTER -> kill(List.of(any(cluster.members(Role.MASTER))));
            case KILL_LEADER -> kill(List.of(leader()));
            case KILL_CHUNK_SERVER -> kill(List.of(any(cluster.members(Role.CHUNK_SERVER))));
            case KILL_MOUNT -> kill(List.of(any(clients())));
            case KILL_ALL -> kill(cluster.members());
            case PAUSE_MASTER -> pause(leader());
            case PAUSE_CHUNK_SERVER -> pause(any(cluster.members(Role.CHUNK_SERVER)));
            case PAUSE_MOUNT -> pause(any(clients()));
        };
    }

    private Member leader() throws IOException {
        return cluster.leader(cluster.status());
    }

    private List<Member> clients() {
        List<Member> clients = new ArrayList<>(cluster.members(Role.MOUNT));
        clients.addAll(cluster.members(Role.GATEWAY));
        return clients;
    }

    private Member any(List<Member> members) {
        return members.get(random.nextInt(members.size()));
    }

    private static Strike kill(List<Member> hit) {
        return new Strike(
                "kill -9 of " + names(hit),
                hit,
                true,
                () -> {
                    for (Member each : hit) {
                        each.kill();
                    }
                },
                () -> {
                    for (Member each : hit) {
                        each.start();
                    }
                });
    }

    private static Strike pause(Member hit) {
        return new Strike(
                "SIGSTOP of " + hit,
                List.of(hit),
                false,
                () -> hit.signal("STOP"),
                () -> hit.signal("CONT"));
    }

    private static String names(List<Member> members) {
        return members.stream().map(Member::name).collect(Collectors.joining(", "));
    }
}
