package io.cairn.master;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.identity.Authorities;
import io.cairn.master.access.ClassKeyCache;
import io.cairn.master.access.TicketIssuer;
import io.cairn.master.identity.CertificateIssuer;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.ServerKeys;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The part of a master's door that is about certificates: answers who asks for one, tells chunk
 * servers and clients which ones were revoked, and signs tickets for who has one. Thread-safe.
 */
public final class Certification {
    /** Those that keep a connection to the leader open and can be told something over it. */
    private static final Set<Role> HEARERS =
            EnumSet.of(Role.CHUNK, Role.MOUNT, Role.GATEWAY, Role.ADMIN, Role.USER);

    private final ReplicatedLog log;
    private final Refusals refusals;
    private final MasterRoleCheck door;
    private final TicketIssuer tickets;
    private final ClassKeyCache classKeys;
    private final Set<Connection> hearers = ConcurrentHashMap.newKeySet();
    private volatile @Nullable CertificateIssuer issuer;

    /** The list that was last told, and in which term. */
    private record Told(Set<String> serials, long term) {}

    private volatile Told told = new Told(Set.of(), -1);

    /** The authorities that were last told, and in which term; null before there are any. */
    private record Signers(Push.AuthoritiesChanged push, long term) {}

    private volatile @Nullable Signers signers;

    Certification(
            ReplicatedLog log, Supplier<Namespace> namespace, Clock clock, RandomGenerator random) {
        this.log = log;
        this.refusals = new Refusals("master", clock);
        this.door = new MasterRoleCheck(refusals);
        this.classKeys = new ClassKeyCache(namespace);
        this.tickets =
                new TicketIssuer(
                        namespace,
                        m -> {
                            int level = namespace.get().level();
                            byte[] frame = new Envelope(level, 0, 0, 0, 0, m).toBytes();
                            return log.submit(frame, 0).thenApply(Outcome::reply);
                        },
                        clock,
                        random);
    }

    /** From now on processes can ask for certificates here. */
    public void serve(CertificateIssuer open) {
        issuer = open;
    }

    /** What the door refused. */
    public Refusals refusals() {
        return refusals;
    }

    MasterRoleCheck door() {
        return door;
    }

    TicketIssuer tickets() {
        return tickets;
    }

    /** What a chunk server needs to check tickets, and to encrypt. */
    ServerKeys keys(Principal asker) {
        return new ServerKeys(tickets.keys(asker), classKeys.keys());
    }

    void opened(Connection connection) {
        if (HEARERS.contains(connection.principal().role())) {
            hearers.add(connection);
            tell(List.of(connection), told.serials);
            Signers known = signers;
            if (known != null && log.mayRead()) {
                send(connection, known.push);
            }
        }
    }

    void closed(Connection connection) {
        hearers.remove(connection);
    }

    /**
     * Tells chunk servers and clients, if this master leads and they do not know yet.
     *
     * @param serials the numbers of all revoked certificates, hexadecimal
     */
    public void tellRevoked(Set<String> serials) {
        Told now = new Told(Set.copyOf(serials), log.leaderTerm());
        if (log.mayRead() && !now.equals(told)) {
            told = now;
            tell(List.copyOf(hearers), serials);
        }
    }

    /**
     * Tells chunk servers and clients which authorities count, if this master leads and they do not
     * know yet.
     */
    public void tellAuthorities(Authorities authorities) {
        String pem = new String(authorities.pem(), StandardCharsets.US_ASCII);
        Signers now = new Signers(new Push.AuthoritiesChanged(pem), log.leaderTerm());
        if (log.mayRead() && !now.equals(signers)) {
            signers = now;
            List.copyOf(hearers).forEach(each -> send(each, now.push));
        }
    }

    private static void send(Connection to, Push push) {
        to.send(Message.of(v -> MasterRequest.push(push, v)));
    }

    private static void tell(List<Connection> connections, Set<String> serials) {
        if (!serials.isEmpty()) {
            Push.Revoked push = new Push.Revoked(List.copyOf(serials));
            connections.forEach(each -> send(each, push));
        }
    }

    /** Answers who has no certificate yet. */
    void join(Connection from, ClusterRequest.Join join, Answer answer) {
        finish(open().join(join.secret(), join.signingRequest()), answer, from);
    }

    /** Answers a user who has logged in, and has no certificate yet. */
    void join(Connection from, String user, ClusterRequest.Join join, Answer answer) {
        finish(open().welcome(user, join.signingRequest()), answer, from);
    }

    /** Answers who has one. */
    void renew(Connection from, ClusterRequest.RenewCertificate renewal, Answer answer) {
        finish(open().renew(from.principal(), renewal.signingRequest()), answer, from);
    }

    /** Answers who has kept one. */
    void kept(Connection from, ClusterRequest.CertificateKept kept, Answer answer) {
        finish(open().kept(from.principal(), kept.serial()), answer, from);
    }

    private CertificateIssuer open() {
        CertificateIssuer open = issuer;
        if (open == null) {
            throw new FsException(Errno.NOT_READY, "this master signs no certificates");
        }
        return open;
    }

    private void finish(CompletableFuture<byte[]> chain, Answer answer, Connection from) {
        var _ =
                chain.whenComplete(
                        (pem, error) -> {
                            if (pem != null) {
                                answer.send(Message.of(pem));
                            } else {
                                answer.fail(failure(error, from));
                            }
                        });
    }

    private FsException failure(@Nullable Throwable error, Connection from) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        FsException known =
                cause instanceof FsException e
                        ? e
                        : new FsException(Errno.EIO, "no certificate can be signed: " + cause);
        if (known.errno() == Errno.EACCES) {
            refusals.add(
                    Refusals.Reason.CERTIFICATE,
                    from.remote().host(),
                    String.valueOf(known.getMessage()));
        }
        return known;
    }
}
