package io.cairn.cli.service;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class CipherCompilerTest {
    private static final String FIRST = "-XX:TieredStopAtLevel=1";
    private static final String BOTH = "-XX:TieredStopAtLevel=4";

    @Test
    void theLastOptionDecides() {
        assertFalse(CipherCompiler.isMissing(List.of("-Xmx1g")));
        assertTrue(CipherCompiler.isMissing(List.of("-Xmx1g", FIRST)));
        assertFalse(CipherCompiler.isMissing(List.of(FIRST, BOTH)));
        assertTrue(CipherCompiler.isMissing(List.of(BOTH, FIRST, "-Xmx1g")));
    }
}
