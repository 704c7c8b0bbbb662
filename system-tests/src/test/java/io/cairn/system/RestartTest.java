package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code cairn up} restarts on the same data again and again under load, gently and by {@code kill
 * -9}.
 */
@Tag("long")
final class RestartTest {
    private static final int ROUNDS = 20;

    @TempDir private Path directory;

    @Test
    @Timeout(value = 300)
    void twentyRestartsUnderLoad() throws Exception {
        Path mount = Files.createDirectories(directory.resolve("mnt"));
        Path log = directory.resolve("up.log");
        List<String> command =
                List.of(
                        "up",
                        "--data",
                        directory.resolve("data").toString(),
                        "--mount",
                        mount.toString(),
                        "--admin",
                        "127.0.0.1:0",
                        "--listen",
                        "127.0.0.1:0");
        Random random = new Random(20);
        AckedLoad previous = null;
        try {
            for (int round = 0; round < ROUNDS; round++) {
                Files.deleteIfExists(log);
                try (CairnProcess up = CairnProcess.start(log, command)) {
                    up.await(CairnProcess.READY, 60);
                    if (previous != null) {
                        previous.verify(mount.resolve("round" + (round - 1)));
                        Shell.run(mount, "rm -rf round*");
                    }
                    AckedLoad load = new AckedLoad(mount.resolve("round" + round), 2, round, false);
                    Poll.until("some work", 60, () -> load.operations() > 40 + random.nextInt(40));
                    if (round % 2 == 0) {
                        up.kill();
                    } else {
                        up.terminate();
                        up.awaitExit(15);
                    }
                    load.stop();
                    previous = load;
                    assertTrue(load.operations() > 0);
                }
            }
        } finally {
            ProcessCluster.unmount(mount);
        }
    }
}
