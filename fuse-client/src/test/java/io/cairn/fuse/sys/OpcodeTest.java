package io.cairn.fuse.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fuse.sys.Opcode.Opened;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OpcodeTest {
    /** A file without a name, too, was left open for a process that was interrupted. */
    @Test
    void allThatOpenSaySo() {
        Map<Opcode, Opened> opening = new EnumMap<>(Opcode.class);
        for (Opcode opcode : Opcode.values()) {
            if (opcode.opened() != Opened.NOTHING) {
                opening.put(opcode, opcode.opened());
            }
        }
        assertEquals(
                Map.of(
                        Opcode.OPEN,
                        Opened.FILE,
                        Opcode.CREATE,
                        Opened.NAMED_FILE,
                        Opcode.TMPFILE,
                        Opened.NAMED_FILE,
                        Opcode.OPENDIR,
                        Opened.DIRECTORY),
                opening);
    }

    @Test
    void areFoundByTheirNumbers() {
        assertEquals(Opcode.TMPFILE, Opcode.of(51));
        assertNull(Opcode.of(7));
        assertTrue(Opcode.TMPFILE.mayFail());
        assertFalse(Opcode.RELEASE.mayFail());
    }
}
