package io.cairn.metadata.classes;

import io.cairn.fs.Name;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A pattern for whole names, as shells have it. {@code *} stands for any characters, {@code ?} for
 * one, {@code [a-z]} for one of these, {@code [!a-z]} for any other. A backslash takes the next
 * character as it is. Letters match in their case alone. Bytes that are not UTF-8 count as a
 * character each. Immutable.
 */
public final class NamePattern {
    /** Longest pattern, in characters. */
    public static final int MAX_CHARS = 255;

    /** Stands for bytes that are not UTF-8: no pattern has such characters. */
    private static final int NO_TEXT = 0xDC00;

    private static final int[] ANY = {};

    /**
     * One part of a pattern.
     *
     * @param isMany whether it stands for any number of characters
     * @param isOther whether it stands for those that are not in the ranges
     * @param ranges first and last character of each range in turn
     */
    private record Part(boolean isMany, boolean isOther, int[] ranges) {
        boolean matches(int character) {
            boolean isIn = false;
            for (int i = 0; i < ranges.length; i += 2) {
                isIn |= ranges[i] <= character && character <= ranges[i + 1];
            }
            return isIn != isOther;
        }
    }

    private final Part[] parts;

    private NamePattern(List<Part> parts) {
        this.parts = parts.toArray(Part[]::new);
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException with a sentence that tells the place and the remedy
     */
    public static NamePattern of(String text) {
        if (text.isEmpty() || text.length() > MAX_CHARS) {
            throw new IllegalArgumentException(
                    "A pattern has 1 to %d characters, such as *.mp4, not %d."
                            .formatted(MAX_CHARS, text.length()));
        }
        return new NamePattern(new Reader(text).read());
    }

    /** The characters of a name, for {@link #matches}. */
    static int[] charactersOf(Name name) {
        byte[] bytes = name.bytes();
        int[] characters = new int[bytes.length];
        int count = 0;
        for (int at = 0; at < bytes.length; ) {
            int length = lengthAt(bytes, at);
            characters[count++] =
                    length == 0 ? NO_TEXT | (bytes[at] & 0xff) : read(bytes, at, length);
            at += Math.max(1, length);
        }
        return Arrays.copyOf(characters, count);
    }

    /** How many bytes a character of UTF-8 has; 0 when there is none. */
    private static int lengthAt(byte[] bytes, int at) {
        int lead = bytes[at] & 0xff;
        int length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        if (lead > 0xf4 || at + length > bytes.length) {
            return 0;
        }
        for (int i = 1; i < length; i++) {
            if ((bytes[at + i] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    private static int read(byte[] bytes, int at, int length) {
        int character = length == 1 ? bytes[at] : bytes[at] & (0xff >> (length + 1));
        for (int i = 1; i < length; i++) {
            character = (character << 6) | (bytes[at + i] & 0x3f);
        }
        return character;
    }

    /** Whether a whole name matches. */
    public boolean matches(Name name) {
        return matches(charactersOf(name));
    }

    /**
     * The same with the characters of a name. Where characters do not match, the last {@code *}
     * takes one more; no earlier one has to, so the work is a product of two lengths at most.
     */
    boolean matches(int[] name) {
        Part last = parts[parts.length - 1];
        if (!last.isMany() && !last.matches(name[name.length - 1])) {
            return false; // most patterns are about the end of the name
        }
        int part = 0;
        int at = 0;
        int many = -1;
        int taken = 0;
        while (at < name.length) {
            if (part < parts.length && parts[part].isMany()) {
                many = part++;
                taken = at;
            } else if (part < parts.length && parts[part].matches(name[at])) {
                part++;
                at++;
            } else if (many >= 0) {
                part = many + 1;
                at = ++taken;
            } else {
                return false;
            }
        }
        while (part < parts.length && parts[part].isMany()) {
            part++;
        }
        return part == parts.length;
    }

    /** Reads the parts of a pattern. */
    private static final class Reader {
        private final String text;
        private final int[] characters;
        private int at;

        Reader(String text) {
            this.text = text;
            this.characters = text.codePoints().toArray();
        }

        List<Part> read() {
            List<Part> found = new ArrayList<>();
            while (at < characters.length) {
                int character = characters[at++];
                switch (character) {
                    case '*' -> found.add(new Part(true, false, ANY));
                    case '?' -> found.add(new Part(false, true, ANY));
                    case '[' -> found.add(set());
                    case '\\' -> found.add(one(escaped()));
                    case '/', 0 ->
                            throw wrong(at, "no name has such a character: say directories apart");
                    default -> found.add(one(character));
                }
            }
            return found;
        }

        private static Part one(int character) {
            return new Part(false, false, new int[] {character, character});
        }

        private int escaped() {
            if (at == characters.length) {
                throw wrong(at, "nothing follows the '\\': write '\\\\' for the character itself");
            }
            return characters[at++];
        }

        private Part set() {
            int begin = at;
            boolean isOther = at < characters.length && characters[at] == '!';
            at += isOther ? 1 : 0;
            List<Integer> ranges = new ArrayList<>();
            while (at < characters.length && (characters[at] != ']' || ranges.isEmpty())) {
                int first = next();
                int last = first;
                boolean isRange =
                        at + 1 < characters.length
                                && characters[at] == '-'
                                && characters[at + 1] != ']';
                if (isRange) {
                    at++;
                    last = next();
                }
                if (last < first) {
                    throw wrong(at, "the range ends before it begins: turn it round");
                }
                ranges.addAll(List.of(first, last));
            }
            if (at == characters.length) {
                throw wrong(begin, "the '[' has no ']': add one, or write '\\[' for the character");
            }
            at++;
            return new Part(false, isOther, ranges.stream().mapToInt(Integer::intValue).toArray());
        }

        private int next() {
            int character = characters[at++];
            return character == '\\' ? escaped() : character;
        }

        private IllegalArgumentException wrong(int place, String problem) {
            return new IllegalArgumentException(
                    "Pattern '%s', character %d: %s.".formatted(text, place, problem));
        }
    }
}
