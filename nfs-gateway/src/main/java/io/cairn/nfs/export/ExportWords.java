package io.cairn.nfs.export;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of a line of exports(5): apart by blanks, which double quotes or three octal digits
 * behind a backslash make part of a word; a word that begins with # ends the line.
 */
final class ExportWords {
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-3][0-7]{2})");

    private ExportWords() {}

    /**
     * Splits.
     *
     * @throws IllegalArgumentException when a quote is not closed
     */
    static List<String> of(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean quoted = false;
        boolean begun = false;
        for (char c : line.strip().toCharArray()) {
            if (c == '"') {
                quoted = !quoted;
                begun = true;
            } else if (!quoted && Character.isWhitespace(c)) {
                end(words, word, begun);
                begun = false;
            } else if (!quoted && !begun && c == '#') {
                return words;
            } else {
                word.append(c);
                begun = true;
            }
        }
        if (quoted) {
            throw new IllegalArgumentException("'" + line + "' has a quote that is not closed");
        }
        end(words, word, begun);
        return words;
    }

    private static void end(List<String> words, StringBuilder word, boolean begun) {
        if (begun) {
            words.add(unescaped(word.toString()));
        }
        word.setLength(0);
    }

    /** Octal digits are bytes, and the bytes UTF-8. */
    private static String unescaped(String word) {
        if (word.indexOf('\\') < 0) {
            return word;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Matcher octal = OCTAL.matcher(word);
        int at = 0;
        while (octal.find()) {
            bytes.writeBytes(word.substring(at, octal.start()).getBytes(StandardCharsets.UTF_8));
            bytes.write(Integer.parseInt(octal.group(1), 8));
            at = octal.end();
        }
        bytes.writeBytes(word.substring(at).getBytes(StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
