package io.cairn.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of the authorities of a cluster: normally one. While the authority is replaced
 * there are more, as RFC 4210 describes it:
 *
 * <pre>
 * +-------------------+--------------------------+-------------------+
 * | present authority | its key, signed by the   | former authority  |  ... and so on
 * | (signs itself)    | former authority         | (signs itself)    |
 * +-------------------+--------------------------+-------------------+
 * </pre>
 *
 * Who knows all of them trusts each that signs itself. Who knows the former one alone trusts the
 * present one for the certificate in the middle, which everybody shows besides its own. Immutable.
 *
 * @param certificates 1..{@value #MAX} of them, the present authority first
 */
public record Authorities(List<X509Certificate> certificates) {
    /** With three authorities; TLS of the JDK takes chains of eight. */
    static final int MAX = 5;

    /**
     * Takes a copy.
     *
     * @throws FsException EINVAL when there are none or too many, or the first is no authority
     */
    public Authorities {
        certificates = List.copyOf(certificates);
        if (certificates.isEmpty() || certificates.size() > MAX) {
            throw new FsException(
                    Errno.EINVAL, certificates.size() + " certificates of authorities");
        }
        if (!isAnchor(certificates.getFirst())) {
            throw new FsException(
                    Errno.EINVAL, "the first certificate of the authorities does not sign itself");
        }
    }

    /** One alone. */
    public static Authorities of(X509Certificate authority) {
        return new Authorities(List.of(authority));
    }

    /**
     * Reads what {@link #pem} has made.
     *
     * @throws FsException EINVAL when it is something else
     */
    public static Authorities of(byte[] pem) {
        return new Authorities(PemFile.certificates(pem, "the list of authorities"));
    }

    /** All certificates, in PEM. */
    public byte[] pem() {
        return PemFile.bytes(certificates.toArray(X509Certificate[]::new));
    }

    /** The one that signs at present, or will sign as soon as the masters have its key. */
    public X509Certificate present() {
        return certificates.getFirst();
    }

    /** Those that sign themselves: the present one, and the former ones that count still. */
    public List<X509Certificate> anchors() {
        return certificates.stream().filter(Authorities::isAnchor).toList();
    }

    /** Whether there is room for one more. */
    public boolean isFull() {
        return certificates.size() + 2 > MAX;
    }

    /**
     * With a new present authority.
     *
     * @param next signs itself
     * @param crossed the key of the next one, signed by one of these authorities
     */
    public Authorities followedBy(X509Certificate next, X509Certificate crossed) {
        List<X509Certificate> all = new ArrayList<>(List.of(next, crossed));
        all.addAll(certificates);
        return new Authorities(all);
    }

    /** The one of these that has signed a certificate; null when none has. */
    public @Nullable X509Certificate signerOf(X509Certificate certificate) {
        for (X509Certificate each : anchors()) {
            if (isSigned(certificate, each)) {
                return each;
            }
        }
        return null;
    }

    /**
     * Whether who trusts these may trust others that somebody tells: each that signs itself is one
     * of these, or has the key of a certificate that one of these has signed.
     */
    public boolean introduce(Authorities others) {
        List<X509Certificate> trusted = new ArrayList<>(anchors());
        List<X509Certificate> left = new ArrayList<>(others.certificates);
        while (left.removeIf(each -> isIntroduced(each, trusted))) {
            others.certificates.stream().filter(each -> !left.contains(each)).forEach(trusted::add);
        }
        return left.stream().noneMatch(Authorities::isAnchor);
    }

    private static boolean isIntroduced(X509Certificate certificate, List<X509Certificate> by) {
        return isAuthority(certificate)
                && by.stream().anyMatch(each -> isSigned(certificate, each));
    }

    private static boolean isAnchor(X509Certificate certificate) {
        return isAuthority(certificate) && isSigned(certificate, certificate);
    }

    /** Whether a certificate allows its holder to sign others. */
    static boolean isAuthority(X509Certificate certificate) {
        return certificate.getBasicConstraints() >= 0;
    }

    /** Whether the key of one certificate has signed another one. */
    static boolean isSigned(X509Certificate certificate, X509Certificate by) {
        try {
            certificate.verify(by.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
