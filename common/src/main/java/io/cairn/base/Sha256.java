package io.cairn.base;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 (FIPS 180-4). */
public final class Sha256 {
    private Sha256() {}

    /** A digest that has not begun; for one thread. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The 32 bytes of some bytes. */
    public static byte[] of(byte[] bytes) {
        return digest().digest(bytes);
    }
}
