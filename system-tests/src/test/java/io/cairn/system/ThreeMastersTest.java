package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three masters: start, elect, fail over, catch up. */
final class ThreeMastersTest {
    @TempDir private Path directory;

    @Test
    @Timeout(value = 180)
    void theClusterOutlivesEachOfItsMasters() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(3, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            try (AckedLoad load = new AckedLoad(mount, 2, 33, true)) {
                for (int round = 1; round <= 3; round++) {
                    int goal = load.operations() + 50;
                    Poll.until("work", 60, () -> load.operations() >= goal);
                    cluster.kill("m" + round);
                    int after = load.operations() + 30;
                    Poll.until("work with two masters", 60, () -> load.operations() >= after);
                    cluster.start("m" + round);
                    cluster.process("m" + round).await(CairnProcess.READY, 60);
                }
                load.stop();
                load.verify(mount);
                assertEquals(List.of(), load.failures(), cluster.logs());
            }
        }
    }
}
