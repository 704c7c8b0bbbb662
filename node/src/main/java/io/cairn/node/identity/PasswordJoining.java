package io.cairn.node.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.PasswordLogin;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.Identity;
import io.cairn.identity.JoinSecurity;
import io.cairn.identity.SigningRequest;
import io.cairn.net.EventLoops;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest;
import io.netty.buffer.ByteBufAllocator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * How a mount without a certificate gets one: it trusts the authority of the cluster, logs in with
 * a password, and asks. The certificate is good with the password only. Thread-safe. Blocks.
 */
public final class PasswordJoining implements CertificateIssuer {
    /** An empty one: the login stands for it. */
    private static final String SECRET = "";

    private final Supplier<X509Certificate> authority;
    private final Supplier<List<Endpoint>> masters;
    private final PasswordLogin login;
    private final Clock clock;
    private final SecureRandom random;

    /**
     * Asks nobody yet.
     *
     * @param authority that of the cluster, as it is known at that time: others are told nothing
     * @param masters where the masters are, as far as it is known; never empty
     */
    public PasswordJoining(
            Supplier<X509Certificate> authority,
            Supplier<List<Endpoint>> masters,
            PasswordLogin login,
            Clock clock,
            SecureRandom random) {
        this.authority = authority;
        this.masters = masters;
        this.login = login;
        this.clock = clock;
        this.random = random;
    }

    /**
     * Makes a key, and gets the first certificate for it.
     *
     * @param patienceS how long it waits for masters that are starting, seconds
     * @param waits runs when nobody has answered for a while
     * @throws FsException EACCES when the password is refused; ETIMEDOUT when no master answers, or
     *     none of the authority
     */
    public Identity join(int patienceS, Runnable waits) {
        SigningRequest request = SigningRequest.make(random);
        return Identity.of(request.key(), sign(request.bytes(), patienceS, waits));
    }

    @Override
    public byte[] sign(byte[] request) {
        return sign(request, CertificateCall.PATIENCE_S, () -> {});
    }

    private byte[] sign(byte[] request, int patienceS, Runnable waits) {
        EventLoops loops = new EventLoops("cairn-join", 1, clock);
        try (NettyTransport transport =
                new NettyTransport(
                        loops,
                        ChannelSettings.standard(clock, false),
                        ByteBufAllocator.DEFAULT,
                        true,
                        new JoinSecurity(authority.get(), clock))) {
            return new CertificateCall(
                            transport,
                            masters,
                            clock,
                            (connection, timeoutMs) ->
                                    login.over(connection, timeoutMs, Runnable::run, random))
                    .ask(new ClusterRequest.Join(SECRET, request), patienceS, waits);
        } catch (FsException e) {
            throw told(e, patienceS);
        }
    }

    private String names() {
        return masters.get().stream().map(Endpoint::toString).collect(Collectors.joining(", "));
    }

    private FsException told(FsException error, int patienceS) {
        if (error.errno() == Errno.EACCES) {
            String text = "the masters refuse it: " + error.getMessage();
            return new FsException(Errno.EACCES, text, error);
        }
        if (!CertificateCall.isPassing(error)) {
            return error;
        }
        String text =
                "no master answered at %s within %d s: %s"
                        .formatted(names(), patienceS, error.getMessage());
        return new FsException(Errno.ETIMEDOUT, text, error);
    }
}
