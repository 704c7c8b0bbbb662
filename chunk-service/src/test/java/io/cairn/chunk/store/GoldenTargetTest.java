package io.cairn.chunk.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.Claim;
import io.cairn.chunk.store.format.IntentRecord;
import io.cairn.chunk.store.format.TargetFormat;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.runtime.FileDisk;
import io.cairn.wire.chunk.ChunkAddress;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A storage directory as released: {@code golden/target-1.zip} holds FORMAT, the intent log and two
 * blobs. It is opened, read, and its parts are encoded again. It is never changed; {@code
 * -Dcairn.golden.write=true} makes it when it is not there.
 */
final class GoldenTargetTest {
    private static final Path GOLDEN =
            Path.of(
                    Objects.requireNonNull(System.getProperty("cairn.root")),
                    "chunk-service/src/test/resources/golden/target-1.zip");
    private static final ChunkAddress WHOLE = StoreWorld.chunk(0x1122_3344_5566_7788L, 2);
    private static final ChunkAddress SPARSE = StoreWorld.chunk(9, 0);
    private static final long CLUSTER = 0x1234_5678_9abc_def1L;

    @TempDir private Path directory;

    private static byte[] contents() {
        byte[] bytes = new byte[20_000];
        new Random(11).nextBytes(bytes);
        return bytes;
    }

    @Test
    void aTargetOfTheReleaseIsRead() throws Exception {
        unzip();
        StoreWorld world = new StoreWorld(new FileDisk(), directory);
        assertEquals(CLUSTER, world.target().clusterId());
        assertEquals(2, world.target().chunks().total());
        byte[] read = new byte[20_000];
        world.target().read(WHOLE, 0, read.length).blocks().get(read);
        assertArrayEquals(contents(), read);
        assertEquals(9000, world.stat(SPARSE).lengthBytes());
        byte[] tail = new byte[8192];
        ByteBuffer blocks = world.target().read(SPARSE, 0, 8192).blocks();
        blocks.get(tail);
        assertArrayEquals(new byte[8192], tail);
        world.target().close();
    }

    @Test
    void itsPartsAreEncodedTheSame() throws Exception {
        unzip();
        byte[] format = Files.readAllBytes(directory.resolve("FORMAT"));
        TargetPaths golden = new TargetPaths(directory);
        TargetFormat parsed = TargetFormat.read(new FileDisk(), golden);
        parsed.write(new FileDisk(), golden);
        assertArrayEquals(format, Files.readAllBytes(directory.resolve("FORMAT")));
        byte[] blob = Files.readAllBytes(golden.blob(StoreWorld.key(WHOLE)));
        int headers = 0;
        for (int page = 0; page < 2; page++) {
            int at = StoreWorld.CHUNK + page * BlobHeader.PAGE_BYTES;
            ByteBuffer bytes = ByteBuffer.wrap(blob, at, BlobHeader.PAGE_BYTES);
            BlobHeader header = BlobHeader.decode(bytes);
            if (header != null) {
                headers++;
                ByteBuffer again = ByteBuffer.allocate(BlobHeader.PAGE_BYTES);
                header.encode(again);
                assertArrayEquals(
                        Arrays.copyOfRange(blob, at, at + again.position()),
                        Arrays.copyOf(again.array(), again.position()));
            }
        }
        assertEquals(true, headers > 0);
    }

    @Test
    void aRecordOfTheIntentLogIsFixed() {
        IntentRecord record =
                new IntentRecord(
                        IntentRecord.Kind.INTENT,
                        0,
                        0x99,
                        new BlobKey(3, 0x1122_3344L, 7),
                        new Claim(0x55, 0x66, 0x77, 3));
        ByteBuffer out = ByteBuffer.allocate(IntentRecord.BYTES);
        record.encode(out);
        assertEquals(
                "02000000"
                        + "0000000000000000"
                        + "0000000000000099"
                        + "0000000300000066"
                        + "0000000011223344"
                        + "0000000000000007"
                        + "0000000000000055"
                        + "0000007700000003",
                HexFormat.of().formatHex(out.array()).substring(8));
        assertEquals(record, present(IntentRecord.decode(out.clear(), 0)));
    }

    private static IntentRecord present(@Nullable IntentRecord record) {
        assertNotNull(record);
        return record;
    }

    private static void write(Path at) throws Exception {
        StoreWorld world = new StoreWorld(new FileDisk(), at);
        world.target().adoptCluster(CLUSTER);
        world.write(WHOLE, 0, contents());
        world.write(SPARSE, 8990, new byte[10]);
        world.target().flushAll();
        world.target().close();
        Files.createDirectories(Objects.requireNonNull(GOLDEN.getParent()));
        try (OutputStream out = Files.newOutputStream(GOLDEN);
                ZipOutputStream zip = new ZipOutputStream(out);
                Stream<Path> files = Files.walk(at)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                zip.putNextEntry(new ZipEntry(at.relativize(file).toString()));
                Files.copy(file, zip);
            }
        }
    }

    private void unzip() throws Exception {
        if (Boolean.getBoolean("cairn.golden.write") && !Files.exists(GOLDEN)) {
            write(Files.createTempDirectory("cairn-golden"));
        }
        try (InputStream in = Files.newInputStream(GOLDEN);
                ZipInputStream zip = new ZipInputStream(in)) {
            ZipEntry entry = zip.getNextEntry();
            while (entry != null) {
                Path file = directory.resolve(entry.getName());
                Files.createDirectories(Objects.requireNonNull(file.getParent()));
                Files.copy(zip, file);
                entry = zip.getNextEntry();
            }
        }
    }
}
