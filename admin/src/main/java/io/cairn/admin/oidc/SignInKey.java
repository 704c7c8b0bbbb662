package io.cairn.admin.oidc;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A random key from which the texts of each sign-in follow. Thread-safe. */
final class SignInKey {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int BYTES = 32;

    private final RandomGenerator random;
    private final SecretKeySpec key;

    SignInKey(RandomGenerator random) {
        this.random = random;
        this.key = new SecretKeySpec(randomBytes(random), ALGORITHM);
    }

    private static byte[] randomBytes(RandomGenerator random) {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return bytes;
    }

    /** A new text of 256 random bits. */
    String secret() {
        return text(randomBytes(random));
    }

    /**
     * A text of 43 characters that only this key can make.
     *
     * @param purpose without dots
     * @param at when it began, without dots
     */
    String of(String purpose, String browser, String at) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            String all = purpose + "." + at + "." + browser;
            return text(mac.doFinal(all.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }

    /** Base64 for addresses, without padding. */
    static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
