package io.cairn.client.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.CairnFileSystemTest;
import io.cairn.client.FakeCluster;
import io.cairn.client.FakeNetwork;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * One file written, read, cut, punched and reopened at random, compared with an array; with chunks
 * of 64 KiB, so that a small file has many, and with a network that loses requests and answers.
 */
class FileContentsPropertyTest {
    private static final int CHUNK_SIZE_LOG2 = 16;
    private static final int MAX_BYTES = 400_000;
    private static final int STEPS = 60;
    private static final Name NAME = Name.of("f");

    @Property(tries = 60, shrinking = ShrinkingMode.OFF)
    void fileEqualsArray(@ForAll long seed) {
        try (FakeCluster cluster = new FakeCluster(CHUNK_SIZE_LOG2)) {
            new Scene(cluster, new Random(seed), false).run();
        }
    }

    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    void fileEqualsArrayThoughTheNetworkFails(@ForAll long seed) {
        try (FakeCluster cluster = new FakeCluster(CHUNK_SIZE_LOG2)) {
            Random faults = new Random(~seed);
            cluster.network.setFaults(
                    (to, header) ->
                            switch (faults.nextInt(60)) {
                                case 0 -> FakeNetwork.Fate.LOSE_REQUEST;
                                case 1 -> FakeNetwork.Fate.LOSE_ANSWER;
                                default -> FakeNetwork.Fate.DELIVER;
                            });
            new Scene(cluster, new Random(seed), false).run();
        }
    }

    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    void twoClientsThatCloseAndOpenAgree(@ForAll long seed) {
        try (FakeCluster cluster = new FakeCluster(CHUNK_SIZE_LOG2)) {
            new Scene(cluster, new Random(seed), true).run();
        }
    }

    /** A random history of one file. */
    private static final class Scene {
        private final FakeCluster cluster;
        private final Random random;
        private final CairnFileSystem[] clients;
        private final boolean alternate;
        private CairnFileSystem fs;
        private OpenFile file;
        private byte[] model = new byte[0];

        Scene(FakeCluster cluster, Random random, boolean alternate) {
            this.cluster = cluster;
            this.random = random;
            this.alternate = alternate;
            // Often the background commits while the scene goes on.
            cluster.writeBackDelayMs = random.nextBoolean() ? 1000 : 1 + random.nextInt(5);
            this.clients = new CairnFileSystem[] {cluster.connect(), cluster.connect()};
            this.fs = clients[0];
            this.file = fs.create(Caller.ROOT, 1, NAME, 0644, FileSystem.O_RDWR).file();
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                step(random.nextInt(100));
                assertEquals(model.length, file.attributes().size(), "size at step " + step);
            }
            file.close();
            byte[] found = CairnFileSystemTest.readAll(cluster.connect(), file.ino());
            assertArrayEquals(model, found);
            cluster.awaitTrue(() -> fs.mount().pool().usedBytes() == 0, "buffers are free");
        }

        private void step(int dice) {
            if (dice < 40) {
                write();
            } else if (dice < 65) {
                read();
            } else if (dice < 72) {
                truncate();
            } else if (dice < 78) {
                file.flush();
            } else if (dice < 81) {
                file.sync(false);
            } else if (dice < 86) {
                zero();
            } else if (dice < 89) {
                append();
            } else if (dice < 91) {
                cluster.changeEpochs();
            } else if (dice < 94) {
                seek();
            } else {
                reopen();
            }
        }

        private int offset() {
            return switch (random.nextInt(4)) {
                case 0 -> model.length;
                case 1 -> random.nextInt(5000);
                case 2 -> random.nextInt(MAX_BYTES / 4096) * 4096;
                default -> random.nextInt(MAX_BYTES);
            };
        }

        private int length() {
            return switch (random.nextInt(3)) {
                case 0 -> 1 + random.nextInt(100);
                case 1 -> 1 + random.nextInt(10_000);
                default -> 1 + random.nextInt(150_000);
            };
        }

        private byte[] bytes(int length) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return bytes;
        }

        private void put(int offset, byte[] bytes) {
            model = Arrays.copyOf(model, Math.max(model.length, offset + bytes.length));
            System.arraycopy(bytes, 0, model, offset, bytes.length);
        }

        private void write() {
            int at = Math.min(offset(), MAX_BYTES);
            byte[] bytes = bytes(length());
            assertEquals(bytes.length, file.write(at, ByteBuffer.wrap(bytes)));
            put(at, bytes);
        }

        private void append() {
            int flags = FileSystem.O_WRONLY | FileSystem.O_APPEND;
            byte[] bytes = bytes(1 + random.nextInt(3000));
            try (OpenFile appender = fs.open(Caller.ROOT, file.ino(), flags)) {
                appender.write(0, ByteBuffer.wrap(bytes));
            }
            put(model.length, bytes);
        }

        private void read() {
            int at = offset();
            ByteBuffer target = ByteBuffer.allocate(length());
            int count = file.read(at, target);
            int expected = Math.clamp((long) model.length - at, 0, target.capacity());
            assertEquals(expected, count);
            byte[] slice =
                    expected == 0 ? new byte[0] : Arrays.copyOfRange(model, at, at + expected);
            assertArrayEquals(slice, Arrays.copyOf(target.array(), count));
        }

        private void truncate() {
            int size = Math.min(offset(), MAX_BYTES);
            fs.setAttributes(Caller.ROOT, file.ino(), AttributeChange.NONE.withSize(size));
            model = Arrays.copyOf(model, size);
        }

        private void zero() {
            int at = offset();
            int length = length();
            file.allocate(3, at, length);
            if (at < model.length) {
                Arrays.fill(model, at, Math.min(model.length, at + length), (byte) 0);
            }
        }

        private void seek() {
            int at = offset();
            try {
                long data = file.seek(at, true);
                for (int i = at; i < data; i++) {
                    assertEquals(0, model[i], "data in a hole at " + i);
                }
            } catch (FsException e) {
                assertEquals(Errno.ENXIO, e.errno());
                for (int i = at; i < model.length; i++) {
                    assertEquals(0, model[i], "data not found at " + i);
                }
            }
        }

        private void reopen() {
            long ino = file.ino();
            file.close();
            if (alternate) {
                fs = clients[random.nextInt(2)];
            }
            file = fs.open(Caller.ROOT, ino, FileSystem.O_RDWR);
        }
    }
}
