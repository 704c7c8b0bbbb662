package io.cairn.identity;

import io.cairn.net.Principal.Role;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Decides whether the certificate of another side holds: signed by the authority of the cluster, in
 * its time, of a known role, not revoked. Names of hosts do not matter: the certificate names the
 * process. Thread-safe.
 */
final class PeerTrust extends X509ExtendedTrustManager {
    private final X509Certificate authority;
    private final Supplier<Instant> now;
    private final Supplier<Set<String>> revoked;

    /**
     * Trusts what an authority has signed.
     *
     * @param now the time
     * @param revoked the serial numbers of revoked certificates, hexadecimal
     */
    PeerTrust(X509Certificate authority, Supplier<Instant> now, Supplier<Set<String>> revoked) {
        this.authority = authority;
        this.now = now;
        this.revoked = revoked;
    }

    /** The holder of a certificate that holds; else fails, and the message says why. */
    Subject check(X509Certificate leaf) throws CertificateException {
        try {
            leaf.verify(authority.getPublicKey());
        } catch (GeneralSecurityException e) {
            throw new CertificateException("its certificate is of another cluster", e);
        }
        Subject subject = Subject.of(leaf);
        if (subject == null || leaf.getBasicConstraints() >= 0) {
            throw new CertificateException("its certificate names no role and name");
        }
        if (now.get().isAfter(leaf.getNotAfter().toInstant())) {
            throw new CertificateException("its certificate has expired: " + who(subject));
        }
        if (now.get().isBefore(leaf.getNotBefore().toInstant())) {
            throw new CertificateException(
                    "its certificate is not valid yet, one clock is wrong: " + who(subject));
        }
        if (revoked.get().contains(serial(leaf))) {
            throw new CertificateException("its certificate was revoked: " + who(subject));
        }
        return subject;
    }

    private static String who(Subject subject) {
        return subject.role().text() + " " + subject.name();
    }

    static String serial(X509Certificate certificate) {
        return certificate.getSerialNumber().toString(16);
    }

    private void checkClient(X509Certificate[] chain) throws CertificateException {
        var _ = check(chain[0]);
    }

    /** Only masters and chunk servers listen. */
    private void checkServer(X509Certificate[] chain) throws CertificateException {
        Role role = check(chain[0]).role();
        if (role != Role.MASTER && role != Role.CHUNK) {
            throw new CertificateException("its certificate is that of no server but a " + role);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        checkClient(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        checkClient(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        checkClient(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        checkServer(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        checkServer(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        checkServer(chain);
    }

    /** Empty, so that a stranger shows what it has, and is told why it does not do. */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
