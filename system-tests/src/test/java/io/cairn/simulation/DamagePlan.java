package io.cairn.simulation;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.verify.fault.BlobDamage;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

/**
 * Stops a chunk server, damages the file of one blob, and starts it again: in some seeds, while all
 * copies serve, and each blob once. So a good copy is left, and no promise is voided: nobody reads
 * wrong bytes, nothing is lost, and in the end all copies agree. A bit of data is flipped only
 * where the medium holds what was written: what was never synced is in memory, and after a loss of
 * power it might be torn as well. A server that was damaged is not relied on as the only one that
 * keeps what others lose with their power, for a bad block is found only by who reads it.
 */
final class DamagePlan {
    private static final Path TARGET = Path.of("/target");
    private static final int LEAST_PAUSE_MS = 500;
    private static final int MOST_PAUSE_MS = 5_000;
    private static final int LONGEST_DOWN_MS = 6_000;
    private static final int LISTED = 100;

    /** The replica of a chunk on a server, and of which chunk it is. */
    private record Replica(Path path, int group, ChunkState state) {
        Path directory() {
            return Objects.requireNonNull(path.getParent());
        }
    }

    private final SimulatedCluster cluster;
    private final FaultPlan faults;
    private final SimulatedScheduler time;
    private final Random random;
    private final BlobHarm harm;
    private final boolean any;
    private final Set<Path> struck = new HashSet<>();
    private final Set<String> victims = new HashSet<>();

    /** The plan of a seed; it draws nothing from the simulation's own numbers. */
    DamagePlan(SimulatedCluster cluster, FaultPlan faults) {
        this.cluster = cluster;
        this.faults = faults;
        this.time = new SimulatedScheduler(cluster.simulation);
        this.random = new Random(cluster.simulation.seed() * 0x9e3779b97f4a7c15L);
        this.any = cluster.replicas > 1 && random.nextInt(3) == 0;
        this.harm = new BlobHarm(random);
    }

    /** Begins, if the seed has damage. */
    void begin() {
        if (any) {
            cluster.history.fault("blobs are damaged");
            later();
        }
    }

    private void later() {
        int pauseMs = LEAST_PAUSE_MS + random.nextInt(MOST_PAUSE_MS - LEAST_PAUSE_MS);
        time.schedule(this::strike, pauseMs);
    }

    /** Nothing is damaged any more. */
    void end() {
        time.stop();
    }

    /** Servers of which a blob was damaged. */
    Set<String> victims() {
        return victims;
    }

    private void strike() {
        later();
        if (!faults.isSettled()) {
            return;
        }
        SimulatedServer server = Oracle.pick(random, cluster.servers);
        List<Replica> replicas = replicas(server);
        for (Replica each : replicas) {
            if (random.nextInt(4) == 0) {
                harm.remember(server, each.path);
            }
        }
        List<Replica> fresh = replicas.stream().filter(r -> !struck.contains(r.path)).toList();
        if (fresh.isEmpty()) {
            return;
        }
        Replica victim = Oracle.pick(random, fresh);
        BlobDamage kind = kind(server, victim);
        cluster.history.fault(
                "%s stops; %s: %s of group %d"
                        .formatted(server.node(), kind, victim.state, victim.group));
        victims.add(server.node());
        faults.stopping(server);
        server.kill();
        harm.strike(server, kind, victim.path, Oracle.pick(random, replicas).path);
        struck.add(victim.path);
        if (kind == BlobDamage.DIRECTORY_DELETED) {
            replicas.stream()
                    .map(Replica::path)
                    .filter(path -> path.startsWith(victim.directory()))
                    .forEach(struck::add);
        }
        time.schedule(() -> faults.start(server), 1 + random.nextInt(LONGEST_DOWN_MS));
    }

    private BlobDamage kind(SimulatedServer server, Replica victim) {
        if (harm.knowsEarlier(server, victim.path) && random.nextInt(3) == 0) {
            return BlobDamage.EARLIER_FILE_PUT_BACK;
        }
        while (true) {
            BlobDamage kind = Oracle.pick(random, List.of(BlobDamage.values()));
            boolean possible =
                    switch (kind) {
                        case EARLIER_FILE_PUT_BACK -> false;
                        case DIRECTORY_DELETED ->
                                victim.state.index() != 0
                                        && struck.stream()
                                                .noneMatch(p -> p.startsWith(victim.directory()));
                        case BIT_OF_DATA_FLIPPED -> harm.isStored(server, victim.path);
                        default -> true;
                    };
            if (possible) {
                return kind;
            }
        }
    }

    /** What a server holds that another one holds as well. */
    private List<Replica> replicas(SimulatedServer server) {
        List<Replica> replicas = new ArrayList<>();
        ClusterMap map = cluster.masters.namespace().clusterMap();
        for (PlacementGroup group : map.groups()) {
            Set<ChunkState> others = new HashSet<>();
            for (SimulatedServer other : cluster.servers) {
                if (!other.equals(server)) {
                    others.addAll(other.target().list(group.id(), 0, -1, LISTED));
                }
            }
            for (ChunkState state : server.target().list(group.id(), 0, -1, LISTED)) {
                if (state.sequence() > 0 && others.contains(state)) {
                    Path path = BlobDamage.file(TARGET, group.id(), state.oid(), state.index());
                    replicas.add(new Replica(path, group.id(), state));
                }
            }
        }
        return replicas;
    }
}
