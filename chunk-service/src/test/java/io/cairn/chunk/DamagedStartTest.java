package io.cairn.chunk;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.cluster.MemberState;
import io.cairn.net.Message;
import io.cairn.verify.fault.BlobDamage;
import io.cairn.wire.chunk.ChunkRequest.ReportBad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Chunk servers stop, files of blobs are damaged, chunk servers start: in all orders, and in every
 * way that {@link BlobDamage} knows. Nobody ever reads anything but what was written last, and when
 * one replica of it is left, that is what is read in the end.
 */
class DamagedStartTest {
    private static final int GROUP = 1;
    private static final int LENGTH = 20_000;

    /** A chunk that is left alone. */
    private static final long INTACT = 0x900;

    /** A chunk that nobody ever wrote. */
    private static final long NEVER = 0x901;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    /**
     * What happens.
     *
     * @param stops servers in the order in which they stop
     * @param starts and start
     * @param apart whether the masters notice each stop before the next one
     * @param clean whether they stop in good order, else they are killed
     * @param synced whether what was written is synced
     * @param between whether something is written after the first server has stopped
     * @param victims servers that are damaged
     */
    private record Plan(
            List<Integer> stops,
            List<Integer> starts,
            boolean apart,
            boolean clean,
            boolean synced,
            boolean between,
            Set<Integer> victims) {}

    @Test
    void twoCopiesInAllOrders() throws Exception {
        int number = 0;
        List<List<Integer>> orders = List.of(List.of(1, 2), List.of(2, 1));
        for (List<Integer> stops : orders) {
            for (List<Integer> starts : orders) {
                for (int bits = 0; bits < 16; bits++) {
                    boolean apart = (bits & 1) != 0;
                    boolean between = apart && (bits & 2) != 0;
                    int victim = (bits & 2) != 0 && !apart ? 1 : stops.get(1);
                    Plan plan =
                            new Plan(
                                    stops,
                                    starts,
                                    apart,
                                    (bits & 4) != 0,
                                    (bits & 8) != 0,
                                    between,
                                    Set.of(victim));
                    new Run(2, plan, ++number).all();
                }
            }
        }
    }

    @Test
    void bothCopiesAreDamagedAndNobodyReadsZeros() throws Exception {
        for (int bits = 0; bits < 4; bits++) {
            boolean apart = (bits & 1) != 0;
            boolean clean = (bits & 2) != 0;
            List<Integer> order = List.of(1, 2);
            new Run(2, new Plan(order, order, apart, clean, true, apart, Set.of(1, 2)), 100 + bits)
                    .all();
        }
    }

    @Test
    void threeCopiesInOrdersDrawnFromASeed() throws Exception {
        Random random = new Random(20_251_125);
        for (int number = 0; number < 24; number++) {
            boolean apart = random.nextBoolean();
            Set<Integer> victims = new TreeSet<>();
            victims.add(1 + random.nextInt(3));
            victims.add(1 + random.nextInt(3));
            Plan plan =
                    new Plan(
                            order(random),
                            order(random),
                            apart,
                            random.nextBoolean(),
                            random.nextBoolean(),
                            apart && random.nextBoolean(),
                            victims);
            new Run(3, plan, 1000 + number).all();
        }
    }

    private static List<Integer> order(Random random) {
        List<Integer> order = new ArrayList<>(List.of(1, 2, 3));
        Collections.shuffle(order, random);
        return order;
    }

    /** One history. */
    private final class Run {
        private final int replicas;
        private final Plan plan;
        private final Path place;
        private final Path earlier;
        private final ChunkCluster cluster;
        private final Map<Long, byte[]> written = new HashMap<>();
        private long version;

        /** Servers that have what was written last, unless they were damaged. */
        private Set<Integer> complete = new TreeSet<>();

        Run(int replicas, Plan plan, int number) throws IOException {
            this.replicas = replicas;
            this.plan = plan;
            this.place = directory.resolve("run" + number);
            this.earlier = directory.resolve("earlier" + number);
            Files.createDirectories(place);
            this.cluster = new ChunkCluster(number, place, replicas, replicas, 1);
        }

        void all() throws IOException {
            try (cluster) {
                cluster.client.setRetryLimitMs(200);
                write();
                for (int victim : plan.victims) {
                    DamagedBlobs.keepEarlier(
                            place.resolve("c" + victim), earlier.resolve("c" + victim), GROUP);
                }
                write();
                stop();
                for (int victim : plan.victims) {
                    for (BlobDamage damage : BlobDamage.values()) {
                        DamagedBlobs.strike(
                                damage,
                                place.resolve("c" + victim),
                                earlier.resolve("c" + victim),
                                GROUP,
                                INTACT);
                    }
                }
                for (int server : plan.starts) {
                    cluster.start(server);
                    cluster.simulation.run(700);
                    check(server + " has started");
                    cluster.simulation.run(6_000);
                    check("a while after " + server + " has started");
                }
                cluster.untilWhole(60_000);
                cluster.simulation.run(2_000);
                check("in the end");
                checkHealed();
                int head = cluster.headOf(GROUP);
                cluster.kill(head);
                cluster.until(() -> leads(head), 60_000);
                check("another one heads");
            } finally {
                DamagedBlobs.remove(place);
                DamagedBlobs.remove(earlier);
            }
        }

