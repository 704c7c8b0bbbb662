package io.cairn.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.ChannelSecurity;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.runtime.Clock;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509TrustManager;

/**
 * TLS for a process that has no certificate yet: it knows the masters by the fingerprint of their
 * authority. Thread-safe.
 */
public final class JoinSecurity implements ChannelSecurity {
    private final TlsContext context;

    /** For the masters of a token. */
    public JoinSecurity(JoinToken token, Clock clock) {
        this(token.fingerprint(), "it is no master of the cluster that made the join token", clock);
    }

    /** For the masters of an authority. */
    public JoinSecurity(X509Certificate authority, Clock clock) {
        this(
                fingerprintOf(authority),
                "it is no master of the cluster of this authority: is ca=FILE the right one?",
                clock);
    }

    private JoinSecurity(String fingerprint, String otherwise, Clock clock) {
        this.context =
                TlsContext.ofStranger(
                        TlsContext.preferred(),
                        new FingerprintTrust(fingerprint, otherwise, clock));
    }

    @Override
    public SSLEngine client() {
        return context.engine();
    }

    @Override
    public SSLEngine server() {
        throw new FsException(Errno.ENXIO, "a process without a certificate does not listen");
    }

    @Override
    public Principal principal(SSLSession session, String address) {
        return new Principal(Role.MASTER, "", address);
    }

    @Override
    public String refused(String address, Throwable cause) {
        return HandshakeFailure.of(cause).text();
    }

    /** Trusts masters of the authority with a fingerprint. */
    private record FingerprintTrust(String fingerprint, String otherwise, Clock clock)
            implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            throw new CertificateException("nobody connects to a process that joins");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            List<X509Certificate> known =
                    Arrays.stream(chain)
                            .filter(each -> fingerprint.equals(fingerprintOf(each)))
                            .toList();
            if (known.isEmpty()) {
                throw new CertificateException(otherwise);
            }
            Subject subject = new PeerTrust(known, clock::now, Set::of).check(chain);
            if (subject.role() != Role.MASTER) {
                throw new CertificateException("it is no master but a " + subject.role());
            }
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** The SHA-256 of a certificate, hexadecimal. */
    public static String fingerprintOf(X509Certificate certificate) {
        try {
            return JoinToken.hex(certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate without its bytes", e);
        }
    }
}
