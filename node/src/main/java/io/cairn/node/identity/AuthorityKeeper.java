package io.cairn.node.identity;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.JoinSecurity;
import io.cairn.identity.TlsSecurity;
import io.cairn.master.identity.AuthorityKeys;
import io.cairn.master.raft.tls.SecuredNetwork.KeyTaker;
import io.cairn.net.Principal.Role;
import io.cairn.runtime.Clock;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The authority that a master holds, in memory and in its directory, and the certificate that the
 * master makes of it for itself. Both follow what the replicated state names. Thread-safe; blocks
 * while files are written.
 */
public final class AuthorityKeeper implements AuthorityKeys, KeyTaker {
    private static final Logger LOG = LoggerFactory.getLogger(AuthorityKeeper.class);

    private final Path directory;
    private final String name;
    private final TlsSecurity security;
    private final Clock clock;
    private final SecureRandom random;
    private volatile CertificateAuthority held;

    @GuardedBy("this")
    private @Nullable Authorities named;

    @GuardedBy("this")
    private final Set<String> holders = new HashSet<>();

    /**
     * Reads the authority.
     *
     * @param directory where it is
     * @param name of this master
     * @throws FsException EACCES when others may read a key; EIO, EINVAL when a file cannot be used
     */
    public AuthorityKeeper(
            Path directory, String name, TlsSecurity security, Clock clock, SecureRandom random) {
        this.directory = directory;
        this.name = name;
        this.security = security;
        this.clock = clock;
        this.random = random;
        this.held = CertificateAuthority.read(directory, random);
    }

    @Override
    public CertificateAuthority held() {
        return held;
    }

    /** The security of this process. */
    public TlsSecurity security() {
        return security;
    }

    @Override
    public synchronized void keepNext(CertificateAuthority next, Authorities present) {
        holdNext(present);
        next.writeNext(directory);
    }

    /** If the key that was kept is that of the present authority, holds it. */
    @GuardedBy("this")
    private void holdNext(Authorities told) {
        CertificateAuthority next = CertificateAuthority.next(directory, random);
        if (next != null && told.present().equals(next.certificate())) {
            // In this order: a master that is started anew trusts what stands beside its key.
            security.identity().trusting(told).write(directory);
            hold(next);
        }
    }

    @Override
    public synchronized Set<String> holders() {
        return Set.copyOf(holders);
    }

    /** The next certificate of this master, for when its time comes. */
    public byte[] sign(byte[] request) {
        return Identity.chain(
                held.sign(request, Role.MASTER, name, clock.now(), CertificateAuthority.LIFE),
                security.identity().authorities());
    }

    @Override
    public synchronized String take(byte[] secret) {
        CertificateAuthority offered = CertificateAuthority.ofSecret(secret, random);
        Authorities known = named;
        if (known == null || !known.present().equals(offered.certificate())) {
            throw new FsException(
                    Errno.NOT_READY, name + " has not heard of this authority, or not yet");
        }
        if (!held.certificate().equals(offered.certificate())) {
            hold(offered);
            renew(known);
        }
        return JoinSecurity.fingerprintOf(held.certificate());
    }

    /**
     * Does what the state says: trusts its authorities, holds the present one if its key is here,
     * and has a certificate of it.
     */
    synchronized void follow(Authorities told) {
        if (told.equals(named)) {
            // A renewal that began before may have brought back what it was.
            renew(told);
            return;
        }
        if (!told.present().equals(held.certificate())) {
            holdNext(told);
        }
        if (!told.anchors().contains(held.certificate())) {
            throw new FsException(
                    Errno.EACCES,
                    "the key of the authority of the cluster is not here: if a backup was restored,"
                            + " 'cairn ca rotate'; else remove this master, and let it join with"
                            + " another name and an empty directory");
        }
        renew(told);
        holders.clear();
        named = told;
    }

    @GuardedBy("this")
    private void hold(CertificateAuthority authority) {
        authority.write(directory);
        CertificateAuthority.forgetNext(directory);
        held = authority;
        LOG.info("master {} signs with a new authority", name);
    }

    @GuardedBy("this")
    private void renew(Authorities trusted) {
        Identity own = security.identity();
        if (!own.authorities().equals(trusted)
                || !held.certificate().equals(trusted.signerOf(own.certificate()))) {
            Identity fresh = Joining.ofMaster(held, trusted, name, clock, random);
            fresh.write(directory);
            security.renewed(fresh);
        }
    }

    /** Another master has told what it signs with. */
    synchronized void heard(String master, String fingerprint) {
        if (fingerprint.equals(JoinSecurity.fingerprintOf(held.certificate()))) {
            holders.add(master);
        }
    }
}
