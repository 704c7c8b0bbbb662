package io.cairn.identity;

import io.cairn.base.FsException;
import io.cairn.net.Refusals.Reason;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.util.List;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reason why a handshake failed.
 *
 * @param isOurs whether this side refused; else the other one did, or the network broke
 * @param text for people
 */
record HandshakeFailure(Reason reason, boolean isOurs, String text) {
    private static final Logger LOG = LoggerFactory.getLogger(HandshakeFailure.class);
    private static final int MAX_CAUSES = 8;

    /** What the JDK says, and BoringSSL. */
    private static final List<String> NO_CERTIFICATE =
            List.of("Empty client certificate", "PEER_DID_NOT_RETURN_A_CERTIFICATE");

    private static final List<String> THEIRS =
            List.of("Received fatal alert", "SSLV3_ALERT_", "TLSV1_ALERT_", "closed");

    static HandshakeFailure of(Throwable cause) {
        Throwable each = cause;
        String tls = null;
        boolean isBroken = false;
        for (int i = 0; i < MAX_CAUSES && each != null; i++) {
            String message = String.valueOf(each.getMessage());
            switch (each) {
                case NotSslRecordException _ -> {
                    return new HandshakeFailure(
                            Reason.PLAIN, true, "it speaks no TLS, and this port does");
                }
                case CertificateException _ -> {
                    return new HandshakeFailure(Reason.CERTIFICATE, true, message);
                }
                case FsException _ -> {
                    return new HandshakeFailure(Reason.CERTIFICATE, true, message);
                }
                case SSLException _ -> tls = message;
                case IOException _ -> isBroken = true;
                default -> LOG.debug("a TLS handshake failed", each);
            }
            each = each.getCause();
        }
        return tls == null || isBroken
                ? new HandshakeFailure(
                        Reason.HANDSHAKE, false, "the TLS handshake ended: " + cause.getMessage())
                : ofTls(tls);
    }

    private static HandshakeFailure ofTls(String message) {
        if (containsOne(message, NO_CERTIFICATE)) {
            return new HandshakeFailure(Reason.CERTIFICATE, true, "it shows no certificate");
        }
        boolean isTheirs = containsOne(message, THEIRS);
        String text =
                isTheirs
                        ? "the other side refused the TLS handshake (%s); its log says why"
                                .formatted(message)
                        : "the TLS handshake failed: " + message;
        return new HandshakeFailure(Reason.HANDSHAKE, !isTheirs, text);
    }

    private static boolean containsOne(String message, List<String> words) {
        return words.stream().anyMatch(message::contains);
    }
}
