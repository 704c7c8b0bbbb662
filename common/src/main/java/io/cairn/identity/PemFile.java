package io.cairn.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.runtime.file.Durable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keys and certificates in PEM files that only their owner can read. Blocks. */
final class PemFile {
    private static final Pattern KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----", Pattern.DOTALL);
    private static final int LINE = 64;

    private PemFile() {}

    static byte[] bytes(PrivateKey key) {
        return block("PRIVATE KEY", key.getEncoded()).getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] bytes(X509Certificate... chain) {
        StringBuilder text = new StringBuilder();
        try {
            for (X509Certificate each : chain) {
                text.append(block("CERTIFICATE", each.getEncoded()));
            }
        } catch (CertificateException e) {
            throw new IllegalStateException("a certificate without its bytes", e);
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static String block(String kind, byte[] bytes) {
        String base64 = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, base64, kind);
    }

    /** Reads certificates; fails with EINVAL. */
    static List<X509Certificate> certificates(byte[] pem, String from) {
        List<X509Certificate> chain = new ArrayList<>();
        try {
            for (var each :
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(pem))) {
                chain.add((X509Certificate) each);
            }
        } catch (CertificateException e) {
            throw unusable(from, e);
        }
        if (chain.isEmpty()) {
            throw new FsException(Errno.EINVAL, "no certificate stands in " + from);
        }
        return chain;
    }

    /** The certificates behind a key, which the reader of certificates does not know. */
    static List<X509Certificate> certificatesBehindKey(byte[] pem, String from) {
        String text = new String(pem, StandardCharsets.US_ASCII);
        int begin = text.indexOf("-----BEGIN CERTIFICATE-----");
        return begin < 0
                ? List.of()
                : certificates(text.substring(begin).getBytes(StandardCharsets.US_ASCII), from);
    }

    /** Reads a key of an elliptic curve; fails with EINVAL. */
    static PrivateKey key(byte[] pem, String from) {
        Matcher text = KEY.matcher(new String(pem, StandardCharsets.US_ASCII));
        if (!text.find()) {
            throw new FsException(Errno.EINVAL, "no PRIVATE KEY stands in " + from);
        }
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(text.group(1));
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw unusable(from, e);
        }
    }

    private static FsException unusable(String from, Exception e) {
        return new FsException(Errno.EINVAL, from + " cannot be used: " + e.getMessage(), e);
    }

    /**
     * Reads a file.
     *
     * @param secret whether others must not be able to read it
     * @throws FsException EACCES when others can read a secret; EIO when it cannot be read
     */
    static byte[] read(Path file, boolean secret) {
        try {
            if (secret && isOpenToOthers(file)) {
                throw new FsException(
                        Errno.EACCES,
                        "%s holds a private key, and others may read it: chmod 600 %s"
                                .formatted(file, file));
            }
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new FsException(Errno.EIO, file + " cannot be read: " + Wording.of(e), e);
        }
    }

    private static boolean isOpenToOthers(Path file) throws IOException {
        Set<PosixFilePermission> others = Files.getPosixFilePermissions(file);
        others.removeAll(
                EnumSet.of(
                        PosixFilePermission.OWNER_READ,
                        PosixFilePermission.OWNER_WRITE,
                        PosixFilePermission.OWNER_EXECUTE));
        return !others.isEmpty();
    }

    /** Makes a directory that only its owner can enter; fails with EIO. */
    static void makeDirectory(Path directory) {
        try {
            Files.createDirectories(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new FsException(Errno.EIO, directory + " cannot be made: " + Wording.of(e), e);
        }
    }

    /** Deletes a file if it is there; fails with EIO. */
    static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new FsException(Errno.EIO, file + " cannot be deleted: " + Wording.of(e), e);
        }
    }

    /** Writes a file of mode 0600 as a whole and durably, in place of another; fails with EIO. */
    static void write(Path file, byte[] bytes) {
        try {
            Durable.replace(file, bytes);
        } catch (IOException e) {
            throw new FsException(Errno.EIO, file + " cannot be written: " + Wording.of(e), e);
        }
    }
}
