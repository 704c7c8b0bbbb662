package io.cairn.seal;

import io.cairn.base.Wording;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The key of the operator. It encrypts the keys of storage classes with AES-256-GCM, and nothing
 * else. Cairn stores it nowhere: each start reads it from a file or a command. Immutable;
 * thread-safe.
 */
public final class MasterKey {
    /** Bytes of this key, and of the key of a class. */
    public static final int KEY_BYTES = 32;

    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    /** Longer than any key as text. */
    private static final int MOST_TEXT = 4096;

    private final SecretKeySpec key;
    private final @Nullable MasterKey former;

    /** A key of {@value #KEY_BYTES} bytes. */
    public MasterKey(byte[] bytes) {
        if (bytes.length != KEY_BYTES) {
            throw new IllegalArgumentException("a master key has " + KEY_BYTES + " bytes");
        }
        this.key = new SecretKeySpec(bytes, "AES");
        this.former = null;
    }

    private MasterKey(SecretKeySpec key, MasterKey former) {
        this.key = key;
        this.former = former;
    }

    /** The same, which opens also what another one wrapped. It wraps nothing with that one. */
    public MasterKey after(MasterKey other) {
        return new MasterKey(key, other);
    }

    /**
     * Reads one from a file.
     *
     * @throws IOException when the file cannot be read, or others can read it, or it holds no key;
     *     the message says why
     */
    public static MasterKey ofFile(Path file) throws IOException {
        byte[] text;
        try (InputStream in = Files.newInputStream(file)) {
            if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
                throw new IOException(file + " can be read by everybody: chmod 600 " + file);
            }
            text = in.readNBytes(MOST_TEXT);
        } catch (FileSystemException e) {
            throw new IOException(file + ": " + Wording.of(e), e);
        }
        return ofText(text, file.toString());
    }

    /**
     * Runs a command with {@code /bin/sh -c} and reads one from what it writes. Waits for its end.
     * What it writes to its error output goes to that of this process.
     *
     * @throws IOException when it cannot be run, fails, or writes no key; the message says why
     */
    public static MasterKey ofCommand(String command) throws IOException {
        Process process =
                new ProcessBuilder("/bin/sh", "-c", command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        process.getOutputStream().close();
        byte[] text;
        try (InputStream in = process.getInputStream()) {
            text = in.readNBytes(MOST_TEXT);
        }
        try {
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(
                        "the command for the master key failed with status " + status);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the command for the master key ran", e);
        }
        return ofText(text, "the output of the command for the master key");
    }

    private static MasterKey ofText(byte[] text, String source) throws IOException {
        String digits = new String(text, StandardCharsets.ISO_8859_1).strip();
        if (!digits.matches("[0-9a-fA-F]{" + 2 * KEY_BYTES + "}")) {
            throw new IOException(
                    source
                            + " has no master key: it has to be "
                            + 2 * KEY_BYTES
                            + " hexadecimal digits, as 'openssl rand -hex "
                            + KEY_BYTES
                            + "' makes them");
        }
        return new MasterKey(HexFormat.of().parseHex(digits));
    }

    /**
     * Encrypts the key of a class.
     *
     * @param number of the key; no other number opens the result
     * @param random for a nonce that is used once
     */
    public WrappedKey wrap(int number, byte[] secret, RandomGenerator random) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, number, nonce).doFinal(secret);
            return new WrappedKey(
                    number,
                    ByteBuffer.allocate(NONCE_BYTES + sealed.length)
                            .put(nonce)
                            .put(sealed)
                            .array());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM", e);
        }
    }

    /**
     * The key of a class.
     *
     * @throws GeneralSecurityException when another master key wrapped it, or it was changed
     */
    public byte[] unwrap(WrappedKey wrapped) throws GeneralSecurityException {
        MasterKey other = former;
        if (other == null) {
            return unwrapWithThis(wrapped);
        }
        try {
            return unwrapWithThis(wrapped);
        } catch (GeneralSecurityException e) {
            return other.unwrap(wrapped);
        }
    }

    private byte[] unwrapWithThis(WrappedKey wrapped) throws GeneralSecurityException {
        byte[] bytes = wrapped.bytes();
        if (bytes.length <= NONCE_BYTES) {
            throw new GeneralSecurityException("it is too short");
        }
        byte[] nonce = Arrays.copyOf(bytes, NONCE_BYTES);
        byte[] secret =
                cipher(Cipher.DECRYPT_MODE, wrapped.number(), nonce)
                        .doFinal(bytes, NONCE_BYTES, bytes.length - NONCE_BYTES);
        if (secret.length != KEY_BYTES) {
            throw new GeneralSecurityException("it is no key of a class");
        }
        return secret;
    }

    private Cipher cipher(int mode, int number, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(("cairn-class-key " + number).getBytes(StandardCharsets.US_ASCII));
        return cipher;
    }
}
