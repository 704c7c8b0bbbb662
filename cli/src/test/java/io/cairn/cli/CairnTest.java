package io.cairn.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.node.Program;
import org.junit.jupiter.api.Test;

final class CairnTest {
    @Test
    void processesAreStartedWithIt() {
        assertEquals(Cairn.class.getName(), Program.MAIN_CLASS);
    }
}
