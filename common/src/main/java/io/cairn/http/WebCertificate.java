package io.cairn.http;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The certificate of a web server. Immutable.
 *
 * @param names the names and addresses that the certificate is for, in small letters
 */
public record WebCertificate(SslContext context, Set<String> names) {
    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

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
            SslContext context =
                    SslContextBuilder.forServer(chain.toFile(), key.toFile())
                            .protocols(PROTOCOLS)
                            .build();
            return new WebCertificate(context, namesIn(chain));
        } catch (IOException | CertificateException | IllegalArgumentException e) {
            throw new FsException(
                    Errno.EINVAL,
                    "%s and %s are not a PEM certificate and its private key (PKCS #8, without a"
                                    .formatted(chain, key)
                            + " password): "
                            + e.getMessage());
        }
    }

    private static Set<String> namesIn(Path chain) throws IOException, CertificateException {
        Set<String> names = new LinkedHashSet<>();
        try (InputStream in = Files.newInputStream(chain)) {
            var read = CertificateFactory.getInstance("X.509").generateCertificate(in);
            if (read instanceof X509Certificate certificate
                    && certificate.getSubjectAlternativeNames() != null) {
                for (List<?> name : certificate.getSubjectAlternativeNames()) {
                    addText(name, names);
                }
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
}
