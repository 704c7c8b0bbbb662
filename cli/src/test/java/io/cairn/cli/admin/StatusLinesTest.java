package io.cairn.cli.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cli.api.Values;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StatusLinesTest {
    private static List<String> copies(Map<String, Object> moves) {
        return new StatusLines(Map.of("moves", moves), new Values(bytes -> bytes + " bytes"))
                .lines().stream().filter(line -> line.startsWith("copies")).toList();
    }

    @Test
    void whatIsCopiedIsToldWithWhatIsLeft() {
        assertEquals(
                List.of(
                        "copies    3 groups short of a copy, 1 moves; about 700 bytes left, for 5"
                                + " min"),
                copies(Map.of("repairing", 3, "moving", 1, "bytesLeft", 700, "secondsLeft", 300)));
        assertEquals(
                List.of("copies    0 groups short of a copy, 2 move; about 9 bytes left"),
                copies(Map.of("repairing", 0, "moving", 2, "bytesLeft", 9)));
        assertEquals(List.of(), copies(Map.of("repairing", 0, "moving", 0, "bytesLeft", 0)));
        assertEquals(List.of(), copies(Map.of()));
    }

    private static List<String> scrub(Map<String, Object> verified) {
        return new StatusLines(Map.of("verified", verified), new Values(bytes -> bytes + " bytes"))
                .lines().stream().filter(line -> line.startsWith("scrub")).toList();
    }

    @Test
    void theAgeOfTheOldestVerificationIsTold() {
        String start = "scrub     the oldest copy was verified ";
        assertEquals(
                List.of(start + "5 days ago"),
                scrub(Map.of("unverified", 0, "secondsAgo", 450_000)));
        assertEquals(
                List.of(start + "47 hours ago; 2 disks not verified yet"),
                scrub(Map.of("unverified", 2, "secondsAgo", 172_799)));
        assertEquals(List.of(start + "1 second ago"), scrub(Map.of("secondsAgo", 1)));
        assertEquals(List.of("scrub     1 disk not verified yet"), scrub(Map.of("unverified", 1)));
        assertEquals(List.of(), scrub(Map.of("unverified", 0)));
    }

    @Test
    void whatTheTrashAndSnapshotsHoldIsTold() {
        Map<String, Object> space =
                Map.of("availableBytes", 9, "trashBytes", 5, "snapshotBytes", 7);
        List<String> lines =
                new StatusLines(Map.of("capacity", space), new Values(bytes -> bytes + " bytes"))
                        .lines();
        String told =
                "          snapshots hold 7 bytes that no file has any more; see 'cairn snapshot"
                        + " list --held'";
        assertTrue(lines.contains(told), lines::toString);
        String trash =
                "          of what can be written 5 bytes in the trash make room when needed";
        assertTrue(lines.contains(trash), lines::toString);
    }

    private static List<String> saved(long usedBytes, long savedBytes) {
        Map<String, Object> space =
                Map.of("usedBytes", usedBytes, "compressionSavedBytes", savedBytes);
        return new StatusLines(Map.of("capacity", space), new Values(bytes -> bytes + " bytes"))
                .lines().stream().filter(line -> line.contains("compression")).toList();
    }

    @Test
    void whatCompressionSavesIsToldWhereThereIsAny() {
        assertEquals(List.of("          compression saves 38 bytes (38 %)"), saved(62, 38));
        assertEquals(List.of(), saved(62, 0));
    }

    @Test
    void formerPoolsAreToldWithTheGroups() {
        Map<String, Object> counts = Map.of("groups", 48, "groupsAtRisk", 0, "formerPools", 1);
        List<String> lines =
                new StatusLines(Map.of("counts", counts), new Values(bytes -> bytes + " bytes"))
                        .lines();
        String told = "groups    48, all complete; 1 former pool of older files";
        assertTrue(lines.contains(told), lines::toString);
    }
}
