package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cairn unmount}. */
final class UnmountTest {
    @TempDir private Path directory;

    @Test
    void whoKeepsAMountBusyIsNamed() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            Path file = mount.resolve("held");
            long pid = ProcessHandle.current().pid();
            try (OutputStream held = Files.newOutputStream(file)) {
                held.write(1);
                CairnProcess.Result busy = CairnProcess.run(directory, "unmount", mount.toString());
                assertEquals(ExitCode.TEMPORARY, busy.exitCode(), busy.output());
                assertTrue(
                        busy.output().contains(" (pid " + pid + ": " + file + ")"), busy.output());
                assertEquals(1, busy.output().lines().count(), busy.output());
            }
            CairnProcess.Result done = CairnProcess.run(directory, "unmount", mount.toString());
            assertEquals(ExitCode.OK, done.exitCode(), done.output());
            CairnProcess.Result none = CairnProcess.run(directory, "unmount", mount.toString());
            assertEquals(ExitCode.NO_INPUT, none.exitCode(), none.output());
            assertTrue(none.output().contains("no Cairn mount at " + mount), none.output());
        }
    }
}
