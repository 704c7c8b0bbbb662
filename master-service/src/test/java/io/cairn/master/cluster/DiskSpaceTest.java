package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
                Holdings.NONE,
                0);
    }

    @Test
    void roomIsForAllCopiesAndNotBeyondAllThereIs() {
        assertEquals(70, new Space(1000, 100, 2).availableBytes(20));
        assertEquals(500, new Space(1000, 100, 2).availableBytes(1L << 50));
    }

    @Test
    void nobodyKnowsTheRoomOfDisksOfWhichNoneAnswers() {
        assertTrue(space.isSilent());
        space.add(target(1, 1000, 700, 0), false);
        assertTrue(space.isSilent());
        space.add(target(2, 1000, 300, 0), true);
        assertFalse(space.isSilent());
        assertEquals(new Space(2000, 300, 2), space.space(2));
    }

    @Test
    void aTargetIsNearlyFullUntilThereIsMoreRoom() {
        long gib = 1L << 30;
        assertFalse(DiskSpace.isNearlyFull(report(1_000 * gib, 5 * gib), false));
        assertTrue(DiskSpace.isNearlyFull(report(1_000 * gib, 4 * gib - 1), false));
        assertTrue(DiskSpace.isNearlyFull(report(1_000 * gib, 5 * gib - 1), true));
        assertFalse(DiskSpace.isNearlyFull(report(1_000 * gib, 5 * gib), true));
        assertFalse(DiskSpace.isNearlyFull(report(100 << 20, 26 << 20), false), "a small disk");
        assertTrue(DiskSpace.isNearlyFull(report(100 << 20, 24 << 20), false));
        // A disk that tells nothing is as it was.
        assertTrue(DiskSpace.isNearlyFull(report(0, 0), true));
        assertFalse(DiskSpace.isNearlyFull(report(0, 0), false));
    }

    private static TargetReport report(long capacity, long free) {
        return new TargetReport(1, capacity, free, 0, true);
    }

    @Test
    void aDiskThatAnswersLacksTheRoomThatTheTrashHasToMake() {
        long gib = 1L << 30;
        space.add(target(1, 1000 * gib, 3 * gib, 7), true);
        space.add(target(2, 1000 * gib, 500 * gib, 8), true);
        space.add(target(3, 1000 * gib, gib, 9), false);
        assertEquals(gib, space.lackingBytes());
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
