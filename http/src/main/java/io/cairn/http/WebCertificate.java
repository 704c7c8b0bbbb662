package io.cairn.http;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * The certificate of a web server, and its private key. Immutable.
 *
 * @param chain the file of the certificate, and of those that vouch for it
 * @param key the file of its private key
 * @param stamp times and sizes of the files when they were read
 * @param keys the certificates and the key
 * @param names the names and addresses that the certificate is for, in small letters
 */
public record WebCertificate(Path chain, Path key, String stamp, KeyStore keys, Set<String> names) {
    private static final Pattern PEM_KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----", Pattern.DOTALL);

    /** The store of keys is in memory alone. */
    private static final String PASSWORD = "memory";

    /**
     * Reads PEM files.
     *
     * @param chain the certificate, and those that vouch for it
     * @param key its private key in PKCS #8, without a password
     * @throws FsException EINVAL when one of them cannot be used; the message names it
     */
    public static WebCertificate read(Path chain, Path key) {
        for (Path file : List.of(chain, key)) {
            if (!Files.isReadable(file)) {
                throw new FsException(Errno.EINVAL, file + " cannot be read");
            }
        }
        try {
            String stamp = stamp(chain, key);
            Certificate[] certificates = certificates(chain);
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(null, null);
            keys.setKeyEntry(
                    "web", keyOf(certificates[0], key), PASSWORD.toCharArray(), certificates);
            return new WebCertificate(chain, key, stamp, keys, namesIn(certificates[0]));
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new FsException(
                    Errno.EINVAL,
                    "%s and %s are not a PEM certificate and its private key (PKCS #8, without a"
                                    .formatted(chain, key)
                            + " password): "
                            + e.getMessage());
        }
    }

    /** Says when the files change: their times and sizes. */
    static String stamp(Path chain, Path key) {
        StringBuilder stamp = new StringBuilder();
        for (Path file : List.of(chain, key)) {
            try {
                stamp.append(Files.getLastModifiedTime(file)).append(' ').append(Files.size(file));
            } catch (IOException e) {
                stamp.append("absent");
            }
            stamp.append(' ');
        }
        return stamp.toString();
    }

    private static Certificate[] certificates(Path chain)
            throws IOException, GeneralSecurityException {
        try (var in = Files.newInputStream(chain)) {
            Certificate[] read =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(in)
                            .toArray(Certificate[]::new);
            if (read.length == 0) {
                throw new IllegalArgumentException("no certificate stands in " + chain);
            }
            return read;
        }
    }

    private static PrivateKey keyOf(Certificate certificate, Path file)
            throws IOException, GeneralSecurityException {
        Matcher pem = PEM_KEY.matcher(Files.readString(file));
        if (!pem.find()) {
            throw new IllegalArgumentException("no PRIVATE KEY stands in " + file);
        }
        byte[] encoded = Base64.getMimeDecoder().decode(pem.group(1));
        PublicKey proof = certificate.getPublicKey();
        PrivateKey key =
                KeyFactory.getInstance(proof.getAlgorithm())
                        .generatePrivate(new PKCS8EncodedKeySpec(encoded));
        requirePair(proof, key, file);
        return key;
    }

    private static void requirePair(PublicKey proof, PrivateKey key, Path file)
            throws GeneralSecurityException {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> key.getAlgorithm();
                };
        byte[] anything = {1, 2, 3};
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(anything);
        byte[] signed = signature.sign();
        signature.initVerify(proof);
        signature.update(anything);
        if (!signature.verify(signed)) {
            throw new InvalidKeyException(file + " is the key of another certificate");
        }
    }

    private static Set<String> namesIn(Certificate certificate) throws GeneralSecurityException {
        Set<String> names = new LinkedHashSet<>();
        if (certificate instanceof X509Certificate x509
                && x509.getSubjectAlternativeNames() != null) {
            for (List<?> name : x509.getSubjectAlternativeNames()) {
                addText(name, names);
            }
        }
        return Set.copyOf(names);
    }

    private static void addText(Collection<?> typeAndValue, Set<String> names) {
        for (Object part : typeAndValue) {
            if (part instanceof String text) {
                names.add(text.toLowerCase(Locale.ROOT));
            }
        }
    }

    /** Jetty's form of it. */
    SslContextFactory.Server forServer() {
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setKeyStore(keys);
        tls.setKeyStorePassword(PASSWORD);
        tls.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        return tls;
    }
}
