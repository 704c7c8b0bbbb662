package io.cairn.master.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.JoinSecurity;
import io.cairn.identity.JoinToken;
import io.cairn.identity.Subject;
import io.cairn.master.cluster.LogWriter;
import io.cairn.master.identity.Certified.Issued;
import io.cairn.master.identity.Invitation.Holder;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Invites processes, signs their certificates, and revokes them. Of an invitation the state holds
 * the hash of its secret only. Changes are made by the leader. Thread-safe; nothing here blocks.
 */
public final class CertificateIssuer {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateIssuer.class);
    private static final String REVOKED = "ca/revoked/";

    /** A record for each name of a master that has, or had, the key of the authority. */
    private static final String MASTERS = "ca/master/";

    private static final int ALL = 100_000;

    private final AuthorityRotation authorities;
    private final Supplier<Namespace> namespace;
    private final LogWriter writer;
    private final Clock clock;
    private final Duration life;

    /**
     * An issuer.
     *
     * @param writer logs changes, if this master leads
     * @param life how long certificates last
     */
    public CertificateIssuer(
            AuthorityRotation authorities,
            Supplier<Namespace> namespace,
            LogWriter writer,
            Clock clock,
            Duration life) {
        this.authorities = authorities;
        this.namespace = namespace;
        this.writer = writer;
        this.clock = clock;
        this.life = life;
    }

    private long nowMs() {
        return clock.now().toEpochMilli();
    }

    /** SHA-256 of the certificate of the authority that this master signs with, hexadecimal. */
    public String fingerprint() {
        return JoinSecurity.fingerprintOf(authorities.held().certificate());
    }

    /** Replaces the authority. */
    public AuthorityRotation authorities() {
        return authorities;
    }

    private List<AdminRecord> records(String prefix) {
        return namespace.get().records(prefix, "", ALL);
    }

    /** All invitations, also those that have expired. */
    public List<Invitation> invitations() {
        return records(Invitation.PREFIX).stream().map(Invitation::of).toList();
    }

    /** Who holds certificates. */
    public List<Certified> certified() {
        return records(Certified.PREFIX).stream().map(Certified::of).toList();
    }

    /**
     * The serial numbers of revoked certificates, hexadecimal, and names of revoked masters, as in
     * {@code master.m2}.
     */
    public Set<String> revoked() {
        Set<String> serials = new HashSet<>();
        records(REVOKED).forEach(each -> serials.add(each.key().substring(REVOKED.length())));
        return serials;
    }

    /** The names of all masters that there are or were: each could sign its own certificates. */
    public Set<String> masters() {
        Set<String> names = new TreeSet<>();
        records(MASTERS).forEach(each -> names.add(each.key().substring(MASTERS.length())));
        return names;
    }

    /** Notes the names of masters, if this master leads, so that they can be revoked later. */
    public void remember(Collection<String> names) {
        Set<String> known = masters();
        List<RecordChange> changes =
                names.stream()
                        .filter(each -> !known.contains(each))
                        .map(CertificateIssuer::noted)
                        .toList();
        if (!changes.isEmpty()) {
            var _ = writer.submit(new LeaderMutation.ChangeRecords(changes));
        }
    }

    private static RecordChange noted(String master) {
        byte[] name = master.getBytes(StandardCharsets.UTF_8);
        return new RecordChange(MASTERS + master, RecordChange.ANY, name);
    }

    private static <T> @Nullable T find(List<T> all, Predicate<T> wanted) {
        return all.stream().filter(wanted).findFirst().orElse(null);
    }

    /**
     * Invites a process, in place of an earlier invitation.
     *
     * @param secret what it will show
     * @param expiresMs the end of the invitation, in milliseconds since 1970
     * @return the log's reply, or fails like {@link LogWriter#submit}; with EINVAL at once when the
     *     name cannot stand in a certificate, or there are no tokens for the role
     */
    public CompletableFuture<Reply> invite(Holder holder, String secret, long expiresMs) {
        var _ = new Subject(authorities.held().cluster(), holder.role(), holder.name());
        if (!holder.role().isInvited()) {
            throw new FsException(
                    Errno.EINVAL,
                    "users get certificates for passwords: cairn exports passwd NAME");
        }
        if (revoked().contains(holder.id())) {
            throw new FsException(
                    Errno.EINVAL,
                    "%s was revoked, for good: give the new master another name"
                            .formatted(holder.id()));
        }
        Invitation fresh = new Invitation(holder, JoinToken.hash(secret), expiresMs, 0);
        return writer.submit(
                new LeaderMutation.ChangeRecords(
                        List.of(new RecordChange(fresh.key(), RecordChange.ANY, fresh.stored()))));
    }

    /**
     * Signs the first certificate of who was invited. The invitation ends with it.
     *
     * @return the certificate and that of the authority, in PEM, and for a master also the key of
     *     the authority; or fails: EACCES when nobody was invited with this secret, EINVAL when the
     *     request is none
     */
    public CompletableFuture<byte[]> join(String secret, byte[] request) {
        Invitation invitation = invitationOf(secret);
        if (invitation == null || invitation.expiresMs() < nowMs()) {
            return refused(
                    "this join token is not known any more: it was used, revoked or has expired;"
                            + " make another with 'cairn ca join-token'");
        }
        if (invitation.holder().role() == Role.MASTER && !authorities.holdsPresent()) {
            return CompletableFuture.failedFuture(
                    new FsException(
                            Errno.NOT_READY,
                            "this master has not the key of the new authority yet"));
        }
        RecordChange used = new RecordChange(invitation.key(), invitation.version(), null);
        Holder holder = invitation.holder();
        CompletableFuture<byte[]> chain = issue(holder, request, List.of(used));
        // Whichever master leads signs for others.
        return holder.role() == Role.MASTER
                ? chain.thenApply(signed -> authorities.held().handOver(signed))
                : chain;
    }

    /**
     * Signs a certificate for a user who has logged in with a password. The state knows nothing of
     * it and it cannot be revoked: masters do nothing for it without the password.
     *
     * @return as {@link #join} does; fails with EINVAL when the request is none
     */
    public CompletableFuture<byte[]> welcome(String user, byte[] request) {
        try {
            CertificateAuthority authority = authorities.held();
            X509Certificate signed = authority.sign(request, Role.USER, user, clock.now(), life);
            LOG.info("user {} has a certificate until {}", user, end(signed));
            return CompletableFuture.completedFuture(
                    Identity.chain(signed, authorities.authorities()));
        } catch (FsException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Takes the same time for every secret. */
    private @Nullable Invitation invitationOf(String secret) {
        byte[] wanted = JoinToken.hash(secret).getBytes(StandardCharsets.US_ASCII);
        Invitation found = null;
        for (Invitation each : invitations()) {
            byte[] hash = each.sha256().getBytes(StandardCharsets.US_ASCII);
            if (MessageDigest.isEqual(wanted, hash)) {
                found = each;
            }
        }
        return found;
    }

    /**
     * Signs the next certificate of who shows one.
     *
     * @return as {@link #join} does; fails with EACCES when its certificates were revoked
     */
    public CompletableFuture<byte[]> renew(Principal principal, byte[] request) {
        Holder holder = new Holder(principal.role(), principal.name());
        if (find(certified(), each -> each.holder().equals(holder)) == null) {
            return refused("the certificates of " + holder.id() + " were revoked");
        }
        return issue(holder, request, List.of());
    }

    /**
     * Notes that a holder has kept a certificate: then it needs no earlier one any more.
     *
     * @return nothing, when it is noted; fails with EACCES when it has no such certificate
     */
    public CompletableFuture<byte[]> kept(Principal principal, String serial) {
        Holder holder = new Holder(principal.role(), principal.name());
        Certified known = find(certified(), each -> each.holder().equals(holder));
        if (known == null || !known.has(serial)) {
            return refused(holder.id() + " has no certificate " + serial);
        }
        if (!known.lacks(serial)) {
            return CompletableFuture.completedFuture(new byte[0]);
        }
        RecordChange change =
                new RecordChange(
                        Certified.key(holder), known.version(), known.keeping(serial).stored());
        return writer.submit(new LeaderMutation.ChangeRecords(List.of(change)))
                .thenApply(
                        reply -> {
                            requireDone(reply);
                            return new byte[0];
                        });
    }

    private static <T> CompletableFuture<T> refused(String why) {
        return CompletableFuture.failedFuture(new FsException(Errno.EACCES, why));
    }

    private CompletableFuture<byte[]> issue(
            Holder holder, byte[] request, List<RecordChange> besides) {
        CertificateAuthority authority = authorities.held();
        X509Certificate signed;
        try {
            signed = authority.sign(request, holder.role(), holder.name(), clock.now(), life);
        } catch (FsException e) {
            return CompletableFuture.failedFuture(e);
        }
        Certified before = find(certified(), each -> each.holder().equals(holder));
        Certified known = before == null ? new Certified(holder, List.of(), 0) : before;
        if (known.isFull(nowMs())) {
            return refused(
                    "%s has too many valid certificates: revoke them with 'cairn ca revoke %s'"
                            .formatted(holder.id(), holder.id()));
        }
        Issued issued =
                new Issued(
                        signed.getSerialNumber().toString(16),
                        signed.getNotAfter().toInstant().toEpochMilli(),
                        JoinSecurity.fingerprintOf(authority.certificate()),
                        false);
        List<RecordChange> changes = new ArrayList<>(besides);
        if (holder.role() == Role.MASTER) {
            // It signs for itself from now on: its name is all that can be revoked.
            changes.add(noted(holder.name()));
        } else {
            changes.add(
                    new RecordChange(
                            Certified.key(holder),
                            known.version(),
                            known.with(issued, nowMs()).stored()));
        }
        return writer.submit(new LeaderMutation.ChangeRecords(changes))
                .thenApply(
                        reply -> {
                            requireDone(reply);
                            LOG.info("{} has a certificate until {}", holder.id(), end(signed));
                            return Identity.chain(signed, authorities.authorities());
                        });
    }

    private static String end(X509Certificate certificate) {
        return certificate.getNotAfter().toInstant().toString();
    }

    private static void requireDone(Reply reply) {
        if (reply instanceof Reply.Failure failure) {
            throw new FsException(
                    failure.errno() == Errno.ESTALE ? Errno.NOT_READY : failure.errno(),
                    "somebody else got a certificate of this name at the same time: "
                            + failure.message());
        }
    }

    /**
     * Revokes the invitation and all certificates of a holder, if there are any. A master signs its
     * own ones, so all of its name are revoked, for good: if there ever was a master of this name.
     *
     * @return the log's reply, or null when there is nothing to revoke
     */
    public @Nullable CompletableFuture<Reply> revoke(Holder holder) {
        List<RecordChange> changes = new ArrayList<>();
        Invitation invitation = find(invitations(), each -> each.holder().equals(holder));
        if (invitation != null) {
            // By its version: nobody has joined with it meanwhile.
            changes.add(new RecordChange(invitation.key(), invitation.version(), null));
        }
        Certified known = find(certified(), each -> each.holder().equals(holder));
        byte[] who = holder.id().getBytes(StandardCharsets.UTF_8);
        boolean isMaster = holder.role() == Role.MASTER && masters().contains(holder.name());
        if (isMaster && !revoked().contains(holder.id())) {
            changes.add(new RecordChange(REVOKED + holder.id(), RecordChange.ANY, who));
        }
        if (known != null) {
            changes.add(new RecordChange(Certified.key(holder), known.version(), null));
            for (Issued each : known.certificates()) {
                changes.add(new RecordChange(REVOKED + each.serial(), RecordChange.ANY, who));
            }
        }
        return changes.isEmpty() ? null : writer.submit(new LeaderMutation.ChangeRecords(changes));
    }
}
