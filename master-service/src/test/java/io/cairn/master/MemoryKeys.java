package io.cairn.master;

import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.master.identity.AuthorityKeys;
import io.cairn.master.identity.AuthorityRotation;
import io.cairn.metadata.Namespace;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keys of authorities that a test holds in memory. */
final class MemoryKeys implements AuthorityKeys {
    final Set<String> holders = new HashSet<>();
    final Set<String> masters = new HashSet<>();
    private volatile CertificateAuthority held;
    private volatile @Nullable CertificateAuthority next;

    MemoryKeys(CertificateAuthority first) {
        held = first;
    }

    AuthorityRotation rotation(
            Supplier<Namespace> namespace,
            Function<LeaderMutation, CompletableFuture<Reply>> writer) {
        return new AuthorityRotation(this, namespace, writer::apply, Clock.system(), () -> masters);
    }

    /** As a master does when the state names the authority. */
    void adopt() {
        held = Objects.requireNonNull(next);
    }

    @Override
    public CertificateAuthority held() {
        return held;
    }

    @Override
    public void keepNext(CertificateAuthority authority, Authorities present) {
        next = authority;
    }

    @Override
    public Set<String> holders() {
        return holders;
    }
}
