package io.cairn.base;

import java.util.Locale;

/**
 * Text of others, such as names of files, machines and labels, on its way to people: terminals,
 * logs and errors. Every character that could control a terminal, forge a line of a log or turn the
 * order of the text around it is written as its number. Not for data: documents and files hold what
 * was given.
 */
public final class Printable {
    private Printable() {}

    /**
     * The text with every control character, line separator, invisible or direction character and
     * lone surrogate as {@code \xHH} or <code>\\u{HHHH}</code>. Other text comes back as it is.
     */
    public static String of(String text) {
        int plain = 0;
        while (plain < text.length() && isPlainAscii(text.charAt(plain))) {
            plain++;
        }
        if (plain == text.length()) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, plain);
        text.substring(plain).codePoints().forEach(c -> append(out, c));
        return out.toString();
    }

    /** The same of each line; lines stay lines, and tabulators stay. */
    public static String ofLines(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints()
                .forEach(
                        c -> {
                            if (c == '\n' || c == '\t') {
                                out.append((char) c);
                            } else {
                                append(out, c);
                            }
                        });
        return out.toString();
    }

    private static boolean isPlainAscii(char c) {
        return c >= ' ' && c < 0x7f;
    }

    private static void append(StringBuilder out, int codePoint) {
        if (isPlain(codePoint)) {
            out.appendCodePoint(codePoint);
        } else if (codePoint < 0x100) {
            out.append(String.format(Locale.ROOT, "\\x%02x", codePoint));
        } else {
            out.append(String.format(Locale.ROOT, "\\u{%04x}", codePoint));
        }
    }

    private static boolean isPlain(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    false;
            default -> true;
        };
    }
}
