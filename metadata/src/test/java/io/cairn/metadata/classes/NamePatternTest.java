package io.cairn.metadata.classes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Name;
import org.junit.jupiter.api.Test;

final class NamePatternTest {
    private static void matches(String pattern, String... names) {
        for (String each : names) {
            assertTrue(NamePattern.of(pattern).matches(Name.of(each)), pattern + " " + each);
        }
    }

    private static void matchesNot(String pattern, String... names) {
        for (String each : names) {
            assertFalse(NamePattern.of(pattern).matches(Name.of(each)), pattern + " " + each);
        }
    }

    private static void refused(String pattern, String word) {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> NamePattern.of(pattern));
        assertTrue(String.valueOf(refusal.getMessage()).contains(word), refusal.toString());
    }

    @Test
    void starsStandForAnyCharacters() {
        matches("*.mp4", "a.mp4", ".mp4", "a.mp4.mp4");
        matchesNot("*.mp4", "a.mp", "a.mp44", "mp4", "a.MP4");
        matches("*", "a", ".hidden");
        matches("a*b*c", "abc", "axxbyybzc", "abbcc");
        matchesNot("a*b*c", "ac", "abcd", "cba");
        matches("**x**", "x", "axb");
        matches("core.[0-9]*", "core.1", "core.9x");
    }

    @Test
    void otherCharactersStandForOne() {
        matches("?", "a", "\u00e4", "\uD83D\uDE00");
        matchesNot("?", "ab", "\u00e4b");
        matches("[a-cx]?", "a1", "x2");
        matchesNot("[a-cx]?", "d1", "A1");
        matches("[!a-c]", "d", "\u00e4");
        matchesNot("[!a-c]", "b");
        matches("[]-]", "]", "-");
        matches("[a\\]]", "a", "]");
        matches("\\*\\[", "*[");
        matchesNot("\\*", "a");
        matches("\u00e4*", "\u00e4rger");
    }

    @Test
    void bytesThatAreNoTextCountAsCharacters() {
        byte[] name = {'a', (byte) 0xff, (byte) 0xc3, '.', 'x', (byte) 0xe2, (byte) 0x82};
        assertTrue(NamePattern.of("a??.x??").matches(Name.of(name)));
        assertFalse(NamePattern.of("a??.x?").matches(Name.of(name)));
        assertTrue(NamePattern.of("a*").matches(Name.of(name)));
    }

    @Test
    void patternsThatCannotBeAreRefusedWithPlaceAndRemedy() {
        refused("", "1 to 255");
        refused("x".repeat(256), "not 256");
        refused("*.[mp4", "character 3: the '[' has no ']'");
        refused("[]", "has no ']'");
        refused("a\\", "character 2: nothing follows");
        refused("[z-a]", "character 4: the range ends before it begins");
        refused("[a\\", "nothing follows");
        refused("a/b", "character 2");
    }

    @Test
    void manyStarsTakeNoLongTime() {
        String pattern = "*a".repeat(127);
        matchesNot(pattern, "a".repeat(126) + "b".repeat(129));
        assertEquals(255, NamePattern.charactersOf(Name.of("b".repeat(255))).length);
    }
}
