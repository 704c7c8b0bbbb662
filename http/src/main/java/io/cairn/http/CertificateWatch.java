package io.cairn.http;

import io.cairn.base.FsException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a new certificate when its files have changed: connections that begin from then on get it.
 * One that cannot be used is told once, and the last good one stays. Runs on one timer.
 */
final class CertificateWatch {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);

    private final WebCertificate certificate;
    private final SslContextFactory.Server tls;
    private final Scheduler timer;
    private final int periodMs;
    private String seen;

    private CertificateWatch(
            WebCertificate certificate,
            SslContextFactory.Server tls,
            Scheduler timer,
            int periodMs) {
        this.certificate = certificate;
        this.tls = tls;
        this.timer = timer;
        this.periodMs = periodMs;
        seen = certificate.stamp();
    }

    /** Looks every {@code periodMs} until the timer stops. */
    static void begin(
            WebCertificate certificate,
            SslContextFactory.Server tls,
            Scheduler timer,
            int periodMs) {
        new CertificateWatch(certificate, tls, timer, periodMs).lookLater();
    }

    private void lookLater() {
        timer.schedule(this::look, periodMs, TimeUnit.MILLISECONDS);
    }

    private void look() {
        String now = WebCertificate.stamp(certificate.chain(), certificate.key());
        if (!now.equals(seen)) {
            seen = now;
            take();
        }
        lookLater();
    }

    private void take() {
        try {
            WebCertificate fresh = WebCertificate.read(certificate.chain(), certificate.key());
            tls.reload(factory -> factory.setKeyStore(fresh.keys()));
            LOG.info("new connections get the certificate that now stands in {}", fresh.chain());
        } catch (FsException e) {
            LOG.warn("{}; the last certificate stays in use", e.getMessage());
        } catch (Exception e) {
            LOG.warn("{} cannot be used; the last one stays in use", certificate.chain(), e);
        }
    }
}
