package io.cairn.node.identity;

import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.JoinSecurity;
import io.cairn.identity.JoinToken;
import io.cairn.identity.SigningRequest;
import io.cairn.net.EventLoops;
import io.cairn.net.Principal.Role;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest;
import io.netty.buffer.ByteBufAllocator;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;

/** How a process gets the first certificate. Blocks. */
public final class Joining {
    private Joining() {}

    /**
     * Joins a cluster with a token, and keeps the identity in a directory.
     *
     * @throws io.cairn.base.FsException EACCES when the token is not good any more; DISCONNECTED
     *     when no master answers within half a minute, or is none of the cluster of the token; EIO
     *     when the identity cannot be kept
     */
    public static Identity join(JoinToken token, Path directory, Clock clock, SecureRandom random) {
        SigningRequest request = SigningRequest.make(random);
        Identity identity = Identity.of(request.key(), ask(token, request, clock));
        identity.write(directory);
        return identity;
    }

    /**
     * Joins a cluster as a master: keeps the authority of the cluster in a directory, from which
     * {@link #ofMaster} makes the identity.
     *
     * @throws io.cairn.base.FsException as {@link #join} does
     */
    public static void joinAsMaster(
            JoinToken token, Path directory, Clock clock, SecureRandom random) {
        SigningRequest request = SigningRequest.make(random);
        byte[] answer = ask(token, request, clock);
        CertificateAuthority authority = CertificateAuthority.of(answer, random);
        authority.write(directory);
        // It tells which other authorities are trusted, until the state of the masters does.
        Identity.of(request.key(), CertificateAuthority.chainOf(answer)).write(directory);
    }

    private static byte[] ask(JoinToken token, SigningRequest request, Clock clock) {
        EventLoops loops = new EventLoops("cairn-join", 1, clock);
        try (NettyTransport transport =
                new NettyTransport(
                        loops,
                        ChannelSettings.standard(clock, false),
                        ByteBufAllocator.DEFAULT,
                        true,
                        new JoinSecurity(token, clock))) {
            return new CertificateCall(transport, token::masters, clock)
                    .ask(new ClusterRequest.Join(token.secret(), request.bytes()));
        }
    }

    /**
     * The identity of a master, which the authority in its directory signs; a new authority with a
     * new cluster. What is there already stays, also the other authorities that it trusts.
     *
     * @param found whether to make an authority when there is none
     * @throws io.cairn.base.FsException EACCES when others may read a key; EIO, EINVAL when a file
     *     cannot be used
     */
    public static Identity ofMaster(
            Path directory, String name, boolean found, Clock clock, SecureRandom random) {
        if (found && !CertificateAuthority.isIn(directory)) {
            CertificateAuthority.found(clock, random).write(directory);
        }
        CertificateAuthority authority = CertificateAuthority.read(directory, random);
        Identity identity = ofMaster(authority, trusted(directory, authority), name, clock, random);
        identity.write(directory);
        return identity;
    }

    /** A new key of a master, and the certificate that its authority signs. */
    static Identity ofMaster(
            CertificateAuthority authority,
            Authorities trusted,
            String name,
            Clock clock,
            SecureRandom random) {
        SigningRequest request = SigningRequest.make(random);
        X509Certificate signed =
                authority.sign(
                        request.bytes(), Role.MASTER, name, clock.now(), CertificateAuthority.LIFE);
        return Identity.of(request.key(), Identity.chain(signed, trusted));
    }

    /** Those of the identity that was there, if the authority is one of them. */
    private static Authorities trusted(Path directory, CertificateAuthority authority) {
        if (Identity.isIn(directory)) {
            Authorities known = Identity.read(directory).authorities();
            if (known.anchors().contains(authority.certificate())) {
                return known;
            }
        }
        return Authorities.of(authority.certificate());
    }
}
