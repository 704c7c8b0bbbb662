package io.cairn.simulation;

import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.wire.master.JobMutation.ClassMutation;
import io.cairn.wire.master.JobMutation.ClassMutation.AssignClass;
import io.cairn.wire.master.JobMutation.ClassMutation.SetClass;
import io.cairn.wire.master.Reply;
import java.util.Random;

/**
 * Gives the directory of the files a storage class with a compression in some seeds: chunks of new
 * files are packed when they rest, and become plain with their next change. No promise is voided by
 * it.
 */
final class PackPlan {
    private static final String NAME = "packed";
    private static final long LOOK_MS = 200;

    private final SimulatedCluster cluster;
    private final SimulatedScheduler time;
    private final Compression codec;
    private final boolean any;
    private boolean made;

    /** The plan of a seed; it draws nothing from the simulation's own numbers. */
    PackPlan(SimulatedCluster cluster) {
        this.cluster = cluster;
        time = new SimulatedScheduler(cluster.simulation);
        Random random = new Random(cluster.simulation.seed() * 0x2545f4914f6cdd1dL);
        any = random.nextInt(3) == 0;
        codec = random.nextBoolean() ? Compression.LZ4 : Compression.ZSTD;
    }

    /** Begins, if chunks are packed in this seed. */
    void begin() {
        if (any) {
            cluster.history.fault("chunks that rest are packed: " + codec.text());
            look();
        }
    }

    private void look() {
        time.schedule(this::look, LOOK_MS);
        if (cluster.masters.leader() == null) {
            return;
        }
        long files = ClonePlan.files(cluster);
        if (!made) {
            Policy policy = Policy.STANDARD.with(codec);
            submit(new SetClass(new StorageClass(NAME, policy, StorageClass.UNSAID), true));
        } else if (files != 0) {
            submit(new AssignClass(files, NAME));
        }
    }

    private void submit(ClassMutation mutation) {
        var _ =
                cluster.masters
                        .service()
                        .submit(mutation)
                        .thenAccept(reply -> told(mutation, reply));
    }

    private void told(ClassMutation mutation, Reply reply) {
        cluster.history.note(mutation.type() + ": " + reply);
        if (mutation instanceof SetClass) {
            made = true;
        } else if (reply instanceof Reply.Done) {
            end();
        }
    }

    /** Nothing is changed any more. */
    void end() {
        time.stop();
    }

    /** Blobs that the processes of now have packed. */
    long packedBlobs() {
        return cluster.servers.stream()
                .filter(SimulatedServer::isRunning)
                .mapToLong(server -> server.target().verification().packedBlobs())
                .sum();
    }
}
