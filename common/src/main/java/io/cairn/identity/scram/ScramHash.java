package io.cairn.identity.scram;

import io.cairn.base.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The functions of RFC 5802 with SHA-256. Pure functions. */
final class ScramHash {
    private static final String HMAC = "HmacSHA256";

    private ScramHash() {}

    /** HMAC(key, text). */
    static byte[] hmac(byte[] key, String text) {
        return mac(key).doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    /** H(bytes). */
    static byte[] hash(byte[] bytes) {
        return Sha256.of(bytes);
    }

    /** Hi(password, salt, iterations), which is PBKDF2 with one block of output. */
    static byte[] salted(byte[] password, byte[] salt, int iterations) {
        Mac mac = mac(password);
        mac.update(salt);
        byte[] last = mac.doFinal(new byte[] {0, 0, 0, 1});
        byte[] sum = last.clone();
        for (int i = 1; i < iterations; i++) {
            last = mac.doFinal(last);
            for (int at = 0; at < sum.length; at++) {
                sum[at] ^= last[at];
            }
        }
        return sum;
    }

    /** Each byte of one with that of the other; of the same length. */
    static byte[] xor(byte[] one, byte[] other) {
        byte[] result = one.clone();
        for (int at = 0; at < result.length; at++) {
            result[at] ^= other[at];
        }
        return result;
    }

    private static Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + HMAC, e);
        }
    }
}
