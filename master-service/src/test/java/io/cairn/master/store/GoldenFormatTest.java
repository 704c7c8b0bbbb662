package io.cairn.master.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes of a master's FORMAT file as released. They are never changed. */
final class GoldenFormatTest {
    private static final String FORMAT_1 = "434149524e4d535400000001123456789abcdef1026d31bd7d6f61";

    @TempDir private Path directory;

    @Test
    void theFileIsWrittenAndReadTheSame() throws Exception {
        FormatFile.open(directory, "m1").adopt(0x1234_5678_9abc_def1L);
        byte[] bytes = Files.readAllBytes(directory.resolve("FORMAT"));
        assertEquals(FORMAT_1, HexFormat.of().formatHex(bytes));
        assertEquals(0x1234_5678_9abc_def1L, FormatFile.open(directory, "m1").clusterId());
    }
}
