package io.cairn.master.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes of a master's FORMAT file as released. They are never changed. */
final class GoldenFormatTest {
    private static final String FORMAT_1 =
            "434149524e4d535400000001123456789abcdef1000000000000000001026d31687c1bfc";

    @TempDir private Path directory;

    @Test
    void theFileIsWrittenAndReadTheSame() throws Exception {
        FormatFile made = FormatFile.open(directory, "m1");
        made.adopt(0x1234_5678_9abc_def1L);
        made.setVotes(true);
        byte[] bytes = Files.readAllBytes(directory.resolve("FORMAT"));
        assertEquals(FORMAT_1, HexFormat.of().formatHex(bytes));
        FormatFile read = FormatFile.open(directory, "m1");
        assertEquals(0x1234_5678_9abc_def1L, read.clusterId());
        assertTrue(read.votes());
    }
}
