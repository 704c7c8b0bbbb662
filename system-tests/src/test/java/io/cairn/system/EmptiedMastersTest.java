package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Directories of masters are emptied, as when disks are not mounted: real processes. */
final class EmptiedMastersTest {
    @TempDir private Path directory;

    @Test
    @Timeout(value = 240)
    void twoEmptyDirectoriesAreNoClusterAndOneCatchesUp() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(3, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            Files.writeString(mount.resolve("kept"), "contents");
            for (String each : List.of("m1", "m2", "m3")) {
                cluster.kill(each);
            }
            Files.move(directory.resolve("m1"), directory.resolve("saved"));
            empty("m2");
            cluster.start("m1");
            cluster.start("m2");
            Poll.until(
                    "the emptied masters to miss the third",
                    60,
                    () -> log(cluster, "m1").contains("m3 does not answer"));
            cluster.start("m3");
            Poll.until(
                    "the emptied masters to see the third",
                    60,
                    () ->
                            log(cluster, "m1").contains("the cluster that m3 knows")
                                    && log(cluster, "m2").contains("the cluster that m3 knows"));
            assertFalse(log(cluster, "m1").contains("m1 ready"), log(cluster, "m1"));
            assertFalse(log(cluster, "m3").contains("founded cluster"), log(cluster, "m3"));

            cluster.kill("m1");
            empty("m1");
            Files.move(directory.resolve("saved"), directory.resolve("m1"));
            cluster.start("m1");
            cluster.process("m2").await(CairnProcess.READY, 60);
            assertTrue(log(cluster, "m2").contains("it has caught up"), log(cluster, "m2"));
            assertEquals("contents", Files.readString(mount.resolve("kept")));
            awaitAllUp(cluster);
            recoverTheThird(cluster);
        }
    }

    /** Two directories are lost for good. */
    private void recoverTheThird(ProcessCluster cluster) throws Exception {
        for (String each : List.of("m1", "m2", "m3")) {
            cluster.kill(each);
        }
        empty("m1");
        empty("m2");
        String m3 = directory.resolve("m3").toString();
        String[] recover = {"admin", "masters", "recover", "--data", m3};
        CairnProcess.Result plan = CairnProcess.run(directory, recover);
        assertEquals(ExitCode.OK, plan.exitCode(), plan.output());
        assertTrue(plan.output().contains("up to entry"), plan.output());
        String[] really = Arrays.copyOf(recover, recover.length + 1);
        really[recover.length] = "--yes";
        CairnProcess.Result done = CairnProcess.run(directory, really);
        assertEquals(ExitCode.OK, done.exitCode(), done.output());
        for (String each : List.of("m1", "m2", "m3")) {
            cluster.start(each);
        }
        Path again = cluster.mount("again");
        assertEquals("contents", Files.readString(again.resolve("kept")));
        Files.writeString(again.resolve("new"), "more");
        assertEquals("more", Files.readString(again.resolve("new")));
        awaitAllUp(cluster);
        assertTrue(log(cluster, "m3").contains("the cluster is recovered"), log(cluster, "m3"));
    }

    private void awaitAllUp(ProcessCluster cluster) throws Exception {
        Poll.until(
                "all masters to be up",
                60,
                () -> {
                    var status =
                            CairnProcess.run(directory, "status", "--masters", cluster.masters());
                    return status.output().lines().filter(l -> l.startsWith("master ")).count() == 3
                            && !status.output().contains("catching up");
                });
    }

    @Test
    void aLoneMasterIsNotFoundedUntold() throws Exception {
        String[] lone = {
            "master",
            "--id",
            "m1",
            "--data",
            directory.resolve("m1").toString(),
            "--listen",
            "127.0.0.1:" + ProcessCluster.freePort(),
            "--raft",
            "m1=127.0.0.1:" + ProcessCluster.freePort(),
            "--admin",
            "127.0.0.1:0"
        };
        CairnProcess.Result refused = CairnProcess.run(directory, lone);
        assertNotEquals(0, refused.exitCode());
        assertTrue(refused.output().contains("--found"), refused.output());
    }

    private void empty(String master) throws Exception {
        Shell.run(directory, "rm -rf " + master);
    }

    private static String log(ProcessCluster cluster, String name) throws Exception {
        return Files.readString(cluster.log(name));
    }
}
