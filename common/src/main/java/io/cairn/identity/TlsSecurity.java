package io.cairn.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.ChannelSecurity;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.runtime.Clock;
import io.netty.handler.ssl.SslProvider;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * TLS 1.3 between the processes of a cluster: both sides show certificates of the cluster's
 * authorities. A master also lets in who has none yet, so that it can ask for one. The certificate
 * of this process can be replaced while connections are open; they keep the one they began with.
 * Thread-safe.
 */
public final class TlsSecurity implements ChannelSecurity {
    private final SslProvider provider;
    private final Clock clock;
    private final Refusals refusals;
    private final boolean admitsNewcomers;
    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
    private volatile Set<String> revoked = Set.of();
    private volatile boolean admitsPlain;
    private volatile State state;

    /** The identity, and all that follows from it. */
    private record State(
            Identity identity, PeerTrust trust, TlsContext client, TlsContext server) {}

    /**
     * The security of a process.
     *
     * @param refusals hears of those that could not prove who they are
     */
    public TlsSecurity(Identity identity, Clock clock, Refusals refusals) {
        this(TlsContext.preferred(), identity, clock, refusals);
    }

    /** The same with an implementation of TLS. */
    TlsSecurity(SslProvider provider, Identity identity, Clock clock, Refusals refusals) {
        this.provider = provider;
        this.clock = clock;
        this.refusals = refusals;
        this.admitsNewcomers = identity.subject().role() == Role.MASTER;
        this.state = stateOf(identity);
    }

    private State stateOf(Identity identity) {
        PeerTrust trust =
                new PeerTrust(identity.authorities().anchors(), clock::now, () -> revoked);
        return new State(
                identity,
                trust,
                TlsContext.ofClient(provider, identity, trust),
                TlsContext.ofServer(provider, identity, trust, admitsNewcomers));
    }

    /** Whether this process has the TLS of the JDK, because BoringSSL cannot be loaded. */
    public static boolean isOfJdk() {
        return TlsContext.preferred() == SslProvider.JDK;
    }

    /** The identity of this process. */
    public Identity identity() {
        return state.identity();
    }

    /**
     * From now on new connections show another certificate of the same holder, and trust its
     * authorities. Connections of who is not trusted any more end.
     */
    public void renewed(Identity fresh) {
        List<X509Certificate> before = state.identity().authorities().anchors();
        state = stateOf(fresh);
        if (!fresh.authorities().anchors().containsAll(before)) {
            watchers.forEach(Runnable::run);
        }
    }

    /**
     * Does a handshake with itself, in memory: so that the JVM knows how before somebody waits for
     * it. Takes a fraction of a second.
     */
    public void rehearse() {
        new Rehearsal(client(), server()).run();
    }

    /**
     * Certificates were revoked.
     *
     * @param serials the numbers of all of them, hexadecimal
     */
    public void revoke(Set<String> serials) {
        if (!serials.equals(revoked)) {
            revoked = Set.copyOf(serials);
            watchers.forEach(Runnable::run);
        }
    }

    /**
     * More certificates were revoked; those that are known to be stay so, whoever tells.
     *
     * @param serials numbers, hexadecimal
     */
    public synchronized void revokeMore(Collection<String> serials) {
        Set<String> all = new HashSet<>(revoked);
        all.addAll(serials);
        revoke(all);
    }

    /** From now on this runs when certificates, or authorities, are not trusted any more. */
    public void onRevocation(Runnable watcher) {
        watchers.add(watcher);
    }

    /** From now on there are plain connections, too; to be called before there are any. */
    public void admitPlain() {
        admitsPlain = true;
    }

    @Override
    public boolean admitsPlain() {
        return admitsPlain;
    }

    /** The same for connections that are never plain, whatever {@link #admitPlain} has allowed. */
    public ChannelSecurity strict() {
        return new Strict(this);
    }

    private record Strict(ChannelSecurity security) implements ChannelSecurity {
        @Override
        public SSLEngine client() {
            return security.client();
        }

        @Override
        public SSLEngine server() {
            return security.server();
        }

        @Override
        public Principal principal(SSLSession session, String address) {
            return security.principal(session, address);
        }

        @Override
        public String refused(String address, Throwable cause) {
            return security.refused(address, cause);
        }
    }

    @Override
    public SSLEngine client() {
        return state.client().engine();
    }

    @Override
    public SSLEngine server() {
        return state.server().engine();
    }

    @Override
    public Principal principal(SSLSession session, String address) {
        Certificate[] chain;
        try {
            chain = session.getPeerCertificates();
        } catch (SSLPeerUnverifiedException e) {
            return new Principal(Role.NEWCOMER, "", address);
        }
        try {
            return state.trust().check(ofX509(chain)).at(address);
        } catch (CertificateException e) {
            throw new FsException(Errno.EACCES, String.valueOf(e.getMessage()), e);
        }
    }

    private static X509Certificate[] ofX509(Certificate... chain) {
        return Arrays.copyOf(chain, chain.length, X509Certificate[].class);
    }

    @Override
    public String refused(String address, Throwable cause) {
        HandshakeFailure failure = HandshakeFailure.of(cause);
        if (failure.isOurs()) {
            refusals.add(failure.reason(), address, failure.text());
        }
        return failure.text();
    }
}
