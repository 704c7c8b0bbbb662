package io.cairn.identity;

import io.cairn.net.Principal.Role;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Decides whether the certificate of another side holds: signed by an authority of the cluster, in
 * its time, of a known role, not revoked. Names of hosts do not matter: the certificate names the
 * process. Thread-safe.
 */
final class PeerTrust extends X509ExtendedTrustManager {
    /** As many as TLS of the JDK takes from a client. */
    private static final int MAX_CHAIN = 8;

    private final List<X509Certificate> authorities;
    private final Supplier<Instant> now;
    private final Supplier<Set<String>> revoked;

    /**
     * Trusts what authorities have signed, and authorities that they have signed.
     *
     * @param authorities those that are trusted by themselves
     * @param now the time
     * @param revoked the serial numbers of revoked certificates, hexadecimal, and names of masters
     *     as in {@code master.m2}, all of whose certificates are revoked
     */
    PeerTrust(
            List<X509Certificate> authorities,
            Supplier<Instant> now,
            Supplier<Set<String>> revoked) {
        this.authorities = List.copyOf(authorities);
        this.now = now;
        this.revoked = revoked;
    }

    /**
     * The holder of a certificate that holds; else fails, and the message says why.
     *
     * @param chain the certificate first, then what else the other side has shown
     */
    Subject check(X509Certificate... chain) throws CertificateException {
        X509Certificate leaf = chain[0];
        if (!isSigned(leaf, authorities) && !isSigned(leaf, introduced(chain))) {
            throw new CertificateException("its certificate is of another cluster");
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
        if (revoked.get().contains(serial(leaf)) || revoked.get().contains(nameOf(subject))) {
            throw new CertificateException("its certificate was revoked: " + who(subject));
        }
        return subject;
    }

    private static boolean isSigned(X509Certificate leaf, List<X509Certificate> by) {
        return by.stream().anyMatch(each -> Authorities.isSigned(leaf, each));
    }

    /**
     * The authorities of a chain that a trusted one has signed: it is replaced, and this side has
     * not heard of it yet. Each stands before the one that signed it.
     */
    private List<X509Certificate> introduced(X509Certificate... chain) {
        List<X509Certificate> found = new ArrayList<>();
        for (int i = Math.min(chain.length, MAX_CHAIN) - 1; i > 0; i--) {
            X509Certificate each = chain[i];
            if (Authorities.isAuthority(each)
                    && isInTime(each)
                    && (isSigned(each, authorities) || isSigned(each, found))) {
                found.add(each);
            }
        }
        return found;
    }

    private boolean isInTime(X509Certificate certificate) {
        Instant time = now.get();
        return !time.isAfter(certificate.getNotAfter().toInstant())
                && !time.isBefore(certificate.getNotBefore().toInstant());
    }

    /** As all certificates of a master are revoked, which signs its own ones. */
    static String nameOf(Subject subject) {
        return subject.role().text() + "." + subject.name();
    }

    private static String who(Subject subject) {
        return subject.role().text() + " " + subject.name();
    }

    static String serial(X509Certificate certificate) {
        return certificate.getSerialNumber().toString(16);
    }

    private void checkClient(X509Certificate[] chain) throws CertificateException {
        var _ = check(chain);
    }

    /** Only masters and chunk servers listen. */
    private void checkServer(X509Certificate[] chain) throws CertificateException {
        Role role = check(chain).role();
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
