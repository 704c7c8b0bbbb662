package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.Shell;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of a class with a compression take less of the disk, and are as others are. */
final class CompressionProcessTest {
    private static final int BYTES = 3_000_000;
    private static final int BLOCK_BYTES = 512;
    private static final Pattern LAID_OUT =
            Pattern.compile("compression +zstd\\s+encryption +-\\s+chunks +1");

    @TempDir private Path directory;

    private static byte[] text(int seed, int bytes) {
        StringBuilder text = new StringBuilder();
        Random random = new Random(seed);
        while (text.length() < bytes) {
            text.append("Line with the number ").append(random.nextInt(1 << 20)).append(".\n");
        }
        return Arrays.copyOf(text.toString().getBytes(StandardCharsets.US_ASCII), bytes);
    }

    /** What the blob files of the server take of its disk. */
    private long usedBytes() throws Exception {
        String blocks = Shell.run(directory, "find c1/pg -type f -printf '%b\\n'");
        return blocks.lines().mapToLong(line -> BLOCK_BYTES * Long.parseLong(line.strip())).sum();
    }

    /** What the server has, not what the kernel remembers. */
    private byte[] read(Path file) throws Exception {
        Path copy = directory.resolve("copy");
        Shell.run(directory, "dd if=" + file + " of=" + copy + " bs=1M iflag=direct status=none");
        return Files.readAllBytes(copy);
    }

    @Test
    @Timeout(value = 300)
    void textTakesLessAndReadsTheSameThroughChangesAndAKill() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServer("c1", "--pack-after", "1s");
            Path mount = cluster.mount("mnt");
            Path texts = Files.createDirectory(mount.resolve("texts"));
            byte[] early = text(7, BYTES / 4);
            Files.write(texts.resolve("early"), early);
            cluster.cairn("class", "create", "texts", "--compression", "zstd");
            assertTrue(cluster.cairn("class", "list").contains("zstd"));
            cluster.cairn("fs", "set", "--class", "texts", texts.toString());
            Poll.until("a pool", 60, () -> cluster.cairn("admin", "pools").contains("zstd"));

            cluster.cairn("class", "apply", texts.toString());
            Path file = texts.resolve("file");
            byte[] model = text(1, BYTES);
            Files.write(file, model);
            for (Path each : List.of(file, texts.resolve("early"))) {
                String told = cluster.cairn("fs", "info", each.toString());
                assertTrue(LAID_OUT.matcher(told).find(), told);
            }
            Poll.until("less room", 60, () -> usedBytes() < BYTES / 2);
            assertArrayEquals(model, read(file));
            assertArrayEquals(early, read(texts.resolve("early")));

            change(file, model);
            cluster.kill("c1");
            cluster.start("c1");
            assertArrayEquals(model, read(file));
            Poll.until("less room again", 60, () -> usedBytes() < BYTES / 2);
            assertArrayEquals(model, read(file));
            assertArrayEquals(early, read(texts.resolve("early")));
        }
    }

    private static void change(Path file, byte[] model) throws Exception {
        Random random = new Random(3);
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            for (int i = 0; i < 20; i++) {
                byte[] some = text(i, 1 + random.nextInt(20_000));
                int at = random.nextInt(BYTES - some.length);
                open.seek(at);
                open.write(some);
                System.arraycopy(some, 0, model, at, some.length);
            }
            open.getFD().sync();
        }
    }
}
