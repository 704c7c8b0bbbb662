package io.cairn.identity.scram;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A password. It remembers what it became with the last salt, as that takes a while to compute, and
 * never tells itself. Thread-safe.
 */
public final class Password {
    /** The fewest characters of a new password. */
    public static final int LEAST_LENGTH = 8;

    /** The most characters of a password. */
    public static final int MOST_LENGTH = 256;

    private static final Pattern USER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private final byte[] bytes;
    private @Nullable Salted last;

    private record Salted(byte[] salt, int iterations, byte[] result) {}

    private Password(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * A password as somebody has typed it. Characters that look alike become one (NFKC).
     *
     * @throws IllegalArgumentException with a sentence when it is empty, has more than {@value
     *     #MOST_LENGTH} characters, or characters that nobody can type
     */
    public static Password of(String text) {
        String normal = Normalizer.normalize(text, Normalizer.Form.NFKC);
        if (normal.isEmpty()) {
            throw new IllegalArgumentException("the password is empty");
        }
        if (normal.length() > MOST_LENGTH) {
            throw new IllegalArgumentException(
                    "the password has more than " + MOST_LENGTH + " characters");
        }
        if (normal.codePoints().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "the password has a control character, such as a tabulator");
        }
        return new Password(normal.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether a text can be the name of a user: letters, digits, and {@code . _ -}. */
    public static boolean isUserName(String text) {
        return USER.matcher(text).matches();
    }

    /** Computes the salted password; takes about ten milliseconds with a new salt. */
    synchronized byte[] salted(byte[] salt, int iterations) {
        Salted known = last;
        if (known == null || known.iterations != iterations || !Arrays.equals(known.salt, salt)) {
            known = new Salted(salt, iterations, ScramHash.salted(bytes, salt, iterations));
            last = known;
        }
        return known.result;
    }

    /** Nothing of it. */
    @Override
    public String toString() {
        return "a password";
    }
}
