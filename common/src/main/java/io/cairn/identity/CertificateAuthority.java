package io.cairn.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Principal.Role;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCSException;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequest;

/**
 * The certificate authority of a cluster: a key on the curve P-256 and a certificate for it that it
 * signed itself. Who has the key can make any certificate of the cluster. Thread-safe.
 */
public final class CertificateAuthority {
    /** How long the certificate of a process lasts. */
    public static final Duration LIFE = Duration.ofDays(30);

    private static final Duration OWN_LIFE = Duration.ofDays(20 * 365);

    /** Clocks of machines differ. */
    private static final Duration SKEW = Duration.ofHours(1);

    private static final String SIGNATURE = "SHA256withECDSA";
    private static final String CERTIFICATE_FILE = "authority.pem";
    private static final String KEY_FILE = "authority.key";
    private static final int SERIAL_BITS = 120;

    private final PrivateKey key;
    private final X509Certificate certificate;
    private final SecureRandom random;

    private CertificateAuthority(PrivateKey key, X509Certificate certificate, SecureRandom random) {
        this.key = key;
        this.certificate = certificate;
        this.random = random;
    }

    /** A new one, for a new cluster. */
    public static CertificateAuthority found(Clock clock, SecureRandom random) {
        KeyPair pair = SigningRequest.newKeys(random);
        String cluster = "cairn-" + new BigInteger(64, random).toString(Character.MAX_RADIX);
        X500Principal name = new X500Principal("CN=authority,O=" + cluster);
        Instant now = clock.now();
        JcaX509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        name,
                        new BigInteger(SERIAL_BITS, random),
                        Date.from(now.minus(SKEW)),
                        Date.from(now.plus(OWN_LIFE)),
                        name,
                        pair.getPublic());
        X509Certificate certificate =
                finish(
                        builder,
                        pair.getPrivate(),
                        new BasicConstraints(0),
                        new KeyUsage(KeyUsage.keyCertSign));
        return new CertificateAuthority(pair.getPrivate(), certificate, random);
    }

    /** Whether a directory holds an authority. */
    public static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(KEY_FILE));
    }

    /**
     * The authority of a directory. Blocks.
     *
     * @throws FsException EACCES when others may read its key; EIO, EINVAL when it cannot be read
     */
    public static CertificateAuthority read(Path directory, SecureRandom random) {
        Path pem = directory.resolve(CERTIFICATE_FILE);
        Path keyFile = directory.resolve(KEY_FILE);
        return new CertificateAuthority(
                PemFile.key(PemFile.read(keyFile, true), keyFile.toString()),
                PemFile.certificates(PemFile.read(pem, false), pem.toString()).getFirst(),
                random);
    }

    /**
     * The certificate of an authority, without its key. Blocks.
     *
     * @param file with it in PEM, such as {@code authority.pem} of a master
     * @throws FsException EIO when it cannot be read; EINVAL when it is none
     */
    public static X509Certificate certificateIn(Path file) {
        List<X509Certificate> all =
                PemFile.certificates(PemFile.read(file, false), file.toString());
        if (all.size() != 1 || all.getFirst().getBasicConstraints() < 0) {
            throw new FsException(
                    Errno.EINVAL,
                    file
                            + " is not the certificate of an authority: copy the file"
                            + " tls/authority.pem from the data directory of a master");
        }
        return all.getFirst();
    }

    /**
     * An authority that another master handed over.
     *
     * @param answer certificates, its own one last, and its key, in PEM, as {@link #handOver} makes
     *     it
     * @throws FsException EINVAL when it is none, or its parts do not belong together
     */
    public static CertificateAuthority of(byte[] answer, SecureRandom random) {
        String text = new String(answer, StandardCharsets.US_ASCII);
        int end = Math.max(0, text.indexOf("-----BEGIN PRIVATE KEY-----"));
        byte[] chain = text.substring(0, end).getBytes(StandardCharsets.US_ASCII);
        String from = "the answer of the master";
        PrivateKey key = PemFile.key(answer, from);
        X509Certificate own = PemFile.certificates(chain, from).getLast();
        try {
            Identity.requirePair(key, own);
        } catch (GeneralSecurityException e) {
            throw new FsException(Errno.EINVAL, from + " holds another key: " + e.getMessage(), e);
        }
        return new CertificateAuthority(key, own, random);
    }

    /**
     * What a new master gets: its certificate, that of the authority, and the key of the authority.
     *
     * @param chain the certificates, in PEM
     */
    public byte[] handOver(byte[] chain) {
        byte[] secret = PemFile.bytes(key);
        byte[] all = Arrays.copyOf(chain, chain.length + secret.length);
        System.arraycopy(secret, 0, all, chain.length, secret.length);
        return all;
    }

    /** Keeps it in a directory, with rights for the owner alone; fails with EIO. Blocks. */
    public void write(Path directory) {
        PemFile.makeDirectory(directory);
        PemFile.write(directory.resolve(CERTIFICATE_FILE), PemFile.bytes(certificate));
        PemFile.write(directory.resolve(KEY_FILE), PemFile.bytes(key));
    }

    /** Its own certificate. */
    public X509Certificate certificate() {
        return certificate;
    }

    /** The id of the cluster in certificates. */
    public String cluster() {
        return clusterOf(certificate);
    }

    static String clusterOf(X509Certificate authority) {
        String name = authority.getSubjectX500Principal().getName(X500Principal.RFC2253);
        return name.substring(name.lastIndexOf("O=") + 2);
    }

    /**
     * Signs.
     *
     * @param request a {@link SigningRequest}; the name that it asks for does not matter
     * @param life how long the certificate is to last, from now
     * @return the certificate
     * @throws FsException EINVAL when it is no request, or not signed by the key that it names
     */
    public X509Certificate sign(
            byte[] request, Role role, String name, Instant now, Duration life) {
        Subject subject = new Subject(cluster(), role, name);
        JcaX509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        certificate,
                        new BigInteger(SERIAL_BITS, random),
                        Date.from(now.minus(SKEW)),
                        Date.from(now.plus(life)),
                        new X500Principal(subject.distinguishedName()),
                        keyOf(request));
        return finish(
                builder, key, new BasicConstraints(false), new KeyUsage(KeyUsage.digitalSignature));
    }

    private static PublicKey keyOf(byte[] request) {
        try {
            JcaPKCS10CertificationRequest asked = new JcaPKCS10CertificationRequest(request);
            PublicKey key = asked.getPublicKey();
            var proof = new JcaContentVerifierProviderBuilder().build(key);
            if (!key.getAlgorithm().equals("EC") || !asked.isSignatureValid(proof)) {
                throw new FsException(
                        Errno.EINVAL, "the signing request is not signed by its own key");
            }
            return key;
        } catch (IOException
                | GeneralSecurityException
                | OperatorCreationException
                | PKCSException
                | IllegalArgumentException e) {
            throw new FsException(
                    Errno.EINVAL, "no signing request can be read: " + e.getMessage(), e);
        }
    }

    private static X509Certificate finish(
            JcaX509v3CertificateBuilder builder,
            PrivateKey signer,
            BasicConstraints constraints,
            KeyUsage usage) {
        try {
            builder.addExtension(Extension.basicConstraints, true, constraints);
            builder.addExtension(Extension.keyUsage, true, usage);
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder(SIGNATURE).build(signer)));
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException("a certificate cannot be signed", e);
        }
    }
}
