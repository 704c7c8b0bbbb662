package io.cairn.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class OwnDirectoryTest {
    @Test
    void theVariableCountsBeforeTheAccount() {
        assertEquals(Path.of("/tmp/x/.cairn"), OwnDirectory.path("/tmp/x", "/root"));
        assertEquals(Path.of("/root/.cairn"), OwnDirectory.path(null, "/root"));
        assertEquals(Path.of("/root/.cairn"), OwnDirectory.path("", "/root"));
    }
}
