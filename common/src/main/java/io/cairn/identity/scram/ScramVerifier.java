package io.cairn.identity.scram;

import java.security.MessageDigest;
import java.util.Base64;

/**
 * What a server keeps of a password. It is enough to recognize who knows the password, and not to
 * log in; weak passwords can be guessed with it. Immutable; the arrays are not to be changed.
 *
 * @param salt 16 bytes or more
 * @param iterations from {@value #LEAST_ITERATIONS} to {@value #MOST_ITERATIONS}
 * @param storedKey 32 bytes
 * @param serverKey 32 bytes
 */
public record ScramVerifier(byte[] salt, int iterations, byte[] storedKey, byte[] serverKey) {
    /** The fewest iterations that RFC 7677 allows. */
    public static final int LEAST_ITERATIONS = 4096;

    /** The most iterations that a client does: about a second. */
    public static final int MOST_ITERATIONS = 1_000_000;

    /** The iterations of new passwords. */
    public static final int ITERATIONS = 16_384;

    /** The bytes of a new salt. */
    public static final int SALT_BYTES = 16;

    private static final String NAME = "SCRAM-SHA-256";
    private static final int KEY_BYTES = 32;

    /** For a new password; takes about ten milliseconds. */
    public static ScramVerifier of(Password password, byte[] salt, int iterations) {
        byte[] salted = password.salted(salt, iterations);
        byte[] clientKey = ScramHash.hmac(salted, "Client Key");
        return new ScramVerifier(
                salt, iterations, ScramHash.hash(clientKey), ScramHash.hmac(salted, "Server Key"));
    }

    /**
     * A made-up one that no password fits, always the same for a secret and a name.
     *
     * @param secret that nobody outside knows
     */
    public static ScramVerifier madeUp(byte[] secret, String name) {
        byte[] salt = new byte[SALT_BYTES];
        System.arraycopy(ScramHash.hmac(secret, "salt " + name), 0, salt, 0, SALT_BYTES);
        return new ScramVerifier(
                salt,
                ITERATIONS,
                ScramHash.hmac(secret, "stored " + name),
                ScramHash.hmac(secret, "server " + name));
    }

    /**
     * Reads {@link #text}.
     *
     * @throws IllegalArgumentException when it is none; the text is not in the message
     */
    public static ScramVerifier parse(String text) {
        String[] parts = text.split("[$:]", -1);
        if (parts.length != 5 || !parts[0].equals(NAME)) {
            throw new IllegalArgumentException(
                    "it is no " + NAME + "$ITERATIONS:SALT$STOREDKEY:SERVERKEY");
        }
        int iterations = iterations(parts[1]);
        byte[] salt = bytes(parts[2], "salt");
        byte[] storedKey = bytes(parts[3], "stored key");
        byte[] serverKey = bytes(parts[4], "server key");
        if (salt.length < SALT_BYTES || salt.length > 64) {
            throw new IllegalArgumentException("its salt has not 16 to 64 bytes");
        }
        if (storedKey.length != KEY_BYTES || serverKey.length != KEY_BYTES) {
            throw new IllegalArgumentException("its keys have not " + KEY_BYTES + " bytes");
        }
        return new ScramVerifier(salt, iterations, storedKey, serverKey);
    }

    /**
     * The number of iterations in a text.
     *
     * @throws IllegalArgumentException when it is none, too few or too many
     */
    static int iterations(String text) {
        int iterations;
        try {
            iterations = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            iterations = 0;
        }
        if (iterations < LEAST_ITERATIONS || iterations > MOST_ITERATIONS) {
            throw new IllegalArgumentException(
                    "its iterations are not %d to %d".formatted(LEAST_ITERATIONS, MOST_ITERATIONS));
        }
        return iterations;
    }

    static byte[] bytes(String base64, String what) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("its " + what + " is no Base64", e);
        }
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Whether it is of the same password and salt. */
    public boolean isSame(ScramVerifier other) {
        return MessageDigest.isEqual(storedKey, other.storedKey)
                && MessageDigest.isEqual(serverKey, other.serverKey);
    }

    /** The one form of it, for files: {@code SCRAM-SHA-256$ITERATIONS:SALT$STOREDKEY:SERVERKEY}. */
    public String text() {
        return "%s$%d:%s$%s:%s"
                .formatted(NAME, iterations, base64(salt), base64(storedKey), base64(serverKey));
    }

    /** Nothing that helps to guess the password. */
    @Override
    public String toString() {
        return "verifier of a password";
    }
}
