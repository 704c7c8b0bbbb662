package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import io.cairn.node.MasterNode;
import io.cairn.verify.process.CommandShell;
import io.cairn.verify.process.ImageDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power of the only machine is cut under load: every synced byte and every acknowledged name is
 * there afterwards, and whoever synced what was lost meanwhile has been told.
 */
@Timeout(value = 300)
final class PowerCutTest {
    @TempDir private Path directory;

    private static void letItWork(SyncedLoad load, Random random) {
        int goal = load.syncs() + 30;
        Poll.until("30 more syncs", 60, () -> load.syncs() >= goal);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(300)));
    }

    private static void lose(ProcessCluster cluster, ImageDisk disk, String... others)
            throws Exception {
        disk.cutPower();
        cluster.kill("c1");
        cluster.kill("m1");
        for (String other : others) {
            cluster.kill(other);
        }
        disk.restorePower();
        cluster.start("m1");
        cluster.start("c1");
    }

    private static Path token(ImageDisk disk) {
        return disk.path().resolve("m1").resolve(MasterNode.TOKEN_FILE);
    }

    /** What was written when the cluster was founded is there, and still opens it. */
    private void requireAdministrator(ProcessCluster cluster, ImageDisk disk, byte[] token)
            throws Exception {
        assertTrue(token.length > 20, "a token of " + token.length + " bytes");
        assertArrayEquals(token, Files.readAllBytes(token(disk)));
        CairnProcess master = cluster.process("m1");
        master.await(CairnProcess.READY, 60);
        Matcher admin = Pattern.compile("admin on (\\S+)").matcher(master.output());
        assertTrue(admin.find(), master.output());
        CairnProcess.Result tokens =
                CairnProcess.run(
                        directory,
                        "admin",
                        "tokens",
                        "--data",
                        disk.path().resolve("m1").toString(),
                        "--api",
                        "http://" + admin.group(1));
        assertEquals(ExitCode.OK, tokens.exitCode(), tokens.output());
    }

    @Test
    void whatWasSyncedSurvives() throws Exception {
        Random random = new Random(1);
        try (CommandShell shell = new CommandShell();
                ImageDisk disk = new ImageDisk(shell, directory, 1L << 30);
                ProcessCluster cluster = new ProcessCluster(directory, disk.path(), 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            SyncedLoad load = new SyncedLoad(mount, false, 3, 7);
            byte[] token = Files.readAllBytes(cluster.awaitFirstToken());
            letItWork(load, random);
            // The mount is on another machine: it goes on, and must not promise what is lost.
            lose(cluster, disk);
            requireAdministrator(cluster, disk, token);
            letItWork(load, random);
            load.stop();
            load.syncAll();
            Path other = cluster.mount("other");
            load.verify(other);
            load.close();
            Files.createDirectory(other.resolve("sync"));
            Path strict = cluster.mount("strict", ":/sync", "-o", "names=sync");
            try (SyncedLoad second = new SyncedLoad(other, false, 3, 8);
                    SyncedLoad third = new SyncedLoad(strict, true, 3, 9)) {
                letItWork(second, random);
                letItWork(third, random);
                lose(cluster, disk, "mnt", "other", "strict");
                second.stop();
                third.stop();
                Path again = cluster.mount("again");
                second.verify(again);
                third.verify(again.resolve("sync"));
                load.verify(again);
            }
        }
    }
}
