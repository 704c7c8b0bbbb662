package io.cairn.cli.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.node.ExitCode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TreeScrubLinesTest {
    private static int code(String state, long bad, long mended, long uncheckedFiles) {
        return TreeScrubLines.code(
                Map.of(
                        "state",
                        state,
                        "bad",
                        bad,
                        "mended",
                        mended,
                        "unchecked",
                        List.of(),
                        "uncheckedFiles",
                        uncheckedFiles));
    }

    @Test
    void theCodeTellsWhetherEverythingWasVerifiedAndIsWell() {
        assertEquals(ExitCode.OK, code("done", 2, 2, 0));
        assertEquals(ExitCode.DATA, code("done", 2, 1, 1));
        assertEquals(ExitCode.TEMPORARY, code("done", 0, 0, 1));
        assertEquals(ExitCode.TEMPORARY, code("failed", 0, 0, 0));
    }
}
