package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.node.ExitCode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code cairn class} on a real cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClassCommandsTest {
    @TempDir private static Path directory;
    private TestCluster cluster;

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 1, 1);
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

    private void create(CairnFileSystem fs, long parentIno, String name) {
        fs.create(Caller.ROOT, parentIno, Name.of(name), 0644, FileSystem.O_RDWR).file().close();
    }

    @Test
    void rulesChooseTheClassOfNewFiles() {
        CairnFileSystem fs = cluster.client("java");
        long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("d"), 0755).ino();
        ok("class", "create", "videos", "--chunk-size", "16M");
        fails("character 3", "class", "rule", "add", "videos", "--name", "*.[mp4");
        fails("--name, --owner or --group", "class", "rule", "add", "videos", "--below", "/d");
        fails("There are: videos", "class", "rule", "add", "other", "--name", "*");
        String plan = ok("class", "rule", "add", "videos", "--name", "*.mp4", "--plan");
        assertTrue(plan.contains("*.mp4"), plan);
        assertTrue(ok("class", "rule").contains("none"));
        ok("class", "rule", "add", "videos", "--name", "*.mp4", "--owner", "0", "--below", "/d");
        assertTrue(ok("class", "rule").contains("*.mp4"));
        create(fs, dir, "a.mp4");
        create(fs, dir, "a.txt");
        String told = ok("class", "of", "/d/a.mp4");
        assertTrue(told.contains("rule 1: videos --name '*.mp4' --owner 0 --below /d"), told);
        told = ok("fs", "info", "/d/a.mp4");
        assertTrue(told.contains("rule 1"), told);
        assertTrue(told.contains("16.0 MiB"), told);
        told = ok("class", "of", "/d/a.txt");
        assertTrue(!told.contains("videos"), told);
        fails("rules alone", "class", "apply", "videos");
        fails("rule 1", "class", "remove", "videos");
        ok("class", "rule", "remove", "1");
        fails("There are none", "class", "rule", "remove", "1");
        ok("class", "remove", "videos");
    }
}
