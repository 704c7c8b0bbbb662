package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.node.ExitCode;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
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

    /** Writes a file at once and reads it again. */
    private void write(CairnFileSystem fs, long parentIno, String name, int bytes) {
        byte[] contents = new byte[bytes];
        Arrays.fill(contents, (byte) 7);
        Name of = Name.of(name);
        try (OpenFile file =
                fs.create(Caller.ROOT, parentIno, of, 0644, FileSystem.O_RDWR).file()) {
            file.write(0, ByteBuffer.wrap(contents));
            file.sync(false);
            ByteBuffer read = ByteBuffer.allocate(bytes);
            file.read(0, read);
            assertEquals(ByteBuffer.wrap(contents), read.flip());
        }
    }

    private void isInline(boolean wanted, String path) {
        String told = ok("fs", "info", path);
        Pattern shown = Pattern.compile("inline +" + (wanted ? "yes" : "no"));
        assertTrue(shown.matcher(told).find(), told);
    }

    @Test
    void theClassSaysHowLargeContentsInTheMastersAre() {
        CairnFileSystem fs = cluster.client("inline");
        long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("i"), 0755).ino();
        fails("512 to 16K", "class", "create", "large", "--inline-limit", "32K");
        fails("512 to 16K", "class", "create", "large", "--inline-limit", "100");
        write(fs, dir, "before", 100);
        ok("class", "create", "large", "--inline-limit", "0");
        ok("class", "create", "small", "--inline-limit", "16K");
        assertTrue(ok("class", "list").contains("16.0 KiB"));
        ok("fs", "set", "--class", "large", "/i");
        write(fs, dir, "large", 100);
        ok("fs", "set", "--class", "small", "/i");
        write(fs, dir, "small", 10_000);
        write(fs, dir, "larger", 20_000);
        isInline(true, "/i/before");
        isInline(false, "/i/large");
        isInline(true, "/i/small");
        isInline(false, "/i/larger");
        ok("fs", "set", "--class", "none", "/i");
        ok("class", "remove", "large");
        ok("class", "remove", "small");
    }

    @Test
    void aDirectoryWithoutAClassMaySayTheSame() {
        CairnFileSystem fs = cluster.client("policy");
        long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("p"), 0755).ino();
        ok("fs", "set", "--compression", "lz4", "--inline-limit", "16K", "/p");
        write(fs, dir, "file", 10_000);
        isInline(true, "/p/file");
        String plan = ok("fs", "set", "--compression", "none", "--plan", "-r", "/p");
        assertTrue(plan.contains("none"), plan);
        assertTrue(ok("fs", "info", "/p").contains("lz4"));
        fails("none, lz4, zstd", "fs", "set", "--compression", "gzip", "/p");
        fails("512 to 16K", "fs", "set", "--inline-limit", "64K", "/p");
        fails("16 MiB", "fs", "set", "--chunk-size", "32M", "/p");
        ok("fs", "set", "--compression", "default", "--inline-limit", "default", "/p");
        assertTrue(!ok("fs", "info", "/p").contains("lz4"));
    }

    @Test
    void aClassSaysWhichSnapshotsAreTaken() {
        CairnFileSystem fs = cluster.client("schedule");
        fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("s"), 0755);
        ok("class", "create", "kept", "--schedule", "monthly=3");
        ok("fs", "set", "--class", "kept", "/s");
        String listed = ok("snapshot", "schedule");
        assertTrue(listed.contains("/s") && listed.contains("kept"), listed);
        fails("no kind 'yearly'", "class", "set", "kept", "--schedule", "yearly=1");
        ok("class", "set", "kept", "--schedule", "weekly=2", "--replicas", "1");
        assertTrue(ok("class", "show", "kept").contains("weekly=2"));
        ok("class", "set", "kept", "--schedule", "none");
        assertTrue(!ok("snapshot", "schedule").contains("kept"));
        ok("fs", "set", "--class", "none", "/s");
        ok("class", "remove", "kept");
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
