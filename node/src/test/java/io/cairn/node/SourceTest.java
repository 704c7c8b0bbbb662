package io.cairn.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.cluster.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SourceTest {
    @Test
    void mastersAndDirectory() {
        Source source = Source.parse("a:1,b:2:/home/x");
        assertEquals(List.of(new Endpoint("a", 1), new Endpoint("b", 2)), source.masters());
        assertEquals("/home/x", source.subdirectory());
        assertEquals("a:1,b:2:/home/x", source.toString());
        assertEquals("/", Source.parse("a:1").subdirectory());
        assertEquals("[::1]:9", Source.parse("[::1]:9:/").toString());
    }

    @Test
    void nonsenseIsRefused() {
        for (String text : List.of("a", "a:", ":1", "a:1,", "a:x:/d", "a:70000", "::1:9")) {
            CommandException error =
                    assertThrows(CommandException.class, () -> Source.parse(text), text);
            assertEquals(ExitCode.USAGE, error.exitCode());
        }
    }
}
