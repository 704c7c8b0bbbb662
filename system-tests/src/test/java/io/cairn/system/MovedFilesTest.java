package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Files whose policy changes again and again while other clients write them without rest. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MovedFilesTest {
    private static final int WRITERS = 4;
    private static final int FILE_BYTES = 1 << 20;

    @TempDir private static Path directory;
    private TestCluster cluster;

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 2, 1);
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    @Test
    void writersNoticeNothingAndEverythingIsMoved() throws Exception {
        CairnFileSystem mover = cluster.client("mover");
        List<Long> inos = new ArrayList<>();
        AtomicBoolean ended = new AtomicBoolean();
        List<Future<byte[]>> writers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            for (int w = 0; w < WRITERS; w++) {
                CairnFileSystem fs = cluster.client("writer" + w);
                int flags = FileSystem.O_RDWR | (w % 2 == 0 ? FileSystem.O_APPEND : 0);
                OpenFile file =
                        fs.create(Caller.ROOT, FileSystem.ROOT_INO, Name.of("f" + w), 0644, flags)
                                .file();
                inos.add(file.ino());
                int seed = w;
                writers.add(threads.submit(() -> write(file, seed, ended)));
            }
            try {
                for (int round = 0; round < 6; round++) {
                    Policy policy = new Policy(1 + round % 2, round % 2 == 0 ? 18 : 20, -1);
                    for (long ino : inos) {
                        mover.setPolicy(Caller.ROOT, FileSystem.ROOT_INO, ino, policy);
                        assertEquals(policy.replicas(), mover.policy(ino).replicas());
                    }
                }
            } finally {
                ended.set(true);
            }
            for (int w = 0; w < WRITERS; w++) {
                byte[] wanted = writers.get(w).get();
                assertArrayEquals(
                        wanted, read(cluster.client("reader" + w), inos.get(w)), "file " + w);
            }
        }
    }

    @Test
    void filesMoveThatNobodyMayChange() {
        CairnFileSystem mover = cluster.client("mover-of-protected");
        CairnFileSystem writer = cluster.client("writer-of-protected");
        long dir = writer.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("protected"), 0755).ino();
        byte[] contents = new byte[300_000];
        new Random(1).nextBytes(contents);
        List<OpenFile> files = new ArrayList<>();
        for (int flag : new int[] {Attributes.IMMUTABLE, Attributes.APPEND}) {
            Name name = Name.of("f" + flag);
            int flags = FileSystem.O_RDWR | FileSystem.O_APPEND;
            OpenFile file = writer.create(Caller.ROOT, dir, name, 0644, flags).file();
            file.write(0, ByteBuffer.wrap(contents));
            writer.setAttributes(
                    Caller.ROOT, file.ino(), AttributeChange.NONE.withFlags(flag, flag));
            files.add(file);
        }
        AttributeChange immutable =
                AttributeChange.NONE.withFlags(Attributes.IMMUTABLE, Attributes.IMMUTABLE);
        writer.setAttributes(Caller.ROOT, dir, immutable);
        for (OpenFile file : files) {
            mover.setPolicy(Caller.ROOT, dir, file.ino(), new Policy(2, 16, -1));
            Layout layout = mover.placement(file.ino(), 0).inode().layout();
            assertEquals(16, layout == null ? 0 : layout.chunkSizeLog2());
            assertArrayEquals(contents, read(writer, file.ino()));
        }
        ByteBuffer more = ByteBuffer.wrap(new byte[] {1});
        FsException refused =
                assertThrows(FsException.class, () -> files.getFirst().write(0, more.duplicate()));
        assertEquals(Errno.EPERM, refused.errno());
        files.getLast().write(0, more.duplicate());
        files.forEach(OpenFile::close);
        byte[] longer = Arrays.copyOf(contents, contents.length + 1);
        longer[contents.length] = 1;
        assertArrayEquals(longer, read(mover, files.getLast().ino()));
    }

    /** Writes without rest, with an fsync now and then; what the file has to be. */
    private static byte[] write(OpenFile file, int seed, AtomicBoolean ended) {
        Random random = new Random(seed);
        boolean append = (file.flags() & FileSystem.O_APPEND) != 0;
        byte[] model = new byte[0];
        for (int i = 0; !ended.get(); i++) {
            byte[] bytes = new byte[1 + random.nextInt(20_000)];
            random.nextBytes(bytes);
            int at = append ? model.length : random.nextInt(Math.min(model.length, FILE_BYTES) + 1);
            if (append && model.length > 20 * FILE_BYTES) {
                continue;
            }
            file.write(at, ByteBuffer.wrap(bytes));
            model = Arrays.copyOf(model, Math.max(model.length, at + bytes.length));
            System.arraycopy(bytes, 0, model, at, bytes.length);
            if (i % 50 == 0) {
                file.sync(false);
            }
        }
        file.close();
        return model;
    }

    private static byte[] read(CairnFileSystem fs, long ino) {
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.attributes().size());
            while (bytes.hasRemaining() && file.read(bytes.position(), bytes) > 0) {
                // Goes on.
            }
            return bytes.array();
        }
    }
}
