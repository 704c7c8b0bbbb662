package io.cairn.cli;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power of the only machine is cut under load: every synced byte and every acknowledged name is
 * there afterwards, and whoever synced what was lost meanwhile has been told.
 */
@Timeout(value = 180)
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

    @Test
    void whatWasSyncedSurvives() throws Exception {
        Random random = new Random(1);
        try (ImageDisk disk = new ImageDisk(directory);
                ProcessCluster cluster = new ProcessCluster(directory, disk.path(), 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            SyncedLoad load = new SyncedLoad(mount, 3, 7);
            letItWork(load, random);
            // The mount is on another machine: it goes on, and must not promise what is lost.
            lose(cluster, disk);
            letItWork(load, random);
            load.stop();
            load.syncAll();
            Path other = cluster.mount("other");
            load.verify(other);
            load.close();
            try (SyncedLoad second = new SyncedLoad(other, 3, 8)) {
                letItWork(second, random);
                lose(cluster, disk, "mnt", "other");
                second.stop();
                Path again = cluster.mount("again");
                second.verify(again);
                load.verify(again);
            }
        }
    }
}
