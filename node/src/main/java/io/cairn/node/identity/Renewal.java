package io.cairn.node.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.Authorities;
import io.cairn.identity.Identity;
import io.cairn.identity.SigningRequest;
import io.cairn.identity.TlsSecurity;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.master.ClusterRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets the next certificate when a third of the time of the present one is left, or at once when
 * the authority that signed it is replaced, over the connections that the present one secures. It
 * makes a new key each time. Thread-safe.
 */
public final class Renewal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Renewal.class);

    /** Short, because the timer stands still while the machine sleeps; a look costs nothing. */
    private static final long MAX_PAUSE_MS = 60_000;

    private static final long MIN_PAUSE_MS = 200;
    private static final int LOOKS = 60;
    private static final long CLOSE_MS = 5_000;

    private final TlsSecurity security;
    private final @Nullable Path directory;
    private final CertificateIssuer issuer;
    private final Scheduler scheduler;
    private final Clock clock;
    private final SecureRandom random;

    /** Held while the identity is replaced, also while a master is asked. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile boolean closed;
    private volatile Scheduler.@Nullable Timer timer;

    /** Whether the identity is another one than on disk. */
    private volatile boolean isUnwritten;

    /** The certificate that masters know to be here; null for none that matters. */
    private volatile @Nullable X509Certificate told;

    /** Before this it does not ask again for a certificate of the present authority by itself. */
    private volatile Instant patientUntil = Instant.MIN;

    /**
     * Begins to look.
     *
     * @param directory where the identity is kept; null for in memory only
     * @param random makes keys
     */
    public Renewal(
            TlsSecurity security,
            @Nullable Path directory,
            CertificateIssuer issuer,
            Scheduler scheduler,
            Clock clock,
            SecureRandom random) {
        this.security = security;
        this.directory = directory;
        this.issuer = issuer;
        this.scheduler = scheduler;
        this.clock = clock;
        this.random = random;
        again();
    }

    /**
     * Has the leading master sign.
     *
     * @param masters where the masters are, as far as it is known at that time
     */
    public static CertificateIssuer byMasters(
            Transport transport, Supplier<List<Endpoint>> masters, Clock clock) {
        CertificateCall call = new CertificateCall(transport, masters, clock);
        return new CertificateIssuer() {
            @Override
            public byte[] sign(byte[] request) {
                return call.ask(new ClusterRequest.RenewCertificate(request));
            }

            @Override
            public void kept(String serial) {
                var _ = call.ask(new ClusterRequest.CertificateKept(serial));
            }
        };
    }

    private Duration life() {
        Identity present = security.identity();
        Instant begin = present.certificate().getNotBefore().toInstant();
        return Duration.between(begin, present.expires());
    }

    private void again() {
        if (!closed) {
            long pauseMs = Math.clamp(life().toMillis() / LOOKS, MIN_PAUSE_MS, MAX_PAUSE_MS);
            timer = scheduler.schedule(this::look, pauseMs);
        }
    }

    private void look() {
        if (isDue() || isUnwritten || isUntold()) {
            Thread.ofVirtual()
                    .name("cairn-renewal")
                    .start(
                            () -> {
                                try {
                                    renew();
                                } finally {
                                    again();
                                }
                            });
        } else {
            again();
        }
    }

    private boolean isDue() {
        Identity present = security.identity();
        Instant now = clock.now();
        Instant due = present.expires().minus(life().dividedBy(3));
        return !now.isBefore(due)
                || (!present.isOfPresentAuthority() && !now.isBefore(patientUntil));
    }

    /** Whether masters wait for the word that the certificate of the present authority is here. */
    private boolean isUntold() {
        Identity own = security.identity();
        return own.authorities().anchors().size() > 1
                && own.isOfPresentAuthority()
                && !isUnwritten
                && !own.certificate().equals(told);
    }

    /** Each process does so at least once while a former authority counts. */
    private void tell() {
        if (isUntold()) {
            X509Certificate own = security.identity().certificate();
            issuer.kept(own.getSerialNumber().toString(16));
            told = own;
        }
    }

    /**
     * Masters told which authorities count: trusts them, and gets a certificate of the present one.
     * Returns at once.
     *
     * @param pem as {@link Authorities#pem} makes it
     */
    public void trust(String pem) {
        Thread.ofVirtual().name("cairn-renewal").start(() -> follow(pem));
    }

    /** The same, on this thread. Blocks. */
    void follow(String pem) {
        lock.lock();
        try {
            Authorities told = Authorities.of(pem.getBytes(StandardCharsets.US_ASCII));
            Identity own = security.identity();
            if (told.signerOf(own.certificate()) == null) {
                LOG.warn("the authority of this certificate is trusted no more: join again");
                return;
            }
            requireIntroduced(own, told);
            // Only a master that has the key tells.
            patientUntil = Instant.MIN;
            if (!own.authorities().equals(told)) {
                Identity fresh = own.trusting(told);
                keep(fresh);
                LOG.info("the authorities of the cluster have changed");
            }
        } catch (FsException e) {
            LOG.warn("the authorities of the cluster cannot be followed: {}", e.getMessage());
        } finally {
            lock.unlock();
        }
        if (!security.identity().isOfPresentAuthority() || isUntold()) {
            renew();
        }
    }

    /**
     * Whoever answers, or tells: while a cluster changes to TLS some connections are plain, and
     * anybody may be at the other end.
     */
    private static void requireIntroduced(Identity own, Authorities told) {
        if (!own.authorities().introduce(told)) {
            throw new FsException(
                    Errno.EACCES, "an authority is named that none of the cluster has signed");
        }
    }

    private void keep(Identity fresh) {
        write(fresh);
        security.renewed(fresh);
    }

    /** What cannot be written is used nevertheless: masters may take no other one soon. */
    private void write(Identity fresh) {
        if (directory != null) {
            try {
                fresh.write(directory);
                isUnwritten = false;
            } catch (FsException e) {
                isUnwritten = true;
                LOG.warn("the certificate is used, and will be written later: {}", e.getMessage());
            }
        }
    }

    private void renew() {
        lock.lock();
        try {
            if (!isDue()) {
                // Another one has done it meanwhile.
                if (isUnwritten) {
                    write(security.identity());
                }
                tell();
                return;
            }
            SigningRequest request = SigningRequest.make(random);
            Identity fresh = Identity.of(request.key(), issuer.sign(request.bytes()));
            requireIntroduced(security.identity(), fresh.authorities());
            if (!fresh.subject().equals(security.identity().subject())) {
                throw new FsException(Errno.EACCES, "it was given to " + fresh.subject());
            }
            keep(fresh);
            if (!fresh.isOfPresentAuthority()) {
                // The leader has not got the key. Who asks each minute has too many certificates
                // soon, and gets none when there is a leader with it.
                patientUntil = clock.now().plus(life().dividedBy(LOOKS));
            }
            LOG.info("the certificate was renewed and is good until {}", fresh.expires());
            tell();
        } catch (FsException e) {
            LOG.warn(
                    "the certificate ends at {}, and masters cannot be asked about it: {}",
                    security.identity().expires(),
                    e.getMessage());
        } finally {
            lock.unlock();
        }
    }

    /** Looks no more; waits a moment for a certificate that is being made. Idempotent. */
    @Override
    public void close() {
        closed = true;
        Scheduler.Timer pending = timer;
        if (pending != null) {
            pending.cancel();
        }
        try {
            // A command that ends at once would lose the certificate that it is about to get.
            if (lock.tryLock(CLOSE_MS, TimeUnit.MILLISECONDS)) {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
