package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BootIdentityTest {
    private final Random random = new Random(1);

    @TempDir Path directory;

    @Test
    void theMachineHasOneThatStays() {
        long first = BootIdentity.ofMachine(random);
        assertNotEquals(0, first);
        assertEquals(first, BootIdentity.ofMachine(random));
    }

    @Test
    void anotherStartHasAnotherOne() throws IOException {
        Path file = directory.resolve("boot_id");
        Files.writeString(file, "1b2e8c31-65a7-4f0c-9d6d-0d2f6f1f2a10\n");
        long first = BootIdentity.read(file, random);
        assertEquals(first, BootIdentity.read(file, random));
        Files.writeString(file, "1b2e8c31-65a7-4f0c-9d6d-0d2f6f1f2a11\n");
        assertNotEquals(first, BootIdentity.read(file, random));
    }

    @Test
    void withoutOneEveryStartIsANewOne() throws IOException {
        Path file = directory.resolve("boot_id");
        assertNotEquals(BootIdentity.read(file, random), BootIdentity.read(file, random));
        Files.writeString(file, "what?");
        assertNotEquals(0, BootIdentity.read(file, random));
    }
}
