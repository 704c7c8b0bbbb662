package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import io.cairn.node.MasterNode;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/** Orders of an operator to chunk servers of real processes. */
@Timeout(value = 300)
final class StorageOrdersTest {
    private static final int FILES = 12;
    private static final int FILE_BYTES = 300_000;

    @TempDir private static Path directory;
    private static ProcessCluster cluster;
    private static Path mount;

    @BeforeAll
    @Timeout(value = 240)
    static void start() throws Exception {
        cluster = new ProcessCluster(directory, 2);
        cluster.startMasters(1, 3);
        cluster.startChunkServers(3);
        mount = cluster.mount("mnt");
        cluster.awaitFirstToken();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static CommandResult cairn(String... words) throws Exception {
        String door = cluster.process("m1").await("admin on (\\S+)", 60).group(1);
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.addAll(
                List.of(
                        "--api",
                        "http://" + door.replaceFirst("^http://", "").replaceAll("/+$", ""),
                        "--token-file",
                        directory.resolve("m1").resolve(MasterNode.TOKEN_FILE).toString()));
        return CommandResult.of(arguments);
    }

    private static String ok(String... words) throws Exception {
        CommandResult result = cairn(words);
        assertEquals(ExitCode.OK, result.code(), result.errors() + result.out());
        return result.out();
    }

    private static byte[] contents(int number) {
        byte[] bytes = new byte[FILE_BYTES];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    /** The groups that have a copy on a server. */
    private static int groups(String server) throws Exception {
        int groups = 0;
        Map<String, Object> page = JSON.std.mapFrom(ok("admin", "targets", "--json"));
        for (Object each : (List<?>) page.getOrDefault("items", List.of())) {
            Map<?, ?> target = (Map<?, ?>) each;
            groups +=
                    server.equals(target.get("server"))
                                    && target.get("groups") instanceof Number number
                            ? number.intValue()
                            : 0;
        }
        return groups;
    }

    @Test
    void maintenanceTakesTheHeadsAwayWithoutAPause() throws Exception {
        long shortest = Long.MAX_VALUE;
        // A disk that others use has pauses of its own: one round without a pause is enough.
        for (int round = 0; round < 3 || (round < 12 && shortest >= 300); round++) {
            String server = round % 2 == 0 ? "c1" : "c2";
            long longest = 0;
            Thread order = Thread.ofVirtual().unstarted(() -> maintain(server));
            try (FileChannel file =
                    FileChannel.open(
                            mount.resolve("log-" + server),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE)) {
                for (int i = 0; i < 100 || order.isAlive(); i++) {
                    if (i == 30) {
                        order.start();
                    }
                    long startNs = System.nanoTime();
                    file.write(ByteBuffer.wrap(new byte[1 << 16]), (long) (i % 200) << 16);
                    file.force(false);
                    longest = Math.max(longest, System.nanoTime() - startNs);
                }
            }
            assertTrue(ok("status").contains("in maintenance until"));
            ok("admin", "servers", "maintenance", server, "--end");
            shortest = Math.min(shortest, longest / 1_000_000);
        }
        assertTrue(shortest < 300, "the longest pauses were at least " + shortest + " ms");
    }

    private static void maintain(String server) {
        try {
            ok("admin", "servers", "maintenance", server, "--for", "30m");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** The file of a copy of a chunk that begins with some bytes. */
    private static Path copyOf(byte[] contents) throws Exception {
        byte[] start = Arrays.copyOf(contents, 4096);
        for (String server : List.of("c1", "c2", "c3")) {
            try (Stream<Path> files = Files.walk(directory.resolve(server))) {
                for (Path each : files.filter(Files::isRegularFile).toList()) {
                    try (InputStream in = Files.newInputStream(each)) {
                        if (Arrays.equals(start, in.readNBytes(start.length))) {
                            return each;
                        }
                    }
                }
            }
        }
        throw new AssertionError("no copy lies on a disk");
    }

    @Test
    void theCopiesOfADirectoryAreVerifiedAndMended() throws Exception {
        Path tree = mount.resolve("scrubbed");
        Files.createDirectories(tree.resolve("deep"));
        for (String name : List.of("one", "deep/two")) {
            Path file = tree.resolve(name);
            Files.write(file, contents(1000 + name.length()));
            try (FileChannel synced = FileChannel.open(file, StandardOpenOption.WRITE)) {
                synced.force(true);
            }
        }
        Files.write(tree.resolve("small"), new byte[100]);
        String clean = ok("admin", "scrub", "/scrubbed");
        assertTrue(clean.contains("2 files, 2 chunks, 4 copies"), clean);
        assertTrue(clean.contains("0 bad, 0 mended"), clean);
        // No file of another test has these contents: only this one is damaged.
        byte[] two = contents(1000 + "deep/two".length());
        try (FileChannel copy = FileChannel.open(copyOf(two), StandardOpenOption.WRITE)) {
            copy.write(ByteBuffer.wrap(new byte[4096]), 8192);
            copy.force(true);
        }
        String found = ok("admin", "scrub", "/scrubbed");
        assertTrue(found.contains("/scrubbed/deep/two: 1 bad copy, 1 mended"), found);
        assertTrue(found.contains("1 bad, 1 mended"), found);
        assertTrue(ok("admin", "scrub", "/scrubbed/deep/two").contains("0 bad, 0 mended"));
        assertArrayEquals(two, Files.readAllBytes(tree.resolve("deep/two")));
        CommandResult none = cairn("admin", "scrub", "/none");
        assertTrue(none.errors().contains("There is no 'none'"), none.errors());
    }

    @Test
    void aServerIsDrainedAndRemoved() throws Exception {
        for (int i = 0; i < FILES; i++) {
            Files.write(mount.resolve("file" + i), contents(i));
        }
        CommandResult refused = cairn("admin", "servers", "remove", "c3", "--yes");
        assertEquals(ExitCode.CANNOT_CREATE, refused.code(), refused.errors());
        assertTrue(refused.errors().contains("servers drain c3"), refused.errors());
        String plan = ok("admin", "servers", "drain", "c3", "--plan");
        assertTrue(plan.contains("move to other targets"), plan);
        assertTrue(ok("admin", "durability").contains("server  1 may fail"));
        ok("admin", "servers", "drain", "c3", "--yes");
        CommandResult last = cairn("admin", "servers", "drain", "c2", "--yes");
        assertEquals(ExitCode.CANNOT_CREATE, last.code(), last.errors());
        assertTrue(last.errors().contains("--force REASON"), last.errors());
        Poll.until("c3 is empty", 90, () -> groups("c3") == 0);
        assertTrue(ok("admin", "durability").contains("server  1 may fail"));
        refused = cairn("admin", "servers", "remove", "c3", "--yes");
        assertTrue(refused.errors().contains("stop it"), refused.errors());
        cluster.kill("c3");
        Poll.until(
                "c3 is forgotten",
                60,
                () -> cairn("admin", "servers", "remove", "c3", "--yes").code() == ExitCode.OK);
        assertTrue(!ok("admin", "servers").contains("c3"));
        for (int i = 0; i < FILES; i++) {
            assertArrayEquals(contents(i), Files.readAllBytes(mount.resolve("file" + i)));
        }
        Files.write(mount.resolve("after"), contents(99));
        assertArrayEquals(contents(99), Files.readAllBytes(mount.resolve("after")));
    }
}
