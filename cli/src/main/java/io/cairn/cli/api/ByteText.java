package io.cairn.cli.api;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Bytes as text without loss: UTF-8, and for each byte that is none the character U+DC00 + byte, a
 * lone surrogate, which no text has. Names of files are bytes; so they pass through a command line
 * that is made of text.
 */
public final class ByteText {
    private static final char FIRST = '\udc80';
    private static final char LAST = '\udcff';

    private ByteText() {}

    /** The text that stands for these bytes. */
    public static String of(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length + 1);
        while (true) {
            CoderResult result = decoder.decode(in, out, true);
            if (!result.isError()) {
                return out.flip().toString();
            }
            for (int i = 0; i < result.length(); i++) {
                out.put((char) (0xdc00 + (in.get() & 0xff)));
            }
            decoder.reset();
        }
    }

    /** The bytes that a text stands for. */
    public static byte[] bytes(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        text.codePoints()
                .forEach(
                        c -> {
                            if (isByte(c)) {
                                bytes.write(c & 0xff);
                            } else {
                                bytes.writeBytes(
                                        Character.toString(c).getBytes(StandardCharsets.UTF_8));
                            }
                        });
        return bytes.toByteArray();
    }

    /** Whether it is UTF-8 throughout. */
    public static boolean isText(String text) {
        return text.codePoints().noneMatch(ByteText::isByte);
    }

    private static boolean isByte(int codePoint) {
        return codePoint >= FIRST && codePoint <= LAST;
    }
}
