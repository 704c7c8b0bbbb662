package io.cairn.master.identity;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.JoinSecurity;
import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.net.Principal.Role;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the authority of a cluster while it works:
 *
 * <ol>
 *   <li>{@link #rotate}: the leader makes another authority and names it in the state, before the
 *       former one. Both are trusted. Keys never stand in the state: the masters hand this one to
 *       each other.
 *   <li>Every process hears of it, and gets a certificate of the present authority.
 *   <li>{@link #dropFormer}: the former one is trusted no more, once nobody needs it.
 * </ol>
 *
 * The authorities are a record {@code ca/authorities}; there is none before the first rotation.
 * Changes are made by the leader. Thread-safe.
 */
public final class AuthorityRotation {
    private static final String KEY = "ca/authorities";
    private static final int ALL = 100_000;

    private final AuthorityKeys keys;
    private final Supplier<Namespace> namespace;
    private final LogWriter writer;
    private final Clock clock;
    private final Supplier<Set<String>> masters;

    @GuardedBy("this")
    private CompletableFuture<Reply> rotating = CompletableFuture.completedFuture(new Reply.Done());

    /**
     * The authorities of a cluster.
     *
     * @param writer logs changes, if this master leads
     * @param masters the names of the other masters
     */
    public AuthorityRotation(
            AuthorityKeys keys,
            Supplier<Namespace> namespace,
            LogWriter writer,
            Clock clock,
            Supplier<Set<String>> masters) {
        this.keys = keys;
        this.namespace = namespace;
        this.writer = writer;
        this.clock = clock;
        this.masters = masters;
    }

    private @Nullable AdminRecord record() {
        return namespace.get().records(KEY, "", 1).stream().findFirst().orElse(null);
    }

    /** What the state names; null when the authority was never replaced. */
    public @Nullable Authorities named() {
        AdminRecord record = record();
        return record == null ? null : Authorities.of(record.value());
    }

    /**
     * All authorities that count, the present one first. A restored backup may name others than the
     * one of the masters that go on with it: then theirs alone counts, or nobody could join.
     */
    public Authorities authorities() {
        X509Certificate held = keys.held().certificate();
        Authorities named = named();
        return named == null || !named.anchors().contains(held) ? Authorities.of(held) : named;
    }

    /** The authority that this master signs with. */
    CertificateAuthority held() {
        return keys.held();
    }

    /** Whether this master has the key of the present authority. */
    public boolean holdsPresent() {
        return keys.held().certificate().equals(authorities().present());
    }

    /**
     * Why no other authority can be made now, with the remedy; null when one can. A former one
     * whose key no living master has may stay behind.
     */
    public @Nullable String refusal() {
        return authorities().isFull()
                ? "There are two former authorities already: 'cairn ca drop-former' first."
                : null;
    }

    /**
     * Makes another authority. Blocks.
     *
     * @return the log's reply, or fails like {@link LogWriter#submit}, and with EBUSY while another
     *     one is made; with EIO at once when the new key cannot be kept
     */
    public synchronized CompletableFuture<Reply> rotate() {
        if (!rotating.isDone()) {
            return CompletableFuture.failedFuture(
                    new FsException(Errno.EBUSY, "another authority is being made"));
        }
        AdminRecord record = record();
        Authorities before = authorities();
        CertificateAuthority held = keys.held();
        CertificateAuthority next = held.successor(clock);
        Authorities after =
                before.followedBy(next.certificate(), held.introduce(next.certificate(), clock));
        keys.keepNext(next, before);
        long version = record == null ? 0 : record.version();
        rotating = change(new RecordChange(KEY, version, after.pem()));
        return rotating;
    }

    /** Who would be left out without the former authorities, such as {@code mount.laptop7}. */
    public List<String> carriers() {
        Authorities all = authorities();
        List<String> found = new ArrayList<>();
        if (all.anchors().size() > 1) {
            String present = JoinSecurity.fingerprintOf(all.present());
            long nowMs = clock.now().toEpochMilli();
            namespace.get().records(Certified.PREFIX, "", ALL).stream()
                    .map(Certified::of)
                    .filter(each -> !each.isOf(present, nowMs))
                    .forEach(each -> found.add(each.holder().id()));
            Set<String> holders = holdsPresent() ? keys.holders() : Set.of();
            masters.get().stream()
                    .filter(each -> !holders.contains(each))
                    .sorted()
                    .forEach(each -> found.add(Role.MASTER.text() + "." + each));
        }
        return found;
    }

    /**
     * Trusts the present authority only.
     *
     * @return the log's reply, or fails like {@link LogWriter#submit}; with EINVAL at once when
     *     there is no former one, EBUSY when somebody needs it or this master has not the key of
     *     the present one
     */
    public CompletableFuture<Reply> dropFormer() {
        AdminRecord record = record();
        Authorities all = authorities();
        if (record == null || all.anchors().size() < 2) {
            throw new FsException(Errno.EINVAL, "there is no former authority");
        }
        List<String> carriers = carriers();
        if (!carriers.isEmpty() || !holdsPresent()) {
            throw new FsException(Errno.EBUSY, "the former authority is needed: " + carriers);
        }
        byte[] left = Authorities.of(all.present()).pem();
        return change(new RecordChange(KEY, record.version(), left));
    }

    private CompletableFuture<Reply> change(RecordChange change) {
        return writer.submit(new LeaderMutation.ChangeRecords(List.of(change)));
    }
}
