package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three masters: start, elect, fail over, catch up. */
final class ThreeMastersTest {
    /**
     * On a machine that does other things, too; several calls of an operation may wait. {@link
     * StallsTest} asks for less on a quiet machine.
     */
    private static final long LONGEST_MS = 15_000;

    /** The second where the lead was lost before it was given, as on a busy machine. */
    private static final Pattern HANDED_OVER =
            Pattern.compile("this master stops, (m[123] leads|and leads no more)");

    @TempDir private Path directory;

    @Test
    @Timeout(value = 600)
    void theClusterOutlivesEachOfItsMasters() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(3, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            try (AckedLoad load = new AckedLoad(mount, 2, 33, true)) {
                for (int round = 1; round <= 3; round++) {
                    int goal = load.operations() + 50;
                    Poll.until("work", 60, () -> load.operations() >= goal);
                    String master = "m" + round;
                    // A stopped process keeps its connections, and new ones are accepted for it.
                    cluster.process(master).signal("STOP");
                    int after = load.operations() + 30;
                    Poll.until("work beside a stopped one", 60, () -> load.operations() >= after);
                    cluster.process(master).signal("CONT");
                    int beside = load.operations() + 30;
                    cluster.kill(master);
                    Poll.until("work with two masters", 60, () -> load.operations() >= beside);
                    cluster.start("m" + round);
                    cluster.process("m" + round).await(CairnProcess.READY, 60);
                }
                restartEach(cluster, load);
                load.stop();
                load.verify(mount);
                assertEquals(List.of(), load.failures(), cluster.logs());
                assertTrue(
                        load.longestMs() < LONGEST_MS,
                        () -> load.longestMs() + " ms for one operation");
            }
        }
    }

    /** One after the other, as for an upgrade: the one that leads hands the lead over first. */
    private static void restartEach(ProcessCluster cluster, AckedLoad load) throws Exception {
        int handedOver = 0;
        for (int i = 1; i <= 3; i++) {
            CairnProcess master = cluster.process("m" + i);
            master.terminate();
            Poll.until("the end of m" + i, 30, () -> !master.isAlive());
            handedOver += HANDED_OVER.matcher(master.output()).find() ? 1 : 0;
            int after = load.operations() + 30;
            Poll.until("work without m" + i, 60, () -> load.operations() >= after);
            cluster.start("m" + i);
            cluster.process("m" + i).await(CairnProcess.READY, 60);
        }
        assertTrue(handedOver > 0, cluster.logs());
    }
}
