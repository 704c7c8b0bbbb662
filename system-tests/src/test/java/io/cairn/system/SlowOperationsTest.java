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

    @Test
    void operationsAreFoundByPathWithWhatTheyWaitedFor() throws Exception {
        try (TestCluster cluster = new TestCluster(base, 1, 1)) {
            Path mount = cluster.mount("mnt", MountOptions.parse(""));
            Path file = Files.createDirectory(mount.resolve("dir")).resolve("file");
            try (FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                int _ = channel.write(ByteBuffer.allocate(3 << 20));
                channel.force(true);
            }
            List<String> why = List.of("why", mount.toString(), "--json");
            List<?> all = list(CommandResult.of(why), "operations");
            assertTrue(sum(all, "mkdir", "masterUs") > 0, "a change of a name: " + all);
            assertTrue(sum(all, "fsync", "chunksUs") > 0, "chunks made durable: " + all);
            assertTrue(sum(all, "fsync", "masterUs") > 0, "and then the size told: " + all);
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
