package io.cairn.node.identity;

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
        CertificateAuthority.of(ask(token, request, clock), random).write(directory);
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
     * new cluster. What is there already stays.
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
        SigningRequest request = SigningRequest.make(random);
        byte[] chain = byAuthority(authority, name, clock).sign(request.bytes());
        Identity identity = Identity.of(request.key(), chain);
        identity.write(directory);
        return identity;
    }

    /** Signs certificates of a master by the authority that it holds. */
    public static CertificateIssuer byAuthority(
            CertificateAuthority authority, String name, Clock clock) {
        return request ->
                Identity.chain(
                        authority.sign(
                                request, Role.MASTER, name, clock.now(), CertificateAuthority.LIFE),
                        authority.certificate());
    }
}
