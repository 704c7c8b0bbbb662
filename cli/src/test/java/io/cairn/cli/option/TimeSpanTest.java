package io.cairn.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.CommandException;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
final class TimeSpanTest {
    @Test
    void timesAreReadWithTheirUnits() {
        assertEquals(90, TimeSpan.seconds("--for", "90s"));
        assertEquals(1800, TimeSpan.seconds("--for", "30m"));
        assertEquals(7200, TimeSpan.seconds("--for", "2h"));
        assertEquals(604_800, TimeSpan.seconds("--for", "7d"));
    }

    @Test
    void othersAreRefused() {
        for (String wrong : List.of("", "30", "m", "0m", "-3m", "30 m", "1w", "9999999999s")) {
            String message =
                    assertThrows(
                                    CommandException.class,
                                    () -> TimeSpan.seconds("--for", wrong),
                                    () -> "'" + wrong + "'")
                            .getMessage();
            assertTrue(message.contains("--for '" + wrong + "'"), message);
        }
    }
}
