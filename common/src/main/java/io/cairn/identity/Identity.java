package io.cairn.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The key of a process and the certificate for it. On disk it is one file, so that key and
 * certificate change together.
 *
 * @param key its private key
 * @param certificate signed by an authority
 * @param authorities as {@link Authorities} tells of them
 * @param subject the holder
 */
public record Identity(
        PrivateKey key, X509Certificate certificate, Authorities authorities, Subject subject) {
    private static final String FILE = "identity.pem";

    /**
     * An identity of parts that belong together.
     *
     * @param chain the certificate and those of the authorities, in PEM, as a master answers
     * @throws FsException EINVAL when they do not
     */
    public static Identity of(PrivateKey key, byte[] chain) {
        return of(key, PemFile.certificates(chain, "the answer of the master"), "the answer");
    }

    private static Identity of(PrivateKey key, List<X509Certificate> chain, String from) {
        if (chain.size() < 2) {
            throw new FsException(Errno.EINVAL, from + " holds no certificate with its authority");
        }
        X509Certificate own = chain.getFirst();
        Subject subject = Subject.of(own);
        if (subject == null) {
            throw new FsException(Errno.EINVAL, from + " holds a certificate of nobody of ours");
        }
        Authorities authorities = new Authorities(chain.subList(1, chain.size()));
        try {
            if (authorities.signerOf(own) == null) {
                throw new CertificateException("no authority of it has signed the certificate");
            }
            requirePair(key, own);
        } catch (GeneralSecurityException e) {
            throw new FsException(
                    Errno.EINVAL, from + " holds what does not belong together: " + e, e);
        }
        return new Identity(key, own, authorities, subject);
    }

    /** The same certificate, with other authorities that are trusted. */
    public Identity trusting(Authorities others) {
        return new Identity(key, certificate, others, subject);
    }

    /** Whether the certificate is signed by the authority that signs at present. */
    public boolean isOfPresentAuthority() {
        return authorities.present().equals(authorities.signerOf(certificate));
    }

    /** Fails when a key is not that of a certificate. */
    static void requirePair(PrivateKey key, X509Certificate certificate)
            throws GeneralSecurityException {
        byte[] anything = {1, 2, 3};
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key);
        signature.update(anything);
        byte[] signed = signature.sign();
        // By its key: the certificate of an authority may sign certificates only.
        signature.initVerify(certificate.getPublicKey());
        signature.update(anything);
        if (!signature.verify(signed)) {
            throw new InvalidKeyException("it is the key of another certificate");
        }
    }

    /** A certificate and those of the authorities, in PEM. */
    public static byte[] chain(X509Certificate certificate, Authorities authorities) {
        return PemFile.bytes(chainOf(certificate, authorities));
    }

    private static X509Certificate[] chainOf(X509Certificate first, Authorities authorities) {
        List<X509Certificate> all = new ArrayList<>(List.of(first));
        all.addAll(authorities.certificates());
        return all.toArray(X509Certificate[]::new);
    }

    /** What it shows to others: its certificate first. */
    X509Certificate[] shown() {
        return chainOf(certificate, authorities);
    }

    /** Whether a directory holds an identity. */
    public static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    /**
     * The identity of a directory. Blocks.
     *
     * @throws FsException EACCES when others may read it; EIO, EINVAL when it cannot be used
     */
    public static Identity read(Path directory) {
        Path file = directory.resolve(FILE);
        byte[] pem = PemFile.read(file, true);
        return of(
                PemFile.key(pem, file.toString()),
                PemFile.certificatesBehindKey(pem, file.toString()),
                file.toString());
    }

    /** Keeps it in a directory, with rights for the owner alone; fails with EIO. Blocks. */
    public void write(Path directory) {
        byte[] keyPem = PemFile.bytes(key);
        byte[] chain = chain(certificate, authorities);
        byte[] all = Arrays.copyOf(keyPem, keyPem.length + chain.length);
        System.arraycopy(chain, 0, all, keyPem.length, chain.length);
        PemFile.makeDirectory(directory);
        PemFile.write(directory.resolve(FILE), all);
    }

    /** The end of the certificate. */
    public Instant expires() {
        return certificate.getNotAfter().toInstant();
    }
}
