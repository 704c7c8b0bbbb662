package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.node.ExitCode;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code cairn snapshot} on a real cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SnapshotCommandsTest {
    @TempDir private static Path directory;
    private TestCluster cluster;

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 1, 1);
        CairnFileSystem fs = cluster.client("java");
        fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("d"), 0755);
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    private String ok(String... words) {
        CommandResult result = cluster.cairn(words);
        assertEquals(ExitCode.OK, result.code(), result.errors() + result.out());
        return result.out();
    }

    private void fails(String says, String... words) {
        CommandResult result = cluster.cairn(words);
        assertTrue(result.code() != ExitCode.OK, result.out());
        assertTrue(result.errors().contains(says), result.errors());
    }

    @Test
    void aScheduleTakesSnapshotsUntilItIsRemoved() throws Exception {
        String plan = ok("snapshot", "schedule", "set", "/d", "hourly=24,monthly=12", "--plan");
        assertTrue(plan.contains("hourly=24,monthly=12"), plan);
        assertTrue(ok("snapshot", "schedule").contains("none"));
        ok("snapshot", "schedule", "set", "/d", "hourly=24,monthly=12");
        Poll.until("snapshots", 60, () -> ok("snapshot", "list").contains("monthly-20"));
        assertTrue(ok("snapshot").contains("hourly-20"));
        assertTrue(ok("snapshot", "schedule", "list").contains("hourly=24,monthly=12"));
        fails("no whole number", "snapshot", "schedule", "set", "/d", "daily=x");
        fails("there are hourly", "snapshot", "schedule", "set", "/d", "yearly=1");
        fails("absent", "snapshot", "schedule", "set", "/absent", "daily=1");
        ok("snapshot", "schedule", "remove", "/d");
        assertTrue(ok("snapshot", "schedule").contains("none"));
        fails("no schedule", "snapshot", "schedule", "remove", "/d");
        for (String line : ok("snapshot").lines().toList()) {
            if (line.startsWith("/d")) {
                ok("snapshot", "drop", "/d", line.split(" +", -1)[1], "--yes");
            }
        }
    }

    @Test
    void treesAreClonedAndRestored() {
        CairnFileSystem fs = cluster.client("planter");
        long tree = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("tree"), 0750).ino();
        fs.mkdir(Caller.ROOT, tree, Name.of("sub"), 0755);
        assertTrue(ok("clone", "/tree", "/tree2", "--plan").contains("/tree2"));
        String told = ok("clone", "/tree", "/tree2");
        assertTrue(told.contains("clone /tree2: done"), told);
        assertTrue(ok("fs", "info", "/tree2/sub").contains("directory"));
        fails("exists already", "clone", "/tree", "/tree2");
        fails("outside of it", "clone", "/tree", "/tree/sub/copy");
        ok("snapshot", "create", "/tree", "before");
        fs.rmdir(Caller.ROOT, tree, Name.of("sub"));
        fails("give --to DST", "snapshot", "restore", "/tree", "before");
        String job = ok("snapshot", "restore", "/tree", "before", "--to", "/old", "--detach");
        Poll.until("job", 60, () -> ok("admin", "jobs").contains("/old"));
        assertTrue(Long.parseLong(job.strip()) > 0, job);
        Poll.until(
                "restored",
                60,
                () -> cluster.cairn("fs", "info", "/old/sub").code() == ExitCode.OK);
        ok("snapshot", "drop", "/tree", "before", "--yes");
    }

    @Test
    void theSpaceOfASnapshotIsToldOnDemand() {
        CairnFileSystem fs = cluster.client("writer");
        FileSystem.Created made =
                fs.create(
                        Caller.ROOT,
                        FileSystem.ROOT_INO,
                        Name.of("large"),
                        0644,
                        FileSystem.O_RDWR);
        try (OpenFile file = made.file()) {
            file.write(0, ByteBuffer.allocate(1 << 20));
            file.sync(false);
        }
        ok("snapshot", "create", "/", "held");
        assertTrue(ok("snapshot", "list", "--held").contains("all together hold 0"));
        fs.unlink(Caller.ROOT, FileSystem.ROOT_INO, Name.of("large"));
        Poll.until(
                "space",
                60,
                () -> ok("snapshot", "list", "--held").contains("all together hold 1"));
        String line =
                ok("snapshot", "list", "--held")
                        .lines()
                        .filter(each -> each.contains(" held "))
                        .findFirst()
                        .orElseThrow();
        assertTrue(line.contains("1.00 MiB") || line.contains("1 MiB"), line);
        ok("snapshot", "drop", "/", "held", "--yes");
    }

    @Test
    void pathsAreGivenAsOnAMount() throws Exception {
        Path at = cluster.mount("mount", MountOptions.standard()).resolve("mounted");
        Files.createDirectory(at);
        Files.writeString(at.resolve("f"), "text");
        ok("snapshot", "create", at.toString(), "s");
        Files.delete(at.resolve("f"));
        assertTrue(ok("snapshot", "diff", at.toString(), "s").contains("f"));
        ok("clone", at.resolve(".snapshots/s/f").toString(), at.resolve("f").toString());
        assertEquals("text", Files.readString(at.resolve("f")));
        ok("clone", at.resolve("f").toString(), at.resolve("g").toString());
        ok("snapshot", "schedule", "set", at.toString(), "monthly=1", "--plan");
        ok("snapshot", "drop", at.toString(), "s", "--yes");
    }
}
