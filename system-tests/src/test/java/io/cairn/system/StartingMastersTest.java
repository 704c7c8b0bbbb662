package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever comes before the masters waits for them, and says so. */
final class StartingMastersTest {
    /** Longer than a slow machine takes to start all that comes before the master. */
    private static final String PATIENTLY = " --wait 200";

    @TempDir private Path directory;

    private CairnProcess start(String name, String line) {
        return CairnProcess.start(directory.resolve(name + ".log"), List.of(line.split(" ")));
    }

    @Test
    @Timeout(240)
    void everybodyWaitsForTheMaster() throws Exception {
        String master = "127.0.0.1:" + ProcessCluster.freePort();
        String admin = "127.0.0.1:" + ProcessCluster.freePort();
        Path mount = Files.createDirectory(directory.resolve("mnt"));
        String data = directory.resolve("m1").toString();
        String ask = "admin masters --data " + data + " --api http://" + admin;
        String waiting = "cairn: waiting for masters \\(.*" + master + "\\) \\.\\.\\.";
        String chunkLine = "chunk --id c1 --listen 127.0.0.1:0 --masters " + master + " --data ";
        try (CairnProcess chunk = start("chunk", chunkLine + directory.resolve("c1"));
                CairnProcess mounting =
                        start("mount", "mount " + master + " " + mount + PATIENTLY);
                CairnProcess status = start("status", "status --masters " + master + PATIENTLY);
                CairnProcess api = start("api", ask);
                CairnProcess health = start("health", "health --metrics " + admin + PATIENTLY)) {
            chunk.await(waiting, 60);
            mounting.await(waiting, 60);
            status.await(waiting, 60);
            assertFalse(chunk.output().contains("cairn chunk c1 ready"), chunk.output());
            api.awaitExit(60); // there is no token before there is a master
            assertTrue(api.output().contains("no token"), api.output());
            String raft = "m1=127.0.0.1:" + ProcessCluster.freePort();
            String line = "master --id m1 --found --raft " + raft + " --listen " + master;
            try (CairnProcess serving =
                    start("master", line + " --admin " + admin + " --data " + data)) {
                serving.await(CairnProcess.READY, 60);
                chunk.await("(?m)^cairn chunk c1 ready", 60);
                assertEquals(ExitCode.OK, mounting.awaitExit(60), mounting.output());
                assertEquals(ExitCode.OK, status.awaitExit(60), status.output());
                assertEquals(ExitCode.OK, health.awaitExit(60), health.output());
                Files.writeString(mount.resolve("file"), "x");
                assertEquals("x", Files.readString(mount.resolve("file")));
                ProcessCluster.unmount(mount);
            }
            try (CairnProcess waits = start("again", ask)) {
                waits.await("cairn: waiting for masters \\(http://" + admin + "\\)", 60);
            }
        } finally {
            ProcessCluster.unmount(mount);
        }
    }

    @Test
    void aSubdirectoryThatIsNotThereIsNamed() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            Path mount = Files.createDirectory(directory.resolve("at"));
            CairnProcess.Result result =
                    CairnProcess.run(
                            directory,
                            "mount",
                            cluster.masters() + ":/not/there",
                            mount.toString());
            assertEquals(ExitCode.NO_INPUT, result.exitCode(), result.output());
            assertEquals(
                    "cairn: there is no directory /not/there in the cluster; mount / and make it",
                    result.output().strip());
        }
    }
}