        /** Whether another one than that leads the group. */
        private boolean leads(int former) {
            var head = cluster.master.group(GROUP).head();
            return head != null && head.targetId() != former;
        }

        private void write() {
            version++;
            written.clear();
            for (BlobDamage damage : BlobDamage.values()) {
                write(DamagedBlobs.oid(damage), DamagedBlobs.index(damage));
            }
            write(INTACT, 0);
        }

        private void write(long oid, long index) {
            cluster.client.setRetryLimitMs(30_000);
            cluster.await(cluster.client.write(GROUP, oid, index, 0, bytes(oid)));
            if (plan.synced) {
                cluster.await(cluster.client.flush(GROUP, oid, index));
            }
            cluster.client.setRetryLimitMs(200);
        }

        private byte[] bytes(long oid) {
            return written.computeIfAbsent(oid, o -> random(o * 31 + version, LENGTH));
        }

        private void stop() {
            complete = new TreeSet<>(plan.stops);
            boolean first = true;
            for (int server : plan.stops) {
                if (plan.clean) {
                    cluster.stop(server);
                } else {
                    cluster.kill(server);
                }
                if (plan.apart && complete.size() > 1) {
                    cluster.until(
                            () ->
                                    cluster.master.group(GROUP).stateOf(server)
                                            == MemberState.OFFLINE,
                            60_000);
                    complete.remove(server);
                }
                if (first && plan.between) {
                    write();
                }
                first = false;
            }
            if (!plan.apart || !plan.between) {
                complete = new TreeSet<>(plan.stops);
            }
            cluster.simulation.run(plan.apart ? 40_000 : 0);
        }

        /** Whatever can be read is what was written last. */
        private void check(String when) {
            for (BlobDamage damage : BlobDamage.values()) {
                check(DamagedBlobs.oid(damage), DamagedBlobs.index(damage), when + ": " + damage);
            }
            check(INTACT, 0, when + ": intact");
            for (int server = 1; server <= replicas; server++) {
                byte[] hole = readFrom(server, NEVER);
                assertTrue(
                        hole == null || Arrays.equals(new byte[LENGTH], hole), () -> where(when));
            }
        }

        private void check(long oid, long index, String when) {
            byte[] right = bytes(oid);
            byte[] read = read(oid, index);
            if (read != null) {
                assertArrayEquals(right, read, () -> where(when));
            }
            for (int server = 1; index == 0 && server <= replicas; server++) {
                byte[] there = readFrom(server, oid);
                if (there != null) {
                    int from = server;
                    assertArrayEquals(right, there, () -> where(when + ", from c" + from));
                }
            }
        }

        private byte @Nullable [] read(long oid, long index) {
            try {
                return cluster.await(cluster.client.read(GROUP, oid, index, 0, LENGTH));
            } catch (RuntimeException e) {
                return failed(e);
            }
        }

        private byte @Nullable [] readFrom(int server, long oid) {
            if (!cluster.isRunning(server)) {
                return null;
            }
            try {
                return cluster.await(cluster.client.readFrom(server, GROUP, oid, 0, LENGTH));
            } catch (RuntimeException e) {
                return failed(e);
            }
        }

        private static byte @Nullable [] failed(RuntimeException e) {
            FsException error = Futures.failure(e);
            assertTrue(error.errno() != Errno.EPROTO, error::toString);
            return null;
        }

        /** What one replica was left of is whole everywhere. */
        private void checkHealed() {
            boolean left = complete.stream().anyMatch(server -> !plan.victims.contains(server));
            assertArrayEquals(bytes(INTACT), read(INTACT, 0), () -> where("intact"));
            if (!left) {
                return;
            }
            // A bad block is found by whoever reads it, and repaired when he says so.
            for (BlobDamage damage : BlobDamage.values()) {
                ReportBad report =
                        new ReportBad(
                                ChunkClient.chunk(
                                        GROUP,
                                        cluster.master.group(GROUP).epoch(),
                                        DamagedBlobs.oid(damage),
                                        DamagedBlobs.index(damage)),
                                4096);
                int head = cluster.headOf(GROUP);
                cluster.await(cluster.client.ask(head, Message.of(report::toBytes))).release();
            }
            cluster.simulation.run(3_000);
            for (BlobDamage damage : BlobDamage.values()) {
                byte[] read = read(DamagedBlobs.oid(damage), DamagedBlobs.index(damage));
                assertArrayEquals(
                        bytes(DamagedBlobs.oid(damage)), read, () -> where("healed: " + damage));
            }
            assertEquals(List.of(), cluster.differences(), () -> where("healed"));
        }

        private String where(String what) {
            return what + ", " + plan + ", version " + version + ", complete " + complete;
        }
    }
}
