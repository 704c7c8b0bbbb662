package io.cairn.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Several writers of one file at the same time, in one mount and in two, each in places of its own.
 * No byte of any of them is lost, also while the file moves out of its inode and when requests and
 * answers get lost.
 */
class ConcurrentWritersPropertyTest {
    private static final int SLOT_BYTES = 100;
    private static final int SLOTS = 120;
    private static final int WRITERS = 4;

    /** So few that no request meets with them until its time is over. */
    private static final int MAX_FAULTS = 8;

    @Property(tries = 80, shrinking = ShrinkingMode.OFF)
    void nothingIsLost(@ForAll long seed) throws InterruptedException {
        writeAll(seed, cluster -> {});
    }

    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    void nothingIsLostWhenTheMasterIsHardToReach(@ForAll long seed) throws InterruptedException {
        writeAll(seed, cluster -> disturb(cluster, new Random(~seed)));
    }

    /** Some requests to the master and some answers of it are lost. */
    private static void disturb(FakeCluster cluster, Random random) {
        AtomicInteger left = new AtomicInteger(MAX_FAULTS);
        cluster.network.setFaults(
                (to, header) -> {
                    boolean isHit = to.equals(FakeCluster.MASTER) && random.nextInt(12) == 0;
                    if (!isHit || left.getAndDecrement() <= 0) {
                        return FakeNetwork.Fate.DELIVER;
                    }
                    return random.nextInt(3) == 0
                            ? FakeNetwork.Fate.LOSE_REQUEST
                            : FakeNetwork.Fate.LOSE_ANSWER;
                });
    }

    private static void writeAll(long seed, Consumer<FakeCluster> trouble)
            throws InterruptedException {
        Random random = new Random(seed);
        int slots = 4 + random.nextInt(SLOTS);
        try (FakeCluster cluster = new FakeCluster(16)) {
            cluster.writeBackDelayMs = random.nextBoolean() ? 1000 : 1 + random.nextInt(5);
            CairnFileSystem[] clients = {cluster.connect(), cluster.connect()};
            OpenFile made =
                    clients[0].create(Caller.ROOT, 1, Name.of("f"), 0644, FileSystem.O_RDWR).file();
            made.close();
            trouble.accept(cluster);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread[] threads = new Thread[WRITERS];
            for (int w = 0; w < WRITERS; w++) {
                int writer = w;
                long writerSeed = random.nextLong();
                threads[w] =
                        new Thread(
                                () ->
                                        write(
                                                clients[writer % 2],
                                                made.ino(),
                                                writer,
                                                slots,
                                                new Random(writerSeed)));
                threads[w].setUncaughtExceptionHandler((t, e) -> note(failure, e));
                threads[w].start();
            }
            for (Thread thread : threads) {
                thread.join(60_000);
                assertFalse(thread.isAlive(), () -> "seed " + seed + ": a writer hangs");
            }
            if (failure.get() != null) {
                throw new AssertionError("seed " + seed, failure.get());
            }
            for (CairnFileSystem client : clients) {
                assertEquals(0, client.mount().pool().usedBytes(), "bytes that nobody will send");
            }
            check(CairnFileSystemTest.readAll(clients[0], made.ino()), slots);
            check(CairnFileSystemTest.readAll(cluster.connect(), made.ino()), slots);
        }
    }

    /** The first failure, which may have caused the others. */
    private static void note(AtomicReference<Throwable> failure, Throwable e) {
        if (!failure.compareAndSet(null, e)) {
            failure.get().addSuppressed(e);
        }
    }

    /** Fills the slots of one writer, in random order, with pauses to commit. */
    private static void write(CairnFileSystem fs, long ino, int writer, int slots, Random random) {
        int own = (slots - writer + WRITERS - 1) / WRITERS;
        int step = 1 + 2 * random.nextInt(20);
        while (own % step == 0 && step > 1) {
            step -= 2;
        }
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDWR)) {
            byte[] bytes = new byte[SLOT_BYTES];
            java.util.Arrays.fill(bytes, (byte) (writer + 1));
            for (int i = 0; i < own; i++) {
                int slot = writer + WRITERS * (int) ((long) i * step % own);
                file.write((long) slot * SLOT_BYTES, ByteBuffer.wrap(bytes));
                if (random.nextInt(6) == 0) {
                    file.flush();
                }
                if (random.nextInt(6) == 0) {
                    file.read((long) slot * SLOT_BYTES, ByteBuffer.allocate(500));
                }
                if (random.nextInt(6) == 0) {
                    fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY).close();
                }
            }
            for (int slot = writer; slot < slots; slot += WRITERS) {
                file.write((long) slot * SLOT_BYTES, ByteBuffer.wrap(bytes));
            }
        }
    }

    private static void check(byte[] found, int slots) {
        assertEquals(slots * SLOT_BYTES, found.length);
        for (int at = 0; at < found.length; at++) {
            int writer = at / SLOT_BYTES % WRITERS;
            assertEquals(writer + 1, found[at], "byte " + at + " of slot " + at / SLOT_BYTES);
        }
    }
}
