package io.cairn.node.identity;

import io.cairn.identity.TlsSecurity;
import io.cairn.master.MasterService;
import io.cairn.master.identity.CertificateIssuer;
import io.cairn.runtime.Scheduler;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the list of revoked certificates in the state of a master: ends their connections here,
 * and tells the chunk servers. On the leader it notes the masters that there are, so that they can
 * be revoked when they are gone. Looks twice a second.
 */
public final class RevocationNews implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RevocationNews.class);
    private static final long PAUSE_MS = 500;

    private final TlsSecurity security;
    private final CertificateIssuer issuer;
    private final MasterService master;
    private final Supplier<List<String>> masters;
    private final Scheduler scheduler;
    private volatile boolean closed;

    /**
     * Begins to look.
     *
     * @param masters the names of all masters, this one among them
     */
    public RevocationNews(
            TlsSecurity security,
            CertificateIssuer issuer,
            MasterService master,
            Supplier<List<String>> masters,
            Scheduler scheduler) {
        this.security = security;
        this.issuer = issuer;
        this.master = master;
        this.masters = masters;
        this.scheduler = scheduler;
        scheduler.schedule(this::look, 0);
    }

    private void look() {
        if (closed) {
            return;
        }
        try {
            Set<String> revoked = issuer.revoked();
            security.revoke(revoked);
            master.certification().tellRevoked(revoked);
            if (master.leads()) {
                issuer.remember(masters.get());
            }
        } catch (RuntimeException e) {
            LOG.warn("the list of revoked certificates cannot be followed: {}", e.toString());
        } finally {
            scheduler.schedule(this::look, PAUSE_MS);
        }
    }

    /** Looks no more. Idempotent. */
    @Override
    public void close() {
        closed = true;
    }
}
