package io.cairn.cli.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.CommandException;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SnapshotScheduleCommandTest {
    private static void refused(String counts, String word) {
        CommandException refusal =
                assertThrows(CommandException.class, () -> SnapshotScheduleCommand.parse(counts));
        assertTrue(String.valueOf(refusal.getMessage()).contains(word), refusal.toString());
    }

    @Test
    void countsAreNamedByTheirKind() {
        assertEquals(
                Map.of("hourly", 24L, "daily", 7L, "weekly", 4L, "monthly", 12L),
                SnapshotScheduleCommand.parse("hourly=24,daily=7,weekly=4,monthly=12"));
    }

    @Test
    void whatIsNoCountIsRefusedWithARemedy() {
        refused("", "hourly=24,daily=7");
        refused("hourly=24,", "hourly=24,daily=7");
        refused("hourly", "KIND=N");
        refused("yearly=1", "there are hourly, daily, weekly and monthly");
        refused("dayly=1", "Did you mean 'daily'?");
        refused("hourly=0", "leave 'hourly' out");
        refused("hourly=-3", "1 or more");
        refused("hourly=many", "no whole number");
        refused("daily=1,daily=2", "said twice");
    }
}
