package io.cairn.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class LockHostTest {
    @Test
    void nameThatIsNoTextMakesNoLinesOfALog() {
        LockHost host = new LockHost("a\nERROR b\u001b[2J\u00e4", "10.0.0.1");
        assertEquals("a?ERROR?b?[2J? (10.0.0.1)", host.toString());
    }
}
