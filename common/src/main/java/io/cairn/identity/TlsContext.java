package io.cairn.identity;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the engines of TLS 1.3: those of BoringSSL where its native library can be loaded, else
 * those of the JDK. The latter are slow until the second compiler of the JVM has compiled them. An
 * engine of BoringSSL has native memory; whoever does not hand it to a pipeline must release it.
 * Thread-safe.
 */
final class TlsContext {
    private static final String TLS = "TLSv1.3";

    private final SslContext context;

    private TlsContext(SslContext context) {
        this.context = context;
    }

    /** Found once for a process. */
    private static final class Preferred {
        private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);
        private static final SslProvider PROVIDER = find();

        private static SslProvider find() {
            if (!OpenSsl.isAvailable()) {
                LOG.info(
                        "TLS is that of the JDK; BoringSSL cannot be used: {}",
                        String.valueOf(reason(OpenSsl.unavailabilityCause())));
                return SslProvider.JDK;
            }
            if (!SslProvider.isTlsv13Supported(SslProvider.OPENSSL)) {
                LOG.info(
                        "TLS is that of the JDK; {} has no TLS 1.3",
                        String.valueOf(OpenSsl.versionString()));
                return SslProvider.JDK;
            }
            return SslProvider.OPENSSL;
        }

        /** The outer causes tell of initializers only. */
        private static @Nullable Throwable reason(@Nullable Throwable cause) {
            Throwable last = cause;
            while (last != null && last.getCause() != null) {
                last = last.getCause();
            }
            return last;
        }
    }

    /** The implementation that this process uses; the first call loads a library. */
    static SslProvider preferred() {
        return Preferred.PROVIDER;
    }

    /** Of a side that connects and shows no certificate. */
    static TlsContext ofStranger(SslProvider provider, X509TrustManager trust) {
        return ofClient(SslContextBuilder.forClient(), provider, trust);
    }

    /** Of a side that connects. */
    static TlsContext ofClient(SslProvider provider, Identity own, X509TrustManager trust) {
        SslContextBuilder builder =
                SslContextBuilder.forClient().keyManager(own.key(), own.shown());
        return ofClient(builder, provider, trust);
    }

    private static TlsContext ofClient(
            SslContextBuilder builder, SslProvider provider, X509TrustManager trust) {
        // Certificates name processes, and no hosts.
        return made(builder.endpointIdentificationAlgorithm(""), provider, trust);
    }

    /**
     * Of a side that listens.
     *
     * @param admitsNewcomers whether the other side may show no certificate; one that it shows must
     *     hold
     */
    static TlsContext ofServer(
            SslProvider provider, Identity own, X509TrustManager trust, boolean admitsNewcomers) {
        SslContextBuilder builder =
                SslContextBuilder.forServer(own.key(), own.shown())
                        .clientAuth(admitsNewcomers ? ClientAuth.OPTIONAL : ClientAuth.REQUIRE);
        return made(builder, provider, trust);
    }

    private static TlsContext made(
            SslContextBuilder builder, SslProvider provider, X509TrustManager trust) {
        try {
            return new TlsContext(
                    builder.sslProvider(provider).protocols(TLS).trustManager(trust).build());
        } catch (SSLException e) {
            throw new IllegalStateException("no TLS 1.3 by " + provider, e);
        }
    }

    /** The TLS of a connection. */
    SSLEngine engine() {
        return context.newEngine(ByteBufAllocator.DEFAULT);
    }
}
