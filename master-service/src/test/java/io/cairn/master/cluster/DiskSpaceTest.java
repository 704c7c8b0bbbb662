package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.wire.master.ClusterRequest.Holdings;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.TargetLoad;
import io.cairn.wire.scrub.ScrubReport;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiskSpaceTest {
    private final DiskSpace space = new DiskSpace();

    private static TargetReport target(long identity, long totalBytes, long freeBytes, long disk) {
        return new TargetReport(
                identity,
                totalBytes,
                freeBytes,
                0,
                true,
                disk,
                "",
                TargetLoad.NONE,
                List.of(),
                List.of(),
                "",
                ScrubReport.NONE,
                Holdings.NONE);
    }

    @Test
    void aDiskWithSeveralTargetsCountsOnce() {
        space.add(target(1, 1000, 400, 7), true);
        space.add(target(2, 1000, 390, 7), true);
        space.add(target(3, 500, 100, 8), true);
        assertEquals(1500, space.totalBytes());
        assertEquals(500, space.freeBytes());
    }

    @Test
    void disksThatAreNotKnownCountEach() {
        space.add(target(1, 1000, 400, 0), true);
        space.add(target(2, 1000, 400, 0), true);
        assertEquals(2000, space.totalBytes());
        assertEquals(800, space.freeBytes());
    }

    @Test
    void aDiskIsFreeWhileOneOfItsServersAnswers() {
        space.add(target(1, 1000, 400, 7), false);
        assertEquals(0, space.freeBytes());
        space.add(target(2, 1000, 400, 7), true);
        assertEquals(400, space.freeBytes());
        assertEquals(1000, space.totalBytes());
    }
}
