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
import org.jspecify.annotations.Nullable;

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
    private static final String NEXT_FILE = "authority-next.key";
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
        String cluster = "cairn-" + new BigInteger(64, random).toString(Character.MAX_RADIX);
        return make(new X500Principal("CN=authority,O=" + cluster), clock, random);
    }

    /** Another one for the same cluster, with a key of its own. */
    public CertificateAuthority successor(Clock clock) {
        return make(certificate.getSubjectX500Principal(), clock, random);
    }

    private static CertificateAuthority make(X500Principal name, Clock clock, SecureRandom random) {
        KeyPair pair = SigningRequest.newKeys(random);
        Instant now = clock.now();
        Date end = Date.from(now.plus(OWN_LIFE));
        return new CertificateAuthority(
                pair.getPrivate(),
                ofAuthority(name, pair.getPublic(), pair.getPrivate(), now, end, random),
                random);
    }

    /** For who trusts this authority alone: a certificate of this one for the key of another. */
    public X509Certificate introduce(X509Certificate other, Clock clock) {
        X500Principal name = certificate.getSubjectX500Principal();
        return ofAuthority(
                name, other.getPublicKey(), key, clock.now(), certificate.getNotAfter(), random);
    }

    private static X509Certificate ofAuthority(
            X500Principal name,
            PublicKey signed,
            PrivateKey signer,
            Instant now,
            Date end,
            SecureRandom random) {
        JcaX509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        name,
                        new BigInteger(SERIAL_BITS, random),
                        Date.from(now.minus(SKEW)),
                        end,
                        name,
                        signed);
        return finish(builder, signer, new BasicConstraints(0), new KeyUsage(KeyUsage.keyCertSign));
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
        Path keyFile = directory.resolve(KEY_FILE);
        byte[] secret = PemFile.read(keyFile, true);
        List<X509Certificate> beside = PemFile.certificatesBehindKey(secret, keyFile.toString());
        if (!beside.isEmpty()) {
            return ofPair(
                    PemFile.key(secret, keyFile.toString()),
                    beside.getFirst(),
                    keyFile.toString(),
                    random);
        }
        // As it was kept before authorities could be replaced.
        Path pem = directory.resolve(CERTIFICATE_FILE);
        return new CertificateAuthority(
                PemFile.key(secret, keyFile.toString()),
                PemFile.certificates(PemFile.read(pem, false), pem.toString()).getFirst(),
                random);
    }

    private static CertificateAuthority ofPair(
            PrivateKey key, X509Certificate own, String from, SecureRandom random) {
        try {
            Identity.requirePair(key, own);
        } catch (GeneralSecurityException e) {
            throw new FsException(Errno.EINVAL, from + " holds another key: " + e.getMessage(), e);
        }
        return new CertificateAuthority(key, own, random);
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
     * @param answer a certificate, those of the authorities, its own one first, and its key, in
     *     PEM, as {@link #handOver} makes it
     * @throws FsException EINVAL when it is none, or its parts do not belong together
     */
    public static CertificateAuthority of(byte[] answer, SecureRandom random) {
        String from = "the answer of the master";
        PrivateKey key = PemFile.key(answer, from);
        List<X509Certificate> chain = PemFile.certificates(chainOf(answer), from);
        if (chain.size() < 2) {
            throw new FsException(Errno.EINVAL, from + " holds no certificate of an authority");
        }
        return ofPair(key, chain.get(1), from, random);
    }

    /** The certificates of what {@link #handOver} makes, in PEM. */
    public static byte[] chainOf(byte[] answer) {
        String text = new String(answer, StandardCharsets.US_ASCII);
        int end = Math.max(0, text.indexOf("-----BEGIN PRIVATE KEY-----"));
        return text.substring(0, end).getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads what {@link #secret} has made; fails with EINVAL. */
    public static CertificateAuthority ofSecret(byte[] pem, SecureRandom random) {
        String from = "the key of the authority";
        List<X509Certificate> beside = PemFile.certificatesBehindKey(pem, from);
        if (beside.isEmpty()) {
            throw new FsException(Errno.EINVAL, from + " comes without its certificate");
        }
        return ofPair(PemFile.key(pem, from), beside.getFirst(), from, random);
    }

    /** Its key and its certificate, in PEM: all of it, for another master. */
    public byte[] secret() {
        return join(PemFile.bytes(key), PemFile.bytes(certificate));
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    /**
     * What a new master gets: its certificate, that of the authority, and the key of the authority.
     *
     * @param chain the certificates, in PEM
     */
    public byte[] handOver(byte[] chain) {
        return join(chain, PemFile.bytes(key));
    }

    /**
     * Keeps it in a directory, with rights for the owner alone, in place of another; fails with
     * EIO. The file of the key is the one that counts: it holds the certificate, too, so that both
     * change together. Blocks.
     */
    public void write(Path directory) {
        PemFile.makeDirectory(directory);
        PemFile.write(directory.resolve(KEY_FILE), secret());
        PemFile.write(directory.resolve(CERTIFICATE_FILE), PemFile.bytes(certificate));
    }

    /** Keeps it in a directory beside the one that is there, until {@link #next} is written. */
    public void writeNext(Path directory) {
        PemFile.write(directory.resolve(NEXT_FILE), secret());
    }

    /**
     * What {@link #writeNext} has kept; null when there is none. Blocks.
     *
     * @throws FsException as {@link #read} does
     */
    public static @Nullable CertificateAuthority next(Path directory, SecureRandom random) {
        Path file = directory.resolve(NEXT_FILE);
        return Files.exists(file) ? ofSecret(PemFile.read(file, true), random) : null;
    }

    /** Forgets what {@link #writeNext} has kept, if anything; fails with EIO. Blocks. */
    public static void forgetNext(Path directory) {
        PemFile.delete(directory.resolve(NEXT_FILE));
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
