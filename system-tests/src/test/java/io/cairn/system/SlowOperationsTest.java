package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fuse.loop.MountOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/** Mounts tell what their slowest operations waited for. */
@Timeout(120)
final class SlowOperationsTest {
    @TempDir private Path base;

    private static List<?> list(CommandResult result, String field) throws Exception {
        assertEquals(0, result.code(), result.errors());
        return assertInstanceOf(List.class, JSON.std.mapFrom(result.out()).get(field));
    }

    private static double number(Map<?, ?> each, String field) {
        return assertInstanceOf(Number.class, each.get(field)).doubleValue();
    }

    private static double sum(List<?> operations, String operation, String part) {
        return operations.stream()
                .map(each -> (Map<?, ?>) each)
                .filter(each -> operation.equals(each.get("operation")))
                .mapToDouble(each -> number(each, part))
                .sum();
    }

    /**
     * What is told when chunks were made durable and then the size told, both by fsync. A request
     * may be answered a moment before it is kept, and the mount may do either by itself before: so
     * more is written until both are seen.
     */
    private static List<?> slowAfterWrites(Path mount, Path file) throws Exception {
        List<String> why = List.of("why", mount.toString(), "--json");
        List<?> all = List.of();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            while (sum(all, "fsync", "chunksUs") <= 0 || sum(all, "fsync", "masterUs") <= 0) {
                assertTrue(System.nanoTime() - end < 0, "waits of fsync within 60 s: " + all);
                int _ = channel.write(ByteBuffer.allocate(3 << 20));
                channel.force(true);
                all = list(CommandResult.of(why), "operations");
            }
        }
        return all;
    }

    @Test
    void operationsAreFoundByPathWithWhatTheyWaitedFor() throws Exception {
        try (TestCluster cluster = new TestCluster(base, 1, 1)) {
            Path mount = cluster.mount("mnt", MountOptions.parse(""));
            Path file = Files.createDirectory(mount.resolve("dir")).resolve("file");
            List<?> all = slowAfterWrites(mount, file);
            assertTrue(sum(all, "mkdir", "masterUs") > 0, "a change of a name: " + all);
            assertTrue(
                    sum(all, "fsync", "masterUs") + sum(all, "fsync", "chunksUs")
                            <= sum(all, "fsync", "totalUs"),
                    "parts of a whole: " + all);
            CommandResult below = CommandResult.of(List.of("why", file.toString()));
            assertTrue(below.out().contains(file.toString()), below.out());
            assertTrue(below.out().contains("% of this time"), below.out());
            assertTrue(!below.out().contains("mkdir"), below.out());
            Map<?, ?> mkdir =
                    list(cluster.cairn("admin", "slow", "--json"), "items").stream()
                            .map(each -> (Map<?, ?>) each)
                            .filter(each -> "mkdir".equals(each.get("type")))
                            .findFirst()
                            .orElseThrow();
            double total = number(mkdir, "totalMs");
            double log = number(mkdir, "logMs");
            assertTrue(total > 0 && log > 0 && log <= total, "in the log: " + mkdir);
            assertTrue(String.valueOf(mkdir.get("client")).contains("mnt"), "whose: " + mkdir);
        }
    }

    @Test
    void mountsThatRememberNothingAreNamed() throws Exception {
        try (TestCluster cluster = new TestCluster(base, 1, 1)) {
            Path mount = cluster.mount("mnt", MountOptions.parse("driver=jnr"));
            CommandResult result = CommandResult.of(List.of("why", mount.toString()));
            assertEquals(69, result.code(), result.errors());
            assertTrue(result.errors().contains("driver=jnr"), result.errors());
            CommandResult elsewhere = CommandResult.of(List.of("why", base.toString()));
            assertEquals(64, elsewhere.code(), elsewhere.errors());
            assertTrue(elsewhere.errors().contains("not on a Cairn mount"), elsewhere.errors());
        }
    }
}
