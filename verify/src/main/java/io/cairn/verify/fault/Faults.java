package io.cairn.verify.fault;

import io.cairn.runtime.Disk;
import io.cairn.verify.process.Cluster;
import io.cairn.verify.process.Member;
import io.cairn.verify.process.Role;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/** Chooses what exactly a fault hits. For one thread. */
public final class Faults {
    private static final int MAX_DAMAGED = 4;

    private final Cluster cluster;
    private final Random random;
    private final Disk disk;
    private final NetworkFaults network;
    private final Map<String, BlobFiles> blobs = new HashMap<>();

    /** Faults of a cluster; the disk is that of this machine. */
    public Faults(Cluster cluster, Random random, Disk disk) {
        this.cluster = cluster;
        this.random = random;
        this.disk = disk;
        network = new NetworkFaults(cluster, random);
    }

    /** The next fault of a kind. */
    public Strike next(FaultKind kind) throws IOException {
        return switch (kind) {
            case KILL_MASTER -> kill(List.of(any(cluster.members(Role.MASTER))));
            case KILL_LEADER -> kill(List.of(leader()));
            case KILL_CHUNK_SERVER -> kill(List.of(any(cluster.members(Role.CHUNK_SERVER))));
            case KILL_MOUNT -> kill(List.of(any(cluster.clients())));
            case KILL_ALL -> kill(cluster.members());
            case PAUSE_LEADER -> pause(leader());
            case PAUSE_CHUNK_SERVER -> pause(any(cluster.members(Role.CHUNK_SERVER)));
            case PAUSE_MOUNT -> pause(any(cluster.clients()));
            case CORRUPT -> corrupt(cluster.members(Role.CHUNK_SERVER).getFirst());
            case LOSE_DISK -> loseDisk(cluster.members(Role.CHUNK_SERVER).getLast());
            case POWER_CUT -> cutPower(cluster.servers(), true);
            case POWER_CUT_ONE -> cutPower(List.of(any(cluster.servers())), false);
            case DISK_ERROR -> diskError(any(cluster.servers()));
            case DISK_FULL -> fill(any(cluster.members(Role.CHUNK_SERVER)));
            case PARTITION -> network.partition(leader());
            case RESET -> network.reset();
            case SLOW_NETWORK -> network.slow();
        };
    }

    private Member leader() throws IOException {
        return cluster.leader(cluster.status());
    }

    private Member any(List<Member> members) {
        return members.get(random.nextInt(members.size()));
    }

    static String names(List<Member> members) {
        return members.stream().map(Member::name).collect(Collectors.joining(", "));
    }

    private static void killAll(List<Member> members) throws IOException {
        for (Member each : members) {
            each.kill();
        }
    }

    private static void startAll(List<Member> members) throws IOException {
        for (Member each : members) {
            each.start();
        }
    }

    private static Strike kill(List<Member> hit) {
        return new Strike(
                "kill -9 of " + names(hit),
                hit,
                true,
                false,
                () -> killAll(hit),
                () -> startAll(hit));
    }

    private static Strike pause(Member hit) {
        return new Strike(
                "SIGSTOP of " + hit,
                List.of(hit),
                false,
                false,
                () -> hit.signal("STOP"),
                () -> hit.signal("CONT"));
    }

    /**
     * Damages blobs of one copy while its server does not run. Always at the same server: damage
     * that nobody has met yet on two copies of one chunk would be a loss that nobody promised to
     * survive.
     */
    private Strike corrupt(Member hit) throws IOException {
        BlobFiles files =
                blobs.computeIfAbsent(
                        hit.name(), name -> new BlobFiles(disk, cluster.plan().data(name)));
        files.remember(random, 2 * MAX_DAMAGED);
        return new Strike(
                "damaged blobs of " + hit,
                List.of(hit),
                true,
                false,
                () -> {
                    hit.kill();
                    files.damage(random, 1 + random.nextInt(MAX_DAMAGED));
                },
                hit::start);
    }

    /** A server comes back with an empty disk; always the same one, as of {@link #corrupt}. */
    private Strike loseDisk(Member hit) {
        return new Strike(
                "the disk of " + hit + " is replaced by an empty one",
                List.of(hit),
                true,
                false,
                () -> {
                    hit.kill();
                    cluster.wipe(hit);
                },
                () -> hit.start("--format"));
    }

    private Strike cutPower(List<Member> hit, boolean all) {
        return new Strike(
                "power cut of " + names(hit),
                hit,
                true,
                all,
                () -> {
                    cluster.disks().cutPower(hit);
                    killAll(hit);
                },
                () -> {
                    cluster.disks().restorePower(hit);
                    startAll(hit);
                });
    }

    /** All calls of a disk fail while its server runs. */
    private Strike diskError(Member hit) {
        return new Strike(
                "EIO of the disk of " + hit,
                List.of(hit),
                true,
                false,
                () -> cluster.disks().cutPower(List.of(hit)),
                () -> {
                    hit.kill();
                    cluster.disks().restorePower(List.of(hit));
                    hit.start();
                });
    }

    private Strike fill(Member hit) {
        return new Strike(
                "the disk of " + hit + " is full",
                List.of(hit),
                false,
                false,
                () -> cluster.disks().fill(hit),
                () -> cluster.disks().empty(hit));
    }
}
