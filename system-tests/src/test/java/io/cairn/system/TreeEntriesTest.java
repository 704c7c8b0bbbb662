package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fuse.loop.MountOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How many entries of the log {@code tar x} and {@code rm -rf} of a tree cost. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TreeEntriesTest {
    private static final int DIRECTORIES = 25;
    private static final int FILES = 20;
    private static final int ALL = DIRECTORIES * FILES;

    @TempDir(factory = MemoryDirectory.class)
    private static Path directory;

    private TestCluster cluster;
    private Path archive;

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 1, 1);
        Path source = directory.resolve("source");
        Path tree = Files.createDirectories(source.resolve("tree"));
        for (int i = 0; i < DIRECTORIES; i++) {
            Path each = Files.createDirectory(tree.resolve("d" + i));
            for (int j = 0; j < FILES; j++) {
                Files.write(each.resolve("f" + j), new byte[1000]);
            }
        }
        archive = directory.resolve("tree.tar");
        run("tar", "cf", archive.toString(), "-C", source.toString(), "tree");
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertEquals(0, process.waitFor(), String.join(" ", command));
    }

    private long entries() {
        return cluster.embedded().service().namespace().appliedIndex();
    }

    /** Entries for each file of {@code tar x}, and of {@code rm -rf}. */
    private double[] entriesForEachFile(String names) throws Exception {
        Path mountpoint = cluster.mount(names, MountOptions.parse("names=" + names));
        Path home = Files.createDirectory(mountpoint.resolve("home-" + names));
        long before = entries();
        run("tar", "xf", archive.toString(), "-C", home.toString());
        long unpacked = entries();
        assertEquals(ALL, count(home));
        long listed = entries();
        run("rm", "-rf", home.resolve("tree").toString());
        assertFalse(Files.exists(home.resolve("tree")));
        double[] each = {(unpacked - before) / (double) ALL, (entries() - listed) / (double) ALL};
        System.out.printf(
                "names=%s: tar x %.2f, rm -rf %.2f entries a file%n", names, each[0], each[1]);
        return each;
    }

    private static long count(Path top) throws IOException {
        try (var all = Files.walk(top)) {
            return all.filter(Files::isRegularFile).count();
        }
    }

    @Test
    @Timeout(240)
    void treesCostLessTheLaterTheMastersHear() throws Exception {
        double[] sync = entriesForEachFile("sync");
        double[] delegated = entriesForEachFile("delegated");
        double[] async = entriesForEachFile("async");
        assertTrue(sync[0] > 2, () -> "tar x " + sync[0]);
        assertTrue(delegated[0] < 1.4, () -> "tar x " + delegated[0]);
        assertTrue(async[1] < 0.5, () -> "rm -rf " + async[1]);
    }
}
