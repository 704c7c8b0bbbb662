package io.cairn.identity;

import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.runtime.Clock;
import io.netty.handler.ssl.SslProvider;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;

/** A cluster's authority, and processes that it has certified. */
public final class TestIdentities {
    public final CertificateAuthority authority;
    public final Refusals refusals = new Refusals("network", Clock.system());
    private final SecureRandom random;

    public TestIdentities() {
        this(new SecureRandom());
    }

    /** With keys and numbers of a generator. */
    public TestIdentities(SecureRandom random) {
        this.random = random;
        this.authority = CertificateAuthority.found(Clock.system(), random);
    }

    public Identity identity(Role role, String name) {
        return identity(role, name, Instant.now(), CertificateAuthority.LIFE);
    }

    public Identity identity(Role role, String name, Instant from, Duration life) {
        SigningRequest request = SigningRequest.make(random);
        return Identity.of(
                request.key(),
                Identity.chain(
                        authority.sign(request.bytes(), role, name, from, life),
                        Authorities.of(authority.certificate())));
    }

    public TlsSecurity security(Role role, String name) {
        return security(identity(role, name));
    }

    /** By an implementation of TLS. */
    TlsSecurity security(SslProvider provider, Role role, String name) {
        return new TlsSecurity(provider, identity(role, name), Clock.system(), refusals);
    }

    public TlsSecurity security(Identity identity) {
        return new TlsSecurity(identity, Clock.system(), refusals);
    }
}
