package io.cairn.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cli.api.ByteText;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is not text comes through the command line. */
final class RawArgumentsTest {
    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void everyArrayOfBytesIsSomeText() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            random.nextBytes(bytes);
            assertArrayEquals(bytes, ByteText.bytes(ByteText.of(bytes)));
        }
        String text = "\u00fc \u20ac \ud83d\ude00";
        assertEquals(text, ByteText.of(text.getBytes(StandardCharsets.UTF_8)));
        assertTrue(ByteText.isText(text));
        // A surrogate in UTF-8 is no UTF-8 either.
        assertFalse(ByteText.isText(ByteText.of(latin("\u00ed\u00b2\u0080"))));
        assertArrayEquals(
                latin("\u00ed\u00b2\u0080"),
                ByteText.bytes(ByteText.of(latin("\u00ed\u00b2\u0080"))));
    }

    @Test
    void theLastOnesAreOurs() {
        byte[] line = latin("java\0-cp\0x\0Cairn\0fs\0info\0/a\u00ff?\0\0");
        String[] decoded = {"fs", "info", "/a\ufffd?", ""};
        assertArrayEquals(
                new String[] {"fs", "info", "/a\udcff?", ""}, RawArguments.of(decoded, line));
        // Another process, or a command line that was cut off.
        String[] others = {"fs", "list", "/a\ufffd?", ""};
        assertArrayEquals(others, RawArguments.of(others, line));
        assertArrayEquals(decoded, RawArguments.of(decoded, latin("java\0")));
    }
}
