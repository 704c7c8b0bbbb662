package io.cairn.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    void plainTextIsNotTouched() {
        String name = "a file-1.txt";
        assertSame(name, Printable.of(name));
        assertEquals("Übung 日本 😀", Printable.of("Übung 日本 😀"));
        assertEquals("C:\\x41", Printable.of("C:\\x41"));
    }

    @Test
    void whatSpeaksToTerminalsIsANumber() {
        assertEquals("\\x1b[2Jgone", Printable.of("\u001b[2Jgone"));
        assertEquals("a\\x0ab\\x0dc\\x09d\\x00\\x7f", Printable.of("a\nb\rc\td\0\u007f"));
        assertEquals("\\x9b31m", Printable.of("\u009b31m"));
    }

    @Test
    void whatTurnsTheOrderOrIsNotSeenIsANumber() {
        assertEquals("\\u{202e}fdp.exe", Printable.of("\u202efdp.exe"));
        assertEquals("a\\u{2066}\\u{200b}\\u{feff}", Printable.of("a\u2066\u200b\ufeff"));
        assertEquals("a\\u{2028}b", Printable.of("a\u2028b"));
        assertEquals("\\u{d800}", Printable.of("\ud800"));
    }

    @Test
    void linesStayLines() {
        assertEquals("at\n\tb\\x1b\\x0d", Printable.ofLines("at\n\tb\u001b\r"));
    }
}
