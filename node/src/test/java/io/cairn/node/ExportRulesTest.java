package io.cairn.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What masters know of the syntax of NFS exports. */
final class ExportRulesTest {
    private static final String OF_A_STRANGER = "/data no-such-host.invalid(rw)";

    private final ExportRules rules = new ExportRules();

    @Test
    void aNewLineNamesOnlyHostsThatAreKnown() {
        rules.check("/data 10.0.0.0/8(rw)");
        assertThrows(IllegalArgumentException.class, () -> rules.check(OF_A_STRANGER));
        assertThrows(IllegalArgumentException.class, () -> rules.check("/data *(fast)"));
    }

    /** A machine that was taken out of service must not keep others from changing the list. */
    @Test
    void thePathOfALineIsToldThoughItsHostIsGone() {
        assertEquals("/data", rules.pathOf(OF_A_STRANGER));
        assertThrows(IllegalArgumentException.class, () -> rules.pathOf("data *"));
    }

    @Test
    void noPathIsExportedTwice() {
        rules.check(List.of("/a", "/b"));
        assertThrows(IllegalArgumentException.class, () -> rules.check(List.of("/a", "/a/")));
    }
}
