package io.cairn.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Wording;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ByteSizeTest {
    @Test
    void unitsAreBinary() {
        assertEquals(65536, ByteSize.parse("64K"));
        assertEquals(65536, ByteSize.parse("64KiB"));
        assertEquals(4 << 20, ByteSize.parse("4m"));
        assertEquals(4 << 20, ByteSize.parse("4 MB"));
        assertEquals(512, ByteSize.parse("512"));
        assertEquals(512, ByteSize.parse("512B"));
        assertEquals(1L << 60, ByteSize.parse("1E"));
    }

    @Test
    void nonsenseIsRefused() {
        for (String text : List.of("", "K", "-1", "1.5M", "9E", "4X")) {
            CommandException error =
                    assertThrows(CommandException.class, () -> ByteSize.parse(text), text);
            assertEquals(ExitCode.USAGE, error.exitCode());
        }
    }

    @Test
    void sizesAreShortToRead() {
        assertEquals("0 B", Wording.bytes(0));
        assertEquals("1023 B", Wording.bytes(1023));
        assertEquals("1.00 KiB", Wording.bytes(1024));
        assertEquals("25.3 GiB", Wording.bytes(27_165_818_880L));
        assertEquals("8.00 EiB", Wording.bytes(Long.MAX_VALUE));
    }
}
