package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.cairn.os.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BootIdentityTest {
    private final Random random = new Random(1);

    @TempDir Path directory;

    @Test
    void theMachineHasOneThatStays() {
        long first = BootIdentity.of(List.of(), random);
        assertNotEquals(0, first);
        assertEquals(first, BootIdentity.of(List.of(), random));
    }

    @Test
    void anotherStartHasAnotherOne() throws IOException {
        Path file = directory.resolve("boot_id");
        Files.writeString(file, "1b2e8c31-65a7-4f0c-9d6d-0d2f6f1f2a10\n");
        long first = BootIdentity.read(file, List.of(), random);
        assertEquals(first, BootIdentity.read(file, List.of(), random));
        Files.writeString(file, "1b2e8c31-65a7-4f0c-9d6d-0d2f6f1f2a11\n");
        assertNotEquals(first, BootIdentity.read(file, List.of(), random));
    }

    @Test
    void withoutOneEveryStartIsANewOne() throws IOException {
        Path file = directory.resolve("boot_id");
        assertNotEquals(
                BootIdentity.read(file, List.of(), random),
                BootIdentity.read(file, List.of(), random));
        Files.writeString(file, "what?");
        assertNotEquals(0, BootIdentity.read(file, List.of(), random));
    }

    @Test
    void aDiskThatIsNotThereIsAsNewAsCanBe() {
        List<Path> absent = List.of(directory.resolve("absent"));
        assertNotEquals(BootIdentity.of(absent, random), BootIdentity.of(absent, random));
    }

    /** Where the kernel numbers mounts; the PowerCutTest mounts a disk anew. */
    @Test
    void onOneMountItStays() {
        List<Path> here = List.of(directory);
        boolean told = new SystemCalls().mountNumber(directory.toString()) >= 0;
        long first = BootIdentity.of(here, random);
        assertEquals(told, first == BootIdentity.of(here, random));
        assertNotEquals(first, BootIdentity.of(List.of(), random));
        assertNotEquals(first, BootIdentity.of(List.of(Path.of("/proc")), random));
    }
}
