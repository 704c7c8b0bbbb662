package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.StoreSettings;
import io.cairn.runtime.Clock;
import io.cairn.runtime.FileDisk;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.scrub.ScrubReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TargetReportsTest {
    @TempDir private Path directory;

    @Test
    void aDiskThatDoesNotTellItsSizeFailsAlone() throws Exception {
        TestDisk dying = new TestDisk();
        StoreSettings settings = StoreSettings.standard(new Random(1), Clock.system());
        try (StorageTarget one = StorageTarget.open(dying, directory.resolve("one"), settings);
                StorageTarget two =
                        StorageTarget.open(new FileDisk(), directory.resolve("two"), settings)) {
            TargetReports reports = reports(List.of(one, two));
            assertTrue(list(reports).stream().allMatch(TargetReport::healthy));
            dying.crash();
            List<TargetReport> after = list(reports);
            assertFalse(after.getFirst().healthy());
            assertEquals(one.identity(), after.getFirst().identity());
            assertEquals(0, after.getFirst().capacityBytes());
            assertTrue(after.getLast().healthy());
            assertTrue(after.getLast().capacityBytes() > 0);
        }
    }

    private static TargetReports reports(List<StorageTarget> targets) {
        Simulation simulation = new Simulation(1);
        SimulatedScheduler scheduler = new SimulatedScheduler(simulation);
        return new TargetReports(
                targets,
                target -> Runnable::run,
                target -> ScrubReport.NONE,
                target -> List.of(),
                simulation,
                scheduler);
    }

    private static List<TargetReport> list(TargetReports reports) {
        return reports.list().join();
    }
}
