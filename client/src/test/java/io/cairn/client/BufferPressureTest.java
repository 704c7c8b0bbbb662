package io.cairn.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The one limit of memory, under many writers and a cluster that stands still. */
class BufferPressureTest {
    private static final long LIMIT_BYTES = 8L << 20;

    private final FakeCluster cluster = new FakeCluster(22);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void manyFilesShareTheBuffers() {
        CairnFileSystem fs = cluster.connect(cluster.settings().withBuffers(LIMIT_BYTES, 1 << 20));
        List<OpenFile> files = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            files.add(fs.create(Caller.ROOT, 1, Name.of("f" + i), 0644, FileSystem.O_RDWR).file());
        }
        byte[] text = CairnFileSystemTest.bytes(1_500_000, 3);
        for (int at = 0; at < text.length; at += 50_000) {
            for (OpenFile file : files) {
                file.write(at, ByteBuffer.wrap(text, at, 50_000));
                assertTrue(fs.mount().pool().usedBytes() <= LIMIT_BYTES + (16 << 10));
            }
        }
        for (OpenFile file : files) {
            assertArrayEquals(text, CairnFileSystemTest.readAll(file));
            file.close();
        }
        cluster.awaitTrue(() -> fs.mount().pool().usedBytes() == 0, "buffers are free");
    }

    @Test
    void writerGetsAnErrorWhenTheServersStayAway() {
        CairnFileSystem fs =
                cluster.connect(
                        cluster.settings().withBuffers(LIMIT_BYTES, 0).withRequestTimeoutMs(600));
        OpenFile file = fs.create(Caller.ROOT, 1, Name.of("f"), 0644, FileSystem.O_RDWR).file();
        FakeCluster.CHUNKS.forEach(cluster.network::stop);
        byte[] text = new byte[1 << 20];
        FsException error =
                assertThrows(
                        FsException.class,
                        () -> {
                            for (int i = 0; i < 100; i++) {
                                file.write((long) i << 20, ByteBuffer.wrap(text));
                            }
                        });
        assertEquals(Errno.ETIMEDOUT, error.errno());
        assertThrows(FsException.class, file::close);
        cluster.awaitTrue(() -> fs.mount().pool().usedBytes() == 0, "buffers are free");
    }
}
